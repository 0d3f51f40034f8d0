import type { Schemas } from "../client/Types.ts"
import type { Data } from "./Merge.ts"

export type RecordType = Schemas["SyncType"]

/** A record of any type, as a collection of another library has it. */
export interface SheafRecord {
  readonly id: string
  /** `note`, `notebook` or another type of sync. */
  readonly type: string
  /** The last revision that the server has returned; 0 if the server does not have the record. */
  readonly version: number
  /** The members of the record. A change may have the changed ones alone. */
  readonly data: Data
}

/** The types of a collection: notes need the notebooks that they are in. */
export const typesWithNotebooks = (types: ReadonlyArray<RecordType>): ReadonlyArray<RecordType> => [
  ...new Set<RecordType>(["notebook", ...types])
]

/** The members of `data` that differ from those that the user saw. */
export const changedMembers = (data: Data, seen: Data): Data =>
  Object.fromEntries(
    Object.entries(data).filter(
      ([member, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(seen[member])
    )
  )
