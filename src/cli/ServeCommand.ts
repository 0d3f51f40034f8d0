import { Command } from "effect/cli"
import { Refused } from "./Refused.ts"

/** `main.ts` starts the server for `serve` alone. Here the command has its help, and refuses other arguments. */
export const serve = Command.make(
  "serve",
  {},
  () => new Refused({ message: "serve has no options: environment variables configure the server (sheaf config)" })
).pipe(
  Command.withDescription("Start the server, as sheaf without arguments does"),
  Command.withExamples([{ command: "PORT=4100 sheaf serve", description: "Start the server on another port" }])
)
