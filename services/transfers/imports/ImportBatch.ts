import { Data, Effect } from "effect"
import type { Forbidden, Invalid, NotFound, Unavailable } from "../../Errors.ts"
import * as NotePart from "../../notes/NotePart.ts"
import * as AttachmentEdits from "../../notes/attachments/AttachmentEdits.ts"
import * as NoteEdits from "../../notes/NoteEdits.ts"
import { notes as noteRows } from "../../notes/NoteTable.ts"
import * as ReminderEdits from "../../notes/reminders/ReminderEdits.ts"
import type { ReminderRow } from "../../notes/reminders/Reminder.ts"
import { carriedNames } from "../../notes/tags/Tags.ts"
import type { Staged } from "../../files/Blobs.ts"
import { blobs } from "../../files/BlobTable.ts"
import { records } from "../../writer/LogEntry.ts"
import type { Draft } from "../../writer/Draft.ts"
import type { Need } from "../../writer/Mailboxes.ts"
import type { Quotas } from "../../workspaces/Quotas.ts"
import { type ImportError, type ImportRow, imports, noteSources, noteOriginals } from "./Import.ts"
import type { ImportErrors } from "./ImportErrors.ts"
import { writeReminders } from "./ImportedReminders.ts"
import type { ImportNames } from "./ImportNames.ts"
import type { ImportPreview } from "./ImportPreview.ts"
import * as ImportRecords from "./ImportRecords.ts"
import { ImportPlaces } from "./ImportPlaces.ts"
import { checkRights } from "./ImportRights.ts"
import type { NoteItem } from "../formats/Item.ts"
import type { RecordItem } from "./JsonRecords.ts"
import { needsOf as recordNeeds } from "./RecordNeeds.ts"
import { type RefusedItem, refusedBy } from "./RefusedItems.ts"
import { type Changed, editedSince, SourceEdits } from "./SourceEdits.ts"

/** A file of a note. */
export interface UsedFile {
  readonly id: string
  readonly note_id: string
  readonly path: string
  readonly filename: string
  readonly content_type?: string
  readonly created_at?: string
  readonly staged: Staged
}

/** The content of one commit. */
export interface Batch {
  readonly notes: ReadonlyArray<NoteItem>
  /** Records of a JSON export. */
  readonly records: ReadonlyArray<RecordItem>
  readonly files: ReadonlyArray<UsedFile>
  /** Ids of notes that lack a file because of a quota. */
  readonly lacking: ReadonlyArray<string>
  readonly errors: ReadonlyArray<ImportError>
  /** Number of notes that this attempt has skipped until now. */
  readonly skipped: number
  readonly permille: number
}

/** The state that is passed from one commit to the next. */
export interface Known {
  readonly errors: ImportErrors
  /** Notes that could not be updated because they were edited, with the new notes that were created instead. */
  readonly moved: ReadonlyMap<string, string>
  /** Notebooks of the workspace that are used for notebooks of an export, by their ids in the export. */
  readonly placed: ReadonlyMap<string, string>
  /** Hashes of the templates that were created: the workspace does not have those of a preview. */
  readonly templates: ReadonlySet<string>
}

/** The import has already ended. */
export class Ended extends Data.TaggedError("Ended") {}

/** Maximum number of characters of the stored original links. A longer list is not stored. */
const maxLinks = 256 * 1024

/** Ids of the notes of earlier imports that a batch updates. */
const updatesIn = (notes: ReadonlyArray<NoteItem>, others: ReadonlyArray<RecordItem>): ReadonlyArray<string> =>
  [...notes, ...others].flatMap((item) => ("source" in item ? (item.source.update?.note_id ?? []) : []))

/** Rows that the draft of a batch reads, with one query per table. */
export const needsOf = (
  { files, notes, records: others }: Batch,
  names: ImportNames,
  id: string
): ReadonlyArray<Need> => [
  [imports, id],
  ...recordNeeds(others, names),
  ...notes.map(({ key }) => [records, "note", names.note(key)] as const),
  ...updatesIn(notes, others).flatMap((note_id) => [[noteRows, note_id] as const, [noteSources, note_id] as const]),
  ...files.map((file) => [records, "attachment", file.id] as const),
  ...files.map(({ note_id }) => NotePart.need(note_id)),
  ...files.map(({ staged }) => [blobs, staged.sha256] as const)
]

export interface Written extends Known {
  readonly row: ImportRow
  readonly draft: Draft
  readonly refusedItems: ReadonlyArray<RefusedItem>
}

type Refused = Changed | Forbidden | Invalid | NotFound | Unavailable

/** The counters of the records that an import counts. */
export const counted = ["notebooks", "tags", "attachments"] as const

export interface Means {
  readonly quotas: Quotas["Service"]
  readonly names: ImportNames
  /** For a preview, of which only the row of the import is stored. */
  readonly preview: ImportPreview | undefined
}

/** Writes the items of a batch, each once: an item whose id exists already, or was deleted, is not written again. */
export const write = ({ names, preview, quotas }: Means, id: string, batch: Batch, before: Known) =>
  Effect.fnUntraced(function* (stored: Draft) {
    const row = yield* stored.get(imports, id)
    if (row === undefined || row.status !== "queued") return yield* new Ended()
    const draft = preview?.draftOf(stored) ?? stored
    yield* checkRights(draft, row)
    const head = { ...draft.head }
    const places = new ImportPlaces(draft, quotas, names, row.notebook_id)
    const errors: Array<ImportError> = [...batch.errors]
    const refusedItems: Array<RefusedItem> = []
    const moved = new Map(before.moved)
    const sources = new SourceEdits(draft, quotas, id)
    let imported = 0
    let updated = 0

    const notebookOf = (path: ReadonlyArray<string>) =>
      Effect.catchTag(
        draft.attempt(() => places.of(path)),
        "Forbidden",
        () =>
          // A quota refuses a new notebook: the top-level one of the path, else the Inbox.
          Effect.catchTag(places.of(path.slice(0, 1)), "Forbidden", () => places.of([]))
      )

    const notWritable = ({ detail }: NotFound, file: string) =>
      Effect.sync(() => void errors.push({ file, code: "skipped", message: detail }))

    /** Runs a part of the batch. A refusal is reported, and the import continues. */
    const reported = <A>(part: () => Effect.Effect<A, Refused>, file: string) =>
      Effect.catchTags(
        draft.attempt(() => draft.withinReach(part)),
        {
          NotFound: (refused) => notWritable(refused, file),
          Forbidden: (refused) => Effect.sync(() => void refusedItems.push(refusedBy(refused, file))),
          // The reader has checked the item by itself: only its relation to other records can be invalid.
          Invalid: ({ detail }) => Effect.sync(() => void errors.push({ file, code: "not_readable", message: detail }))
        }
      )

    const path = (item: NoteItem): string => item.original.path || item.title

    const remind = Effect.fnUntraced(function* (item: NoteItem, note_id: string, there?: ReadonlyArray<ReminderRow>) {
      const refused = yield* writeReminders(draft, quotas, names, { note_id, item, there })
      refusedItems.push(...refused.map((each) => refusedBy(each, path(item))))
    })

    const originals = ({ original: { links, path } }: NoteItem, note_id: string) => {
      const kept = JSON.stringify(links).length <= maxLinks ? links : []
      if (path !== "") draft.put(noteOriginals, { note_id, path, links: kept }, path.length + 100 * kept.length)
    }

    /** Writes a note with all its tags; if a quota refuses new tags, only with tags that exist. */
    const withTags = (item: NoteItem, make: (labels: ReadonlyArray<string>) => Effect.Effect<void, Refused>) =>
      Effect.catchIf(
        draft.attempt(() => make(item.tags)),
        (refused): refused is Forbidden => refused._tag === "Forbidden" && refused.extra?.["quota"] === "tags",
        (refused) =>
          Effect.flatMap(carriedNames(draft, item.tags), (known) => {
            const message = `${refused.detail}; the note got only those of its tags that already existed`
            errors.push({ file: path(item), code: "quota_exceeded", message })
            return draft.attempt(() => make(known))
          })
      )

    const note = Effect.fnUntraced(function* (item: NoteItem) {
      const note_id = names.note(item.key)
      yield* withTags(item, (labels) =>
        Effect.gen(function* () {
          const { archived = false, pinned = false, title } = item
          const notebook_id = yield* notebookOf(item.notebook)
          const { body, copies } = yield* sources.copied(item.source, item.body)
          yield* NoteEdits.create(
            draft,
            quotas,
            { notebook_id, title, body, tags: labels, archived, pinned },
            { id: note_id, revision: 1 },
            // A file without a time of creation was created at the latest when it was changed.
            { created_at: item.created_at ?? item.updated_at, updated_at: item.updated_at }
          )
          yield* AttachmentEdits.addCopies(draft, quotas, note_id, copies)
          yield* remind(item, note_id)
        })
      )
      originals(item, note_id)
      sources.wrote(note_id, item.source, 1)
    })

    /** Updates the note of an earlier import. Returns another state than "done" if it was edited or deleted since. */
    const update = Effect.fnUntraced(function* (item: NoteItem) {
      const state = yield* sources.state(item.source)
      if (state !== "as_written") return state
      const { archived, body, pinned, title } = item
      const note_id = item.source.update!.note_id
      const marks = { ...(archived === undefined ? {} : { archived }), ...(pinned === undefined ? {} : { pinned }) }
      yield* withTags(item, (labels) => sources.rewrite(item.source, { title, body, tags: labels, ...marks }, item))
      yield* remind(item, note_id, yield* ReminderEdits.ofNote(draft, note_id))
      originals(item, note_id)
      return "updated"
    })

    /** Returns whether the note was imported or updated; undefined if it existed already. */
    const written = Effect.fnUntraced(function* (item: NoteItem) {
      const isThere = (yield* draft.get(records, "note", names.note(item.key))) !== undefined
      const state = item.source.update === undefined ? undefined : yield* draft.attempt(() => update(item))
      if (state === "updated") return state
      if (state === "done") return
      if (!isThere) yield* note(item)
      if (state === "edited" || item.source.earlierWasEdited) errors.push(editedSince(path(item)))
      return isThere ? undefined : "imported"
    })

    for (const item of batch.notes) {
      const made = yield* reported(() => written(item), path(item))
      if (made === "updated") updated++
      if (made !== "imported") continue
      if (item.source.update !== undefined) moved.set(item.source.update.note_id, names.note(item.key))
      imported++
    }

    const brought = new ImportRecords.ImportRecords({
      draft,
      quotas,
      names,
      row,
      errors,
      sources,
      moved,
      placed: before.placed,
      templates: before.templates
    })
    if (batch.records.length > 0) {
      for (const item of batch.records) {
        const made = yield* reported(() => brought.write(item), item.file)
        if (made === "imported") imported++
        if (made === "updated") updated++
      }
    }

    for (const { content_type, created_at, filename, id: own, note_id: wanted, path, staged } of batch.files) {
      const note_id = moved.get(wanted) ?? wanted
      if ((yield* draft.get(records, "attachment", own)) !== undefined) continue
      const making = {
        kept: staged,
        created_at: created_at === undefined ? undefined : NoteEdits.atMost(created_at, draft.now)
      }
      const input = { note_id, filename, ...(content_type === undefined ? {} : { content_type }) }
      yield* Effect.catchTags(
        draft.attempt(() =>
          draft.withinReach(() => AttachmentEdits.create(draft, quotas, input, making, { id: own, revision: 1 }))
        ),
        {
          NotFound: (refused) => notWritable(refused, path),
          Forbidden: (refused) =>
            Effect.map(sources.lacksFiles(note_id), () => void refusedItems.push(refusedBy(refused, path))),
          // The note was not imported, or has been deleted.
          Invalid: () => Effect.void
        }
      )
    }

    for (const wanted of batch.lacking) yield* sources.lacksFiles(moved.get(wanted) ?? wanted)

    const all = before.errors.with(errors)
    const next: ImportRow = {
      ...row,
      imported: row.imported + imported,
      skipped: Math.max(row.skipped, batch.skipped),
      updated: row.updated + updated,
      ...Object.fromEntries(
        counted.map((name) => [name, row[name] === null ? null : row[name] + draft.head[name] - head[name]])
      ),
      permille: Math.max(row.permille, batch.permille),
      errors: all.all
    }
    stored.put(imports, next, 300)
    const { placed, templates } = brought
    return { row: next, draft, errors: all, refusedItems, moved, placed, templates } satisfies Written
  })
