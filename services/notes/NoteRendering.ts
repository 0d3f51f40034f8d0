import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import { runSql } from "../database/Database.ts"
import type { NotFound } from "../Errors.ts"
import type { Markdown, Reader } from "../markdown/Markdown.ts"
import { plainly, type Rendered } from "../markdown/Rendered.ts"
import { servedType } from "../MediaTypes.ts"
import type { AttachmentRow } from "./attachments/Attachment.ts"

/** A note outside the trash, and all that its rendering depends on except its text. */
interface RenderableNote {
  readonly workspace_id: string
  readonly note_id: string
  readonly version: number
  /** The title that the page shows. */
  readonly title: string
  /** `filesState` of the note. */
  readonly files_state: string | null
  readonly breaks: boolean
  readonly isForMembers: boolean
}

export interface RenderedVersion {
  readonly rendered: Rendered
  /** The version of the text. It can be later than that of the `RenderableNote`. */
  readonly version: number
  /** Whether it is the plain text only because many other notes are being rendered. */
  readonly isForNow: boolean
}

type FileRow = Pick<AttachmentRow, "id" | "filename" | "content_type">

/** Images that every browser shows. */
const images = /^image\/(?:apng|avif|bmp|gif|jpeg|png|webp|x-icon|vnd\.microsoft\.icon)$/

const isImage = ({ content_type }: FileRow): boolean => {
  const served = servedType(content_type)
  return served.isInline && images.test(served.content_type)
}

/** An SQL expression that changes with every change of a file of a note; null for a note without files. */
export const filesState = (workspace_id: string, note_id: string): string =>
  `(SELECT md5(string_agg(a.id || a.revision, ',' ORDER BY a.id)) FROM attachments a
      WHERE a.workspace_id = ${workspace_id} AND a.note_id = ${note_id} AND NOT a.trashed)`

const filesText = `SELECT id, filename, content_type FROM attachments
  WHERE workspace_id = $1 AND note_id = $2 AND status = 'ready' AND NOT trashed ORDER BY created_at, id`
const textText = `SELECT body, version FROM notes WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL`

/**
 * Makes the function that renders a stored note with its files, and fails with `missing` when the note is gone. With
 * `isSoon`, the result is its plain text if its turn does not come soon.
 */
export const make = (read: Reads, markdown: Markdown["Service"], missing: NotFound) => {
  const stateOf = (note: RenderableNote, version: number) => ({
    workspace_id: note.workspace_id,
    note_id: note.note_id,
    state: `${version} ${note.breaks} ${note.isForMembers} ${note.files_state ?? ""}`
  })

  return Effect.fnUntraced(function* (note: RenderableNote, reader: Reader, { isSoon }: { readonly isSoon: boolean }) {
    const of = (rendered: Rendered, version: number): RenderedVersion => ({ rendered, version, isForNow: false })
    const held = markdown.known(stateOf(note, note.version))
    if (held !== undefined) return of(held, note.version)
    const place = [note.workspace_id, note.note_id]
    // The text as it is now: it may have changed since the note was found.
    const [row] = yield* runSql<{ readonly body: string; readonly version: number }>(read, textText, place)
    if (row === undefined) return yield* missing
    const state = stateOf(note, row.version)
    const known = markdown.known(state)
    if (known !== undefined) return of(known, row.version)
    const rows = yield* runSql<FileRow>(read, filesText, place)
    const text = {
      title: note.title,
      body: row.body,
      files: rows.map((file) => ({ id: file.id, filename: file.filename, isImage: isImage(file) })),
      breaks: note.breaks,
      isForMembers: note.isForMembers
    }
    const rendered = yield* (isSoon ? markdown.renderSoon : markdown.render)(state, reader, text)
    return rendered === undefined
      ? { rendered: plainly(text), version: row.version, isForNow: true }
      : of(rendered, row.version)
  })
}
