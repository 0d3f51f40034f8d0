import { Schema } from "effect"
import type * as Ids from "../Ids.ts"
import { Note, NoteUpdate } from "../notes/Note.ts"
import { Notebook, NotebookUpdate } from "../notes/Notebook.ts"
import { Tag, TagUpdate } from "../notes/Tag.ts"
import * as Text from "../Text.ts"

/** Of the prefix, by the server or by a client (contract 6). */
export const idPattern = (prefix: Ids.Prefix): string => `${prefix}_[0-9A-Za-z_-]{16,40}`

const matching = (pattern: string) => {
  const whole = new RegExp(`^${pattern}$`)
  return Schema.String.check(
    Text.checked("invalid", `must match ${pattern}`, (text) => whole.test(text), { pattern: whole.source })
  )
}

export const recordId = (prefix: Ids.Prefix) => matching(idPattern(prefix))

/** The same, or `$` and the `client_ref` of an earlier entry of the push. */
export const reference = (prefix: Ids.Prefix) => matching(`(${idPattern(prefix)}|\\$.+)`)

// What is derived from other records is not in change data (contract 2).
const { note_count: _notes, ...notebook } = Notebook.fields
const SyncedNotebook = Schema.Struct(notebook).annotate({ identifier: "SyncedNotebook" })
const { note_count: _carriers, ...tag } = Tag.fields
const SyncedTag = Schema.Struct(tag).annotate({ identifier: "SyncedTag" })

// The revision of a push stands in its entry.
const { version: _, ...note } = NoteUpdate.fields
const PushNoteData = Schema.Struct({ ...note, notebook_id: Schema.optionalKey(reference("nb")) }).annotate({
  identifier: "PushNoteData"
})
const PushNotebookData = Schema.Struct({
  ...NotebookUpdate.fields,
  parent_id: Schema.optionalKey(Schema.NullOr(reference("nb")))
}).annotate({ identifier: "PushNotebookData" })

interface SyncRecord {
  /** What the names of its schemas begin with. */
  readonly name: string
  readonly prefix: Ids.Prefix
  /** The whole record, as sync sends it. */
  readonly data: Schema.Codec<unknown>
  /** What a push may say of it: any part of this. */
  readonly pushed: Schema.Codec<unknown>
}

/** The types of records that this version syncs. All that the description says of sync follows from this table. */
export const syncRecords = {
  note: { name: "Note", prefix: "nt", data: Note, pushed: PushNoteData },
  notebook: { name: "Notebook", prefix: "nb", data: SyncedNotebook, pushed: PushNotebookData },
  tag: { name: "Tag", prefix: "tg", data: SyncedTag, pushed: TagUpdate }
} as const satisfies Readonly<Record<string, SyncRecord>>

/** Something of each type of record, in the order of the table. */
export const ofEach = <A>(make: (type: string, record: SyncRecord) => A): ReadonlyArray<A> =>
  Object.entries(syncRecords).map(([type, record]) => make(type, record))
