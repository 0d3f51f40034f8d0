import { Data, Effect } from "effect"
import type { Forbidden, Invalid } from "../Errors.ts"
import * as NotePart from "../notes/NotePart.ts"
import * as AttachmentEdits from "../notes/AttachmentEdits.ts"
import * as NoteEdits from "../notes/NoteEdits.ts"
import * as ReminderEdits from "../notes/ReminderEdits.ts"
import { nameKey } from "../notes/Tag.ts"
import { tags } from "../notes/TagTable.ts"
import { isAtLeast } from "../Principal.ts"
import type { Staged } from "../storage/Blobs.ts"
import { blobs } from "../storage/BlobTable.ts"
import { records } from "../storage/Change.ts"
import type { Draft } from "../storage/Draft.ts"
import type { Need } from "../storage/Mailboxes.ts"
import type { Quotas } from "../workspaces/Quotas.ts"
import { members, workspaces } from "../workspaces/Rows.ts"
import type { ImportError } from "./Import.ts"
import type { ImportErrors } from "./ImportErrors.ts"
import type { ImportNames } from "./ImportNames.ts"
import * as ImportRecords from "./ImportRecords.ts"
import { ImportPlaces } from "./ImportPlaces.ts"
import { type ImportRow, imports, noteOriginals } from "./ImportTable.ts"
import type { NoteItem } from "./Item.ts"
import type { RecordItem } from "./JsonRecords.ts"

/** One file as one note has it. */
export interface UsedFile {
  readonly id: string
  readonly note_id: string
  readonly path: string
  readonly filename: string
  readonly content_type?: string
  readonly created_at?: string
  readonly staged: Staged
}

/** What one commit brings in. */
export interface Batch {
  readonly notes: ReadonlyArray<NoteItem>
  /** Of an export of this service. */
  readonly records: ReadonlyArray<RecordItem>
  readonly files: ReadonlyArray<UsedFile>
  readonly errors: ReadonlyArray<ImportError>
  readonly permille: number
}

/** What a quota, or the plan, has kept out. */
export interface KeptOut {
  readonly by: string
  readonly code: "plan_required" | "quota_exceeded"
  readonly detail: string
  readonly file: string
}

const keptOutBy = ({ code, detail, extra }: Forbidden, file: string): KeptOut => ({
  by: String(extra?.["quota"] ?? code),
  code: code === "plan_required" ? code : "quota_exceeded",
  detail,
  file
})

/** The import has come to its end elsewhere. */
export class Ended extends Data.TaggedError("Ended") {}

/** Who asked for it may not write any more. */
export class NotAllowed extends Data.TaggedError("NotAllowed")<{ readonly message: string }> {}

/** A longer list of links is not kept: they stay as they read now. */
const mostLinks = 256 * 1024

/** What the draft of a batch reads: in one query a table. */
export const needsOf = (
  { files, notes, records: others }: Batch,
  names: ImportNames,
  id: string
): ReadonlyArray<Need> => [
  [imports, id],
  ...ImportRecords.needsOf(others, names),
  ...notes.map(({ key }) => [records, "note", names.note(key)] as const),
  ...files.map((file) => [records, "attachment", file.id] as const),
  ...files.map(({ note_id }) => NotePart.need(note_id)),
  ...files.map(({ staged }) => [blobs, staged.sha256] as const)
]

/** As things stand now: a role may have been taken away since the import was asked for. */
const checkRole = Effect.fnUntraced(function* (draft: Draft, { author_id }: ImportRow) {
  const workspace = yield* draft.get(workspaces)
  if (workspace === undefined || workspace.deleted_at !== null) {
    return yield* new NotAllowed({ message: "The workspace was deleted" })
  }
  const [member] = author_id === null ? [] : yield* draft.having(members, "user_id", author_id)
  if (member === undefined || !isAtLeast(member.role, "editor")) {
    return yield* new NotAllowed({ message: "Whoever began it may not write to the workspace any more" })
  }
})

export interface Written {
  readonly row: ImportRow
  readonly errors: ImportErrors
  readonly keptOut: ReadonlyArray<KeptOut>
}

/** What a part of a draft fails with leaves nothing of it behind. */
const undone = <A, E>(draft: Draft, part: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const mark = draft.mark()
    return Effect.onError(part, () => Effect.sync(() => draft.undo(mark)))
  })

/** Brings the items of a batch in, each once: what is known by its id, there or deleted since, is left alone. */
export const write = (quotas: Quotas["Service"], names: ImportNames, id: string, batch: Batch, before: ImportErrors) =>
  Effect.fnUntraced(function* (draft: Draft) {
    const row = yield* draft.get(imports, id)
    if (row === undefined || row.status !== "queued") return yield* new Ended()
    yield* checkRole(draft, row)
    const places = new ImportPlaces(draft, quotas, names, row.notebook_id)
    const errors: Array<ImportError> = [...batch.errors]
    const keptOut: Array<KeptOut> = []
    let imported = 0

    const knownTags = Effect.fnUntraced(function* (wanted: ReadonlyArray<string>) {
      const known: Array<string> = []
      for (const name of wanted) {
        const tag = yield* draft.find(tags, nameKey(name))
        if (tag !== undefined) known.push(tag.name)
      }
      return known
    })

    const notebookOf = (path: ReadonlyArray<string>) =>
      Effect.catchTag(undone(draft, places.of(path)), "Forbidden", () =>
        // The first that is there, or may be made.
        Effect.catchTag(places.of(path.slice(0, 1)), "Forbidden", () => places.of([]))
      )

    /** What is refused is told, and the rest comes in. */
    const told = <A>(part: Effect.Effect<A, Forbidden | Invalid>, file: string) =>
      Effect.catchTags(part, {
        Forbidden: (refused) => Effect.sync(() => void keptOut.push(keptOutBy(refused, file))),
        // It was checked as it was read: what is wrong with it is how it stands to others.
        Invalid: ({ detail }) => Effect.sync(() => void errors.push({ file, code: "not_readable", message: detail }))
      })

    const note = Effect.fnUntraced(function* (item: NoteItem) {
      const note_id = names.note(item.key)
      const file = item.original.path || item.title
      const isEnex = row.source === "enex" && row.notebook_id !== null
      const create = (labels: ReadonlyArray<string>) =>
        undone(
          draft,
          Effect.gen(function* () {
            const { archived = false, body, pinned = false, title } = item
            // An export of Evernote is one notebook: the one that it is to go into.
            const notebook_id = yield* notebookOf(isEnex ? [] : item.notebook)
            yield* NoteEdits.create(
              draft,
              quotas,
              { notebook_id, title, body, tags: labels, archived, pinned },
              { id: note_id, revision: 1 },
              item
            )
            for (const [index, { remind_at }] of item.reminders.entries()) {
              const own = { id: names.reminder(`${item.key}\n${index}`), revision: 1 }
              yield* Effect.catchTag(
                ReminderEdits.create(draft, quotas, { note_id, remind_at }, own),
                "Forbidden",
                (refused) => Effect.sync(() => keptOut.push(keptOutBy(refused, file)))
              )
            }
          })
        )
      yield* Effect.catchIf(
        create(item.tags),
        (refused): refused is Forbidden => refused._tag === "Forbidden" && refused.extra?.["quota"] === "tags",
        (refused) =>
          Effect.flatMap(knownTags(item.tags), (known) => {
            const message = `${refused.detail}; it has only those of its tags that were there before`
            errors.push({ file, code: "quota_exceeded", message })
            return create(known)
          })
      )
      const { links, path } = item.original
      const kept = JSON.stringify(links).length <= mostLinks ? links : []
      if (path !== "") draft.add(noteOriginals, { note_id, path, links: kept }, path.length + 100 * kept.length)
      imported++
    })

    for (const item of batch.notes) {
      if ((yield* draft.get(records, "note", names.note(item.key))) !== undefined) continue
      yield* told(note(item), item.original.path || item.title)
    }

    if (batch.records.length > 0) {
      const brought = new ImportRecords.ImportRecords(draft, quotas, names, row)
      for (const item of batch.records) {
        const isNote = yield* told(undone(draft, brought.write(item)), item.file)
        if (isNote === true) imported++
      }
    }

    for (const { content_type, created_at, filename, id: own, note_id, path, staged } of batch.files) {
      if ((yield* draft.get(records, "attachment", own)) !== undefined) continue
      const making = {
        kept: staged,
        created_at: created_at === undefined ? undefined : NoteEdits.atMost(created_at, draft.now)
      }
      const input = { note_id, filename, ...(content_type === undefined ? {} : { content_type }) }
      yield* Effect.catchTags(
        undone(draft, AttachmentEdits.create(draft, quotas, input, making, { id: own, revision: 1 })),
        {
          Forbidden: (refused) => Effect.sync(() => void keptOut.push(keptOutBy(refused, path))),
          // Its note did not come in, or was deleted meanwhile.
          Invalid: () => Effect.void
        }
      )
    }

    const all = before.with(errors)
    const next: ImportRow = {
      ...row,
      imported: row.imported + imported,
      permille: Math.max(row.permille, batch.permille),
      errors: all.all
    }
    draft.put(imports, next, 300)
    return { row: next, errors: all, keptOut } satisfies Written
  })
