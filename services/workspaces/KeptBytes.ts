/**
 * The total limit of a workspace, in multiples of its plan's storage. Texts and attachments may use one; the other is for
 * uploads, imports, exports, and deleted files that are not collected yet.
 */
export const timesStorage = 2

/**
 * The SQL of the bytes that count against it: texts with their history, files as they are stored (also of exports and
 * imports, and deleted ones until they are collected), and the room that is reserved for files that are being received.
 * The query names the row of `heads` as `h`; `reserved` limits the reservations.
 */
export const keptBytes = (reserved = "true"): string => `(h.text_bytes::float8
    + (SELECT coalesce(sum(b.size), 0) FROM blobs b WHERE b.workspace_id = h.workspace_id)::float8
    + (SELECT coalesce(sum(s.bytes) FILTER (WHERE ${reserved}), 0) FROM staged_files s
        WHERE s.workspace_id = h.workspace_id)::float8)`

/** The SQL of those of them that are deleted, and collected as soon as the workspace needs their room. */
export const releasedBytes = `(SELECT coalesce(sum(b.size) FILTER (WHERE b.refs = 0 AND b.released), 0) FROM blobs b
    WHERE b.workspace_id = h.workspace_id)::float8`
