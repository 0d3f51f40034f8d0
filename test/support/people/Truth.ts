import { expect } from "vitest"
import { noteTypes, resources } from "../../../services/Resources.ts"
import { syncedResources } from "../Resources.ts"
import type { TestApp } from "../TestApp.ts"

/** The tables of the records that belong to notes. Those of shares are deleted, not in the trash. */
const partTables = noteTypes.flatMap((type) => (type === "note" ? [] : [resources[type].counter]))

/** Invariants of derived data, compared with its source: each query returns the rows that violate one. */
const violations: Readonly<Record<string, string>> = {
  "notebook counts are not the notes in them": `SELECT b.id, b.note_count, count(n.id) FROM notebooks b
    LEFT JOIN notes n ON n.workspace_id = b.workspace_id AND n.notebook_id = b.id AND n.deleted_at IS NULL
    WHERE b.workspace_id = $1 GROUP BY b.id, b.note_count HAVING b.note_count <> count(n.id)`,
  "tag counts are not the notes that carry them": `SELECT t.id, t.note_count, count(n.id) FROM tags t
    LEFT JOIN notes n ON n.workspace_id = t.workspace_id AND n.deleted_at IS NULL AND t.name = ANY(n.tags)
    WHERE t.workspace_id = $1 GROUP BY t.id, t.note_count HAVING t.note_count <> count(n.id)`,
  "links are not the tags of the notes": `
    SELECT coalesce(l.note_id, c.note_id) AS note_id, l.name AS linked, c.name AS carried
    FROM (SELECT note_id, t.name FROM note_tags l LEFT JOIN tags t ON t.workspace_id = l.workspace_id AND t.id = l.tag_id
      WHERE l.workspace_id = $1) l
    FULL JOIN (SELECT id AS note_id, unnest(tags) AS name FROM notes WHERE workspace_id = $1 AND deleted_at IS NULL) c
      ON c.note_id = l.note_id AND c.name = l.name
    WHERE l.note_id IS NULL OR c.note_id IS NULL`,
  "notes carry a tag twice": `SELECT id, tags FROM notes WHERE workspace_id = $1
    AND cardinality(tags) <> (SELECT count(DISTINCT tag) FROM unnest(tags) tag)`,
  "the head counts other notes": `SELECT h.notes, (SELECT count(*) FROM notes n WHERE n.workspace_id = h.workspace_id
      AND n.deleted_at IS NULL) AS found FROM heads h WHERE workspace_id = $1 AND h.notes <> (SELECT count(*) FROM notes n
      WHERE n.workspace_id = h.workspace_id AND n.deleted_at IS NULL)`,
  "the head counts other texts, tags or notebooks": `SELECT h.text_bytes, h.tags, h.notebooks, f.*
    FROM heads h, LATERAL (SELECT
      (SELECT coalesce(sum(octet_length(body)), 0) FROM notes n WHERE n.workspace_id = h.workspace_id)
        + (SELECT coalesce(sum(octet_length(body)), 0) FROM note_versions v WHERE v.workspace_id = h.workspace_id)
        + (SELECT coalesce(sum(octet_length(body)), 0) FROM templates t WHERE t.workspace_id = h.workspace_id) AS found_bytes,
      (SELECT count(*) FROM templates t WHERE t.workspace_id = h.workspace_id) AS found_templates,
      (SELECT count(*) FROM tags t WHERE t.workspace_id = h.workspace_id) AS found_tags,
      (SELECT count(*) FROM notebooks b WHERE b.workspace_id = h.workspace_id) AS found_notebooks) f
    WHERE h.workspace_id = $1 AND (h.text_bytes, h.tags, h.notebooks, h.templates) <> (found_bytes, found_tags, found_notebooks, found_templates)`,
  "the head counts other bytes of attachments": `SELECT h.file_bytes, f.* FROM heads h, LATERAL (
      SELECT coalesce(sum(a.size) FILTER (WHERE a.status = 'ready' OR a.staging IS NOT NULL), 0) AS found_bytes
      FROM attachments a WHERE a.workspace_id = h.workspace_id
    ) f WHERE h.workspace_id = $1 AND h.file_bytes <> found_bytes`,
  ...Object.fromEntries(
    partTables.map((table) => [
      `the head counts other ${table}`,
      `SELECT h.${table}, f.found FROM heads h, LATERAL (
        SELECT count(*) AS found FROM ${table} p WHERE p.workspace_id = h.workspace_id
      ) f WHERE h.workspace_id = $1 AND h.${table} <> f.found`
    ])
  ),
  ...Object.fromEntries(
    partTables
      .filter((table) => table !== "shares")
      .map((table) => [
        `${table} are not where their notes are`,
        `SELECT p.id, p.trashed, n.deleted_at FROM ${table} p
        JOIN notes n ON n.workspace_id = p.workspace_id AND n.id = p.note_id
        WHERE p.workspace_id = $1 AND p.trashed <> (n.deleted_at IS NOT NULL)`
      ])
  ),
  "blobs count other attachments, exports or imports": `SELECT b.sha256, b.refs, b.size, b.unused_since, count(a.id) FROM blobs b
    LEFT JOIN (
      SELECT workspace_id, id, blob, size FROM attachments UNION ALL SELECT workspace_id, id, blob, size_bytes FROM exports
      UNION ALL SELECT workspace_id, id, blob, size_bytes FROM imports
    ) a ON a.workspace_id = b.workspace_id AND a.blob = b.sha256
    WHERE b.workspace_id = $1 GROUP BY b.sha256, b.refs, b.size, b.unused_since
    HAVING b.refs <> count(a.id) OR b.size <> coalesce(min(a.size), b.size)`,
  "the parent of a comment is not a first comment of its note": `SELECT c.id, c.parent_id, p.note_id, p.deleted
    FROM comments c LEFT JOIN comments p ON p.workspace_id = c.workspace_id AND p.id = c.parent_id
    WHERE c.workspace_id = $1 AND c.parent_id IS NOT NULL
      AND (p.id IS NULL OR p.parent_id IS NOT NULL OR p.note_id <> c.note_id)`,
  "a deleted comment without replies is kept": `SELECT c.id FROM comments c WHERE c.workspace_id = $1 AND c.deleted
    AND NOT EXISTS (SELECT FROM comments r WHERE r.workspace_id = c.workspace_id AND r.parent_id = c.id)`,
  "notes are in no notebook": `SELECT id, notebook_id FROM notes n WHERE workspace_id = $1 AND deleted_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM notebooks b WHERE b.workspace_id = n.workspace_id AND b.id = n.notebook_id)`,
  "the log is not dense from 1 to the head": `SELECT h.seq, count(c.seq), min(c.seq), max(c.seq) FROM heads h
    LEFT JOIN changes c ON c.workspace_id = h.workspace_id WHERE h.workspace_id = $1 GROUP BY h.seq
    HAVING count(c.seq) <> h.seq OR max(c.seq) <> h.seq OR min(c.seq) <> 1`,
  "notebooks reach no top within five levels": `WITH RECURSIVE placed AS (
      SELECT id, 1 AS depth FROM notebooks WHERE workspace_id = $1 AND parent_id IS NULL
      UNION ALL SELECT b.id, p.depth + 1 FROM notebooks b JOIN placed p ON b.parent_id = p.id
        WHERE b.workspace_id = $1 AND p.depth < 5
    ) SELECT id, parent_id FROM notebooks WHERE workspace_id = $1 AND id NOT IN (SELECT id FROM placed)`,
  ...Object.fromEntries(
    syncedResources.map(({ synced: { gone = "false", revision, table, type } }) => [
      `records differ from the ${table}`,
      `SELECT coalesce(t.id, r.id) AS id, t.revision, r.revision AS recorded, t.gone, r.deleted
      FROM (SELECT id, ${revision} AS revision, ${gone} AS gone FROM ${table} WHERE workspace_id = $1) t
      FULL JOIN (SELECT * FROM records WHERE workspace_id = $1 AND type = '${type}') r ON r.id = t.id
      WHERE r.id IS NULL OR r.deleted <> (t.id IS NULL OR t.gone) OR r.revision <> t.revision`
    ])
  ),
  "records have unknown types": `SELECT id, type FROM records WHERE workspace_id = $1
    AND type NOT IN (${syncedResources.map(({ synced: { type } }) => `'${type}'`).join(", ")})`,
  "records do not have the seq of their last change": `SELECT r.id, r.seq, r.revision, c.seq, c.version FROM records r
    LEFT JOIN (SELECT DISTINCT ON (resource, resource_id) * FROM changes WHERE workspace_id = $1 AND version IS NOT NULL
      ORDER BY resource, resource_id, seq DESC) c ON c.resource = r.type AND c.resource_id = r.id
    WHERE r.workspace_id = $1 AND (c.seq IS DISTINCT FROM r.seq OR c.version <> r.revision)`,
  "the history of a note has gaps": `SELECT n.id, n.version, count(v.version) FROM notes n
    LEFT JOIN note_versions v ON v.workspace_id = n.workspace_id AND v.note_id = n.id AND v.version < n.version
    WHERE n.workspace_id = $1 GROUP BY n.id, n.version HAVING count(v.version) <> n.version - 1 - (SELECT count(*) FROM changes c
      WHERE c.workspace_id = $1 AND c.resource_id = n.id AND c.type = 'note.version_deleted')`,
  "purged notes have left a history": `SELECT note_id, version FROM note_versions v WHERE workspace_id = $1
    AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.workspace_id = v.workspace_id AND n.id = v.note_id)`
}

/**
 * Checks the stored data of a workspace: counters equal counts, the log has no gaps, notebooks form a tree, and
 * histories are complete.
 */
export const expectTruth = async (app: TestApp, workspace_id: string = app.workspace_id): Promise<void> => {
  const found = await Promise.all(
    Object.entries(violations).map(async ([name, text]) => [name, await app.sql(text, [workspace_id])] as const)
  )
  expect(Object.fromEntries(found.filter(([, rows]) => rows.length > 0))).toEqual({})
}
