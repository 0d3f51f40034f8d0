import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { aliasesOf } from "../../markdown/Aliases.ts"
import { folded } from "../../markdown/LinkText.ts"

/** Notes that are read at a time. */
const page = 500

interface Start {
  readonly workspace_id: string
  readonly id: string
  readonly body: string
}

export const noteAliases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The names of notes in their front matter, by which links find them.
  yield* sql.unsafe(`CREATE TABLE note_aliases (
    workspace_id text COLLATE "C" NOT NULL,
    name_key text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, name_key, note_id)
  )`)
  let after: readonly [string, string] = ["", ""]
  while (true) {
    const rows = yield* sql.unsafe<Start>(
      `SELECT workspace_id, id, left(body, 16384) AS body FROM notes
        WHERE (workspace_id, id) > ($1, $2) ORDER BY workspace_id, id LIMIT ${page}`,
      after
    )
    const names = rows.flatMap(({ body, id, workspace_id }) =>
      aliasesOf(body).map((name) => [workspace_id, folded(name), id] as const)
    )
    yield* sql.unsafe(
      `INSERT INTO note_aliases SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) ON CONFLICT DO NOTHING`,
      [names.map(([workspace]) => workspace), names.map(([, name]) => name), names.map(([, , id]) => id)]
    )
    const last = rows.at(-1)
    if (last === undefined || rows.length < page) return
    after = [last.workspace_id, last.id]
  }
})
