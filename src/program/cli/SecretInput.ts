import { Effect, Redacted, Schema } from "effect"
import { Prompt } from "effect/cli"
import { Randomness } from "../../../services/Randomness.ts"
import { NewPassword } from "../../../services/identity/User.ts"
import { Refused } from "./Refused.ts"
import { isSet } from "./OperatorCommand.ts"

/** A password is never an argument, because all users of the machine can see it, and the shell stores it in its history. */
export const passwordStdin = isSet(
  "password-stdin",
  "Read the password from standard input instead of prompting for it"
)

export interface NewSecret {
  readonly password: Redacted.Redacted
  /** Whether the password was generated, and must be shown. */
  readonly isMade: boolean
}

/** Maximum characters of the input, more than any secret has. */
const maxInput = 4096

type Secret = "password" | "passphrase"

/** Reads a secret from standard input, without the end of its line. */
const readAll = (what: Secret) =>
  Effect.tryPromise({
    try: async () => {
      let text = ""
      process.stdin.setEncoding("utf8")
      for await (const chunk of process.stdin) {
        text += chunk
        if (text.length > maxInput) throw new Error("it is too long")
      }
      return text.replace(/\r?\n$/, "")
    },
    catch: (error) => new Refused({ message: `No ${what} on standard input: ${(error as Error).message}` })
  })

const isPassword = Schema.is(NewPassword)

/** Refuses a new secret that is easy to guess. */
const checked = (what: Secret) => (secret: string) =>
  isPassword(secret)
    ? Effect.succeed(secret)
    : Effect.fail(new Refused({ message: `A ${what} must have 10 to 200 characters, and must not be easy to guess` }))

const asked = Effect.gen(function* () {
  const first = Redacted.value(yield* Prompt.run(Prompt.Hidden({ message: "Password (leave empty for a random one)" })))
  if (first === "") return undefined
  yield* checked("password")(first)
  const second = Redacted.value(yield* Prompt.run(Prompt.Hidden({ message: "Password again" })))
  return first === second ? first : yield* new Refused({ message: "The passwords differ" })
})

/** Whether prompts can be shown on a terminal. */
export const hasTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

/** Reads a password from standard input or a prompt, or generates one. */
export const newPassword = Effect.fnUntraced(function* (fromStdin: boolean) {
  const given = fromStdin
    ? yield* Effect.flatMap(readAll("password"), checked("password"))
    : hasTerminal()
      ? yield* asked
      : undefined
  return {
    password: Redacted.make(given ?? (yield* Randomness).text(24)),
    isMade: given === undefined
  } satisfies NewSecret
})

/** A passphrase is never an argument, for the reasons that hold for passwords. */
export const passphraseStdin = isSet(
  "passphrase-stdin",
  "Read the passphrase from standard input instead of prompting for it"
)

const prompted = (message: string) => Effect.map(Prompt.run(Prompt.Hidden({ message })), Redacted.value)

const onTerminal = Effect.suspend(() =>
  hasTerminal()
    ? Effect.void
    : new Refused({ message: "There is no terminal to prompt for the passphrase: use --passphrase-stdin" })
)

/** Reads a passphrase that is as hard to guess as a password. */
export const newPassphrase = Effect.fnUntraced(function* (fromStdin: boolean) {
  if (fromStdin) return Redacted.make(yield* Effect.flatMap(readAll("passphrase"), checked("passphrase")))
  yield* onTerminal
  const first = yield* Effect.flatMap(prompted("Passphrase"), checked("passphrase"))
  if (first !== (yield* prompted("Passphrase again"))) return yield* new Refused({ message: "The passphrases differ" })
  return Redacted.make(first)
})

/** Reads the passphrase of a backup. */
export const passphrase = Effect.fnUntraced(function* (fromStdin: boolean) {
  if (fromStdin) return Redacted.make(yield* readAll("passphrase"))
  yield* onTerminal
  return Redacted.make(yield* prompted("Passphrase of the backup"))
})
