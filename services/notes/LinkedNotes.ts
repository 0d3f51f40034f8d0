import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { asRead } from "../database/TextOrder.ts"
import { orUnavailable } from "../database/Database.ts"
import { type LinkedNote, type Namesake, placeById, placeByName } from "../markdown/LinkedPlace.ts"
import { folded, type Reading, readingsOf } from "../markdown/LinkText.ts"

/** Finds the notes to which links lead, by their targets as written (contract 5, "Links in a body"). */

/** A note outside the trash with a name that a link may mean. */
interface Candidate extends Namesake {
  readonly name_key: string
  readonly is_alias: boolean
}

interface Notebook {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string
}

/** Maximum number of notes with one name that are compared. */
const maxNamesakes = 50

/**
 * In this order of text, all spellings of a title in other cases lie between the title in lower case and in upper case.
 * So the index of titles finds them; what else lies there is left out by `folded`.
 */
const candidatesText = `SELECT w.name_key, n.*
  FROM unnest($2::text[], $3::text[], $4::text[]) AS w (name_key, lower_title, upper_title)
  CROSS JOIN LATERAL (
    (SELECT id, title, notebook_id, created_at, false AS is_alias FROM notes
      WHERE workspace_id = $1 AND deleted_at IS NULL AND archived IN (false, true) AND pinned IN (false, true)
        AND ${asRead("title")} BETWEEN w.lower_title AND w.upper_title LIMIT ${maxNamesakes})
    UNION ALL
    (SELECT o.id, o.title, o.notebook_id, o.created_at, true FROM note_aliases a
      JOIN notes o ON o.workspace_id = a.workspace_id AND o.id = a.note_id AND o.deleted_at IS NULL
      WHERE a.workspace_id = $1 AND a.name_key = w.name_key LIMIT ${maxNamesakes})
  ) n`

const liveText = `SELECT id FROM notes WHERE workspace_id = $1 AND id = ANY($2::text[]) AND deleted_at IS NULL`
const notebooksText = `SELECT id, parent_id, name FROM notebooks WHERE workspace_id = $1`

/** The place of a link. */
interface From {
  readonly workspace_id: string
  readonly notebook_id: string
}

export const make = (read: PgClient) => {
  const live = (workspace_id: string, ids: ReadonlyArray<string>) =>
    ids.length === 0
      ? Effect.succeed([])
      : orUnavailable(read.unsafe<{ readonly id: string }>(liveText, [workspace_id, ids]))

  const candidates = (workspace_id: string, titles: ReadonlyArray<string>) =>
    titles.length === 0
      ? Effect.succeed([])
      : orUnavailable(
          read.unsafe<Candidate>(candidatesText, [
            workspace_id,
            titles.map(folded),
            titles.map((title) => title.toLowerCase()),
            titles.map((title) => title.toUpperCase())
          ])
        )

  const tree = (workspace_id: string) =>
    Effect.map(
      orUnavailable(read.unsafe<Notebook>(notebooksText, [workspace_id])),
      (rows): ReadonlyMap<string, Notebook> => new Map(rows.map((row) => [row.id, row]))
    )

  /** Returns the notes of those targets that lead to one. */
  return Effect.fnUntraced(function* ({ notebook_id, workspace_id }: From, targets: ReadonlyArray<string>) {
    const found = new Map<string, LinkedNote>()
    const byId = new Map<string, LinkedNote>()
    const byName = new Map<string, ReadonlyArray<Reading>>()
    for (const target of targets) {
      const place = placeById(target)
      if (place === undefined) byName.set(target, readingsOf(target))
      else byId.set(target, place)
    }
    const titles = new Map([...byName.values()].flat().map(({ title }) => [folded(title), title]))
    const [ids, rows] = yield* Effect.all(
      [
        live(
          workspace_id,
          [...byId.values()].map(({ id }) => id)
        ),
        candidates(workspace_id, [...titles.values()])
      ],
      { concurrency: 2 }
    )
    const isLive = new Set(ids.map(({ id }) => id))
    for (const [target, place] of byId) if (isLive.has(place.id)) found.set(target, place)
    const named = Map.groupBy(
      rows.filter(({ is_alias, name_key, title }) => is_alias || folded(title) === name_key),
      ({ name_key }) => name_key
    )
    const hasFolders = [...byName.values()]
      .flat()
      .some(({ folders, title }) => folders.length > 0 && named.has(folded(title)))
    const notebooks = hasFolders ? yield* tree(workspace_id) : new Map<string, Notebook>()
    for (const target of byName.keys()) {
      const place = placeByName(target, (key) => named.get(key) ?? [], notebooks, notebook_id)
      if (place !== undefined) found.set(target, place)
    }
    return found as ReadonlyMap<string, LinkedNote>
  })
}
