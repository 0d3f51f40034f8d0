import { Console, Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import { writeFile } from "node:fs/promises"
import { messageOf } from "../../../services/ErrorCause.ts"
import { command, isSet } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"

/** A reason why no scene can be played. The exit code 1 is that of a fault of the client. */
const unplayable = (message: string) => new Refused({ message, code: 2 })

export const conformance = command("conformance", {
  description:
    "Play scenes with a client in any language, which reads commands from its standard input, against test servers of " +
    "its own: lost responses, conflicts, crashes, expired cursors",
  examples: [
    ["sheaf conformance -- python3 client.py", "Play all scenes with a client"],
    ["sheaf conformance --scene lost-push -- node client.js", "Play one scene"]
  ],
  input: {
    client: Argument.String("command").pipe(
      Argument.variadic(),
      Argument.withDescription("The program of the client and its arguments, after --")
    ),
    scenes: Flag.String("scene").pipe(
      Flag.between(0, Infinity),
      Flag.withDescription("Play this scene; may be given several times; default: all")
    ),
    list: isSet("list", "Print the scenes with what they prove"),
    junit: Flag.String("junit").pipe(
      Flag.withDescription("Also write JUnit XML to this file"),
      Flag.withDefault(undefined)
    ),
    deadline: Flag.Int("deadline").pipe(
      Flag.filter(
        (seconds) => seconds >= 1 && seconds <= 600,
        () => "Expected 1 to 600 seconds"
      ),
      Flag.withDescription("Seconds for each reply of the client"),
      Flag.withDefault(20)
    )
  },
  run: ({ client, deadline, junit, list, scenes: names }) =>
    Effect.gen(function* () {
      // A server does not load it.
      const { conform, scenes } = yield* Effect.promise(() => import("../testing/conformance/Conformance.ts"))
      const { junitOf, textOf } = yield* Effect.promise(() => import("../testing/conformance/ConformanceReport.ts"))
      const isJson = yield* Output.Json
      if (list) {
        const all = scenes.map(({ name, proves, source }) => ({ name, proves, source }))
        if (isJson) return yield* Console.log(JSON.stringify({ data: all }, null, 2))
        for (const { name, proves } of all) yield* Console.log(`${name.padEnd(24)}${proves}`)
        return
      }
      if (client.length === 0) return yield* unplayable("conformance needs the command of a client after --")
      const results = yield* Effect.tryPromise({
        try: () =>
          conform({
            command: client,
            deadline: deadline * 1000,
            ...(names.length === 0 ? {} : { names }),
            onResult: (result) => (isJson ? undefined : console.log(textOf(result)))
          }),
        catch: (error) => unplayable(messageOf(error))
      })
      if (junit !== undefined) yield* Effect.promise(() => writeFile(junit, junitOf(results)))
      const failed = results.filter(({ reason }) => reason !== undefined)
      if (isJson) yield* Console.log(JSON.stringify({ data: results, failed: failed.length }, null, 2))
      if (failed.length > 0) {
        return yield* new Refused({
          message: `the client has failed ${failed.length} of ${results.length} scenes`
        })
      }
      if (!isJson) yield* Console.log(`The client has passed ${results.length} scenes.`)
    })
})
