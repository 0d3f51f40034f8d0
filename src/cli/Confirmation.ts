import { Effect } from "effect"
import { Flag, Prompt } from "effect/cli"
import { hasTerminal } from "./PasswordInput.ts"
import { Refused } from "./Refused.ts"

export const yes = Flag.Boolean("yes").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Do not ask whether that is meant")
)

/** Asks on the terminal, and refuses the command without a yes. */
export const confirm = Effect.fnUntraced(function* (question: string) {
  if (!hasTerminal()) return yield* new Refused({ message: `${question} Say --yes: there is no terminal to ask on` })
  const isMeant = yield* Prompt.run(Prompt.Confirm({ message: question, initial: false }))
  if (!isMeant) return yield* new Refused({ message: "Nothing was done" })
})
