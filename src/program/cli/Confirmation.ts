import { Effect } from "effect"
import { Flag, Prompt } from "effect/cli"
import { hasTerminal } from "./PasswordInput.ts"
import { Refused } from "./Refused.ts"

export const yes = Flag.Boolean("yes").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Do not ask for confirmation")
)

/** Asks for confirmation on the terminal, and refuses the command without it. */
export const confirm = Effect.fnUntraced(function* (question: string) {
  if (!hasTerminal()) return yield* new Refused({ message: `${question} Use --yes to confirm: there is no terminal` })
  const isMeant = yield* Prompt.run(Prompt.Confirm({ message: question, initial: false }))
  if (!isMeant) return yield* new Refused({ message: "Nothing was done" })
})
