import { Cause, Context, Effect, Exit, Layer } from "effect"
import { ParentLink } from "../concurrency/ParentLink.ts"
import type { RateLimited, Unavailable } from "../Errors.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { networkKeyOf, networkOf } from "./Network.ts"
import type { PasswordClient } from "./PasswordClient.ts"
import { isWrong, makePasswordGuesses } from "./PasswordGuesses.ts"
import { RateCounters } from "./RateCounters.ts"
import { admit, tooMany } from "./RateRefusal.ts"

/** Maximum failures of a network per minute. */
const maxFailures = 20

const minute = 60_000
const hour = 60 * minute

const tooManyFailures = tooMany("Too many invalid credentials were sent from this address")
const tooManyInvitations = tooMany("Too many invitations were sent to this e-mail address")
const tooManySent = tooMany("Too many invitations were sent by this user or from this address")
const tooManyConfirmations = tooMany("Too many confirmation mails were requested")
const tooManyRegistrations = tooMany("Too many registrations from this address")
const tooManyClients = tooMany("Too many clients were registered from this address")
const tooManyAuthorizations = tooMany("Too many requests for access from this address")
const tooManyRefreshes = tooMany("The tokens of this session were refreshed too often")
const tooManyShares = tooMany("Too many links that do not exist were requested from this address")

/** An invitation to send. */
interface Inviting {
  readonly user_id: string
  /** The recipient, and the address of the request; undefined when no mail is sent. */
  readonly mailed: { readonly email_key: string; readonly ip: string | null } | undefined
  /** Maximum invitations of a user, and of a network; 0 is without a limit. */
  readonly perHour: number
  readonly perDay: number
}

interface Options {
  /** The operator's rate limit. 0 also removes the limits of registrations, refreshes and OAuth clients. */
  readonly perMinute: number | undefined
}

/** Slows down and refuses guesses (contract 2, Rate limits), whatever the rate limit is. IPv6 counts by /64. */
export class Throttles extends Context.Service<
  Throttles,
  {
    /** Counts an invalid credential. From the 21st in a minute on, this error replaces the 401. */
    readonly failedAuthentication: (ip: string | null) => Effect.Effect<void, RateLimited>
    /** Counts an attempt as an invalid credential when it fails so; by default, with `Unauthorized`. */
    readonly credential: <A, E, R>(
      ip: string | null,
      attempt: Effect.Effect<A, E, R>,
      isInvalid?: (error: E) => boolean
    ) => Effect.Effect<A, E | RateLimited, R>
    /**
     * The client that a password is hashed for: a network, which goes after those with fewer wrong passwords, and last after
     * too many failures, and is not refused for that alone; or a user who is signed in, or has signed in from this network before.
     */
    readonly passwordClient: (ip: string | null, user_id?: string) => Effect.Effect<PasswordClient>
    /**
     * A log-in. Wrong ones are limited to 10 per e-mail and network in 15 minutes, and 100 per e-mail in an hour. Each
     * attempt is counted before its password is checked, and uncounted when the password was right. Attempts with the
     * same e-mail and network run one after the other on a node and wait for at most 15 s, so that concurrent right
     * ones are not counted together. An attempt that fails with `Unauthorized`, or whose client disconnects, stays
     * counted.
     */
    readonly logIn: <A, E, R>(
      email_key: string,
      ip: string | null,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited | Unavailable, R>
    /** The same for the code of a second factor: 10 wrong ones per user and network in 15 minutes, 20 per user in an hour. */
    readonly code: <A, E, R>(
      user_id: string,
      ip: string | null,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited | Unavailable, R>
    /** Counts a wrong code of a user. Whether it is the third in an hour, of which the user gets a mail. */
    readonly isAlarming: (user_id: string) => Effect.Effect<boolean>
    /**
     * The same for the password of a share, with 10 wrong ones per share and network in 15 minutes. After 100 wrong
     * ones from all networks, attempts of the share run one after the other, each after 5 seconds, and wider networks
     * take turns: a right password still opens the share, a wrong one fails with `RateLimited`. Networks without a
     * wrong one, or with a right one in the last week, do not wait for the others.
     */
    readonly sharePassword: <A, E, R>(
      share_id: string,
      ip: string | null,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited | Unavailable, R>
    /** Counts a request for an unknown share. From the 21st in a minute on, this error replaces the 404. */
    readonly unknownShare: (ip: string | null) => Effect.Effect<void, RateLimited>
    /** Whether to send a mail that anyone can request: 20 requests per network and 5 mails per e-mail in an hour. */
    readonly mail: (email_key: string, ip: string | null) => Effect.Effect<boolean>
    /** Counts a confirmation mail: at most 5 per e-mail in an hour, over all callers. */
    readonly confirmation: (email_key: string) => Effect.Effect<void, RateLimited>
    /** Counts a change of an address, or a request for another confirmation mail: at most 20 per network in an hour. */
    readonly confirmationRequested: (ip: string | null) => Effect.Effect<void, RateLimited>
    /** Counts a registration, successful or not: at most 20 per network in an hour. */
    readonly registration: (ip: string | null) => Effect.Effect<void, RateLimited>
    /** Counts a registration of an OAuth client: at most 20 per network in an hour. */
    readonly clientRegistration: (ip: string | null) => Effect.Effect<void, RateLimited>
    /** Counts a request of an OAuth client for access: at most 60 per network in a minute. */
    readonly authorization: (ip: string | null) => Effect.Effect<void, RateLimited>
    /** Counts a refresh of a session's tokens: at most 10 in a minute. */
    readonly refresh: (session_id: string) => Effect.Effect<void, RateLimited>
    /**
     * An invitation. It is counted before it is made: for its user and, when mail is sent, for their network and the
     * recipient (10 in an hour, from all users). A failed one is uncounted, because no mail was sent; an interrupted
     * one is not, because it may have been.
     */
    readonly invitation: <A, E, R>(
      inviting: Inviting,
      attempt: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R>
    /** Whether to mail the former address of an account about its change: at most 5 in an hour. */
    readonly formerAddress: (email_key: string) => Effect.Effect<boolean>
    /** Whether to send a mail about a change of an account to its address: at most 10 in an hour. */
    readonly notice: (email_key: string) => Effect.Effect<boolean>
    /** Whether to mail a reminder to an address that its user has not confirmed: at most 20 a day. */
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
        const unknownShares = counters.counter("unknown-share", minute)
        const mailsByNetwork = counters.counter("mail-network", hour)
        const mailsByEmail = counters.counter("mail-email", hour)
        const confirmationsByEmail = counters.counter("confirmation-email", hour)
        const confirmationsByNetwork = counters.counter("confirmation-network", hour)
        const registrationsByNetwork = counters.counter("registration", hour)
        const clientsByNetwork = counters.counter("oauth-client", hour)
        const authorizationsByNetwork = counters.counter("authorization", minute)
        const refreshesBySession = counters.counter("refresh", minute)
        const invitationsByEmail = counters.counter("invitation-email", hour)
        const invitationsByHour = counters.counter("invitation-hour", hour)
        const invitationsByDay = counters.counter("invitation-day", 24 * hour)
        const formerAddresses = counters.counter("former-email", hour)
        const noticesByEmail = counters.counter("notice-email", hour)
        const wrongCodesByUser = counters.counter("wrong-code", hour)
        const remindersByEmail = counters.counter("reminder-email", 24 * hour)

        /** Hashes what a key identifies: keys leave this process, and must not reveal which addresses have accounts. */
        const hidden = (...parts: ReadonlyArray<string>): string =>
          Buffer.from(secrets.sign("limit-key", Buffer.from(parts.join("\n")))).toString("base64url")

        const guesses = makePasswordGuesses(counters, hidden, yield* ParentLink)

        const failedAuthentication = (ip: string | null) => admit(failures, networkOf(ip), maxFailures, tooManyFailures)

        return Throttles.of({
          failedAuthentication,

          credential: (ip, attempt, isInvalid = isWrong) =>
            Effect.tapError(attempt, (error) => (isInvalid(error) ? failedAuthentication(ip) : Effect.void)),

          passwordClient: (ip, user_id) =>
            user_id === undefined
              ? Effect.zipWith(failures.look(networkOf(ip)), guesses.ofNetwork(ip), ({ count }, ofNetwork) => ({
                  key: networkKeyOf(ip),
                  priority: count > maxFailures ? "low" : "normal",
                  guesses: ofNetwork
                }))
              : Effect.succeed({ key: [user_id, networkOf(ip)], priority: "first" }),

          logIn: guesses.logIn,

          code: guesses.code,

          isAlarming: (user_id) => Effect.map(wrongCodesByUser.add(user_id), ({ count }) => count === 3),

          sharePassword: guesses.sharePassword,

          unknownShare: (ip) => admit(unknownShares, networkOf(ip), 20, tooManyShares),

          confirmation: (email_key) => admit(confirmationsByEmail, hidden(email_key), 5, tooManyConfirmations),

          confirmationRequested: (ip) => admit(confirmationsByNetwork, networkOf(ip), 20, tooManyConfirmations),

          registration: (ip) =>
            perMinute === 0
              ? Effect.void
              : Effect.flatMap(registrationsByNetwork.add(networkOf(ip)), (counted) =>
                  counted.count > 20 ? Effect.fail(tooManyRegistrations(counted)) : Effect.void
                ),

          clientRegistration: (ip) =>
            perMinute === 0 ? Effect.void : admit(clientsByNetwork, networkOf(ip), 20, tooManyClients),

          authorization: (ip) =>
            perMinute === 0 ? Effect.void : admit(authorizationsByNetwork, networkOf(ip), 60, tooManyAuthorizations),

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
            const refund = Effect.forEach(limited, ({ counter, key }) => counter.refund(key), { discard: true })
            return Effect.gen(function* () {
              const all = yield* Effect.forEach(limited, (each) =>
                Effect.map(each.counter.add(each.key), (counted) => ({ ...each, counted }))
              )
              const over = all.find(({ counted, limit }) => counted.count > limit)
              return over === undefined ? yield* attempt : yield* over.refusal(over.counted)
            }).pipe(
              Effect.onExit((exit) => (Exit.isFailure(exit) && !Cause.hasInterrupts(exit.cause) ? refund : Effect.void))
            )
          },

          formerAddress: (email_key) => Effect.map(formerAddresses.add(hidden(email_key)), ({ count }) => count <= 5),

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
