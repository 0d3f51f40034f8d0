import { Effect } from "effect"
import { Database } from "../../database/Database.ts"
import { Secrets } from "../../secrets/Secrets.ts"

const batch = 500

interface Sealed {
  readonly workspace_id: string
  readonly id: string
  readonly token: string
}

/**
 * Encrypts the tokens of shares with the present key while the previous one is configured. Tokens that neither key
 * decrypts stay unchanged.
 */
export const resealTokens = Effect.gen(function* () {
  const secrets = yield* Secrets
  if (!secrets.isChanging) return
  const { write: sql } = yield* Database
  let last: Pick<Sealed, "workspace_id" | "id"> = { workspace_id: "", id: "" }
  while (true) {
    const rows: ReadonlyArray<Sealed> = yield* sql.unsafe<Sealed>(
      `SELECT workspace_id, id, token FROM shares WHERE (workspace_id, id) > ($1, $2)
      ORDER BY workspace_id, id LIMIT ${batch}`,
      [last.workspace_id, last.id]
    )
    const changed = rows.flatMap((row) => {
      const token = secrets.renew("share-token", row.token)
      return token === undefined || token === row.token ? [] : [{ ...row, old: row.token, token }]
    })
    // If a write replaces a row at this moment, the next run finds it.
    if (changed.length > 0) {
      yield* sql.unsafe(
        `UPDATE shares s SET token = x.token
        FROM json_to_recordset($1::json) AS x(workspace_id text, id text, old text, token text)
        WHERE s.workspace_id = x.workspace_id AND s.id = x.id AND s.token = x.old`,
        [JSON.stringify(changed)]
      )
    }
    if (rows.length < batch) return
    last = rows.at(-1)!
  }
})
