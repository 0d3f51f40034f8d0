import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { orUnavailable } from "../database/Database.ts"
import type { Found } from "../markdown/LinkedPlace.ts"
import { placeById } from "../markdown/LinkedPlace.ts"
import { fileEnding, folded, readingsOf } from "../markdown/LinkText.ts"
import type { NoteFile } from "../markdown/Rendered.ts"
import { Targets } from "../markdown/Targets.ts"
import * as LinkedNotes from "../notes/LinkedNotes.ts"
import { atTurn, lockNotes, type State } from "./ContentStore.ts"

/** Resolves the links of notes whose meaning may have changed. */

/** Maximum number of notes, and of their links, that are resolved at a time; a single note may have more links. */
const maxNotes = 100
const maxLinks = 5_000

interface Due {
  readonly note_id: string
  readonly notebook_id: string
  readonly files: ReadonlyArray<Omit<NoteFile, "isImage">>
}

interface Link {
  readonly id: string
  readonly note_id: string
  readonly kind: string
  readonly target: string
}

const dueText = `SELECT c.note_id, n.notebook_id, coalesce((
      SELECT json_agg(json_build_object('id', a.id, 'filename', a.filename) ORDER BY a.created_at, a.id) FROM attachments a
      WHERE a.workspace_id = $1 AND a.note_id = c.note_id AND a.status = 'ready' AND NOT a.trashed), '[]') AS files
  FROM note_contents c JOIN notes n ON n.workspace_id = c.workspace_id AND n.id = c.note_id AND n.deleted_at IS NULL
  WHERE c.workspace_id = $1 AND c.resolve_at <= $2 ORDER BY c.resolve_at LIMIT ${maxNotes}`

const linksText = `SELECT id, note_id, kind, target FROM note_links
  WHERE workspace_id = $1 AND note_id = ANY($2::text[]) ORDER BY note_id LIMIT ${maxLinks + 1}`

/** The notes whose links are all among those that were read, and these links. */
const complete = (due: ReadonlyArray<Due>, links: ReadonlyArray<Link>) => {
  if (links.length <= maxLinks) return { notes: due, links }
  const last = links.at(-1)!.note_id
  // In the order of the database, which is not that of the notes.
  const read = new Set(links.map(({ note_id }) => note_id))
  read.delete(last)
  return {
    notes: due.filter(({ note_id }) => read.has(note_id)),
    links: links.filter(({ note_id }) => read.has(note_id))
  }
}

/** The members of a link that follow from what it leads to. */
const resolvedAs = (link: Link, files: Targets, found: Found | undefined) => {
  const isOwn = placeById(link.target) === undefined && files.find(link.target) !== undefined
  const file = isOwn ? "own" : fileEnding.test(link.target) ? "ending" : null
  const none = { id: link.id, resolved_by: null, target_id: null, anchor: "", candidates: [], file }
  if (found !== undefined && "id" in found) {
    return { ...none, status: "resolved", resolved_by: found.by, target_id: found.id, anchor: found.anchor }
  }
  if (isOwn) return { ...none, status: "file" }
  if (found !== undefined) return { ...none, status: "ambiguous", candidates: found.candidates }
  return { ...none, status: file === null ? "missing" : "file" }
}

/** The names and ids on which the meaning of a link depends. */
const keysOf = ({ target }: Link, found: Found | undefined): ReadonlyArray<string> => {
  const byId = placeById(target)
  if (byId !== undefined) return [byId.id]
  const names = readingsOf(target).map(({ title }) => folded(title))
  return [...names, ...(found === undefined ? [] : "id" in found ? [found.id] : found.candidates)]
}

const updateText = `UPDATE note_links l SET status = r.status, resolved_by = r.resolved_by, target_id = r.target_id,
    anchor = r.anchor, candidates = r.candidates, file = r.file
  FROM json_to_recordset($2::json) AS r
    (id text, status text, resolved_by text, target_id text, anchor text, candidates text[], file text)
  WHERE l.workspace_id = $1 AND l.id = r.id AND (l.status, l.resolved_by, l.target_id, l.anchor, l.candidates, l.file)
    IS DISTINCT FROM (r.status, r.resolved_by, r.target_id, r.anchor, r.candidates, r.file)`

const removeKeysText = `DELETE FROM note_link_keys k WHERE workspace_id = $1 AND note_id = ANY($3::text[]) AND NOT EXISTS (
    SELECT FROM json_to_recordset($2::json) AS r (note_id text, key text) WHERE r.note_id = k.note_id AND r.key = k.key)`
const addKeysText = `INSERT INTO note_link_keys (workspace_id, key, note_id)
  SELECT $1, r.key, r.note_id FROM json_to_recordset($2::json) AS r (note_id text, key text) ON CONFLICT DO NOTHING`

const doneText = `UPDATE note_contents c SET resolve_at = r.until, has_paths = r.has_paths
  FROM json_to_recordset($2::json) AS r (note_id text, until text, has_paths boolean)
  WHERE c.workspace_id = $1 AND c.note_id = r.note_id`

const hasPath = ({ target }: Link): boolean =>
  placeById(target) === undefined && readingsOf(target).some(({ folders }) => folders.length > 0)

/** Makes the function that resolves some of the links that are due. It returns false if no note has any. */
export const make = (read: PgClient, write: PgClient) => {
  const linkedNotes = LinkedNotes.make(read)

  const linksOfNotes = Effect.fnUntraced(function* (workspace_id: string, now: string) {
    const due = yield* read.unsafe<Due>(dueText, [workspace_id, now])
    const ids = due.map(({ note_id }) => note_id)
    const some = complete(due, yield* read.unsafe<Link>(linksText, [workspace_id, ids]))
    if (some.notes.length > 0 || due.length === 0) return some
    // The first has more links than are read at a time.
    const all = yield* read.unsafe<Link>(linksText.replace(/LIMIT \d+/, ""), [workspace_id, ids.slice(0, 1)])
    return { notes: due.slice(0, 1), links: all }
  })

  return Effect.fnUntraced(function* (workspace_id: string, state: State, now: string) {
    const { links, notes } = yield* orUnavailable(linksOfNotes(workspace_id, now))
    const linksOf = Map.groupBy(links, ({ note_id }) => note_id)
    const resolved: Array<object> = []
    const keys = new Map<string, { readonly note_id: string; readonly key: string }>()
    const done: Array<object> = []
    for (const [notebook_id, inNotebook] of Map.groupBy(notes, (note) => note.notebook_id)) {
      const own = inNotebook.flatMap(({ note_id }) => linksOf.get(note_id) ?? [])
      const found = yield* linkedNotes({ workspace_id, notebook_id }, [...new Set(own.map(({ target }) => target))])
      for (const { files, note_id } of inNotebook) {
        const targets = new Targets(files.map((file) => ({ ...file, isImage: false })))
        const mine = linksOf.get(note_id) ?? []
        for (const link of mine) {
          const place = found.get(link.target)
          resolved.push(resolvedAs(link, targets, place))
          for (const key of keysOf(link, place)) keys.set(`${note_id} ${key}`, { note_id, key })
        }
        const times = mine.flatMap(({ target }) => found.get(target)?.until ?? []).toSorted()
        done.push({ note_id, until: times[0] ?? null, has_paths: mine.some(hasPath) })
      }
    }
    if (notes.length === 0) return false
    const ids = notes.map(({ note_id }) => note_id)
    yield* atTurn(write, workspace_id, state, () =>
      Effect.gen(function* () {
        yield* lockNotes(write, workspace_id, ids)
        yield* write.unsafe(updateText, [workspace_id, JSON.stringify(resolved)])
        const all = JSON.stringify([...keys.values()])
        yield* write.unsafe(removeKeysText, [workspace_id, all, ids])
        yield* write.unsafe(addKeysText, [workspace_id, all])
        yield* write.unsafe(doneText, [workspace_id, JSON.stringify(done)])
        return {}
      })
    )
    return true
  })
}
