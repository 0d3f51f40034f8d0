import { Effect } from "effect"
import { runSql } from "../database/Database.ts"
import type { Reads } from "../database/ReachedRows.ts"
import { asRead } from "../database/TextOrder.ts"
import { folded } from "../markdown/LinkText.ts"
import type { Note } from "../notes/Note.ts"

/** Reads the notes whose links a rename may change. */

/** Maximum number of notes whose links one request rewrites. */
export const maxNotes = 10_000
/** Maximum number of other notes with the new title whose links are looked at. */
const maxNamesakes = 50

/** Links of a note by their targets, in the notes of a notebook. */
export interface Linking {
  readonly note_id: string
  readonly notebook_id: string
  readonly targets: ReadonlyArray<string>
}

interface Link {
  readonly target: string
  readonly kind: string
  readonly start_at: number
  readonly end_at: number
}

/** A note with links as they were read, and its text of that version. */
export interface Source {
  readonly id: string
  readonly notebook_id: string
  readonly body: string
  readonly version: number
  readonly links: ReadonlyArray<Link>
}

/** Finds the links first: in the order of notes, PostgreSQL would go through all links of the workspace. */
const linkingText = `SELECT l.note_id, n.notebook_id, l.targets FROM (
    SELECT note_id, array_agg(DISTINCT target) AS targets FROM (
      SELECT note_id, target FROM note_links
      WHERE workspace_id = $1 AND target_id = $2 AND resolved_by <> 'id' OFFSET 0
    ) found GROUP BY note_id LIMIT ${maxNotes + 1}
  ) l CROSS JOIN LATERAL (
    SELECT notebook_id, deleted_at FROM notes WHERE workspace_id = $1 AND id = l.note_id OFFSET 0
  ) n WHERE n.deleted_at IS NULL`

/** In this order of text, all spellings of a title in other cases lie between it in lower case and in upper case. */
const namesakesText = `SELECT id, name FROM (
    SELECT id, title AS name FROM notes
    WHERE workspace_id = $1 AND deleted_at IS NULL AND archived IN (false, true) AND pinned IN (false, true)
      AND ${asRead("title")} BETWEEN $2 AND $3 LIMIT ${maxNamesakes}
  ) titled UNION ALL (
    SELECT note_id, name_key FROM note_aliases WHERE workspace_id = $1 AND name_key = $4 LIMIT ${maxNamesakes}
  )`

/** Notes whose text is the one that was read last. */
const sourcesText = `SELECT n.id, n.notebook_id, n.body, n.version, (
    SELECT json_agg(json_build_object('target', l.target, 'kind', l.kind, 'start_at', l.start_at, 'end_at', l.end_at)
      ORDER BY l.start_at) FROM note_links l WHERE l.workspace_id = $1 AND l.note_id = n.id) AS links
  FROM notes n JOIN note_contents c ON c.workspace_id = n.workspace_id AND c.note_id = n.id AND c.version = n.version
  WHERE n.workspace_id = $1 AND n.id = ANY($2::text[]) AND n.deleted_at IS NULL`

const presentText = `SELECT n.title, n.notebook_id,
    ARRAY(SELECT a.name_key FROM note_aliases a WHERE a.workspace_id = $1 AND a.note_id = $2) AS aliases,
    ARRAY(SELECT f.name_key FROM former_names f WHERE f.workspace_id = $1 AND f.note_id = $2) AS former
  FROM notes n WHERE n.workspace_id = $1 AND n.id = $2 AND n.deleted_at IS NULL`

interface Present extends Pick<Note, "title" | "notebook_id"> {
  readonly aliases: ReadonlyArray<string>
  readonly former: ReadonlyArray<string>
}

/** The folded names that links may have. */
export const namesOf = ({ aliases, former, title }: Present): ReadonlyArray<string> => [
  folded(title),
  ...aliases,
  ...former
]

export const make = (read: Reads) => {
  const present = (workspace_id: string, id: string) =>
    Effect.map(runSql<Present>(read, presentText, [workspace_id, id]), ([row]) => row)

  const sourcesOf = (workspace_id: string, ids: ReadonlyArray<string>) =>
    runSql<Source>(read, sourcesText, [workspace_id, ids])

  /** The links that lead to a note now, and its names. */
  const linkedTo = Effect.fnUntraced(function* (workspace_id: string, id: string) {
    const row = yield* present(workspace_id, id)
    const linking = yield* runSql<Linking>(read, linkingText, [workspace_id, id])
    return { id, old: row === undefined ? [] : namesOf(row), linking }
  })

  /** Other notes with a title or alias, which links may mean as well. */
  const namesakes = Effect.fnUntraced(function* (workspace_id: string, id: string, title: string) {
    const key = folded(title)
    const params = [workspace_id, title.toLowerCase(), title.toUpperCase(), key]
    const rows = yield* runSql<{ readonly id: string; readonly name: string }>(read, namesakesText, params)
    return new Set(rows.flatMap((row) => (row.id !== id && folded(row.name) === key ? [row.id] : [])))
  })

  return { linkedTo, namesakes, present, sourcesOf }
}
