import { Clock, Effect, Schema } from "effect"
import { goodFor } from "../../../services/files/SignedUrls.ts"
import { Invalid, NotFound } from "../../../services/Errors.ts"
import { isClientMade } from "../../../services/Ids.ts"
import type { Attachment } from "../../../services/notes/attachments/Attachment.ts"
import { Attachments } from "../../../services/notes/attachments/Attachments.ts"
import { Notes } from "../../../services/notes/Notes.ts"
import { Principal } from "../../../services/Principal.ts"
import { reads, withinReach } from "../api/Authorization.ts"
import { contentOf, maxImage } from "./FileContent.ts"
import { fittingPage } from "./responses/FittingPages.ts"
import * as McpTool from "./McpTool.ts"
import { partOf } from "./responses/NotePassages.ts"
import { NoteTexts } from "../../../services/notes/texts/NoteTexts.ts"
import { costOf, room } from "./responses/ResponseSize.ts"
import { count, cursor, from_character, from_line, id, next, next_cursor, note_id } from "./ToolFields.ts"
import { blocks } from "./ToolResults.ts"
import * as TrashedNotes from "./TrashedNotes.ts"
import { unused } from "./UnusedArguments.ts"

const access = withinReach(reads("files:read", "notes:read"))

const listArgs = Schema.Struct({ note_id, cursor })
type ListArgs = typeof listArgs.Type

const readArgs = Schema.Struct({
  file_id: id.annotate({ description: "From list_files, or `attachment:…` in a note." }),
  from_line,
  from_character
})
type ReadArgs = typeof readArgs.Type

const pageSize = 50

/** Bytes of the names and numbers of the other members. */
const names = 500

/** A file in a result. */
const shownFile = {
  id: Schema.String,
  size: count,
  created_at: Schema.String,
  filename: Schema.String,
  content_type: Schema.String
}

const shown = ({ content_type, created_at, filename, id, size }: Attachment) => ({
  id,
  size: size ?? 0,
  created_at,
  filename,
  content_type
})

export const FileTools = Effect.gen(function* () {
  const attachments = yield* Attachments
  const notes = yield* Notes
  const texts = yield* NoteTexts
  const inTrash = yield* TrashedNotes.make

  const listFiles = Effect.fnUntraced(function* ({ note_id, ...args }: ListArgs) {
    // The id is a part of a filter.
    if (!isClientMade("nt", note_id)) return yield* NotFound.of("note")
    const filter = `note_id = ${note_id} AND status = ready`
    const { items, next_cursor } = yield* fittingPage(pageSize, (limit) =>
      Effect.map(attachments.list({ ...args, filter, limit: String(limit) }), ({ items, next_cursor }) => ({
        items: items.map((json) => shown(JSON.parse(json) as Attachment)),
        next_cursor,
        others: {}
      }))
    )
    if (items.length === 0) yield* notes.get(note_id)
    return { files: items, next_cursor }
  })

  const readFile = Effect.fnUntraced(function* (args: ReadArgs) {
    const { url, ...file } = yield* attachments.download(args.file_id)
    const { workspace_id } = yield* Principal
    const head = { ...shown({ ...file, url }), note_id: file.note_id }
    const content = yield* Effect.flatMap(attachments.file(workspace_id, file.id), contentOf)
    if (content.kind === "text") {
      const outline = yield* texts.outline(content.text)
      const from = args.from_line ?? 1
      const last = Math.max(1, outline.lines)
      if (from > last) return yield* Invalid.field("from_line", "out_of_range", `must be at most ${last}`)
      const start = { line: from, character: args.from_character ?? 0 }
      const available = room - names - costOf(head)
      return { ...head, kind: content.kind, ...partOf(outline, start, outline.lines + 1, available) }
    }
    const wrong = unused(args, ["from_line", "from_character"], "is for a text")
    if (wrong !== undefined) return yield* wrong
    if (content.kind === "image") {
      const { bytes, mimeType } = content
      return { ...head, kind: content.kind, [blocks]: [{ type: "image" as const, data: bytes, mimeType }] }
    }
    const url_expires_at = new Date((yield* Clock.currentTimeMillis) + goodFor).toISOString()
    // The name of a block is outside of the fence.
    const link = { type: "resource_link" as const, uri: url!, name: file.id }
    return { ...head, kind: content.kind, url: url!, url_expires_at, [blocks]: [link] }
  })

  return [
    McpTool.reading({
      name: "list_files",
      title: "List files of a note",
      description: "Lists the files of a note, newest first.",
      access,
      args: listArgs,
      result: Schema.Struct({ files: Schema.Array(Schema.Struct(shownFile)), next_cursor }),
      run: (args: ListArgs) => inTrash(args.note_id, listFiles(args))
    }),
    McpTool.reading({
      name: "read_file",
      title: "Read a file",
      description:
        "Reads a file of a note: a text by parts, as read_note does, or an image of up to 700 KB. For any other file it returns an address, valid for 15 minutes.",
      access,
      args: readArgs,
      result: Schema.Struct({
        ...shownFile,
        note_id: Schema.String,
        kind: Schema.Literals(["text", "image", "other"]),
        from_line: Schema.optionalKey(count),
        to_line: Schema.optionalKey(count),
        text: Schema.optionalKey(Schema.String),
        next: Schema.optionalKey(next),
        url: Schema.optionalKey(Schema.String),
        url_expires_at: Schema.optionalKey(Schema.String)
      }),
      maxContent: Math.ceil(maxImage / 3) * 4,
      run: readFile
    })
  ]
})
