import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { hasAll, type SyncAdapter, reader, tombstone } from "../records/SyncAdapter.ts"
import type { Quotas } from "../workspaces/Quotas.ts"
import { type NoteChange, NoteCreate, NoteUpdate } from "./Note.ts"
import * as Edits from "./NoteEdits.ts"
import { notes } from "./NoteTable.ts"
import { NoteBases } from "./NoteVersions.ts"
import { nameKey } from "./tags/Tag.ts"

const toCreate = reader(NoteCreate)
const toUpdate = reader(NoteUpdate)

/** Ignores a `version` in the data: the entry has its own revision. */
const read: SyncAdapter<NoteChange>["read"] = (data) =>
  Effect.mapEager(toUpdate(data), ({ version: _, ...input }) => input)

/** Returns the sync adapter of notes. They have a trash, and a history from which bases are read. */
export const pushableNotes = (client: PgClient, quotas: Quotas["Service"]): SyncAdapter<NoteChange> => ({
  type: "note",
  needs: (id) => [[notes, id]],
  isLocked: () => false,
  state: (draft, id) =>
    Effect.flatMapEager(draft.get(notes, id), (row) =>
      row === undefined
        ? tombstone("note", draft, id)
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
  create: (draft, own, data) => Effect.flatMapEager(toCreate(data), (input) => Edits.create(draft, quotas, input, own)),
  update: (draft, id, input) => Edits.update(draft, quotas, id, input),
  delete: (draft, id) => Edits.trash(draft, id),
  revive: Effect.fnUntracedEager(function* (draft, id, revision, data) {
    if ((yield* draft.get(notes, id)) === undefined) {
      return yield* Edits.create(draft, quotas, yield* toCreate(data), { id, revision: revision + 1 })
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
