/** A link by which Sheaf finds a note. */
export interface NoteLink {
  readonly kind: string
  /** The target as written. */
  readonly target: string
  readonly anchor: string
  readonly start: number
  readonly end: number
  /** The id of the note. */
  readonly to: string
}

/** A column of notes: the links that were read from the present text. */
export const noteLinks = `(SELECT json_agg(json_build_object('kind', l.kind, 'target', l.target, 'anchor', l.anchor,
      'start', l.start_at, 'end', l.end_at, 'to', l.target_id) ORDER BY l.start_at)
    FROM note_links l JOIN note_contents c ON c.workspace_id = l.workspace_id AND c.note_id = l.note_id
    WHERE l.workspace_id = n.workspace_id AND l.note_id = n.id AND l.target_id IS NOT NULL AND c.version = n.version)`
