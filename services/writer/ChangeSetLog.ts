import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"

/** How a change set came about. */
export const origins = ["header", "mcp", "import", "tags", "notebook", "links", "revert"] as const
export type Origin = (typeof origins)[number]

/** The change set that the changes of an actor belong to. */
export interface InChangeSet {
  readonly id: string
  readonly origin: Origin
  /** For a revert, the change set that it reverts. */
  readonly reverts?: string
}

/** A group of changes that can be listed and reverted together. Its row is written with each write of the set. */
export const changeSets = Table.make(
  "change_sets",
  {
    id: Column.text(),
    origin: Column.text<Origin>(),
    author_id: Column.nullable(Column.text()),
    /** The credential whose requests or calls made it, which its MCP calls and limited credentials find it by. */
    credential_id: Column.nullable(Column.text()),
    api_key_id: Column.nullable(Column.text()),
    app: Column.nullable(Column.text()),
    import_id: Column.nullable(Column.text()),
    reverts: Column.nullable(Column.text()),
    /** Number of entries of the log that its writes have appended: at least its changes. */
    size: Column.int,
    created_at: Column.text(),
    updated_at: Column.text()
  },
  { key: ["id"] }
)

/**
 * The changes of records in a set, next to their entries in the log. The state before a change is that of the version
 * `previous` in the history of a note, and `before` for records without a history.
 */
export const setChanges = Table.make(
  "change_set_changes",
  {
    change_set_id: Column.text(),
    type: Column.text(),
    id: Column.text(),
    seq: Column.bigint,
    /** The revision after the change, and whether the record is deleted then. */
    revision: Column.int,
    deleted: Column.boolean,
    /** Approximate bytes of the record after the change. */
    bytes: Column.int,
    /** The revision before the change; null if there was no such record, or it was deleted. */
    previous: Column.nullable(Column.int),
    before: Column.nullable(Column.json<object>()),
    /** The note that the record belongs to: `before` is erased with it. */
    note_id: Column.nullable(Column.text())
  },
  { key: ["change_set_id", "type", "id", "seq"], appendOnly: true }
)
export type SetChange = Table.Row<typeof setChanges>
