import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { Purpose, Secrets } from "./Secrets.ts"

const batch = 500

interface Sealed {
  readonly workspace_id: string
  readonly id: string
  readonly sealed: string
}

/** A column with encrypted texts. Its table has the key `workspace_id, id`. */
interface SealedColumn {
  readonly table: "factors" | "shares" | "webhooks"
  readonly column: string
  readonly purpose: Purpose
}

/**
 * Encrypts the texts of a column with the present key that were encrypted with the previous one. Texts that neither key
 * decrypts stay, and so does a text that another write replaces at this moment.
 */
export const reseal = Effect.fnUntraced(function* (
  sql: PgClient,
  secrets: Secrets["Service"],
  { column, purpose, table }: SealedColumn
) {
  let last: Pick<Sealed, "workspace_id" | "id"> = { workspace_id: "", id: "" }
  while (true) {
    const rows: ReadonlyArray<Sealed> = yield* sql.unsafe<Sealed>(
      `SELECT workspace_id, id, ${column} AS sealed FROM ${table}
      WHERE (workspace_id, id) > ($1, $2) AND ${column} IS NOT NULL ORDER BY workspace_id, id LIMIT ${batch}`,
      [last.workspace_id, last.id]
    )
    const changed = rows.flatMap((row) => {
      const renewed = secrets.renew(purpose, row.sealed)
      return renewed === undefined || renewed === row.sealed ? [] : [{ ...row, renewed }]
    })
    if (changed.length > 0) {
      yield* sql.unsafe(
        `UPDATE ${table} t SET ${column} = x.renewed
        FROM json_to_recordset($1::json) AS x(workspace_id text, id text, sealed text, renewed text)
        WHERE t.workspace_id = x.workspace_id AND t.id = x.id AND t.${column} = x.sealed`,
        [JSON.stringify(changed)]
      )
    }
    if (rows.length < batch) return
    last = rows.at(-1)!
  }
})
