import { Refused } from "./Refused.ts"
import { command, isSet } from "./OperatorCommand.ts"

/**
 * `main.ts` starts the server for `serve` alone, and the test server for `serve --test` alone. Here the command has its
 * help, and refuses other arguments.
 */
export const serve = command("serve", {
  description: "Start the server, as sheaf without arguments does",
  examples: [
    ["PORT=4100 sheaf serve", "Start the server on another port"],
    ["sheaf serve --test", "Start a server for tests in any language"]
  ],
  input: {
    test: isSet(
      "test",
      "Start a server for tests, with temporary data and a clock that tests move; it prints one line of JSON when it " +
        "is ready, and ends with its standard input"
    )
  },
  run: () =>
    new Refused({
      message: "serve has no options but --test alone: environment variables configure the server (sheaf config)"
    })
})
