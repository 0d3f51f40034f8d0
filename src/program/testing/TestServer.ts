import { Console, Effect } from "effect"
import { fstatSync } from "node:fs"
import { finished } from "node:stream"
import { messageOf } from "../../../services/ErrorCause.ts"
import { ConfigError } from "../../server/settings/Config.ts"
import { runMain } from "../Program.ts"
import * as ControlRoutes from "./ControlRoutes.ts"
import { Sheaf } from "./Sheaf.ts"
import * as TemporaryPostgres from "./TemporaryPostgres.ts"
import { fromEnvironment } from "./TestEnvironment.ts"

/**
 * Stops this process, as a signal does, when its standard input ends and is a pipe: the process that started it holds
 * the other end, and has ended.
 */
const stopWithInput = Effect.sync(() => {
  const input = fstatSync(0)
  if (!input.isFIFO() && !input.isSocket()) return
  finished(process.stdin.resume(), () => void process.kill(process.pid, "SIGTERM"))
})

/** A part that cannot start is reported in one line. */
const attempt = <A>(start: () => Promise<A>) =>
  Effect.tryPromise({ try: start, catch: (error) => new ConfigError({ message: messageOf(error) }) })

const program = Effect.gen(function* () {
  const options = yield* fromEnvironment
  yield* stopWithInput
  const postgres = yield* Effect.acquireRelease(
    attempt(() => TemporaryPostgres.run()),
    ({ stop }) => Effect.promise(stop)
  )
  const sheaf = yield* Effect.acquireRelease(
    attempt(() => Sheaf.start({ ...options, postgres: postgres.address, provider: true, routes: ControlRoutes.layer })),
    (sheaf) => Effect.promise(() => sheaf.stop())
  )
  const test_url = new URL(ControlRoutes.controlPath, sheaf.url).href
  yield* Console.log(JSON.stringify({ url: sheaf.url, key: sheaf.key, test_url, pid: process.pid }))
  return yield* Effect.never
}).pipe(Effect.scoped)

/**
 * Runs one Sheaf with the test clock, temporary data and the routes that control it. Prints one line of JSON when it is
 * ready. A signal ends it, or the end of its input; nothing is left behind, also after kill -9.
 */
export const run = (): void => runMain(program)
