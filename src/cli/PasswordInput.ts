import { Effect, Redacted, Schema } from "effect"
import { Flag, Prompt } from "effect/cli"
import { NewPassword } from "../../services/identity/User.ts"
import * as Ids from "../../services/Ids.ts"
import { Refused } from "./Refused.ts"

/** Never an argument: arguments are seen by all users of the machine, and kept in the shell's history. */
export const passwordStdin = Flag.Boolean("password-stdin").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Read the password from the standard input instead of asking for it")
)

export interface NewSecret {
  readonly password: Redacted.Redacted
  /** Nobody has chosen it, so it has to be shown. */
  readonly isMade: boolean
}

/** Longer than any password, and not endless. */
const maxInput = 4096

const readAll = Effect.tryPromise({
  try: async () => {
    let text = ""
    process.stdin.setEncoding("utf8")
    for await (const chunk of process.stdin) {
      text += chunk
      if (text.length > maxInput) throw new Error("it is too long")
    }
    return text.replace(/\r?\n$/, "")
  },
  catch: (error) => new Refused({ message: `No password on the standard input: ${(error as Error).message}` })
})

const isPassword = Schema.is(NewPassword)
const bad = new Refused({ message: "A password has 10 to 200 characters, and is not easily guessed" })

const checked = (password: string) => (isPassword(password) ? Effect.succeed(password) : Effect.fail(bad))

const asked = Effect.gen(function* () {
  const first = Redacted.value(yield* Prompt.run(Prompt.Hidden({ message: "Password (empty: a random one)" })))
  if (first === "") return undefined
  yield* checked(first)
  const second = Redacted.value(yield* Prompt.run(Prompt.Hidden({ message: "The same again" })))
  return first === second ? first : yield* new Refused({ message: "The two passwords differ" })
})

/** Whether somebody is there to answer. */
export const hasTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

/** From the standard input, from whoever sits at the terminal, or else a random one. */
export const newPassword = Effect.fnUntraced(function* (fromStdin: boolean) {
  const given = fromStdin ? yield* Effect.flatMap(readAll, checked) : hasTerminal() ? yield* asked : undefined
  return { password: Redacted.make(given ?? Ids.random(24)), isMade: given === undefined } satisfies NewSecret
})
