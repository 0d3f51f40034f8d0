import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { SheafError } from "../Errors.ts"
import type { Principal } from "../Principal.ts"
import { hasAll, type OwnId, type Pushable, reader, tombstone } from "../storage/Pushable.ts"
import { type NoteChange, NoteCreate, NoteUpdate } from "./Note.ts"
import { notes } from "./NoteTable.ts"
import { NoteBases } from "./NoteVersions.ts"
import { nameKey } from "./Tag.ts"

type Write = Effect.Effect<unknown, SheafError, Principal>

interface Methods {
  readonly create: (input: NoteCreate, own: OwnId) => Write
  readonly update: (id: string, input: NoteChange) => Write
  readonly restore: (id: string, input: { readonly notebook_id?: string }) => Write
  readonly remove: (id: string, options: { readonly permanent: boolean }) => Write
}

const toCreate = reader(NoteCreate)
const toUpdate = reader(NoteUpdate)

/** The revision of an entry is compared apart from it: what data say of a version is the server's to ignore. */
const read: Pushable<NoteChange>["read"] = (data) => Effect.map(toUpdate(data), ({ version: _, ...input }) => input)

/** How notes are pushed: they have a trash, and a history that bases are looked up in. */
export const pushableNotes = (
  client: PgClient,
  { create, remove, restore, update }: Methods
): Pushable<NoteChange> => ({
  type: "note",
  needs: (id) => [[notes, id]],
  isLocked: () => false,
  state: (draft, id) =>
    Effect.flatMap(draft.get(notes, id), (row) =>
      row === undefined
        ? tombstone("note", draft, id)
        : Effect.succeed({ live: row.deleted_at === null, revision: row.version })
    ),
  read,
  same: (draft, id, { tags: names, ...input }) =>
    Effect.map(draft.get(notes, id), (row) => {
      if (row === undefined || !hasAll(row, input)) return false
      if (names === undefined) return true
      const wanted = [...new Set(names.map(nameKey))]
      return wanted.length === row.tags.length && wanted.every((key, index) => key === nameKey(row.tags[index]!))
    }),
  create: (own, data) => Effect.flatMap(toCreate(data), (input) => create(input, own)),
  update,
  delete: (id) => remove(id, { permanent: false }),
  revive: Effect.fnUntraced(function* (draft, id, revision, data) {
    if ((yield* draft.get(notes, id)) === undefined) {
      return yield* create(yield* toCreate(data), { id, revision: revision + 1 })
    }
    const { notebook_id, ...input } = yield* read(data)
    yield* restore(id, notebook_id === undefined ? {} : { notebook_id })
    return yield* update(id, input)
  }),
  data: (draft, id) =>
    Effect.map(draft.get(notes, id), (row) =>
      row === undefined || row.deleted_at !== null ? null : notes.dataOf(row)
    ),
  bases: (draft) => new NoteBases(draft, client)
})
