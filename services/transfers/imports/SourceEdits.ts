import { Data, Effect } from "effect"
import * as AttachmentEdits from "../../notes/attachments/AttachmentEdits.ts"
import { type AttachmentRow, attachments } from "../../notes/attachments/Attachment.ts"
import type { NoteChange } from "../../notes/Note.ts"
import * as NoteEdits from "../../notes/NoteEdits.ts"
import { notes } from "../../notes/NoteTable.ts"
import type { Draft } from "../../writer/Draft.ts"
import type { Quotas } from "../../workspaces/Quotas.ts"
import { type ImportError, noteSources } from "./Import.ts"
import type { NoteItem, SourceNote } from "../formats/Item.ts"

/** An attachment to be copied was erased together with its note: the attempt starts again. */
export class Changed extends Data.TaggedError("Changed") {}

/** The problem that explains why there are two notes of one source. */
export const editedSince = (file: string): ImportError => ({
  file,
  code: "edited_since",
  message: "The note was changed after the earlier import or export; this version was added as a new note"
})

/** The times of a note in its source. */
type Times = Pick<NoteItem, "created_at" | "updated_at">

/** An attachment of another note that a new note gets a copy of, with the id of the copy. */
interface Copy {
  readonly row: AttachmentRow
  readonly id: string
}

/** Reads and writes the sources of notes, on the draft of a batch. */
export class SourceEdits {
  readonly #draft: Draft
  readonly #quotas: Quotas["Service"]
  readonly #import_id: string

  constructor(draft: Draft, quotas: Quotas["Service"], import_id: string) {
    this.#draft = draft
    this.#quotas = quotas
    this.#import_id = import_id
  }

  /** Stores that the import has written this version of the note. */
  wrote(note_id: string, { content, key }: SourceNote, version: number): void {
    this.#draft.put(noteSources, { note_id, import_id: this.#import_id, key, content, version }, 300)
  }

  /**
   * The state of the note that a source has to update: `as_written` by an earlier import; `done` by an earlier attempt
   * of this import; `edited` since then; or `gone`: to the trash, erased, or to where the caller may not
   * write.
   */
  readonly state = Effect.fnUntraced({ self: this as SourceEdits }, function* ({ update }: SourceNote) {
    const source = yield* this.#draft.get(noteSources, update!.note_id)
    const note = yield* this.#draft.get(notes, update!.note_id)
    if (source?.import_id === this.#import_id) return "done" as const
    if (note === undefined || note.deleted_at !== null) return "gone" as const
    if (!(yield* this.#draft.mayWrite(notes, note.id))) return "gone" as const
    return source?.version === note.version ? ("as_written" as const) : ("edited" as const)
  })

  /**
   * Updates the note of a source, which is as an import wrote it. Without times, the time of its change is now, and
   * that of its creation remains.
   */
  readonly rewrite = Effect.fnUntraced(
    { self: this as SourceEdits },
    function* (source: SourceNote, change: NoteChange, { created_at, updated_at }: Times) {
      const { note_id } = source.update!
      const failed = { NotFound: Effect.die, Stale: Effect.die }
      const { version } = yield* Effect.catchTags(
        NoteEdits.update(this.#draft, this.#quotas, note_id, change, undefined, { created_at, updated_at }),
        failed
      )
      this.wrote(note_id, source, version)
    }
  )

  /** Returns the body of a new note instead of an updated one, with copies of the files that were to stay. */
  readonly copied = Effect.fnUntraced({ self: this as SourceEdits }, function* ({ update }: SourceNote, body: string) {
    const copies: Array<Copy> = []
    for (const id of update?.reused ?? []) {
      const row = yield* this.#draft.get(attachments, id)
      if (row === undefined || row.blob === null) return yield* new Changed()
      copies.push({ row, id: this.#draft.newId("at") })
    }
    return { body: AttachmentEdits.relinked(body, copies), copies }
  })

  /** Marks a note that lacks a file because of a quota, so that the next import of its source tries again. */
  readonly lacksFiles = Effect.fnUntraced({ self: this as SourceEdits }, function* (note_id: string) {
    const source = yield* this.#draft.get(noteSources, note_id)
    if (source?.import_id === this.#import_id) this.#draft.put(noteSources, { ...source, content: "" }, 300)
  })
}
