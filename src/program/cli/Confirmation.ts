import { Effect } from "effect"
import { Prompt } from "effect/cli"
import { hasTerminal } from "./SecretInput.ts"
import { Refused } from "./Refused.ts"
import { isSet } from "./OperatorCommand.ts"

export const yes = isSet("yes", "Do not ask for confirmation")

/** Asks for confirmation on the terminal, and refuses the command without it. */
export const confirm = Effect.fnUntraced(function* (question: string) {
  if (!hasTerminal()) return yield* new Refused({ message: `${question} Use --yes to confirm: there is no terminal` })
  const isMeant = yield* Prompt.run(Prompt.Confirm({ message: question, initial: false }))
  if (!isMeant) return yield* new Refused({ message: "Nothing was done" })
})
