import { Effect, Schema } from "effect"
import type { SheafError } from "../Errors.ts"
import type { Principal } from "../Principal.ts"
import { invalidFrom } from "../Text.ts"
import { records } from "../writer/LogEntry.ts"
import type { Draft } from "../writer/Draft.ts"
import type { Need } from "../writer/Mailboxes.ts"
import type { Records } from "./Records.ts"

export type Data = Readonly<Record<string, unknown>>
type Write = Effect.Effect<unknown, SheafError, Principal>

/** An id that a client made, and the revision that the record begins with: one more than that of its tombstone. */
export interface OwnId {
  readonly id: string
  readonly revision: number
}

/** What push does with one type of record: the ordinary edits of its service, over the draft of the push. */
export interface Pushable<Input = any> {
  readonly type: string
  /** What a push of this record will read. */
  readonly needs: (id: string) => ReadonlyArray<Need>
  /** Whether a change needs the head locked; of an entry that is not understood yet. */
  readonly isLocked: (op: "create" | "update" | "delete", data: Data) => boolean
  /** Whether the record exists, and its revision; undefined when it never did. */
  readonly state: (
    draft: Draft,
    id: string
  ) => Effect.Effect<{ readonly live: boolean; readonly revision: number } | undefined>
  /** Reads the data of a change to what is there. */
  readonly read: (data: Data) => Effect.Effect<Input, SheafError>
  /** Whether a change says nothing that is not so already. */
  readonly same: (draft: Draft, id: string, input: Input) => Effect.Effect<boolean, SheafError>
  readonly create: (draft: Draft, own: OwnId, data: Data) => Write
  readonly update: (draft: Draft, id: string, input: Input) => Write
  readonly delete: (draft: Draft, id: string) => Write
  /** Brings a deleted record back. */
  readonly revive: (draft: Draft, id: string, revision: number, data: Data) => Write
  /** The record as sync sends it; null when it is deleted. */
  readonly data: (draft: Draft, id: string) => Effect.Effect<object | null>
  /** Its records at earlier revisions, for one push. */
  readonly bases: (draft: Draft) => Bases
}

/** Records of one type at earlier revisions, where those are kept. */
export interface Bases {
  /** Brings them into reach in one query, before they are asked for one by one; about how many bytes were read. */
  readonly load: (asked: ReadonlyArray<{ readonly id: string; readonly revision: number }>) => Effect.Effect<number>
  readonly at: (id: string, revision: number) => Effect.Effect<object | undefined>
}

const noBases: Bases = { load: () => Effect.succeed(0), at: () => Effect.succeed(undefined) }

/** Reads data by a schema; what is wrong with them is told field by field. */
export const reader = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return (data: Data) => Effect.mapErrorEager(decode(data), (error) => invalidFrom(error.issue))
}

/** Whether a row has all of these values already. */
export const hasAll = (row: object, values: object): boolean =>
  Object.entries(values).every(
    ([field, value]) => value === undefined || (row as Record<string, unknown>)[field] === value
  )

/** Of a record that is not there: its tombstone says that it was. */
export const tombstone = (type: string, draft: Draft, id: string) =>
  Effect.mapEager(draft.get(records, type, id), (record) =>
    record === undefined ? undefined : { live: false, revision: record.revision }
  )

/** For records of which the log holds each change whole. Their earlier revisions are not looked up. */
export const pushable = <
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
    readonly isLocked?: Pushable["isLocked"]
  }
): Pushable<Update["Type"]> => {
  const toCreate = reader(own.Create)
  const create = (draft: Draft, one: OwnId, data: Data): Write =>
    Effect.flatMapEager(toCreate(data), (input) => own.create(draft, input, one))
  return {
    type,
    needs: (id) => (table.resident ? [] : [[table, id]]),
    isLocked: own.isLocked ?? (() => false),
    state: (draft, id) =>
      Effect.flatMapEager(draft.get(table, id), (row) =>
        row === undefined ? tombstone(type, draft, id) : Effect.succeed({ live: true, revision: row.revision })
      ),
    read: reader(own.Update),
    same: (draft, id, input) =>
      Effect.mapEager(draft.get(table, id), (row) => row !== undefined && hasAll(row, input as object)),
    create,
    update: own.update,
    delete: own.delete,
    revive: (draft, id, revision, data) => create(draft, { id, revision: revision + 1 }, data),
    data: (draft, id) => Effect.mapEager(draft.get(table, id), (row) => (row === undefined ? null : table.dataOf(row))),
    bases: () => noBases
  }
}
