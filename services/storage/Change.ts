import * as Table from "./Table.ts"

/** One entry of a workspace's log (table `changes`). */
export interface Change {
  readonly seq: number
  /** `ev_…`: the seq is in it, so that it is found by the log's own key. */
  readonly id: string
  /** Event type, such as `note.updated` (contract 9). */
  readonly type: string
  readonly resource: string
  readonly resource_id: string
  /** Revision of the record after the change; null where the resource has none. */
  readonly version: number | null
  readonly actor_id: string | null
  readonly device_id: string | null
  readonly ip: string | null
  readonly data: unknown
  readonly occurred_at: string
}

export const changes = Table.make<Change>("changes", {
  columns: {
    seq: "bigint",
    id: "text",
    type: "text",
    resource: "text",
    resource_id: "text",
    version: "int",
    actor_id: "text",
    device_id: "text",
    ip: "text",
    data: "json",
    occurred_at: "text"
  },
  key: ["seq"],
  appendOnly: true
})

/** Where a record last changed (table `records`): what pull scans. `bytes` is about what its data weighs on the wire. */
export interface RecordRow {
  readonly type: string
  readonly id: string
  readonly seq: number
  readonly revision: number
  readonly deleted: boolean
  readonly bytes: number
  readonly changed_at: string
  readonly actor_id: string | null
  readonly device_id: string | null
}

export const records = Table.make<RecordRow>("records", {
  columns: {
    type: "text",
    id: "text",
    seq: "bigint",
    revision: "int",
    deleted: "boolean",
    bytes: "int",
    changed_at: "text",
    actor_id: "text",
    device_id: "text"
  },
  key: ["type", "id"]
})
