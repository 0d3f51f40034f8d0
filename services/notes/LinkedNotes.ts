import type { Reads } from "../database/ReachedRows.ts"
import { Clock, Effect } from "effect"
import { asRead } from "../database/TextOrder.ts"
import { runSql } from "../database/Database.ts"
import { type Found, type Namesake, placeById, placeByName } from "../markdown/LinkedPlace.ts"
import { folded, readingsOf } from "../markdown/LinkText.ts"
import { nameKey } from "./tags/Tag.ts"

/** Finds the notes to which links lead, by their targets as written (contract 5, "Links in a body"). */

/** A note outside the trash with a name that a link may mean. */
interface Candidate extends Omit<Namesake, "until"> {
  readonly name_key: string
  readonly until: string | null
}

interface Notebook {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string
}

/** Maximum number of notes with one name, in folders of the same name, that are compared. */
const maxNamesakes = 50

/**
 * In this order of text, all spellings of a title in other cases lie between the title in lower case and in upper case.
 * So the index of titles finds them; what else lies there is left out by `folded`. `folders`: the last folders of the
 * paths with this name; null if one has none.
 */
const candidatesText = `SELECT w.name_key, n.*
  FROM json_to_recordset($2::json) AS w (name_key text, lower_title text, upper_title text, folders text[])
  CROSS JOIN LATERAL (
    (SELECT id, 'title' AS kind, title AS name, notebook_id, NULL AS until FROM notes
      WHERE workspace_id = $1 AND deleted_at IS NULL AND archived IN (false, true) AND pinned IN (false, true)
        AND ${asRead("title")} BETWEEN w.lower_title AND w.upper_title
        AND (w.folders IS NULL OR notebook_id IN (
          SELECT b.id FROM notebooks b WHERE b.workspace_id = $1 AND b.name_key = ANY(w.folders)))
      LIMIT ${maxNamesakes})
    UNION ALL
    (SELECT o.id, 'alias', a.name_key, o.notebook_id, NULL FROM note_aliases a
      JOIN notes o ON o.workspace_id = a.workspace_id AND o.id = a.note_id AND o.deleted_at IS NULL
      WHERE a.workspace_id = $1 AND a.name_key = w.name_key LIMIT ${maxNamesakes})
    UNION ALL
    (SELECT o.id, 'former', f.name_key, f.notebook_id, f.until FROM former_names f
      JOIN notes o ON o.workspace_id = f.workspace_id AND o.id = f.note_id AND o.deleted_at IS NULL
      WHERE f.workspace_id = $1 AND f.name_key = w.name_key AND f.until > $3
      LIMIT ${maxNamesakes})
  ) n`

const liveText = `SELECT id FROM notes WHERE workspace_id = $1 AND id = ANY($2::text[]) AND deleted_at IS NULL`
const notebooksText = `SELECT id, parent_id, name FROM notebooks WHERE workspace_id = $1`

/** The place of a link. */
interface From {
  readonly workspace_id: string
  readonly notebook_id: string
}

/** Makes the function that returns the notebooks of a workspace by their ids. */
export const treeOf = (read: Reads) => (workspace_id: string) =>
  Effect.map(
    runSql<Notebook>(read, notebooksText, [workspace_id]),
    (rows): ReadonlyMap<string, Notebook> => new Map(rows.map((row) => [row.id, row]))
  )

export const make = (read: Reads) => {
  const tree = treeOf(read)

  const live = (workspace_id: string, ids: ReadonlyArray<string>) =>
    ids.length === 0 ? Effect.succeed([]) : runSql<{ readonly id: string }>(read, liveText, [workspace_id, ids])

  /** The notes by the names that targets can mean. A path is only looked for in folders of the same name. */
  const candidates = Effect.fnUntraced(function* (workspace_id: string, targets: ReadonlyArray<string>) {
    const wanted = new Map<string, { title: string; folders: Array<string> | null }>()
    for (const { folders, title } of targets.flatMap(readingsOf)) {
      const key = folded(title)
      const known = wanted.get(key) ?? { title, folders: [] }
      const last = folders.at(-1)
      if (last === undefined || last === "..") known.folders = null
      else known.folders?.push(nameKey(last))
      wanted.set(key, known)
    }
    if (wanted.size === 0) return new Map<string, Array<Candidate>>()
    const names = [...wanted].map(([name_key, { folders, title }]) => ({
      name_key,
      lower_title: title.toLowerCase(),
      upper_title: title.toUpperCase(),
      folders
    }))
    const now = new Date(yield* Clock.currentTimeMillis).toISOString()
    const rows = yield* runSql<Candidate>(read, candidatesText, [workspace_id, JSON.stringify(names), now])
    return Map.groupBy(
      rows.filter(({ kind, name, name_key }) => kind !== "title" || folded(name) === name_key),
      ({ name_key }) => name_key
    )
  })

  /** Returns the notes of those targets that lead to one, and the candidates of those that may mean several. */
  return Effect.fnUntraced(function* (from: From, targets: ReadonlyArray<string>) {
    const byId = targets.flatMap((target) => {
      const place = placeById(target)
      return place === undefined ? [] : [[target, place] as const]
    })
    const byName = targets.filter((target) => placeById(target) === undefined)
    const [ids, named] = yield* Effect.all(
      [
        live(
          from.workspace_id,
          byId.map(([, { id }]) => id)
        ),
        candidates(from.workspace_id, byName)
      ],
      { concurrency: 2 }
    )
    const isLive = new Set(ids.map(({ id }) => id))
    const found = new Map<string, Found>()
    for (const [target, place] of byId) if (isLive.has(place.id)) found.set(target, { ...place, by: "id" })
    if (named.size === 0) return found
    const hasFolders = byName
      .flatMap(readingsOf)
      .some(({ folders, title }) => folders.length > 0 && named.has(folded(title)))
    const notebooks = hasFolders ? yield* tree(from.workspace_id) : new Map<string, Notebook>()
    for (const target of byName) {
      const namesakes = (key: string) =>
        (named.get(key) ?? []).map(({ until, ...note }) => (until === null ? note : { ...note, until }))
      const place = placeByName(target, namesakes, notebooks, from.notebook_id)
      if (place !== undefined) found.set(target, place)
    }
    return found
  })
}
