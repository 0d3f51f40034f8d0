import { Effect, Schema } from "effect"
import type { SheafError } from "../Errors.ts"
import type { Principal } from "../Principal.ts"
import { invalidFrom } from "../Text.ts"
import { records } from "../writer/LogEntry.ts"
import type { Table } from "../tables/Table.ts"
import type { Draft } from "../writer/Draft.ts"
import type { Need } from "../writer/Mailboxes.ts"
import type { Records } from "./Records.ts"

export type Data = Readonly<Record<string, unknown>>
type Write = Effect.Effect<unknown, SheafError, Principal>

/** An id that a client made, and the first revision of the record: one more than that of its tombstone. */
export interface OwnId {
  readonly id: string
  readonly revision: number
}

/** How a push changes one type of record: the ordinary edits of its service, on the draft of the push. */
export interface SyncAdapter<Input = any> {
  readonly type: string
  readonly table: Table<any>
  /** The rows that a push of this record will read. */
  readonly needs: (id: string) => ReadonlyArray<Need>
  /** Whether a change needs the head locked. `data` is not validated yet. */
  readonly isLocked: (op: "create" | "update" | "delete", data: Data) => boolean
  /** Whether the record exists, and its revision; undefined when it never did. */
  readonly state: (
    draft: Draft,
    id: string
  ) => Effect.Effect<{ readonly live: boolean; readonly revision: number } | undefined>
  /** Decodes the data of a change to an existing record. */
  readonly read: (data: Data) => Effect.Effect<Input, SheafError>
  /** Whether a change would leave the record as it is. */
  readonly same: (draft: Draft, id: string, input: Input) => Effect.Effect<boolean, SheafError>
  readonly create: (draft: Draft, own: OwnId, data: Data) => Write
  readonly update: (draft: Draft, id: string, input: Input) => Write
  readonly delete: (draft: Draft, id: string) => Write
  /** Restores a deleted record. */
  readonly revive: (draft: Draft, id: string, revision: number, data: Data) => Write
  /** The record as sync sends it; null when it is deleted. */
  readonly data: (draft: Draft, id: string) => Effect.Effect<object | null>
  /** The records of this type at earlier revisions, for one push. */
  readonly bases: (draft: Draft) => Bases
}

/** Records of one type at earlier revisions, as far as those are kept. */
export interface Bases {
  /** Prefetches revisions in one query, before `at` looks them up. Returns about how many bytes were read. */
  readonly load: (requested: ReadonlyArray<{ readonly id: string; readonly revision: number }>) => Effect.Effect<number>
  readonly at: (id: string, revision: number) => Effect.Effect<object | undefined>
  /** The last one before a revision, and its own revision. */
  readonly before: (
    id: string,
    revision: number
  ) => Effect.Effect<{ readonly revision: number; readonly data: object } | undefined>
}

const noBases: Bases = {
  load: () => Effect.succeed(0),
  at: () => Effect.succeed(undefined),
  before: () => Effect.succeed(undefined)
}

/** Decodes data by a schema, and reports errors per field. */
export const reader = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return (data: Data) => Effect.mapErrorEager(decode(data), (error) => invalidFrom(error.issue))
}

/** Whether a row already has all of these values. */
export const hasAll = (row: object, values: object): boolean =>
  Object.entries(values).every(
    ([field, value]) => value === undefined || (row as Record<string, unknown>)[field] === value
  )

/** The last change of a record that the caller reaches; of another one undefined, as if it had never existed. */
export const recordOf = (draft: Draft, { table, type }: Pick<SyncAdapter, "table" | "type">, id: string) =>
  draft.reach === undefined
    ? draft.get(records, type, id)
    : Effect.flatMapEager(draft.get(table, id), (row) =>
        row === undefined ? Effect.undefined : draft.get(records, type, id)
      )

/** The state of a record that does not exist: deleted if there is a tombstone, otherwise undefined. */
export const tombstone = (adapter: Pick<SyncAdapter, "table" | "type">, draft: Draft, id: string) =>
  Effect.mapEager(recordOf(draft, adapter, id), (record) =>
    record === undefined ? undefined : { live: false, revision: record.revision }
  )

/** The sync adapter of records that the log holds whole. Their earlier revisions are not looked up. */
export const syncAdapter = <
  Row extends OwnId,
  Shown extends object,
  Create extends Schema.ConstraintDecoder<unknown>,
  Update extends Schema.ConstraintDecoder<unknown>
>(
  { table, type }: Records<Row, Shown>,
  own: {
    readonly Create: Create
    readonly Update: Update
    readonly create: (draft: Draft, input: Create["Type"], own: OwnId) => Write
    readonly update: (draft: Draft, id: string, input: Update["Type"]) => Write
    readonly delete: (draft: Draft, id: string) => Write
    readonly isLocked?: SyncAdapter["isLocked"]
  }
): SyncAdapter<Update["Type"]> => {
  const toCreate = reader(own.Create)
  const create = (draft: Draft, one: OwnId, data: Data): Write =>
    Effect.flatMapEager(toCreate(data), (input) => own.create(draft, input, one))
  return {
    type,
    table,
    needs: (id) => (table.resident ? [] : [[table, id]]),
    isLocked: own.isLocked ?? (() => false),
    state: (draft, id) =>
      Effect.flatMapEager(draft.get(table, id), (row) =>
        row === undefined
          ? tombstone({ table, type }, draft, id)
          : Effect.succeed({ live: true, revision: row.revision })
      ),
    read: reader(own.Update),
    same: (draft, id, input) =>
      Effect.mapEager(draft.get(table, id), (row) => row !== undefined && hasAll(row, input as object)),
    create,
    update: own.update,
    delete: own.delete,
    revive: (draft, id, revision, data) => create(draft, { id, revision: draft.revisionAfter(revision) }, data),
    data: (draft, id) => Effect.mapEager(draft.get(table, id), (row) => (row === undefined ? null : table.dataOf(row))),
    bases: () => noBases
  }
}
