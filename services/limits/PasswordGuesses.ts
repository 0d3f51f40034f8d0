import { Cause, type Duration, Effect, Exit } from "effect"
import { type Handler, ParentLink } from "../concurrency/ParentLink.ts"
import { groupOf, type Key } from "../concurrency/RoundRobinQueue.ts"
import { type Priority, RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import type { RateLimited, Unavailable } from "../Errors.ts"
import { networkKeyOf, networkOf } from "./Network.ts"
import type { RateCounters } from "./RateCounters.ts"
import { admit, tooMany } from "./RateRefusal.ts"

/** Maximum wrong passwords of a share in 15 minutes, of one network and of all. Above the latter, attempts are slow. */
const maxOfNetwork = 10
const maxOfShare = 100
/** Time before a slow attempt. Other attempts of the share wait meanwhile. */
const slowAttempt: Duration.Input = "5 seconds"

/** A slow attempt with the password of a share, by the share and the network. */
interface SlowTurn {
  readonly key: Key
  readonly priority: Priority
}

const makeSlowTurns = () => {
  const semaphore = new RoundRobinSemaphore({
    permits: Infinity,
    permitsPerGroup: 1,
    maxWaiting: 2_000,
    maxWaitingPerKey: 20,
    detail: "Too many attempts with the password of this share are waiting"
  })
  return ({ key, priority }: SlowTurn) => semaphore.withPermit(key, Effect.sleep(slowAttempt), priority)
}

/** Gives workers their turns. */
export const makeSlowTurnHandler = (): Handler => makeSlowTurns()

const minute = 60_000
const hour = 60 * minute

const tooManyLogIns = tooMany("Too many log-ins failed for this e-mail address", "login_throttled")
const tooManyCodes = tooMany("Too many wrong codes were sent for this account", "login_throttled")
const tooManySharePasswords = tooMany("Too many wrong passwords were sent for this share")

export const isWrong = (error: unknown): boolean =>
  (error as { readonly _tag?: string } | undefined)?._tag === "Unauthorized"

/** Whether an attempt may have been a guess: its credential was wrong, or its client did not wait for the response. */
const isGuess = (cause: Cause.Cause<unknown>): boolean =>
  Cause.hasInterrupts(cause) || cause.reasons.some((reason) => Cause.isFailReason(reason) && isWrong(reason.error))

/**
 * Attempts with the password of an account or of a share, as of `Throttles`. `hidden` hashes what a key identifies.
 */
export const makePasswordGuesses = (
  counters: RateCounters["Service"],
  hidden: (...parts: ReadonlyArray<string>) => string,
  link: ParentLink | undefined
) => {
  const attemptsByBoth = counters.counter("login-both", 15 * minute)
  const attemptsByEmail = counters.counter("login-email", hour)
  const codesByBoth = counters.counter("code-both", 15 * minute)
  const codesByUser = counters.counter("code-user", hour)
  const passwordsByShare = counters.counter("share-password", 15 * minute)
  const guessesByShare = counters.counter("share-guess", 15 * minute)
  const readersOfShare = counters.counter("share-reader", 7 * 24 * hour)
  const guessesByNetwork = counters.counter("guess-network", 15 * minute)

  const attempts = new RoundRobinSemaphore({
    permits: Infinity,
    permitsPerKey: 1,
    maxWaiting: 2_000,
    maxWaitingPerKey: 200,
    detail: "Too many attempts with this password are waiting"
  })

  const slowTurn: (turn: SlowTurn) => Effect.Effect<void, Unavailable> =
    link === undefined ? makeSlowTurns() : (turn) => link.ask("slow turn", turn)

  /** Counts an attempt first, and uncounts it when it was no guess. */
  const guarded = <A, E, R>(
    key: string,
    counted: Effect.Effect<void, RateLimited>,
    uncount: Effect.Effect<unknown>,
    attempt: Effect.Effect<A, E, R>
  ) =>
    attempts.withPermit(
      key,
      Effect.andThen(
        counted,
        Effect.onExit(attempt, (exit) =>
          Exit.isFailure(exit) && isGuess(exit.cause) ? Effect.void : Effect.asVoid(uncount)
        )
      )
    )

  /** Limits attempts by the account that `name` names and the network of a request, and by the account from anywhere. */
  const limited =
    (byBoth: typeof attemptsByBoth, byName: typeof attemptsByBoth, most: number, refusal: typeof tooManyLogIns) =>
    <A, E, R>(
      name: string,
      ip: string | null,
      attempt: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | RateLimited | Unavailable, R> => {
      const account = hidden(name)
      const both = hidden(name, networkOf(ip))
      // Refusals by network do not count against the account: otherwise one network could lock out all others.
      const counted = Effect.andThen(admit(byBoth, both, 10, refusal), admit(byName, account, most, refusal))
      const uncount = Effect.andThen(byBoth.refund(both), byName.refund(account))
      const judged = Effect.onExit(attempt, (exit) =>
        Exit.isFailure(exit) && isGuess(exit.cause) ? guessesByNetwork.add(groupOf(networkKeyOf(ip))) : Effect.void
      )
      return guarded(both, counted, uncount, judged)
    }

  return {
    /** Recent wrong passwords of the wider network. */
    ofNetwork: (ip: string | null) =>
      Effect.map(guessesByNetwork.look(groupOf(networkKeyOf(ip))), ({ count }) => count),

    logIn: limited(attemptsByBoth, attemptsByEmail, 100, tooManyLogIns),

    code: limited(codesByBoth, codesByUser, 20, tooManyCodes),

    sharePassword: <A, E, R>(
      share_id: string,
      ip: string | null,
      attempt: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | RateLimited | Unavailable, R> => {
      const key = hidden(share_id, networkOf(ip))
      const share = hidden(share_id)
      const group = hidden(share_id, groupOf(networkKeyOf(ip)))
      let isAttempted = false
      const made = guarded(
        key,
        admit(passwordsByShare, key, maxOfNetwork, tooManySharePasswords),
        passwordsByShare.refund(key),
        Effect.suspend(() => {
          isAttempted = true
          return attempt
        })
      )
      const slow = Effect.gen(function* () {
        // Refused attempts do not wait, and delay no others.
        const ofNetwork = yield* passwordsByShare.look(key)
        if (ofNetwork.count >= maxOfNetwork) return yield* tooManySharePasswords(ofNetwork)
        const isReader = (yield* readersOfShare.look(group)).count > 0
        const isClean = isReader || (yield* guessesByShare.look(group)).count === 0
        // The turn comes first: a request that ends before its attempt is no guess.
        yield* slowTurn({ key: [share, group], priority: isClean ? "first" : "normal" })
        return yield* made
      })
      // Counted before it runs, so that no more attempts than the limit run at once.
      return Effect.flatMap(guessesByShare.add(share), (counted) => {
        const isSlow = counted.count > maxOfShare
        const judged = Effect.onExit(isSlow ? slow : made, (exit) => {
          if (Exit.isSuccess(exit)) return Effect.andThen(guessesByShare.refund(share), readersOfShare.add(group))
          return isAttempted && isGuess(exit.cause) ? guessesByShare.add(group) : guessesByShare.refund(share)
        })
        return isSlow
          ? Effect.mapError(judged, (error) => (isWrong(error) ? tooManySharePasswords(counted) : error))
          : judged
      })
    }
  }
}
