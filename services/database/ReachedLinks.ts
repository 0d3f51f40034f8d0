/**
 * The links of notes as a limited caller reads them: resolved among the notes that it reaches, by the rule of
 * `markdown/LinkedPlace.ts`.
 */

/** Maximum number of notes with one name that are compared, as in `notes/LinkedNotes.ts`. */
const maxNamesakes = 50

/** An expression that `reachedLinks` needs: the names of each notebook and of those around it, the outermost first. */
export const linkPaths = `link_paths AS MATERIALIZED (
    WITH RECURSIVE down AS (
      SELECT id, ARRAY[name_key] AS path FROM notebooks WHERE parent_id IS NULL
      UNION ALL SELECT b.id, d.path || b.name_key FROM down d JOIN notebooks b ON b.parent_id = d.id
    )
    SELECT id, path FROM down
  )`

const kinds = `ARRAY['id', 'title', 'alias', 'former']`

/** The notes that a reading `r` of a link can mean, without regard to folders. `kind`: the place in `kinds`. */
const namesakes = (now: string): string => `(
    SELECT 1 AS kind, n.id, '' AS name, n.notebook_id FROM notes n
    WHERE n.workspace_id = l.workspace_id AND n.id = r.id AND n.deleted_at IS NULL
  ) UNION ALL (
    SELECT 2, n.id, n.title, n.notebook_id FROM note_contents c
      JOIN notes n ON n.workspace_id = c.workspace_id AND n.id = c.note_id AND n.deleted_at IS NULL
    WHERE c.workspace_id = l.workspace_id AND c.title_key = r.key AND r.id IS NULL LIMIT ${maxNamesakes}
  ) UNION ALL (
    SELECT 3, n.id, a.name_key, n.notebook_id FROM note_aliases a
      JOIN notes n ON n.workspace_id = a.workspace_id AND n.id = a.note_id AND n.deleted_at IS NULL
    WHERE a.workspace_id = l.workspace_id AND a.name_key = r.key AND r.id IS NULL LIMIT ${maxNamesakes}
  ) UNION ALL (
    SELECT 4, n.id, f.name_key, f.notebook_id FROM former_names f
      JOIN notes n ON n.workspace_id = f.workspace_id AND n.id = f.note_id AND n.deleted_at IS NULL
    WHERE f.workspace_id = l.workspace_id AND f.name_key = r.key AND f.until > ${now} AND r.id IS NULL
    LIMIT ${maxNamesakes}
  )`

/**
 * The notes of the first reading that any note has as its name, and their kind: those that the link means equally. Only
 * `..` depends on the notebook of the link.
 */
const meant = (now: string): string => `SELECT m.kind, m.anchor, CASE
      WHEN cardinality(m.whole) = 1 THEN m.whole
      WHEN cardinality(m.whole_exact) = 1 THEN m.whole_exact
      WHEN cardinality(m.exact) = 1 THEN m.exact
      ELSE m.ids END AS ids
  FROM (
    SELECT s.kind, r.anchor,
      array_agg(DISTINCT s.id) FILTER (WHERE s.own = s.path) AS whole,
      array_agg(DISTINCT s.id) FILTER (WHERE s.own = s.path AND s.name = r.title) AS whole_exact,
      array_agg(DISTINCT s.id) FILTER (WHERE s.name = r.title) AS exact,
      array_agg(DISTINCT s.id) AS ids
    FROM ROWS FROM (
        jsonb_to_recordset(l.readings) AS (id text, key text, title text, up int, folders text[], anchor text)
      ) WITH ORDINALITY AS r (id, key, title, up, folders, anchor, place)
      CROSS JOIN LATERAL (
        SELECT s.kind, s.id, s.name, coalesce(p.path, '{}') AS own,
          CASE WHEN r.up = 0 THEN '{}' ELSE coalesce(a.path[:cardinality(a.path) - r.up], '{}') END || r.folders AS path
        FROM (${namesakes(now)}) s
          LEFT JOIN link_paths p ON p.id = s.notebook_id
          LEFT JOIN link_paths a ON r.up > 0 AND a.id = o.notebook_id
        OFFSET 0
      ) s
    WHERE s.own = s.path OR ((r.up = 0 OR s.path = '{}') AND s.own[greatest(1, cardinality(s.own) - cardinality(s.path) + 1):] = s.path)
    GROUP BY r.place, s.kind, r.anchor ORDER BY r.place, s.kind LIMIT 1
  ) m`

/** The rows of `note_links`. `notes`, `notebooks` and the names of notes are limited before. */
export const reachedLinks = (
  workspace: string,
  now: string
): string => `SELECT l.workspace_id, l.id, l.note_id, l.kind, l.target, l.start_at, l.end_at, l.line, l.text, l.context,
      CASE WHEN cardinality(f.ids) = 1 THEN 'resolved' WHEN l.file = 'own' THEN 'file' WHEN f.ids IS NOT NULL THEN 'ambiguous'
        WHEN l.file IS NOT NULL THEN 'file' ELSE 'missing' END AS status,
      CASE WHEN cardinality(f.ids) = 1 THEN (${kinds})[f.kind] END AS resolved_by,
      CASE WHEN cardinality(f.ids) = 1 THEN f.ids[1] END AS target_id,
      CASE WHEN cardinality(f.ids) = 1 THEN f.anchor ELSE '' END AS anchor,
      CASE WHEN cardinality(f.ids) > 1 AND l.file IS DISTINCT FROM 'own' THEN f.ids[:${maxNamesakes}] ELSE '{}' END AS candidates
    FROM note_links l JOIN notes o ON o.workspace_id = l.workspace_id AND o.id = l.note_id
      LEFT JOIN LATERAL (${meant(now)}) f ON true
    WHERE l.workspace_id = ${workspace}`
