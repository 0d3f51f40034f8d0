import { Context, Effect, Layer, Schema } from "effect"
import { Invalid, type SheafError } from "../Errors.ts"
import { NotebookCreate, NotebookUpdate } from "../notes/Notebook.ts"
import { Notebooks } from "../notes/Notebooks.ts"
import { NoteCreate, NoteUpdate } from "../notes/Note.ts"
import { noteOf } from "../notes/NoteEdits.ts"
import { Notes } from "../notes/Notes.ts"
import { NoteBases } from "../notes/NoteVersions.ts"
import { notebooks, notes, tags } from "../notes/Rows.ts"
import { nameKey, TagCreate, TagUpdate } from "../notes/Tag.ts"
import { Tags } from "../notes/Tags.ts"
import type { Principal } from "../Principal.ts"
import { records } from "../storage/Change.ts"
import type { Draft } from "../storage/Draft.ts"
import type { Need } from "../storage/Mailboxes.ts"
import { invalidFrom, normalColor } from "../Text.ts"

type Data = Readonly<Record<string, unknown>>
type Write = Effect.Effect<unknown, SheafError, Principal>

/** What push does with one type of record: all through the ordinary methods of its service. */
export interface Pushable {
  /** What a push of this record will read. */
  readonly needs: (id: string) => ReadonlyArray<Need>
  /** Whether the record exists, and its revision; undefined when it never did. */
  readonly state: (
    draft: Draft,
    id: string
  ) => Effect.Effect<{ readonly live: boolean; readonly revision: number } | undefined>
  readonly create: (id: string, revision: number, data: Data) => Write
  readonly update: (id: string, data: Data) => Write
  readonly delete: (id: string) => Write
  /** Brings a deleted record back. */
  readonly revive: (draft: Draft, id: string, revision: number, data: Data) => Write
  /** Whether the pushed data say nothing that is not so already. */
  readonly same: (draft: Draft, id: string, data: Data) => Effect.Effect<boolean, SheafError>
  /** The record as sync sends it. */
  readonly data: (draft: Draft, id: string) => Effect.Effect<Record<string, unknown> | null>
  /** Its records at earlier revisions, for one push. */
  readonly bases: (draft: Draft) => Bases
}

/** Records of one type at earlier revisions, where those are kept. */
export interface Bases {
  /** Brings them into reach in one query, before they are asked for one by one. */
  readonly load: (asked: ReadonlyArray<{ readonly id: string; readonly revision: number }>) => Effect.Effect<void>
  readonly at: (id: string, revision: number) => Effect.Effect<Record<string, unknown> | undefined>
}

const noBases: Bases = { load: () => Effect.void, at: () => Effect.succeed(undefined) }

const decoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return (data: Data) => Effect.mapError(decode(data), (error) => invalidFrom(error.issue))
}

const equalFields = (row: object, data: object): boolean =>
  Object.entries(data).every(
    ([field, value]) => value === undefined || (row as Record<string, unknown>)[field] === value
  )

/** Existence by the record's row, or else by its tombstone. */
const stateOf = (type: string, draft: Draft, id: string, row: { readonly revision: number } | undefined) =>
  row !== undefined
    ? Effect.succeed({ live: true, revision: row.revision })
    : Effect.map(draft.get(records, type, id), (record) =>
        record === undefined ? undefined : { live: false, revision: record.revision }
      )

const withoutCount = <A extends { readonly note_count: number }>({ note_count: _, ...data }: A) => data

/** What is wrong with the data of an entry stands under its `data`. */
const inData = (error: SheafError): SheafError =>
  error._tag !== "Invalid" || error.errors === undefined
    ? error
    : new Invalid({
        ...error,
        errors: error.errors.map((each) => ({ ...each, field: `data.${each.field}`, pointer: `/data${each.pointer}` }))
      })

const placed = (pushable: Pushable): Pushable => ({
  ...pushable,
  create: (...given) => Effect.mapError(pushable.create(...given), inData),
  update: (...given) => Effect.mapError(pushable.update(...given), inData),
  revive: (...given) => Effect.mapError(pushable.revive(...given), inData),
  same: (...given) => Effect.mapError(pushable.same(...given), inData)
})

export class Pushables extends Context.Service<
  Pushables,
  {
    readonly of: (type: string) => Pushable
  }
>()("sheaf/sync/Pushables") {
  static readonly layer = Layer.effect(
    Pushables,
    Effect.gen(function* () {
      const noteService = yield* Notes
      const notebookService = yield* Notebooks
      const tagService = yield* Tags
      const decode = {
        noteCreate: decoder(NoteCreate),
        noteUpdate: decoder(NoteUpdate),
        notebookCreate: decoder(NotebookCreate),
        notebookUpdate: decoder(NotebookUpdate),
        tagCreate: decoder(TagCreate),
        tagUpdate: decoder(TagUpdate)
      }

      const note: Pushable = {
        needs: (id) => [[notes, id]],
        state: (draft, id) =>
          Effect.flatMap(draft.get(notes, id), (row) =>
            row === undefined
              ? stateOf("note", draft, id, undefined)
              : Effect.succeed({ live: row.deleted_at === null, revision: row.version })
          ),
        create: (id, revision, data) =>
          Effect.flatMap(decode.noteCreate(data), (input) => noteService.create(input, { id, revision })),
        // The revision was compared already; what data say of a version is the server's to ignore.
        update: (id, data) =>
          Effect.flatMap(decode.noteUpdate(data), ({ version: _, ...input }) => noteService.update(id, input)),
        delete: (id) => noteService.delete(id, { permanent: false }),
        revive: Effect.fnUntraced(function* (draft, id, revision, data) {
          if ((yield* draft.get(notes, id)) === undefined) return yield* note.create(id, revision + 1, data)
          const { notebook_id, version: _, ...input } = yield* decode.noteUpdate(data)
          yield* noteService.restore(id, notebook_id === undefined ? {} : { notebook_id })
          return yield* noteService.update(id, input)
        }),
        same: Effect.fnUntraced(function* (draft, id, data) {
          const { tags: names, version: _, ...input } = yield* decode.noteUpdate(data)
          const row = (yield* draft.get(notes, id))!
          if (!equalFields(row, input)) return false
          if (names === undefined) return true
          const wanted = [...new Set(names.map(nameKey))]
          return wanted.length === row.tags.length && wanted.every((key, index) => key === nameKey(row.tags[index]!))
        }),
        data: (draft, id) =>
          Effect.map(draft.get(notes, id), (row) =>
            row === undefined || row.deleted_at !== null ? null : { ...noteOf(row) }
          ),
        bases: (draft) => new NoteBases(draft)
      }

      const notebook: Pushable = {
        needs: () => [],
        state: (draft, id) => Effect.flatMap(draft.get(notebooks, id), (row) => stateOf("notebook", draft, id, row)),
        create: (id, revision, data) =>
          Effect.flatMap(decode.notebookCreate(data), (input) => notebookService.create(input, { id, revision })),
        update: (id, data) => Effect.flatMap(decode.notebookUpdate(data), (input) => notebookService.update(id, input)),
        delete: (id) => notebookService.delete(id),
        revive: (_, id, revision, data) => notebook.create(id, revision + 1, data),
        same: Effect.fnUntraced(function* (draft, id, data) {
          const { color, ...input } = yield* decode.notebookUpdate(data)
          const row = (yield* draft.get(notebooks, id))!
          return equalFields(row, input) && sameColor(row.color, color)
        }),
        data: (draft, id) =>
          Effect.map(draft.get(notebooks, id), (row) => {
            if (row === undefined) return null
            const { name_key: _, revision: __, ...data } = withoutCount(row)
            return data
          }),
        bases: () => noBases
      }

      const tag: Pushable = {
        needs: () => [],
        state: (draft, id) => Effect.flatMap(draft.get(tags, id), (row) => stateOf("tag", draft, id, row)),
        create: (id, revision, data) =>
          Effect.flatMap(decode.tagCreate(data), (input) => tagService.create(input, { id, revision })),
        update: (id, data) => Effect.flatMap(decode.tagUpdate(data), (input) => tagService.update(id, input)),
        delete: (id) => tagService.delete(id),
        revive: (_, id, revision, data) => tag.create(id, revision + 1, data),
        same: Effect.fnUntraced(function* (draft, id, data) {
          const { color, ...input } = yield* decode.tagUpdate(data)
          const row = (yield* draft.get(tags, id))!
          return equalFields(row, input) && sameColor(row.color, color)
        }),
        data: (draft, id) =>
          Effect.map(draft.get(tags, id), (row) => {
            if (row === undefined) return null
            const { name_key: _, revision: __, ...data } = withoutCount(row)
            return data
          }),
        bases: () => noBases
      }

      const all: Readonly<Record<string, Pushable>> = {
        note: placed(note),
        notebook: placed(notebook),
        tag: placed(tag)
      }
      return Pushables.of({ of: (type) => all[type]! })
    })
  )
}

const sameColor = (stored: string | null, pushed: string | null | undefined): boolean =>
  pushed === undefined || (pushed === null ? stored === null : stored === normalColor(pushed))
