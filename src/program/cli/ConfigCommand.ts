import { Effect } from "effect"
import { Command } from "effect/cli"
import { loadShown } from "../../server/settings/ServedSettings.ts"
import * as Output from "./Output.ts"

export const config = Command.make(
  "config",
  {},
  Effect.fnUntraced(function* () {
    const { shown: all } = yield* loadShown
    yield* Output.list(["name", "value", "source"], (last: (typeof all)[number] | undefined) =>
      Effect.succeed(last === undefined ? all : [])
    )
  })
).pipe(
  Command.withDescription(
    "Show each environment variable with its value, and whether that comes from the environment, a file or the default. " +
      "Secrets are hidden"
  ),
  Command.withExamples([
    { command: "sheaf config", description: "Show the configuration as a table" },
    { command: "sheaf config --json", description: "Show it as JSON, for a program" }
  ])
)
