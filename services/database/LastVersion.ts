import { Effect } from "effect"
import { Database } from "./Database.ts"

/**
 * The version of Sheaf that last started on the database, such as `0.1.0`, in the comment on the table of migrations. An
 * operator goes back to that version. Undefined if none has started yet, as after a restore.
 */
export const find = Effect.gen(function* () {
  const { write } = yield* Database
  const [row] = yield* write.unsafe<{ readonly version: string | null }>(
    "SELECT obj_description(to_regclass('migrations'), 'pg_class') AS version"
  )
  // Another program may have written the comment, and the version becomes a part of a file name.
  return /^[0-9A-Za-z.+-]{1,50}$/.exec(row!.version ?? "")?.[0]
})

/** Records the version of this process. Called only under the lock of the start. */
export const record = Effect.fnUntraced(function* (version: string) {
  if ((yield* find) === version) return
  const { write } = yield* Database
  yield* write.unsafe(`COMMENT ON TABLE migrations IS '${version.replaceAll("'", "''")}'`)
})
