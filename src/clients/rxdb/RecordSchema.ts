import type { RxConflictHandler, RxJsonSchema, WithDeleted } from "rxdb"
import { deepEqual } from "rxdb/plugins/utils"
import type { Data } from "../../../services/records/Merge.ts"
import type { Known } from "../sync/Edit.ts"

/** A record of any type, as the collection has it. */
export interface SheafRecord {
  readonly id: string
  /** `note`, `notebook` or another type of sync. */
  readonly type: string
  /** The last revision that the server has returned; 0 if the server does not have the record. */
  readonly version: number
  /** The members of the record. A change may have the changed ones alone. */
  readonly data: Data
}

/** A record of a collection, also a deleted one. */
export type RecordDoc = WithDeleted<SheafRecord>

/** The schema of the collection: it has the records of all types. */
export const recordSchema: RxJsonSchema<SheafRecord> = {
  version: 0,
  primaryKey: "id",
  type: "object",
  properties: {
    id: { type: "string", maxLength: 64 },
    type: { type: "string", maxLength: 32 },
    // `revision` is a reserved name.
    version: { type: "number", default: 0 },
    data: { type: "object", additionalProperties: true }
  },
  required: ["id", "type", "version", "data"],
  indexes: ["type"]
}

/** Whether the user sees the same in two states of a record. */
export const isSameContent = (one: RecordDoc, other: RecordDoc): boolean =>
  one._deleted === other._deleted && (one._deleted || deepEqual(one.data, other.data))

/** Whether two states are the same to RxDB: one that differs in its version alone must be stored too. */
export const isSameState = (one: RecordDoc, other: RecordDoc): boolean =>
  one.version === other.version && isSameContent(one, other)

/**
 * The conflict handler of the collection. The push has merged both sides by the rules of sync, and pushed the result: the
 * state of the server is the merged one.
 */
export const recordConflicts: RxConflictHandler<SheafRecord> = {
  isEqual: isSameState,
  resolve: async ({ realMasterState }) => realMasterState
}

/** A state of the server as a document. A deleted record keeps the data before its deletion. */
export const docOf = (state: Known, before: SheafRecord["data"] = {}): RecordDoc => ({
  id: state.id,
  type: state.type,
  version: state.revision,
  data: state.data ?? before,
  _deleted: state.op === "delete"
})
