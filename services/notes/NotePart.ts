import { Effect, type Schema } from "effect"
import { type Condition, Forbidden, Invalid, type SheafError } from "../Errors.ts"
import type { EventType } from "../EventTypes.ts"
import type { Principal } from "../Principal.ts"
import type { ResourceType } from "../Resources.ts"
import * as Column from "../tables/Column.ts"
import type { Draft } from "../writer/Draft.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import type { Need } from "../writer/Mailboxes.ts"
import { type Data, type SyncAdapter, reader } from "../records/SyncAdapter.ts"
import type { Records } from "../records/Records.ts"
import type { Quotas } from "../workspaces/Quotas.ts"
import * as Table from "../tables/Table.ts"
import type { ExportedPart, ImportedPart, ImportedRecord, RefusedPart } from "./ExportedPart.ts"
import { inNotebook, notes } from "./NoteTable.ts"

/** A type of records that belong to notes, and are trashed, restored and deleted with them. */
export interface NotePart {
  readonly type: ResourceType
  readonly table: Table.RecordTable<any, any>
  /** Absent if exports leave the records out. */
  readonly exported?: ExportedPart
  /** Absent if an import needs more than the records, such as the bytes of attachments. */
  readonly imported?: Pick<ImportedPart<any, any>, "schema" | "arrange"> & {
    /** Stores a record as `schema` returns it, with its id and the id of its note in this workspace. */
    readonly store: (
      draft: Draft,
      quotas: Quotas["Service"],
      record: any,
      idOf: (id: string) => string
    ) => Effect.Effect<void, RefusedPart>
  }
  /** Moves the records to the trash with their note: sync reports them as deleted, and their rows remain. */
  readonly trash: (draft: Draft, note_id: string) => Effect.Effect<void>
  /** The same for many notes at once. The draft must be settled. */
  readonly trashMany: (draft: LockedDraft, note_ids: ReadonlyArray<string>) => Effect.Effect<void>
  /** Restores the records from the trash, unchanged. */
  readonly restore: (draft: Draft, note_id: string) => Effect.Effect<void>
  /** The same for many notes at once. Settles the draft. */
  readonly restoreMany: (draft: LockedDraft, note_ids: ReadonlyArray<string>) => Effect.Effect<void>
  /** Deletes the records permanently, in the trash or not. */
  readonly purge: (draft: Draft, note_id: string) => Effect.Effect<void>
}

/** A synced record that belongs to a note. */
interface Row {
  readonly id: string
  readonly note_id: string
  readonly revision: number
  /** Whether it is in the trash, with its note. */
  readonly trashed: boolean
}

interface Options<Own extends Row, Shown extends object, Record extends ImportedRecord> {
  readonly records: Records<Own, Shown>
  readonly exported: ExportedPart
  readonly imported?: ImportedPart<Own, Record>
  /** The event of a record that is deleted, or trashed with its note. */
  readonly deletedEvent: EventType
  /** The event of a record that is restored from the trash. */
  readonly restoredEvent: (row: Own) => EventType
  /** Called before a record is deleted permanently, to release what it uses. */
  readonly release?: (draft: Draft, row: Own) => Effect.Effect<void>
  /** Called after a record was restored. */
  readonly onRestored?: (draft: Draft, row: Own) => void
}

/** Maximum number of records of one type per note: all of them enter and leave the trash in one write. */
export const maxPerNote = 1_000

/** Maximum number of records that are restored before the draft is settled. */
const restoredAtOnce = 500

/** Estimated bytes of a tombstone on the wire. */
const tombstoneBytes = 50

/** The columns of a note that its records need: not its text. Its rows are only read. */
const noteBriefs = Table.make(
  "notes",
  { id: Column.text(), notebook_id: Column.text(), deleted_at: Column.nullable(Column.text()) },
  { key: ["id"], within: inNotebook, partOf: notes, weigh: () => 200 }
)

/** The number of rows of the table `counted` per note, as of a `seq`. */
const countsOf = (counted: string) =>
  Table.make(
    `(SELECT n.workspace_id, n.id, h.seq, (
        SELECT count(*) FROM ${counted} c WHERE c.workspace_id = n.workspace_id AND c.note_id = n.id
      )::int AS count FROM notes n JOIN heads h ON h.workspace_id = n.workspace_id) counts`,
    { id: Column.text(), seq: Column.bigint, count: Column.int },
    { key: ["id"], weigh: () => 200 }
  )

/** The row that a write needs to check whether a note exists. */
export const need = (note_id: string): Need => [noteBriefs, note_id]

/** Whether a note exists outside the trash. Changes of the same batch count. */
export const isLive = (draft: Draft, note_id: string): Effect.Effect<boolean> => {
  const known = draft.known(notes, note_id)
  if (known === undefined) {
    return Effect.map(draft.get(noteBriefs, note_id), (note) => note?.deleted_at === null)
  }
  if (draft.reach === undefined) return Effect.succeed(known?.deleted_at === null)
  // The draft may have created the note.
  return Effect.map(draft.get(notes, note_id), (note) => note?.deleted_at === null)
}

/** The error for a `note_id` in a body that names no note. */
export const namesNoNote = Invalid.field("note_id", "unknown", "names no note", "unresolved_reference")

/** Returns what the types of synced records that belong to notes have in common. */
export const of = <Own extends Row, Shown extends object, Record extends ImportedRecord = never>({
  restoredEvent,
  exported,
  deletedEvent,
  imported,
  records,
  release = () => Effect.void,
  onRestored = () => {}
}: Options<Own, Shown, Record>) => {
  const { counter, missing, table, type } = records

  const counts = countsOf(table.name)

  /** Returns the record; fails with 404 if there is none outside the trash. */
  const live = Effect.fnUntracedEager(function* (draft: Draft, id: string) {
    const row = yield* draft.get(table, id)
    return row === undefined || row.trashed ? yield* missing : row
  })

  /** Returns all records of a note. No query if the workspace has no records of this type. */
  const ofNote = (draft: Draft, note_id: string) =>
    draft.head[counter] === 0 ? Effect.succeed([]) : draft.having(table, "note_id", note_id)

  /** Moves a record to the trash, or out of it, with its note. */
  const move = (draft: Draft, row: Own, trashed: boolean): void =>
    draft.withVia({ with_note: true }, () => moved(draft, row, trashed))

  const moved = (draft: Draft, row: Own, trashed: boolean): void => {
    const next: Own = { ...row, trashed, revision: draft.revisionAfter(row.revision) }
    if (!trashed) {
      records.put(draft, next, restoredEvent(next))
      return onRestored(draft, next)
    }
    draft.put(table, next, records.weigh(next))
    draft.append({
      type: deletedEvent,
      resource: type,
      resource_id: row.id,
      data: { note_id: row.note_id },
      record: { revision: next.revision, value: null, bytes: tombstoneBytes }
    })
  }

  const remove = Effect.fnUntracedEager(function* (draft: Draft, row: Own) {
    yield* release(draft, row)
    if (!row.trashed) return records.remove(draft, row, deletedEvent, { note_id: row.note_id })
    // Devices received the deletion when the record was trashed.
    draft.remove(table, row.id)
    draft.count(counter, -1)
  })

  /** Fails if the note already has the maximum number of records. */
  const checkCapacity = Effect.fnUntracedEager(function* (draft: Draft, note_id: string) {
    // A note has at most as many records as its workspace.
    if (draft.head[counter] < maxPerNote) return
    // Each record that was added since then has its own `seq`, so this sum is an upper bound.
    const known = yield* draft.get(counts, note_id)
    if (known !== undefined && known.count + draft.head.seq - known.seq < maxPerNote) return
    const used = yield* draft.countHaving(table, "note_id", note_id)
    if (used < maxPerNote) return
    return yield* new Forbidden({
      code: "quota_exceeded",
      detail: `A note has at most ${maxPerNote} ${counter}`,
      extra: { quota: `${counter}_of_note`, limit: maxPerNote, used }
    })
  })

  const store = ({ row }: ImportedPart<Own, Record>) =>
    Effect.fnUntracedEager(function* (
      draft: Draft,
      quotas: Quotas["Service"],
      record: Record & { readonly note_id: string },
      idOf: (id: string) => string
    ) {
      if (!(yield* isLive(draft, record.note_id))) return yield* namesNoNote
      const own = yield* row(draft, record, idOf)
      if (own === undefined) return
      yield* checkCapacity(draft, record.note_id)
      yield* quotas.take(draft, counter, 1)
      records.put(draft, { ...own, revision: 1, trashed: false } as Own, `${type}.created` as EventType)
    })

  const part: NotePart = {
    type,
    table,
    exported,
    ...(imported === undefined
      ? {}
      : { imported: { ...(imported as ImportedPart<any, any>), store: store(imported) } }),
    trash: Effect.fnUntracedEager(function* (draft, note_id) {
      for (const row of yield* ofNote(draft, note_id)) if (!row.trashed) move(draft, row, true)
    }),
    trashMany: Effect.fnUntracedEager(function* (draft, note_ids) {
      if (draft.head[counter] === 0) return
      const rows = yield* draft.runSql<{ readonly id: string }>(
        `SELECT id FROM ${table.name} WHERE workspace_id = $1 AND note_id = ANY($2::text[]) AND NOT trashed ORDER BY id`,
        [draft.workspace_id, note_ids]
      )
      yield* draft.appendMany({
        type: deletedEvent,
        resource: type,
        ids: rows.map(({ id }) => id),
        change: `changed AS (
          UPDATE ${table.name} t SET trashed = true, revision = greatest(t.revision + 1, given.least_revision) FROM given
          WHERE t.workspace_id = $2 AND t.id = given.id
          RETURNING t.id, t.note_id, t.revision, true AS deleted, ${tombstoneBytes} AS bytes
        )`,
        params: []
      })
    }),
    restore: Effect.fnUntracedEager(function* (draft, note_id) {
      for (const row of yield* ofNote(draft, note_id)) if (row.trashed) move(draft, row, false)
    }),
    restoreMany: Effect.fnUntracedEager(function* (draft, note_ids) {
      if (draft.head[counter] === 0) return
      const text = `SELECT ${table.selectList} FROM ${table.name}
        WHERE workspace_id = $1 AND note_id = ANY($2::text[]) AND trashed ORDER BY id LIMIT ${restoredAtOnce}`
      while (true) {
        yield* draft.settle()
        const rows = yield* draft.runSql<Own>(text, [draft.workspace_id, note_ids])
        for (const row of rows) move(draft, row, false)
        if (rows.length < restoredAtOnce) return
      }
    }),
    purge: Effect.fnUntracedEager(function* (draft, note_id) {
      for (const row of yield* ofNote(draft, note_id)) yield* remove(draft, row)
    })
  }

  return {
    part,
    live,
    ofNote,
    remove,

    /** The same, but fails with 412 if the record does not meet the condition. */
    expected: Effect.fnUntracedEager(function* (draft: Draft, id: string, condition?: Condition<Shown>) {
      const row = yield* live(draft, id)
      if (condition !== undefined) yield* condition(table.show(row), row.revision)
      return row
    }),

    checkCapacity,

    /** Returns the sync adapter. To clients, a trashed record is deleted, and only a restored note restores it. */
    pushed: <Update extends Schema.ConstraintDecoder<unknown>>(own: SyncAdapter, Update: Update): SyncAdapter => {
      const toUpdate = reader(Update)
      return {
        ...own,
        state: (draft, id) =>
          Effect.flatMapEager(draft.get(table, id), (row) =>
            row?.trashed === true ? Effect.succeed({ live: false, revision: row.revision }) : own.state(draft, id)
          ),
        data: (draft, id) =>
          Effect.mapEager(draft.get(table, id), (row) => (row === undefined || row.trashed ? null : table.dataOf(row))),
        revive: (
          draft: Draft,
          id: string,
          revision: number,
          data: Data
        ): Effect.Effect<unknown, SheafError, Principal> =>
          Effect.flatMap(draft.get(table, id), (row) =>
            row === undefined
              ? own.revive(draft, id, revision, data)
              : Effect.andThen(
                  toUpdate(data),
                  Effect.fail(Invalid.field("note_id", "unknown", "is in the trash", "unresolved_reference"))
                )
          )
      }
    }
  }
}
