import { Effect } from "effect"
import { rows, type SyncType, syncTypes } from "../Resources.ts"
import { syncedTypes } from "../sync/SyncedTypes.ts"
import type { Faults } from "./Check.ts"
import { logKeptSince } from "../activity/LogGaps.ts"
import { eachSlice, ofWorkspace } from "./Snapshot.ts"

/** For a type, the column with its revision, and the SQL condition under which clients see it as deleted. */
const columnsOf = (type: SyncType): { readonly revision: string; readonly gone: string } =>
  type === "note"
    ? { revision: "version", gone: "deleted_at IS NOT NULL" }
    : { revision: "revision", gone: rows[type].isOfNote === true ? "trashed" : "false" }

const size = 5_000

const remedy =
  "Restore a backup from before the fault. Without one, export the workspace (--format json) and import it into another one."

interface Row {
  readonly workspace_id: string
  readonly id: string
  readonly problem: string
}

/** Rows of a type without the row of `records` that clients pull. */
const withoutRecord = (type: SyncType, table: string) => ({
  table,
  key: ["workspace_id", "id"],
  size,
  columns: `workspace_id, id, ${columnsOf(type).revision} AS revision, ${columnsOf(type).gone} AS gone`,
  query: `SELECT s.workspace_id, s.id, CASE
      WHEN r.id IS NULL THEN 'is missing in the records that clients pull'
      WHEN r.deleted <> s.gone AND r.deleted THEN 'exists, and is deleted in the records that clients pull'
      WHEN r.deleted <> s.gone THEN 'is in the trash, and is not deleted in the records that clients pull'
      ELSE 'has revision ' || s.revision || ', and revision ' || r.revision || ' in the records that clients pull'
    END AS problem
    FROM s ${ofWorkspace}
    LEFT JOIN records r ON r.workspace_id = s.workspace_id AND r.type = '${type}' AND r.id = s.id
    WHERE r.id IS NULL OR r.deleted <> s.gone OR r.revision <> s.revision`
})

/** Rows of `records` without the row that they describe, or whose place in the log is wrong. Needs `logKeptSince`. */
const ofRecords = (since: string) => ({
  table: "records",
  key: ["workspace_id", "type", "id"],
  size,
  columns: "workspace_id, type, id, seq, revision, deleted, changed_at",
  params: [since],
  query: `SELECT s.workspace_id, s.id, CASE
      WHEN f.has_row IS NULL THEN 'has the unknown type ' || s.type || ' in the records that clients pull'
      WHEN NOT s.deleted AND NOT f.has_row THEN 'is missing, and is not deleted in the records that clients pull'
      WHEN s.seq > h.seq THEN 'changed at ' || s.seq || ' in the log, which ends at ' || h.seq
      WHEN c.seq IS NULL THEN 'changed at ' || s.seq || ' in the log, which has no such entry'
      ELSE 'changed at ' || s.seq || ' in the log, where the entry is about another change'
    END AS problem
    FROM s ${ofWorkspace} JOIN heads h ON h.workspace_id = s.workspace_id
    CROSS JOIN LATERAL (SELECT CASE s.type ${syncedTypes
      .map(
        ({ table, type }) =>
          `WHEN '${type}' THEN EXISTS (SELECT FROM ${table.name} t WHERE t.workspace_id = s.workspace_id AND t.id = s.id)`
      )
      .join(" ")} END AS has_row) f
    LEFT JOIN changes c ON c.workspace_id = s.workspace_id AND c.seq = s.seq
    WHERE f.has_row IS NULL OR (NOT s.deleted AND NOT f.has_row) OR s.seq > h.seq
      OR (c.seq IS NULL AND s.changed_at >= $4) OR c.resource_id <> s.id OR c.version <> s.revision`
})

/** Records of a note that are not in the trash with it, or the reverse. */
const notWithNote = (table: string) => ({
  table,
  key: ["workspace_id", "id"],
  size,
  columns: "workspace_id, id, note_id, trashed",
  query: `SELECT s.workspace_id, s.id, CASE WHEN s.trashed THEN 'is in the trash, and its note is not'
      ELSE 'is not in the trash, and its note is' END AS problem
    FROM s ${ofWorkspace} JOIN notes n ON n.workspace_id = s.workspace_id AND n.id = s.note_id
    WHERE s.trashed <> (n.deleted_at IS NOT NULL)`
})

/** Links between tags and notes that are not tags of the note. */
const linksWithoutTag = {
  table: "note_tags",
  key: ["workspace_id", "tag_id", "note_id"],
  size,
  columns: "workspace_id, tag_id, note_id",
  query: `SELECT s.workspace_id, s.note_id AS id, 'is linked to the tag ' || s.tag_id || ', which it does not have' AS problem
    FROM s ${ofWorkspace}
    LEFT JOIN tags t ON t.workspace_id = s.workspace_id AND t.id = s.tag_id
    LEFT JOIN notes n ON n.workspace_id = s.workspace_id AND n.id = s.note_id AND n.deleted_at IS NULL
    WHERE (t.name = ANY(n.tags)) IS NOT TRUE`
}

/** Attachments with another size than their file: exports, quotas and clients use it. */
const ofOtherSize = {
  table: "attachments",
  key: ["workspace_id", "id"],
  size,
  columns: "workspace_id, id, size, blob",
  query: `SELECT s.workspace_id, s.id, 'has ' || s.size || ' as its size, and its file has ' || b.size || ' bytes' AS problem
    FROM s ${ofWorkspace} JOIN blobs b ON b.workspace_id = s.workspace_id AND b.sha256 = s.blob
    WHERE s.size <> b.size`
}

/** Workspaces whose notes have more tags than links: with the check of each link, some tags have no link. */
const tagsWithoutLink = {
  table: "heads",
  key: ["workspace_id"],
  size: 20,
  columns: "workspace_id",
  query: `SELECT s.workspace_id, s.workspace_id AS id,
      'has ' || c.tags || ' tags on notes, and ' || c.links || ' links between tags and notes' AS problem
    FROM s ${ofWorkspace} CROSS JOIN LATERAL (
      SELECT (SELECT coalesce(sum(cardinality(n.tags)), 0) FROM notes n
          WHERE n.workspace_id = s.workspace_id AND n.deleted_at IS NULL) AS tags,
        (SELECT count(*) FROM note_tags l WHERE l.workspace_id = s.workspace_id) AS links
    ) c WHERE c.tags > c.links`
}

/** Compares the records that clients pull with the rows of each type, with the log, and with each other. */
export const recordCheck = {
  name: "records",
  run: Effect.fnUntraced(function* (faults: Faults) {
    const report = ({ id, problem, workspace_id }: Row) =>
      Effect.sync(() => {
        faults.add({ workspace_id, problem: `${id} ${problem}.`, remedy })
        return !faults.isFull
      })
    const tables = syncTypes.map(
      (type) => [type, syncedTypes.find((synced) => synced.type === type)!.table.name] as const
    )
    const ofNotes = tables.filter(([type]) => columnsOf(type).gone === "trashed")
    for (const slices of [
      ...tables.map(([type, table]) => withoutRecord(type, table)),
      ofRecords(yield* logKeptSince),
      ...ofNotes.map(([, table]) => notWithNote(table)),
      ofOtherSize,
      linksWithoutTag,
      tagsWithoutLink
    ]) {
      if (!faults.isFull) yield* eachSlice<Row, never, never>(slices, report)
    }
  })
}
