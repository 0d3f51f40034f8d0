import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { Purpose, Secrets } from "./Secrets.ts"

/**
 * The database stores a fingerprint of the SECRET_KEY that encrypts its secrets (contract 1, Keys). A node with another
 * key would replace or misread them. The fingerprint is derived like all keys, so that it does not reveal the key.
 */

/** The fingerprints of the current key and of the previous one, if any, in hexadecimal. */
export const fingerprints = (secrets: Secrets["Service"]): ReadonlyArray<string> =>
  secrets.derivations("fingerprint", new Uint8Array()).map((bytes) => Buffer.from(bytes).toString("hex"))

/** Whether the key of the database is the current or the previous key of this process, another key, or none yet. */
export const state = Effect.fnUntraced(function* (sql: PgClient, secrets: Secrets["Service"]) {
  const [row] = yield* sql.unsafe<{ readonly fingerprint: string }>("SELECT fingerprint FROM secret_key WHERE id = 1")
  if (row === undefined) return "none"
  return (["current", "previous"] as const)[fingerprints(secrets).indexOf(row.fingerprint)] ?? "other"
})

/** Makes the current key the key of the database. Called only under the lock of the start. */
export const record = (sql: PgClient, secrets: Secrets["Service"]) =>
  sql.unsafe(
    `INSERT INTO secret_key (id, fingerprint) VALUES (1, $1)
    ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint`,
    [fingerprints(secrets)[0]!]
  )

const batch = 1_000

/**
 * Counts the rows of a table whose `column` no key of this process can decrypt. Returns 0 if there is no such table.
 */
export const countUnreadable = Effect.fnUntraced(function* (
  sql: PgClient,
  secrets: Secrets["Service"],
  { column, purpose, table }: { readonly table: string; readonly column: string; readonly purpose: Purpose }
) {
  const [found] = yield* sql.unsafe<{ readonly is: boolean }>("SELECT to_regclass($1) IS NOT NULL AS is", [table])
  let count = 0
  let last: { readonly workspace_id: string; readonly id: string } | undefined = { workspace_id: "", id: "" }
  while (found!.is && last !== undefined) {
    const rows: ReadonlyArray<{ readonly workspace_id: string; readonly id: string; readonly sealed: string }> =
      yield* sql.unsafe<{ readonly workspace_id: string; readonly id: string; readonly sealed: string }>(
        `SELECT workspace_id, id, ${column} AS sealed FROM ${table} WHERE (workspace_id, id) > ($1, $2)
        ORDER BY workspace_id, id LIMIT ${batch}`,
        [last.workspace_id, last.id]
      )
    count += rows.filter(({ sealed }) => secrets.open(purpose, sealed) === undefined).length
    last = rows.at(-1)
  }
  return count
})
