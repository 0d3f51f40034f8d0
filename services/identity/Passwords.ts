import { Context, Effect, Layer } from "effect"
import { scrypt, timingSafeEqual } from "node:crypto"
import { availableParallelism } from "node:os"
import { Invalid, Unauthorized, type Unavailable } from "../Errors.ts"
import { Randomness } from "../Randomness.ts"
import { type Handler, ParentLink } from "../concurrency/ParentLink.ts"
import { RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import type { PasswordClient } from "../limits/PasswordClient.ts"
import { isBreached } from "./BreachedPasswords.ts"
import { isOwnName } from "./GuessedPasswords.ts"
import type { User } from "./User.ts"
import { traced } from "../Traced.ts"

export const wrongPassword = new Unauthorized({
  code: "invalid_credentials",
  detail: "The e-mail address or the password is wrong"
})

/** Maximum number of waiting passwords, in total and per network: enough for an office whose users sign in at once. */
const maxWaiting = 100
const maxWaitingPerNetwork = 20
const keyLength = 32
const block = 8
const lanes = 3

interface Options {
  /** log2 of N: 15 takes 32 MB, the minimum that OWASP recommends with three lanes. */
  readonly cost: number
  /** The folder with the hashes of breached passwords, if any. */
  readonly breached: string | undefined
}

const derive = (password: string, salt: Uint8Array, cost: number) =>
  // Keeps its permit until the thread is free, even if the request was cancelled: scrypt cannot be stopped.
  Effect.uninterruptible(
    Effect.callback<Buffer>((resume) => {
      const N = 2 ** cost
      // Runs on libuv's threads and does not block the event loop.
      scrypt(
        password.normalize("NFKC"),
        salt,
        keyLength,
        { N, r: block, p: lanes, maxmem: 256 * N * block },
        (error, key) => resume(error === null ? Effect.succeed(key) : Effect.die(error))
      )
    })
  )

interface Derivation {
  readonly password: string
  readonly salt: Uint8Array
  readonly cost: number
  readonly client: PasswordClient
}

const makeDeriving = () => {
  const semaphore = new RoundRobinSemaphore({
    // Half of the cores remain for other requests.
    permits: Math.max(1, Math.floor(availableParallelism() / 2)),
    maxWaiting,
    maxWaitingPerKey: maxWaitingPerNetwork,
    detail: "Too many log-ins at once"
  })
  return ({ client: { guesses, key, priority }, cost, password, salt }: Derivation) =>
    semaphore.withPermit(key, derive(password, salt, cost), priority, guesses)
}

/** Hashes passwords for workers, which share one half of the cores. */
export const makeHandler = (): Handler => makeDeriving()

const stored = /^\$scrypt\$ln=(\d{1,2}),r=8,p=3\$([\w-]+)\$([\w-]+)$/

/**
 * Password hashes by scrypt (RFC 7914), in the form `$scrypt$ln=15,r=8,p=3$salt$key`. Known users have priority; then
 * networks with the fewest wrong passwords.
 */
export class Passwords extends Context.Service<
  Passwords,
  {
    /**
     * Refuses a new password that is too similar to the user's name or address, or known from a breach. `field` is its member
     * in the request.
     */
    readonly checkNew: (
      field: string,
      password: string,
      user: Pick<User, "email" | "name">
    ) => Effect.Effect<void, Invalid>
    readonly hash: (password: string, client: PasswordClient) => Effect.Effect<string, Unavailable>
    /** Takes the same time without a hash to compare with. */
    readonly verify: (
      password: string,
      hash: string | null,
      client: PasswordClient
    ) => Effect.Effect<boolean, Unavailable>
  }
>()("sheaf/identity/Passwords") {
  static readonly layer = ({ breached, cost }: Options) =>
    Layer.effect(
      Passwords,
      Effect.map(Effect.all([Randomness, ParentLink]), ([randomness, link]) => {
        const deriving: (derivation: Derivation) => Effect.Effect<Buffer, Unavailable> =
          link === undefined ? makeDeriving() : (derivation) => link.ask("password", derivation)
        const written = (salt: Buffer, key: Buffer): string =>
          `$scrypt$ln=${cost},r=${block},p=${lanes}$${salt.toString("base64url")}$${key.toString("base64url")}`
        const dummyHash = written(randomness.bytes(16), randomness.bytes(keyLength))
        return Passwords.of({
          checkNew: traced("Passwords.checkNew")(function* (
            field: string,
            password: string,
            user: Pick<User, "email" | "name">
          ) {
            if (isOwnName(password, user)) {
              return yield* Invalid.field(field, "too_common", "is too similar to the name or the e-mail address")
            }
            if (breached !== undefined && (yield* isBreached(breached, password))) {
              return yield* Invalid.field(field, "too_common", "is known from a breach of another service")
            }
          }),
          hash: traced("Passwords.hash")((password: string, client: PasswordClient) => {
            const salt = randomness.bytes(16)
            return Effect.map(deriving({ password, salt, cost, client }), (key) => written(salt, key))
          }),
          verify: traced("Passwords.verify")((password: string, hash: string | null, client: PasswordClient) => {
            const match = stored.exec(hash ?? dummyHash)
            if (match === null) return Effect.die(new Error("a stored password cannot be read"))
            const [, ln, salt, key] = match
            const expected = Buffer.from(key!, "base64url")
            return Effect.map(
              deriving({ password, salt: Buffer.from(salt!, "base64url"), cost: Number(ln), client }),
              (actual) => timingSafeEqual(actual, expected) && hash !== null
            )
          })
        })
      })
    )
}
