import type { Schema } from "effect"
import type { EventType } from "../EventTypes.ts"
import type * as Ids from "../Ids.ts"
import { rowJson } from "./RowJson.ts"
import type { RecordTable } from "./Table.ts"

/** A type of record that clients sync, as sync and the contract know it. */
export interface Synced {
  readonly type: string
  /** What the names of its schemas begin with. */
  readonly name: string
  readonly prefix: Ids.Prefix
  readonly table: RecordTable<any, any>
  /** The whole record, as sync sends it. */
  readonly data: Schema.Codec<unknown>
  /** What a push may say of it: any part of this. */
  readonly pushed: Schema.Codec<unknown>
  /** Members that may hold the id of a record made earlier in the same push. */
  readonly references?: ReadonlyArray<string>
  /** Event types after which a record is gone. */
  readonly removals: ReadonlyArray<EventType>
  /**
   * Where the log does not hold the record: an expression for its JSON as it was after the change `c` of the log, null
   * where that is not kept any more.
   */
  readonly earlier?: string
}

/** For records that neither the log nor a history holds: an older change is told with the one that came after it. */
export const currentOnly = ({ name, synced }: RecordTable<any, any>): string =>
  `(SELECT ${rowJson("t", synced)} FROM ${name} t
    WHERE t.workspace_id = c.workspace_id AND t.id = c.resource_id AND t.revision = c.version)`
