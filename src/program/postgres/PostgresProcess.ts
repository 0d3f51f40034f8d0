import { Deferred, Effect, Schedule, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { release } from "../TemporaryDirectory.ts"
import { attempt, type EmbeddedPostgresError, failure } from "./EmbeddedPostgresError.ts"
import type { Account } from "./PostgresBinaries.ts"

/** A running program of PostgreSQL; closing its scope stops it and waits for its end. */
export interface PostgresProcess {
  /** The exit code, as in a shell: 128 and more is a signal. */
  readonly ended: Effect.Effect<number, EmbeddedPostgresError>
  /** The errors that it logged, the first of which usually causes the others; without errors, the last line of the log. */
  readonly errors: Effect.Effect<ReadonlyArray<string>, EmbeddedPostgresError>
}

/**
 * Its input is a pipe from Sheaf, which never writes to it. However Sheaf ends, also by kill -9, the kernel closes the
 * pipe. The watcher then requests a fast shutdown of the program (SIGINT), and an immediate one (SIGQUIT) if that takes
 * more than 30 seconds. The watcher keeps neither the directory nor the log open. The shell ignores signals of a terminal
 * or a service manager: Sheaf decides when to stop.
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

/** Bytes of a log after which it is moved aside. */
const logLimit = 10 * 1024 * 1024
/** Time between two looks at the size of the log. */
const lookEvery = "1 hour"

const isLarge = (log: string): boolean => (fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0) > logLimit

/**
 * Moves the content of a large log aside, in place of what was there. Returns whether it did. The program continues to
 * write at the end of the same file, which it has opened for appending; lines that it writes between the two calls are
 * lost.
 */
export const rotate = (log: string): boolean => {
  if (!isLarge(log)) return false
  fs.copyFileSync(log, `${log}.1`)
  fs.truncateSync(log)
  return true
}

export const run = (options: {
  readonly account: Account
  readonly command: ReadonlyArray<string>
  readonly directory: string
  readonly log: string
  /** Whether this process may end while the program runs. */
  readonly isReleased?: boolean
}): Effect.Effect<PostgresProcess, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<number, EmbeddedPostgresError>()
    const started = yield* Effect.acquireRelease(
      attempt(options.directory, () => begin(options, ended)),
      ({ child }) => {
        child.stdin?.destroy()
        return Effect.exit(Deferred.await(ended))
      }
    )
    let { offset } = started
    const rotating = attempt(options.directory, () => {
      if (rotate(options.log)) offset = 0
    }).pipe(Effect.catch(({ message }) => Effect.logWarning(`the log of PostgreSQL was not moved aside: ${message}`)))
    // Without it a process that may end while the program runs would stay for the next look.
    if (!options.isReleased) yield* Effect.forkScoped(Effect.repeat(rotating, Schedule.spaced(lookEvery)))
    return { ended: Deferred.await(ended), errors: attempt(options.directory, () => errorsIn(options.log, offset)) }
  })

const begin = (
  { account, command, directory, isReleased, log }: Parameters<typeof run>[0],
  ended: Deferred.Deferred<number, EmbeddedPostgresError>
): { readonly child: ChildProcess; readonly offset: number } => {
  if (isLarge(log)) fs.renameSync(log, `${log}.1`)
  const file = fs.openSync(log, "a", 0o600)
  try {
    const offset = fs.fstatSync(file).size
    const child = spawn("/bin/sh", ["-c", wrapper, "sheaf-postgres", ...account.prefix, ...command], {
      ...account.user,
      cwd: directory,
      // A separate session: Ctrl-C reaches only Sheaf, which first finishes its requests.
      detached: true,
      // Without Sheaf's environment, to exclude its secrets and PG* variables; messages are in English.
      env: { PATH: process.env["PATH"] || "/usr/bin:/bin", LC_ALL: "C" },
      stdio: ["pipe", file, file]
    })
    child.once("error", (cause) => Deferred.doneUnsafe(ended, Effect.fail(failure(directory, cause.message))))
    child.once("exit", (code, signal) =>
      Deferred.doneUnsafe(ended, Effect.succeed(code ?? 128 + (signal === null ? 0 : os.constants.signals[signal])))
    )
    // The exit already reports a broken pipe.
    child.stdin?.on("error", () => {})
    if (isReleased) release(child)
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
    const reported = errors.length > 0 ? errors : [lines.at(-1) ?? "no reason given"]
    return reported.map((line) => line.replace(/^.*?\b(FATAL|PANIC|ERROR|error):\s*/, "").trim())
  } finally {
    fs.closeSync(file)
  }
}
