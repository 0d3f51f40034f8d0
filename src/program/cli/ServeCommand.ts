import { Command, Flag } from "effect/cli"
import { Refused } from "./Refused.ts"

/**
 * `main.ts` starts the server for `serve` alone, and the test server for `serve --test` alone. Here the command has its
 * help, and refuses other arguments.
 */
export const serve = Command.make(
  "serve",
  {
    test: Flag.Boolean("test").pipe(
      Flag.withDefault(false),
      Flag.withDescription(
        "Start a server for tests, with temporary data and a clock that tests move; it prints one line of JSON when it " +
          "is ready, and ends with its standard input"
      )
    )
  },
  () =>
    new Refused({
      message: "serve has no options but --test alone: environment variables configure the server (sheaf config)"
    })
).pipe(
  Command.withDescription("Start the server, as sheaf without arguments does"),
  Command.withExamples([
    { command: "PORT=4100 sheaf serve", description: "Start the server on another port" },
    { command: "sheaf serve --test", description: "Start a server for tests in any language" }
  ])
)
