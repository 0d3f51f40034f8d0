import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { runSql } from "../database/Database.ts"
import { aliasesOf, longestAlias, longestMatter } from "../markdown/Aliases.ts"
import { folded } from "../markdown/LinkText.ts"
import type { Suggestion } from "./SearchResult.ts"

/** Maximum number of aliases that are looked at: those of notes in the trash or the archive are left out afterwards. */
const maxLooked = 50

/** Aliases are stored folded; the beginning of the text has them as they are written. */
const aliasesText = `SELECT a.name_key, n.id, n.title, left(n.body, ${longestMatter}) AS beginning FROM (
    SELECT name_key, note_id FROM note_aliases
    WHERE workspace_id = $1 AND name_key >= $2 AND name_key <= $2 || chr(1114111)
    ORDER BY name_key, note_id LIMIT ${maxLooked}
  ) a JOIN notes n ON n.workspace_id = $1 AND n.id = a.note_id AND n.deleted_at IS NULL AND NOT n.archived
  ORDER BY a.name_key, n.id LIMIT $3`

interface Row {
  readonly name_key: string
  readonly id: string
  readonly title: string
  readonly beginning: string
}

/** Aliases of notes that begin with a typed text. */
export const aliasSuggestions = (read: Reads, workspace_id: string, typed: string, limit: number) => {
  const key = folded(typed.trim()).toWellFormed()
  // PostgreSQL stores no NUL.
  if (key.length > longestAlias || key.includes("\0")) return Effect.succeed([])
  return Effect.map(runSql<Row>(read, aliasesText, [workspace_id, key, limit]), (rows): ReadonlyArray<Suggestion> =>
    rows
      .filter(({ name_key, title }) => folded(title) !== name_key)
      .map(({ beginning, id, name_key, title }) => ({
        type: "alias",
        text: aliasesOf(beginning).find((alias) => folded(alias) === name_key) ?? name_key,
        id,
        title
      }))
  )
}
