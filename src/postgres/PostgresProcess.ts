import { Deferred, Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { attempt, type EmbeddedPostgresError, failure } from "./EmbeddedPostgresError.ts"
import type { Account } from "./PostgresBinaries.ts"

/** A running program of PostgreSQL; closing its scope stops it and waits for its end. */
export interface PostgresProcess {
  /** The exit code, as a shell gives it: 128 and more is a signal. */
  readonly ended: Effect.Effect<number, EmbeddedPostgresError>
  /** The errors that it logged, the first of which is the cause of most others; at least a word of why it ended. */
  readonly errors: Effect.Effect<ReadonlyArray<string>, EmbeddedPostgresError>
}

/**
 * Its input is a pipe from Sheaf, which never writes. However Sheaf ends, kill -9 included, the kernel closes it, and
 * the watcher then asks the program for its fast shutdown (SIGINT), and for the immediate one (SIGQUIT) when that takes
 * more than half a minute. The watcher lies in nobody's way: not in the directory, not in the log. The signals of a terminal or a service manager are not for this shell: Sheaf says when to stop.
 */
const wrapper = `
trap '' INT TERM HUP
exec 3<&0 0</dev/null
"$@" 3<&- &
program=$!
{
  cd /
  exec >/dev/null 2>&1
  read -r _ <&3
  kill -INT $program
  waited=0
  while [ $waited -lt 30 ] && sleep 1; do waited=$((waited + 1)); done
  kill -QUIT $program
} &
watcher=$!
exec 3<&-
wait $program
code=$?
kill -KILL $watcher
exit $code
`

const logLimit = 10 * 1024 * 1024

export const run = (options: {
  readonly account: Account
  readonly command: ReadonlyArray<string>
  readonly directory: string
  readonly log: string
}): Effect.Effect<PostgresProcess, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<number, EmbeddedPostgresError>()
    const { offset } = yield* Effect.acquireRelease(
      attempt(options.directory, () => begin(options, ended)),
      ({ child }) => {
        child.stdin?.destroy()
        return Effect.exit(Deferred.await(ended))
      }
    )
    return { ended: Deferred.await(ended), errors: attempt(options.directory, () => errorsIn(options.log, offset)) }
  })

const begin = (
  { account, command, directory, log }: Parameters<typeof run>[0],
  ended: Deferred.Deferred<number, EmbeddedPostgresError>
): { readonly child: ChildProcess; readonly offset: number } => {
  if (fs.existsSync(log) && fs.statSync(log).size > logLimit) fs.renameSync(log, `${log}.1`)
  const file = fs.openSync(log, "a", 0o600)
  try {
    const offset = fs.fstatSync(file).size
    const child = spawn("/bin/sh", ["-c", wrapper, "sheaf-postgres", ...account.prefix, ...command], {
      ...account.user,
      cwd: directory,
      // A session of its own: Ctrl-C reaches Sheaf alone, which first finishes its requests.
      detached: true,
      // Not Sheaf's environment: its secrets and any PG* variable stay out; messages are in English.
      env: { PATH: process.env["PATH"] || "/usr/bin:/bin", LC_ALL: "C" },
      stdio: ["pipe", file, file]
    })
    child.once("error", (cause) => Deferred.doneUnsafe(ended, Effect.fail(failure(directory, cause.message))))
    child.once("exit", (code, signal) =>
      Deferred.doneUnsafe(ended, Effect.succeed(code ?? 128 + (signal === null ? 0 : os.constants.signals[signal])))
    )
    // A broken pipe is told by the exit already.
    child.stdin?.on("error", () => {})
    return { child, offset }
  } finally {
    fs.closeSync(file)
  }
}

/** The errors that were logged since `offset`, else the last line. */
const errorsIn = (log: string, offset: number) => {
  const file = fs.openSync(log, "r")
  try {
    const buffer = Buffer.alloc(65536)
    const text = buffer.toString("utf8", 0, fs.readSync(file, buffer, 0, buffer.length, offset))
    const lines = text.split("\n").filter((line) => line.trim() !== "")
    const errors = lines.filter((line) => /\b(FATAL|PANIC|ERROR|error):/.test(line))
    const told = errors.length > 0 ? errors : [lines.at(-1) ?? "no reason given"]
    return told.map((line) => line.replace(/^.*?\b(FATAL|PANIC|ERROR|error):\s*/, "").trim())
  } finally {
    fs.closeSync(file)
  }
}
