import { Effect, Redacted, Schema } from "effect"
import { Flag, Prompt } from "effect/cli"
import { NewPassword } from "../../services/identity/User.ts"
import * as Ids from "../../services/Ids.ts"
import { Refused } from "./Refused.ts"

/** A password is never an argument, because all users of the machine can see it, and the shell stores it in its history. */
export const passwordStdin = Flag.Boolean("password-stdin").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Read the password from standard input instead of prompting for it")
)

export interface NewSecret {
  readonly password: Redacted.Redacted
  /** Whether the password was generated, and must be shown. */
  readonly isMade: boolean
}

/** Maximum characters of the input, more than any password has. */
const maxInput = 4096

export const readAll = Effect.tryPromise({
  try: async () => {
    let text = ""
    process.stdin.setEncoding("utf8")
    for await (const chunk of process.stdin) {
      text += chunk
      if (text.length > maxInput) throw new Error("it is too long")
    }
    return text.replace(/\r?\n$/, "")
  },
  catch: (error) => new Refused({ message: `No password on standard input: ${(error as Error).message}` })
})

const isPassword = Schema.is(NewPassword)
const bad = new Refused({ message: "A password must have 10 to 200 characters, and must not be easy to guess" })

export const checked = (password: string) => (isPassword(password) ? Effect.succeed(password) : Effect.fail(bad))

const asked = Effect.gen(function* () {
  const first = Redacted.value(yield* Prompt.run(Prompt.Hidden({ message: "Password (leave empty for a random one)" })))
  if (first === "") return undefined
  yield* checked(first)
  const second = Redacted.value(yield* Prompt.run(Prompt.Hidden({ message: "Password again" })))
  return first === second ? first : yield* new Refused({ message: "The passwords differ" })
})

/** Whether prompts can be shown on a terminal. */
export const hasTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

/** Reads a password from standard input or a prompt, or generates one. */
export const newPassword = Effect.fnUntraced(function* (fromStdin: boolean) {
  const given = fromStdin ? yield* Effect.flatMap(readAll, checked) : hasTerminal() ? yield* asked : undefined
  return { password: Redacted.make(given ?? Ids.random(24)), isMade: given === undefined } satisfies NewSecret
})
