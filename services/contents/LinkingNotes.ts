import { Effect } from "effect"
import { runSql } from "../database/Database.ts"
import type { Reads } from "../database/ReachedRows.ts"
import { folded } from "../markdown/LinkText.ts"
import type { Note } from "../notes/Note.ts"

/** Reads the notes whose links a rename may change. */

/** Maximum number of notes whose links one request rewrites. */
export const maxNotes = 10_000

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

/**
 * The links that lead to other notes by texts that contain a name, by these notes. The names of links find them: a target can
 * be read in several ways.
 */
const rivalText = `SELECT l.target_id, l.note_id, n.notebook_id, array_agg(DISTINCT l.target) AS targets FROM (
    SELECT note_id FROM note_link_keys WHERE workspace_id = $1 AND key = $2 LIMIT ${maxNotes + 1}
  ) k CROSS JOIN LATERAL (
    SELECT note_id, target, target_id FROM note_links
    WHERE workspace_id = $1 AND note_id = k.note_id AND resolved_by <> 'id' AND target_id <> $3
      AND position($2 IN lower(normalize(target))) > 0 OFFSET 0
  ) l CROSS JOIN LATERAL (
    SELECT notebook_id, deleted_at FROM notes WHERE workspace_id = $1 AND id = l.note_id OFFSET 0
  ) n WHERE n.deleted_at IS NULL GROUP BY l.target_id, l.note_id, n.notebook_id`

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

  /** The names of a note. */
  const namesNow = (workspace_id: string, id: string) =>
    Effect.map(present(workspace_id, id), (row) => (row === undefined ? [] : namesOf(row)))

  /**
   * The links that a new title of a note may change, with the notes to which they lead and the names of these: all that lead to
   * it by a name, and those that lead to others and could mean it then.
   */
  const concerned = Effect.fnUntraced(function* (workspace_id: string, id: string, title: string) {
    const own = yield* runSql<Linking>(read, linkingText, [workspace_id, id])
    const rivals = yield* runSql<Linking & { readonly target_id: string }>(read, rivalText, [
      workspace_id,
      folded(title),
      id
    ])
    const linked = [{ id, linking: own }]
    for (const [target, linking] of Map.groupBy(rivals, ({ target_id }) => target_id))
      linked.push({ id: target, linking })
    return yield* Effect.forEach(linked, (each) =>
      Effect.map(namesNow(workspace_id, each.id), (old) => ({ ...each, old }))
    )
  })

  return { concerned, present, sourcesOf }
}
