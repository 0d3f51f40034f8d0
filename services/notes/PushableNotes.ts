import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { type Data, hasAll, type OwnId, type SyncAdapter, reader, tombstone } from "../records/SyncAdapter.ts"
import type { Quotas } from "../workspaces/Quotas.ts"
import { Invalid } from "../Errors.ts"
import type { Draft } from "../writer/Draft.ts"
import { type NoteChange, NoteUpdate, PushedNote } from "./Note.ts"
import * as Edits from "./NoteEdits.ts"
import { notes } from "./NoteTable.ts"
import { NoteBases } from "./NoteVersions.ts"
import { nameKey } from "./tags/Tag.ts"

const toCreate = reader(PushedNote)
const toUpdate = reader(NoteUpdate)

/** Ignores a `version` in the data: the entry has its own revision. */
const read: SyncAdapter<NoteChange>["read"] = (data) =>
  Effect.mapEager(toUpdate(data), ({ version: _, ...input }) => input)

/** Milliseconds that the clock of a client may be ahead. Such a note is created now. */
const clockTolerance = 5 * 60_000

/** Creates a note. One that was made offline keeps the time of that. */
const create = Effect.fnUntracedEager(function* (draft: Draft, quotas: Quotas["Service"], own: OwnId, data: Data) {
  const { created_at, ...input } = yield* toCreate(data)
  if (created_at == null) return yield* Edits.create(draft, quotas, input, own)
  const at = Date.parse(created_at)
  if (at < 0 || at > draft.millis + clockTolerance) {
    const message = at < 0 ? "must not be before 1970" : `must not be in the future: it is ${draft.now} here`
    return yield* Invalid.field("created_at", "out_of_range", message)
  }
  return yield* Edits.create(draft, quotas, input, own, { created_at })
})

/** Returns the sync adapter of notes. They have a trash, and a history from which bases are read. */
export const pushableNotes = (client: Reads, quotas: Quotas["Service"]): SyncAdapter<NoteChange> => ({
  type: "note",
  table: notes,
  needs: (id) => [[notes, id]],
  isLocked: () => false,
  state: (draft, id) =>
    Effect.flatMapEager(draft.get(notes, id), (row) =>
      row === undefined
        ? tombstone({ type: "note", table: notes }, draft, id)
        : Effect.succeed({ live: row.deleted_at === null, revision: row.version })
    ),
  read,
  same: (draft, id, { tags: names, ...input }) =>
    Effect.mapEager(draft.get(notes, id), (row) => {
      if (row === undefined || !hasAll(row, input)) return false
      if (names === undefined) return true
      const wanted = [...new Set(names.map(nameKey))]
      return wanted.length === row.tags.length && wanted.every((key, index) => key === nameKey(row.tags[index]!))
    }),
  create: (draft, own, data) => create(draft, quotas, own, data),
  update: (draft, id, input) => Edits.update(draft, quotas, id, input),
  delete: (draft, id) => Edits.trash(draft, id),
  revive: Effect.fnUntracedEager(function* (draft, id, revision, data) {
    if ((yield* draft.get(notes, id)) === undefined) {
      return yield* create(draft, quotas, { id, revision: draft.revisionAfter(revision) }, data)
    }
    const { notebook_id, ...input } = yield* read(data)
    yield* Edits.restore(draft, quotas, id, notebook_id)
    return yield* Edits.update(draft, quotas, id, input)
  }),
  data: (draft, id) =>
    Effect.mapEager(draft.get(notes, id), (row) =>
      row === undefined || row.deleted_at !== null ? null : notes.dataOf(row)
    ),
  bases: (draft) => new NoteBases(draft, client)
})
