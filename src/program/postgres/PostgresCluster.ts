import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { attempt, failure } from "./EmbeddedPostgresError.ts"
import * as PostgresBinaries from "./PostgresBinaries.ts"
import * as PostgresProcess from "./PostgresProcess.ts"

/** The data of one PostgreSQL server, and the programs to use it. */
export interface PostgresCluster {
  readonly directory: string
  /** The data directory of PostgreSQL, inside `directory`. */
  readonly cluster: string
  readonly log: string
  readonly binaries: PostgresBinaries.PostgresBinaries
}

const unfinished = "initdb-"

/**
 * Creates the cluster in a temporary directory and moves it into place when it is complete, so that it is atomic.
 * `further`: further options of initdb.
 */
export const initialise = Effect.fnUntraced(function* (
  home: PostgresCluster,
  username: string,
  further: ReadonlyArray<string> = []
) {
  const { binaries, cluster, directory, log } = home
  const version = yield* attempt(directory, () => versionOf(cluster))
  if (version === binaries.major) {
    return yield* attempt(directory, () => {
      // PostgreSQL requires this mode, which a copy or a restored backup often does not keep.
      fs.chmodSync(cluster, 0o700)
      closeToNetwork(cluster)
    })
  }
  if (version !== undefined) {
    return yield* failure(
      directory,
      `its data are from PostgreSQL ${version}, and this Sheaf includes PostgreSQL ${binaries.major}: ${
        Number(version) < Number(binaries.major)
          ? "move them by sheaf migrate postgres --from PATH, with the path of the Sheaf that wrote them"
          : "use the Sheaf that wrote them"
      }`
    )
  }
  const place = yield* Effect.acquireRelease(
    attempt(directory, () => fs.mkdtempSync(path.join(directory, unfinished))),
    (place) => Effect.sync(() => fs.rmSync(place, { recursive: true, force: true }))
  )
  yield* attempt(directory, () => PostgresBinaries.giveTo(binaries.account, place))
  // Text sorts by its bytes, which is fast and the same on every machine. Case mapping works in all scripts.
  const locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
  // No password: the socket is in a directory that other users cannot open. Checksums detect a failing disk.
  const auth = ["--auth-local=trust", "--auth-host=reject"]
  const options = ["-E", "UTF8", ...locale, ...auth, "--data-checksums", "--no-instructions", ...further]
  const initdb = yield* PostgresProcess.run({
    account: binaries.account,
    command: [binaries.initdb, "-D", place, "-U", username, ...options],
    directory,
    log
  })
  const code = yield* initdb.ended
  yield* code === 0
    ? attempt(directory, () => move(place, cluster))
    : // Another Sheaf may have been faster, and have removed this directory; the lock decides which of them continues.
      versionOf(cluster) === undefined
      ? failure(directory, (yield* initdb.errors)[0]!)
      : Effect.void
}, Effect.scoped)

const access = `# Written by Sheaf at each start. The socket is in a directory that other users cannot open, and network connections are
# rejected, also if this cluster is started by hand.
local all all trust
host all all all reject
`

/** Earlier versions trusted all processes on this machine. Written in place, because another user may own the file. */
const closeToNetwork = (cluster: string) => {
  const file = path.join(cluster, "pg_hba.conf")
  if (!fs.existsSync(file) || fs.readFileSync(file, "utf8") !== access) fs.writeFileSync(file, access)
}

const move = (place: string, cluster: string) => {
  try {
    fs.renameSync(place, cluster)
  } catch (cause) {
    if (versionOf(cluster) === undefined) throw cause
  }
  const directory = fs.openSync(path.dirname(cluster), "r")
  try {
    fs.fsyncSync(directory)
  } finally {
    fs.closeSync(directory)
  }
}

/** Removes unfinished clusters of killed starts. Call it only with the lock, because another start may be using them. */
export const sweep = ({ directory }: PostgresCluster) =>
  attempt(directory, () => {
    for (const name of fs.readdirSync(directory)) {
      if (name.startsWith(unfinished))
        fs.rmSync(path.join(directory, name), { recursive: true, force: true, maxRetries: 5 })
    }
  })

/** The major version of PostgreSQL that wrote a cluster, such as "18"; undefined if there is none. */
export const versionOf = (cluster: string): string | undefined => {
  const file = path.join(cluster, "PG_VERSION")
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : undefined
}
