/** Invariants between the tables, checked when no write is running: each query returns the rows that violate one. */
const checks: Readonly<Record<string, string>> = {
  "the log is dense": `SELECT h.workspace_id, h.seq FROM heads h LEFT JOIN LATERAL (
      SELECT count(*) AS entries, max(seq) AS last FROM changes c WHERE c.workspace_id = h.workspace_id
    ) c ON true WHERE h.seq <> c.entries OR h.seq <> coalesce(c.last, 0)`,
  "a revision is made once": `SELECT resource, resource_id, version, count(*) FROM changes WHERE version IS NOT NULL
    GROUP BY workspace_id, resource, resource_id, version HAVING count(*) > 1`,
  "a record has the seq of its log entry": `SELECT r.type, r.id, r.seq, c.resource_id, c.version FROM records r
    LEFT JOIN changes c ON c.workspace_id = r.workspace_id AND c.seq = r.seq
    WHERE (c.resource, c.resource_id, c.version) IS DISTINCT FROM (r.type, r.id, r.revision)`,
  "a log entry's record is no older": `SELECT c.seq, c.resource, c.resource_id, r.seq FROM changes c
    LEFT JOIN records r ON r.workspace_id = c.workspace_id AND r.type = c.resource AND r.id = c.resource_id
    WHERE c.version IS NOT NULL AND (r.seq IS NULL OR r.seq < c.seq)`,
  "a note matches its record": `SELECT r.id, r.revision, r.deleted, n.version, n.deleted_at
    FROM (SELECT * FROM records WHERE type = 'note') r
    FULL JOIN notes n ON n.workspace_id = r.workspace_id AND n.id = r.id
    WHERE r.id IS NULL OR (n.id IS NULL AND NOT r.deleted)
      OR n.version <> r.revision OR (n.id IS NOT NULL AND r.deleted <> (n.deleted_at IS NOT NULL))`,
  "a notebook matches its record": `SELECT r.id, r.revision, r.deleted, n.revision
    FROM (SELECT * FROM records WHERE type = 'notebook') r
    FULL JOIN notebooks n ON n.workspace_id = r.workspace_id AND n.id = r.id
    WHERE r.id IS NULL OR r.deleted <> (n.id IS NULL) OR n.revision <> r.revision`,
  "a tag matches its record": `SELECT r.id, r.revision, r.deleted, n.revision
    FROM (SELECT * FROM records WHERE type = 'tag') r
    FULL JOIN tags n ON n.workspace_id = r.workspace_id AND n.id = r.id
    WHERE r.id IS NULL OR r.deleted <> (n.id IS NULL) OR n.revision <> r.revision`,
  "a note's history has no gap": `SELECT n.id, n.version, v.kept, v.first, v.last FROM notes n
    CROSS JOIN LATERAL (
      SELECT count(*) AS kept, min(version) AS first, max(version) AS last FROM note_versions v
      WHERE v.workspace_id = n.workspace_id AND v.note_id = n.id
    ) v
    WHERE CASE
      WHEN EXISTS (SELECT FROM changes c WHERE c.workspace_id = n.workspace_id AND c.resource_id = n.id
        AND c.type = 'note.version_deleted') THEN false
      WHEN v.kept > 0 THEN v.last <> n.version - 1 OR v.kept <> v.last - v.first + 1
      ELSE n.version > 1 AND NOT EXISTS (SELECT FROM changes c WHERE c.workspace_id = n.workspace_id
        AND c.resource_id = n.id AND c.version = n.version AND c.type = 'note.created') END`,
  "no history without its note": `SELECT v.note_id, v.version FROM note_versions v
    LEFT JOIN notes n ON n.workspace_id = v.workspace_id AND n.id = v.note_id WHERE n.id IS NULL`,
  "a notebook counts its notes": `SELECT b.id, b.note_count, c.found FROM notebooks b CROSS JOIN LATERAL (
      SELECT count(*) AS found FROM notes n
      WHERE n.workspace_id = b.workspace_id AND n.notebook_id = b.id AND n.deleted_at IS NULL
    ) c WHERE b.note_count <> c.found`,
  "a tag counts its notes": `SELECT t.id, t.name, t.note_count, c.found FROM tags t CROSS JOIN LATERAL (
      SELECT count(*) AS found FROM notes n
      WHERE n.workspace_id = t.workspace_id AND t.name = ANY(n.tags) AND n.deleted_at IS NULL
    ) c WHERE t.note_count <> c.found`,
  "a workspace counts its notes": `SELECT h.workspace_id, h.notes FROM heads h
    WHERE h.notes <> (SELECT count(*) FROM notes n WHERE n.workspace_id = h.workspace_id AND n.deleted_at IS NULL)`,
  "a workspace counts its texts, tags and notebooks": `SELECT h.workspace_id, h.text_bytes, h.tags, h.notebooks FROM heads h
    WHERE h.text_bytes <> (SELECT coalesce(sum(octet_length(body)), 0) FROM notes n WHERE n.workspace_id = h.workspace_id)
        + (SELECT coalesce(sum(octet_length(body)), 0) FROM note_versions v WHERE v.workspace_id = h.workspace_id)
        + (SELECT coalesce(sum(octet_length(body)), 0) FROM templates t WHERE t.workspace_id = h.workspace_id)
      OR h.tags <> (SELECT count(*) FROM tags t WHERE t.workspace_id = h.workspace_id)
      OR h.notebooks <> (SELECT count(*) FROM notebooks b WHERE b.workspace_id = h.workspace_id)`,
  "a workspace counts its attachments and their bytes": `SELECT h.workspace_id, h.attachments, h.file_bytes, f.*
    FROM heads h CROSS JOIN LATERAL (
      SELECT count(*) AS found, coalesce(sum(size) FILTER (WHERE status = 'ready' OR staging IS NOT NULL), 0) AS found_bytes
      FROM attachments a WHERE a.workspace_id = h.workspace_id
    ) f WHERE (h.attachments, h.file_bytes) <> (found, found_bytes)`,
  "a blob counts what has it": `SELECT b.sha256, b.refs, b.size, f.* FROM blobs b
    CROSS JOIN LATERAL (
      SELECT count(*) AS found, max(size) AS most, min(size) AS least FROM (
        SELECT workspace_id, blob, size FROM attachments
        UNION ALL SELECT workspace_id, blob, NULL FROM imports UNION ALL SELECT workspace_id, blob, NULL FROM exports
      ) a WHERE a.workspace_id = b.workspace_id AND a.blob = b.sha256
    ) f WHERE b.refs <> found OR b.size <> coalesce(most, b.size) OR b.size <> coalesce(least, b.size)`,
  "an attachment that is ready has a blob": `SELECT a.id, a.status, a.sha256, a.blob FROM attachments a
    LEFT JOIN blobs b ON b.workspace_id = a.workspace_id AND b.sha256 = a.blob
    WHERE CASE WHEN a.status = 'ready' THEN b.sha256 IS DISTINCT FROM a.sha256 ELSE a.blob IS NOT NULL END`,
  "an attachment matches its record": `SELECT r.id, r.revision, r.deleted, a.revision, a.trashed
    FROM (SELECT * FROM records WHERE type = 'attachment') r
    FULL JOIN attachments a ON a.workspace_id = r.workspace_id AND a.id = r.id
    WHERE r.id IS NULL OR r.deleted <> (a.id IS NULL OR a.trashed) OR a.revision <> r.revision`,
  "a note is linked to its tags": `SELECT n.id, n.tags, l.names FROM notes n CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(t.name ORDER BY t.name COLLATE "C"), '{}') AS names FROM note_tags l
      LEFT JOIN tags t ON t.workspace_id = l.workspace_id AND t.id = l.tag_id
      WHERE l.workspace_id = n.workspace_id AND l.note_id = n.id
    ) l CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(name ORDER BY name COLLATE "C"), '{}') AS names FROM unnest(n.tags) u(name)
      WHERE n.deleted_at IS NULL
    ) w WHERE l.names <> w.names`,
  "a stored mutation was carried out": `SELECT m.mutation_id, m.result FROM mutations m
    WHERE m.mutation_id LIKE 'm:%' AND NOT EXISTS (SELECT FROM changes c WHERE c.workspace_id = m.workspace_id
      AND c.resource_id = m.result->>'id' AND c.version = (m.result->>'revision')::int)`
}

/** Returns the violated invariants, each with up to three of its rows. */
export const inconsistencies = async (
  sql: (text: string) => Promise<ReadonlyArray<unknown>>
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const [name, text] of Object.entries(checks)) {
    const rows = await sql(text)
    if (rows.length > 0) found.push(`violated: ${name} (${rows.length}): ${JSON.stringify(rows.slice(0, 3))}`)
  }
  return found
}
