import { Effect } from "effect"
import { loadShown } from "../../server/settings/ServedSettings.ts"
import { command } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"

export const config = command("config", {
  description:
    "Show each environment variable with its value, and whether that comes from the environment, a file or the default. " +
    "Secrets are hidden",
  examples: [
    ["sheaf config", "Show the configuration as a table"],
    ["sheaf config --json", "Show it as JSON, for a program"]
  ],
  input: {},
  run: Effect.fnUntraced(function* () {
    const { shown: all } = yield* loadShown
    yield* Output.list(["name", "value", "source"], (last: (typeof all)[number] | undefined) =>
      Effect.succeed(last === undefined ? all : [])
    )
  })
})
