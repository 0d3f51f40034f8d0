import { Data, Effect } from "effect"
import * as Ids from "../../Ids.ts"
import * as AttachmentEdits from "../../notes/attachments/AttachmentEdits.ts"
import { type AttachmentRow, attachments } from "../../notes/attachments/Attachment.ts"
import type { NoteChange } from "../../notes/Note.ts"
import * as NoteEdits from "../../notes/NoteEdits.ts"
import { notes } from "../../notes/NoteTable.ts"
import type { Draft } from "../../writer/Draft.ts"
import type { Quotas } from "../../workspaces/Quotas.ts"
import type { ImportError } from "./Import.ts"
import { importSources } from "./ImportTable.ts"
import type { NoteItem, SourceNote } from "../formats/Item.ts"

/** A file that a note was to keep is gone with another note: the try begins again, with what is there now. */
export class Changed extends Data.TaggedError("Changed") {}

/** Why there are two notes of one source. */
export const editedSince = (file: string): ImportError => ({
  file,
  code: "edited_since",
  message: "The note was changed after the earlier import or export; this version is a new note beside it"
})

/** The times of a note that its source states. */
type Times = Pick<NoteItem, "created_at" | "updated_at">

/** An attachment that a new note gets from another one, under an id of its own. */
interface Copy {
  readonly row: AttachmentRow
  readonly id: string
}

/** What the draft of a batch says of the sources of its notes. */
export class SourceEdits {
  private readonly draft: Draft
  private readonly quotas: Quotas["Service"]
  private readonly import_id: string

  constructor(draft: Draft, quotas: Quotas["Service"], import_id: string) {
    this.draft = draft
    this.quotas = quotas
    this.import_id = import_id
  }

  /** The import has written the note, as this version of it. */
  wrote(note_id: string, { content, key }: SourceNote, version: number): void {
    this.draft.put(importSources, { note_id, import_id: this.import_id, key, content, version }, 300)
  }

  /**
   * How the note stands that a source is to be written into: as an import wrote it; `done` by an earlier try of this
   * import; `edited` since then; or `gone`, into the trash or for good.
   */
  readonly state = Effect.fnUntraced({ self: this as SourceEdits }, function* ({ update }: SourceNote) {
    const source = yield* this.draft.get(importSources, update!.note_id)
    const note = yield* this.draft.get(notes, update!.note_id)
    if (source?.import_id === this.import_id) return "done" as const
    if (note === undefined || note.deleted_at !== null) return "gone" as const
    return source?.version === note.version ? ("as_written" as const) : ("edited" as const)
  })

  /**
   * Writes a source into its note, which stands as an import wrote it. Without times, it is changed now, and was made when
   * it was.
   */
  readonly rewrite = Effect.fnUntraced(
    { self: this as SourceEdits },
    function* (source: SourceNote, change: NoteChange, { created_at, updated_at }: Times) {
      const { note_id } = source.update!
      const failed = { NotFound: Effect.die, Stale: Effect.die }
      const { version } = yield* Effect.catchTags(
        NoteEdits.update(this.draft, this.quotas, note_id, change, undefined, { created_at, updated_at }),
        failed
      )
      this.wrote(note_id, source, version)
    }
  )

  /** Of a note that was to be updated and comes as a new one: with copies of the files that were to stay as they are. */
  readonly copied = Effect.fnUntraced({ self: this as SourceEdits }, function* ({ update }: SourceNote, body: string) {
    const copies: Array<Copy> = []
    for (const id of update?.reused ?? []) {
      const row = yield* this.draft.get(attachments, id)
      if (row === undefined || row.blob === null) return yield* new Changed()
      copies.push({ row, id: Ids.make("at", this.draft.millis) })
    }
    return { body: AttachmentEdits.relinked(body, copies), copies }
  })

  /** A quota has kept a file of the note out: the next import of its source tries again. */
  readonly lacksFiles = Effect.fnUntraced({ self: this as SourceEdits }, function* (note_id: string) {
    const source = yield* this.draft.get(importSources, note_id)
    if (source?.import_id === this.import_id) this.draft.put(importSources, { ...source, content: "" }, 300)
  })
}
