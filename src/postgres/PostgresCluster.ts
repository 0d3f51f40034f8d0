import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { attempt, failure } from "./EmbeddedPostgresError.ts"
import * as PostgresBinaries from "./PostgresBinaries.ts"
import * as PostgresProcess from "./PostgresProcess.ts"

/** The data of one PostgreSQL server and what is needed to work on them. */
export interface PostgresCluster {
  readonly directory: string
  /** The cluster proper, inside `directory`. */
  readonly cluster: string
  readonly log: string
  readonly binaries: PostgresBinaries.PostgresBinaries
}

const unfinished = "initdb-"

/** Makes the cluster beside its place and moves it there when it is whole: a kill leaves all of it or nothing. */
export const initialise = Effect.fnUntraced(function* (home: PostgresCluster, username: string) {
  const { binaries, cluster, directory, log } = home
  const version = yield* attempt(directory, () => versionOf(cluster))
  if (version === binaries.major) {
    return yield* attempt(directory, () => {
      // PostgreSQL insists on this mode, which a copy or a restored backup often doesn't keep.
      fs.chmodSync(cluster, 0o700)
      closeToNetwork(cluster)
    })
  }
  if (version !== undefined) {
    return yield* failure(
      directory,
      `its data are of PostgreSQL ${version}, this Sheaf brings PostgreSQL ${binaries.major}: go on with the Sheaf that wrote them, or serve them by a PostgreSQL ${version} of your own and set DATABASE_URL and SECRET_KEY`
    )
  }
  const place = yield* Effect.acquireRelease(
    attempt(directory, () => fs.mkdtempSync(path.join(directory, unfinished))),
    (place) => Effect.sync(() => fs.rmSync(place, { recursive: true, force: true }))
  )
  yield* attempt(directory, () => PostgresBinaries.giveTo(binaries.account, place))
  // Text sorts by its bytes, the same on every machine and fast, and still knows upper and lower case in all scripts.
  const locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
  // No password: the socket lies in a directory that is closed to others. Checksums tell a failing disk.
  const auth = ["--auth-local=trust", "--auth-host=reject"]
  const options = ["-E", "UTF8", ...locale, ...auth, "--data-checksums", "--no-instructions"]
  const initdb = yield* PostgresProcess.run({
    account: binaries.account,
    command: [binaries.initdb, "-D", place, "-U", username, ...options],
    directory,
    log
  })
  const code = yield* initdb.ended
  yield* code === 0
    ? attempt(directory, () => move(place, cluster))
    : // Another Sheaf that starts here may have been faster and have swept ours; the lock decides which one goes on.
      versionOf(cluster) === undefined
      ? failure(directory, (yield* initdb.errors)[0]!)
      : Effect.void
}, Effect.scoped)

const access = `# Written by Sheaf at each start. The socket lies in a directory that is closed to others; nobody comes by the network,
# also not when this cluster is started by hand.
local all all trust
host all all all reject
`

/** An earlier Sheaf trusted whoever came from this machine. In its place, as another user may own the file. */
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

/** Removes what killed starts left unfinished; only for who holds the lock, as another start may be at work on it. */
export const sweep = ({ directory }: PostgresCluster) =>
  attempt(directory, () => {
    for (const name of fs.readdirSync(directory)) {
      if (name.startsWith(unfinished))
        fs.rmSync(path.join(directory, name), { recursive: true, force: true, maxRetries: 5 })
    }
  })

const versionOf = (cluster: string) => {
  const file = path.join(cluster, "PG_VERSION")
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : undefined
}
