import { Cause, Context, type Duration, Effect, Exit, Layer } from "effect"
import { groupOf, type Key } from "../concurrency/RoundRobinQueue.ts"
import { type Priority, RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import { RateLimited, type Unavailable } from "../Errors.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { type Counter, RateCounters } from "./RateCounters.ts"
import { networkKeyOf, networkOf } from "./Network.ts"
import type { Counted } from "./Windows.ts"

/** Failures of a network in a minute, before it is held back. */
const maxFailures = 20

/** Wrong passwords of a share in 15 minutes, from one network and from all; beyond the second, attempts take their time. */
const maxOfNetwork = 10
const maxOfShare = 100
/** The time of such an attempt: others of the share wait meanwhile. */
const slowAttempt: Duration.Input = "5 seconds"

/**
 * For whom a password is hashed. Users go first where they have signed in before; networks of which much was wrong of late
 * come last.
 */
export interface Asker {
  readonly key: Key
  readonly priority: Priority
}

/** The person at the machine itself. */
export const operator: Asker = { key: "operator", priority: "first" }

const minute = 60_000
const hour = 60 * minute

const retryAfter = ({ left }: Counted): number => Math.max(1, Math.ceil(left / 1000))

const tooMany =
  (detail: string, code: "rate_limited" | "login_throttled" = "rate_limited") =>
  (counted: Counted) =>
    new RateLimited({ code, detail, retry_after: retryAfter(counted) })

const tooManyFailures = tooMany("Too many invalid credentials were sent from this address")
const tooManyInvitations = tooMany("Too many invitations were sent to this e-mail address")
const tooManySent = tooMany("Too many invitations were sent by this user or from this address")
const tooManyConfirmations = tooMany("Too many mails that confirm an address were asked for")
const tooManyRegistrations = tooMany("Too many registrations from this address")
const tooManyRefreshes = tooMany("The tokens of this session are refreshed too often")
const tooManyLogIns = tooMany("Too many log-ins failed for this e-mail address", "login_throttled")
const tooManySharePasswords = tooMany("Too many wrong passwords were sent for this share")
const tooManyShares = tooMany("Too many links that do not exist were requested from this address")

const isWrong = (error: unknown): boolean => (error as { readonly _tag?: string } | undefined)?._tag === "Unauthorized"

/** Whether an attempt may have been a guess: its credential was wrong, or nobody waited for the answer. */
const isGuess = (cause: Cause.Cause<unknown>): boolean =>
  Cause.hasInterrupts(cause) || cause.reasons.some((reason) => Cause.isFailReason(reason) && isWrong(reason.error))

/** An invitation that is to be sent. */
interface Inviting {
  readonly user_id: string
  /** The recipient, and where the request came from; undefined where no mail goes out. */
  readonly mailed: { readonly email_key: string; readonly ip: string | null } | undefined
  /** What a user, and a network, may send; 0 is without a limit. */
  readonly perHour: number
  readonly perDay: number
}

interface Options {
  /** The operator's rate limit: 0 takes away the limits of registrations and refreshes too. */
  readonly perMinute: number | undefined
}

/**
 * Holds back who guesses (contract 2, Rate limits), whatever the rate limit is. Of addresses of IPv6 the /64 counts.
 */
export class Throttles extends Context.Service<
  Throttles,
  {
    /** Counts a credential that is not valid. From the 21st in a minute on, this is the answer instead of 401. */
    readonly failedAuthentication: (ip: string | null) => Effect.Effect<void, RateLimited>
    /** Counts an attempt as such a failure where it fails with `Unauthorized`. */
    readonly credential: <A, E extends { readonly _tag: string }, R>(
      ip: string | null,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R>
    /**
     * For whom a password is hashed: a network, of which one with too many failures waits last and is not refused for that
     * alone; or a user who is signed in, or has signed in from there before.
     */
    readonly asker: (ip: string | null, user_id?: string) => Effect.Effect<Asker>
    /**
     * A log-in, of which 10 may be wrong per e-mail and address in 15 minutes, and 100 per e-mail in an hour. Each is
     * counted before the password is looked at, and no longer when it was right; those of one e-mail and address wait for
     * each other on a node, for 15 s at most, so that right ones at once are not counted together. What fails with
     * `Unauthorized`, or is given up by its client, stays counted.
     */
    readonly logIn: <A, E, R>(
      email_key: string,
      ip: string | null,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited | Unavailable, R>
    /**
     * The same for the password of a share: 10 may be wrong per share and address in 15 minutes. After 100 wrong ones from
     * all addresses, attempts of the share are made one after the other, each after 5 seconds, and wider networks take turns:
     * a right password still opens the share, a wrong one is refused as one too many.
     * Networks without a wrong one, or with a right one in the last week, do not wait for the others.
     */
    readonly sharePassword: <A, E, R>(
      share_id: string,
      ip: string | null,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited | Unavailable, R>
    /** Counts a share that there is not. From the 21st in a minute on, this is the answer instead of 404. */
    readonly unknownShare: (ip: string | null) => Effect.Effect<void, RateLimited>
    /** Whether a mail that anybody can ask for is sent: 20 requests per address and 5 mails per e-mail in an hour. */
    readonly mail: (email_key: string, ip: string | null) => Effect.Effect<boolean>
    /** Counts a confirmation mail. Limit: 5 per address and hour, over all callers. */
    readonly confirmation: (email_key: string) => Effect.Effect<void, RateLimited>
    /** Counts a change of an address, and a request to mail another confirmation: at most 20 of a network in an hour. */
    readonly confirmationAsked: (ip: string | null) => Effect.Effect<void, RateLimited>
    /** Counts a registration, whatever comes of it: at most 20 per address in an hour. */
    readonly registration: (ip: string | null) => Effect.Effect<void, RateLimited>
    /** Counts a refresh of a session's tokens: at most 10 in a minute. */
    readonly refresh: (session_id: string) => Effect.Effect<void, RateLimited>
    /**
     * An invitation, counted before it is made for its user, and where mail goes out for their network and its recipient
     * (10 in an hour, from all users). One that fails is not counted, because no mail is sent; after an interruption it may have been.
     */
    readonly invitation: <A, E, R>(
      inviting: Inviting,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R>
    /** Whether a mail about a change of an account is sent to its address: 10 in an hour. */
    readonly notice: (email_key: string) => Effect.Effect<boolean>
    /** Whether a reminder is mailed to an address that nobody has proven to be theirs: 20 a day. */
    readonly reminder: (email_key: string) => Effect.Effect<boolean>
  }
>()("sheaf/limits/Throttles") {
  static readonly layer = ({ perMinute }: Options) =>
    Layer.effect(
      Throttles,
      Effect.gen(function* () {
        const counters = yield* RateCounters
        const secrets = yield* Secrets

        const failures = counters.counter("failure", minute)
        const attemptsByBoth = counters.counter("login-both", 15 * minute)
        const attemptsByEmail = counters.counter("login-email", hour)
        const passwordsByShare = counters.counter("share-password", 15 * minute)
        const guessesByShare = counters.counter("share-guess", 15 * minute)
        const readersOfShare = counters.counter("share-reader", 7 * 24 * hour)
        const unknownShares = counters.counter("unknown-share", minute)
        const mailsByNetwork = counters.counter("mail-network", hour)
        const mailsByEmail = counters.counter("mail-email", hour)
        const confirmationsByEmail = counters.counter("confirmation-email", hour)
        const confirmationsByNetwork = counters.counter("confirmation-network", hour)
        const registrationsByNetwork = counters.counter("registration", hour)
        const refreshesBySession = counters.counter("refresh", minute)
        const invitationsByEmail = counters.counter("invitation-email", hour)
        const invitationsByHour = counters.counter("invitation-hour", hour)
        const invitationsByDay = counters.counter("invitation-day", 24 * hour)
        const noticesByEmail = counters.counter("notice-email", hour)
        const remindersByEmail = counters.counter("reminder-email", 24 * hour)

        /** What is counted leaves this process: nobody is to read from it who has an account. */
        const hidden = (...parts: ReadonlyArray<string>): string =>
          Buffer.from(secrets.sign("limit-key", Buffer.from(parts.join("\n")))).toString("base64url")

        const attempts = new RoundRobinSemaphore({
          permits: Infinity,
          permitsPerKey: 1,
          maxWaiting: 2_000,
          maxWaitingPerKey: 200,
          detail: "Too many attempts with this password are waiting"
        })

        const slowAttempts = new RoundRobinSemaphore({
          permits: Infinity,
          permitsPerGroup: 1,
          maxWaiting: 2_000,
          maxWaitingPerKey: 20,
          detail: "Too many attempts with the password of this share are waiting"
        })

        /** Counts one; above the limit the caller is refused. */
        const admit = (counter: Counter, key: string, limit: number, refusal = tooManyLogIns) =>
          Effect.flatMap(counter.add(key), (counted) =>
            counted.count > limit ? Effect.fail(refusal(counted)) : Effect.void
          )

        /** An attempt that is counted first, and no longer when it was no guess. */
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

        const failedAuthentication = (ip: string | null) => admit(failures, networkOf(ip), maxFailures, tooManyFailures)

        return Throttles.of({
          failedAuthentication,

          credential: (ip, attempt) =>
            Effect.tapError(attempt, ({ _tag }) => (_tag === "Unauthorized" ? failedAuthentication(ip) : Effect.void)),

          asker: (ip, user_id) =>
            user_id === undefined
              ? Effect.map(failures.look(networkOf(ip)), ({ count }) => ({
                  key: networkKeyOf(ip),
                  priority: count > maxFailures ? "low" : "normal"
                }))
              : Effect.succeed({ key: [user_id, networkOf(ip)], priority: "first" }),

          logIn: (email_key, ip, attempt) => {
            const email = hidden(email_key)
            const both = hidden(email_key, networkOf(ip))
            // What is refused by its address does not count against its e-mail, or one address could lock out all others.
            const counted = Effect.andThen(admit(attemptsByBoth, both, 10), admit(attemptsByEmail, email, 100))
            const uncount = Effect.andThen(attemptsByBoth.giveBack(both), attemptsByEmail.giveBack(email))
            return guarded(both, counted, uncount, attempt)
          },

          sharePassword: (share_id, ip, attempt) => {
            const key = hidden(share_id, networkOf(ip))
            const share = hidden(share_id)
            const group = hidden(share_id, groupOf(networkKeyOf(ip)))
            let isAttempted = false
            const made = guarded(
              key,
              admit(passwordsByShare, key, maxOfNetwork, tooManySharePasswords),
              passwordsByShare.giveBack(key),
              Effect.suspend(() => {
                isAttempted = true
                return attempt
              })
            )
            const slow = Effect.gen(function* () {
              // What is refused does not wait, and takes no time from others.
              const ofNetwork = yield* passwordsByShare.look(key)
              if (ofNetwork.count >= maxOfNetwork) return yield* tooManySharePasswords(ofNetwork)
              const isReader = (yield* readersOfShare.look(group)).count > 0
              const isClean = isReader || (yield* guessesByShare.look(group)).count === 0
              // The delay comes first: a request that ends before its turn is no guess.
              const delayed = Effect.delay(made, slowAttempt)
              return yield* slowAttempts.withPermit([share, group], delayed, isClean ? "first" : "normal")
            })
            // Counted before it is made, so that no more than the limit are made at once.
            return Effect.flatMap(guessesByShare.add(share), (counted) => {
              const isSlow = counted.count > maxOfShare
              const judged = Effect.onExit(isSlow ? slow : made, (exit) => {
                if (Exit.isSuccess(exit))
                  return Effect.andThen(guessesByShare.giveBack(share), readersOfShare.add(group))
                return isAttempted && isGuess(exit.cause) ? guessesByShare.add(group) : guessesByShare.giveBack(share)
              })
              return isSlow
                ? Effect.mapError(judged, (error) => (isWrong(error) ? tooManySharePasswords(counted) : error))
                : judged
            })
          },

          unknownShare: (ip) => admit(unknownShares, networkOf(ip), 20, tooManyShares),

          confirmation: (email_key) => admit(confirmationsByEmail, hidden(email_key), 5, tooManyConfirmations),

          confirmationAsked: (ip) => admit(confirmationsByNetwork, networkOf(ip), 20, tooManyConfirmations),

          registration: (ip) =>
            perMinute === 0
              ? Effect.void
              : Effect.flatMap(registrationsByNetwork.add(networkOf(ip)), (counted) =>
                  counted.count > 20 ? Effect.fail(tooManyRegistrations(counted)) : Effect.void
                ),

          refresh: (session_id) =>
            perMinute === 0
              ? Effect.void
              : Effect.flatMap(refreshesBySession.add(session_id), (counted) =>
                  counted.count > 10 ? Effect.fail(tooManyRefreshes(counted)) : Effect.void
                ),

          invitation: ({ mailed, perDay, perHour, user_id }, attempt) => {
            const senders = mailed === undefined ? [user_id] : [user_id, networkOf(mailed.ip)]
            const counts = senders.flatMap((key) => [
              { counter: invitationsByHour, key, limit: perHour, refusal: tooManySent },
              { counter: invitationsByDay, key, limit: perDay, refusal: tooManySent }
            ])
            if (mailed !== undefined) {
              counts.push({
                counter: invitationsByEmail,
                key: hidden(mailed.email_key),
                limit: 10,
                refusal: tooManyInvitations
              })
            }
            const limited = counts.filter(({ limit }) => limit > 0)
            const giveBack = Effect.forEach(limited, ({ counter, key }) => counter.giveBack(key), { discard: true })
            return Effect.gen(function* () {
              const all = yield* Effect.forEach(limited, (each) =>
                Effect.map(each.counter.add(each.key), (counted) => ({ ...each, counted }))
              )
              const over = all.find(({ counted, limit }) => counted.count > limit)
              return over === undefined ? yield* attempt : yield* over.refusal(over.counted)
            }).pipe(
              Effect.onExit((exit) =>
                Exit.isFailure(exit) && !Cause.hasInterrupts(exit.cause) ? giveBack : Effect.void
              )
            )
          },

          notice: (email_key) => Effect.map(noticesByEmail.add(hidden(email_key)), ({ count }) => count <= 10),

          reminder: (email_key) => Effect.map(remindersByEmail.add(hidden(email_key)), ({ count }) => count <= 20),

          mail: (email_key, ip) =>
            Effect.flatMap(mailsByNetwork.add(networkOf(ip)), ({ count }) =>
              count > 20
                ? Effect.succeed(false)
                : Effect.map(mailsByEmail.add(hidden(email_key)), ({ count }) => count <= 5)
            )
        })
      })
    )
}
