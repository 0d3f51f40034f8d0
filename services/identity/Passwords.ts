import { Context, Effect, Layer, Semaphore } from "effect"
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { availableParallelism } from "node:os"
import { Unavailable } from "../Errors.ts"
import { traced } from "../Traced.ts"

/** Passwords that wait for their turn; more are refused. */
const maxWaiting = 100
const keyLength = 32
const block = 8
const lanes = 3

interface Cost {
  /** log2 of N: 15 takes 32 MB, the least that OWASP recommends with three lanes. */
  readonly cost: number
}

const derive = (password: string, salt: Buffer, cost: number) =>
  Effect.callback<Buffer>((resume) => {
    const N = 2 ** cost
    // On libuv's threads: the event loop goes on.
    scrypt(password.normalize("NFKC"), salt, keyLength, { N, r: block, p: lanes, maxmem: 256 * N * block }, (error, key) =>
      resume(error === null ? Effect.succeed(key) : Effect.die(error)))
  })

const stored = /^\$scrypt\$ln=(\d{1,2}),r=8,p=3\$([\w-]+)\$([\w-]+)$/

/** Passwords, kept as scrypt (RFC 7914) has them, in the form `$scrypt$ln=15,r=8,p=3$salt$key`. */
export class Passwords extends Context.Service<Passwords, {
  readonly hash: (password: string) => Effect.Effect<string, Unavailable>
  /** Takes the same time when there is none to compare with. */
  readonly verify: (password: string, hash: string | null) => Effect.Effect<boolean, Unavailable>
}>()("sheaf/identity/Passwords") {
  static readonly layer = ({ cost }: Cost) =>
    Layer.effect(
      Passwords,
      Effect.gen(function*() {
        // One at a time leaves a core to whoever reads and writes meanwhile.
        const turns = yield* Semaphore.make(Math.max(1, Math.floor(availableParallelism() / 2)))
        let waiting = 0
        const inTurn = <A>(work: Effect.Effect<A>) =>
          Effect.suspend((): Effect.Effect<A, Unavailable> => {
            if (waiting >= maxWaiting) {
              return Effect.fail(new Unavailable({ code: "overloaded", detail: "Too many log-ins at once", retry_after: 2 }))
            }
            waiting++
            return Effect.ensuring(turns.withPermits(1)(work), Effect.sync(() => waiting--))
          })
        const nobodys = `$scrypt$ln=${cost},r=${block},p=${lanes}$${randomBytes(16).toString("base64url")}$${
          randomBytes(keyLength).toString("base64url")
        }`
        return Passwords.of({
          hash: traced("Passwords.hash")((password: string) => {
            const salt = randomBytes(16)
            return Effect.map(inTurn(derive(password, salt, cost)), (key) =>
              `$scrypt$ln=${cost},r=${block},p=${lanes}$${salt.toString("base64url")}$${key.toString("base64url")}`)
          }),
          verify: traced("Passwords.verify")((password: string, hash: string | null) => {
            const match = stored.exec(hash ?? nobodys)
            if (match === null) return Effect.die(new Error("a stored password cannot be read"))
            const [, ln, salt, key] = match
            const expected = Buffer.from(key!, "base64url")
            return Effect.map(
              inTurn(derive(password, Buffer.from(salt!, "base64url"), Number(ln))),
              (actual) => timingSafeEqual(actual, expected) && hash !== null
            )
          })
        })
      })
    )
}
