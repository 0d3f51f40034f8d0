import { Effect, Redacted } from "effect"
import { Prompt } from "effect/cli"
import { checked, hasTerminal, readAll } from "./PasswordInput.ts"
import { Refused } from "./Refused.ts"
import { isSet } from "./OperatorCommand.ts"

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
