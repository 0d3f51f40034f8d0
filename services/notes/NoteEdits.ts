import { Effect } from "effect"
import { type Condition, type Invalid, NotFound, type Stale } from "../Errors.ts"
import type { EventType } from "../EventTypes.ts"
import { oneLine } from "../Text.ts"
import type { Draft } from "../writer/Draft.ts"
import type { OwnId } from "../records/SyncAdapter.ts"
import type { Quotas } from "../workspaces/Quotas.ts"
import type { Note, NoteChange, NoteCreate } from "./Note.ts"
import { inbox } from "./notebooks/Inbox.ts"
import { notebooks } from "./notebooks/Notebook.ts"
import { countIn, leave, relink } from "./NoteLinks.ts"
import { rename } from "./NoteNames.ts"
import { noteParts } from "./NoteParts.ts"
import { restorable } from "./RestoreWindow.ts"
import { carriedNames } from "./tags/Tags.ts"
import { type NoteRow, notes, type NoteVersionRow, noteVersions } from "./NoteTable.ts"
import { wordCount } from "./WordCount.ts"

/**
 * Operations on a note in a draft. Each change creates one version, keeps the previous one in the history, and updates
 * links and counts.
 */

const missing = NotFound.of("note")

/** Bytes of a body, as quotas count them. */
const bytesOf = (body: string): number => Buffer.byteLength(body)

/** Estimated bytes of a note on the wire. An exact count is not worth its cost. */
const weigh = notes.weigh!

/** The state of a note that a change is based on. */
export type NoteCondition = Condition<Pick<Note, "id" | "version">>

/** The condition of a restore, which may depend on whether the note is in the trash. */
export type RestoreCondition = (
  current: Pick<NoteRow, "id" | "version" | "deleted_at">,
  version: number
) => Effect.Effect<void, Stale | Invalid>

/** Returns the note, also from the trash; fails with 404 if there is none, with 412 if the condition is not met. */
export const anyNote = Effect.fnUntracedEager(function* (draft: Draft, id: string, condition?: NoteCondition) {
  const row = yield* draft.get(notes, id)
  if (row === undefined) return yield* missing
  if (condition !== undefined) yield* condition(row, row.version)
  return row
})

/** The same, but fails with 404 if the note is in the trash. */
export const liveNote = Effect.fnUntracedEager(function* (draft: Draft, id: string, condition?: NoteCondition) {
  const row = yield* draft.get(notes, id)
  return row === undefined || row.deleted_at !== null ? yield* missing : yield* anyNote(draft, id, condition)
})

const sameTexts = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((text, index) => text === b[index])

/** Stores the new version of a note, and the previous one in the history. */
const store = (draft: Draft, before: NoteRow | undefined, row: NoteRow, type: EventType, data: unknown): Note => {
  if (before !== undefined) {
    const version = {
      note_id: before.id,
      version: before.version,
      notebook_id: before.notebook_id,
      title: before.title,
      body: before.body === row.body ? null : before.body,
      tags: before.tags,
      pinned: before.pinned,
      archived: before.archived,
      word_count: before.word_count,
      author_id: before.author_id,
      created_at: before.updated_at,
      restored_from: before.restored_from
    }
    if (version.body !== null && draft.isUnchanged(notes, before.id)) draft.inherit(noteVersions, version, 300)
    else draft.put(noteVersions, version, version.body === null ? 300 : weigh(before))
  }
  rename(draft, before, row)
  before === undefined && row.version === 1 ? draft.add(notes, row, weigh(row)) : draft.put(notes, row, weigh(row))
  const note = notes.show(row)
  const gone = row.deleted_at !== null
  draft.append({
    type,
    resource: "note",
    resource_id: row.id,
    data,
    record: {
      revision: row.version,
      value: gone ? null : note,
      bytes: gone ? 50 : weigh(row),
      previous: before === undefined || before.deleted_at !== null ? null : { revision: before.version, data: null }
    }
  })
  return note
}

/** Values that an import or the restore of a version sets. */
interface Overrides {
  readonly created_at?: string | undefined
  readonly updated_at?: string | undefined
  readonly restored_from?: number | null
}

/** Returns the time, or `now` if the time is missing, invalid or in the future. */
export const atMost = (time: string | undefined, now: string): string =>
  time === undefined || !(Date.parse(time) <= Date.parse(now)) ? now : new Date(time).toISOString()

export const create = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  input: NoteCreate,
  { id, revision }: OwnId = { id: draft.newId("nt"), revision: 1 },
  { created_at, restored_from = null, updated_at }: Overrides = {}
) {
  yield* countIn(draft, input.notebook_id, 1)
  const names = yield* relink(draft, quotas, id, [], input.tags ?? [])
  const body = input.body ?? ""
  yield* quotas.take(draft, "notes", 1)
  yield* quotas.take(draft, "text_bytes", bytesOf(body))
  return store(
    draft,
    undefined,
    {
      id,
      notebook_id: input.notebook_id,
      title: oneLine(input.title),
      body,
      tags: names,
      pinned: input.pinned ?? false,
      archived: input.archived ?? false,
      version: revision,
      word_count: wordCount(body),
      created_at: atMost(created_at, draft.now),
      updated_at: atMost(updated_at, draft.now),
      deleted_at: null,
      author_id: draft.actor.user_id,
      restored_from,
      deleted_with: null
    },
    "note.created",
    null
  )
})

/** Adds imported superseded versions that the note does not have yet. */
export const addVersions = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  rows: ReadonlyArray<NoteVersionRow>
) {
  for (const row of rows) {
    const bytes = row.body === null ? 0 : bytesOf(row.body)
    yield* quotas.take(draft, "text_bytes", bytes)
    draft.put(noteVersions, row, bytes + 300)
  }
})

/** Appends an entry that changes nothing for clients, because counts are stored only with a log entry. */
export const touch = (draft: Draft, row: NoteRow): void =>
  draft.append({
    type: "note.updated",
    resource: "note",
    resource_id: row.id,
    data: { fields: [] },
    record:
      row.deleted_at === null
        ? { revision: row.version, value: notes.show(row), bytes: weigh(row) }
        : { revision: row.version, value: null, bytes: 50 }
  })

const typeOf = (before: NoteRow, after: NoteRow): EventType =>
  before.archived === after.archived ? "note.updated" : after.archived ? "note.archived" : "note.restored"

/**
 * Changes only the given fields; without a change, there is no new version. The version is of now unless times are
 * given. If only `updated_at` is given, `created_at` becomes at most that.
 */
export const update = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  id: string,
  input: NoteChange,
  condition?: NoteCondition,
  { created_at, restored_from = null, updated_at }: Overrides = {}
) {
  const before = yield* liveNote(draft, id, condition)
  const updated = atMost(updated_at, draft.now)
  const created =
    created_at !== undefined
      ? atMost(created_at, draft.now)
      : updated_at === undefined
        ? before.created_at
        : atMost(before.created_at, updated)
  const body = input.body ?? before.body
  const wanted = {
    notebook_id: input.notebook_id ?? before.notebook_id,
    title: input.title === undefined ? before.title : oneLine(input.title),
    pinned: input.pinned ?? before.pinned,
    archived: input.archived ?? before.archived
  }
  let names = before.tags
  if (input.tags !== undefined) {
    const resolved = yield* relink(draft, quotas, id, before.tags, input.tags)
    if (!sameTexts(resolved, before.tags)) names = resolved
  }
  const fields = (Object.keys(wanted) as Array<keyof typeof wanted>).filter((field) => wanted[field] !== before[field])
  const changed: Array<string> = [
    ...fields,
    ...(body === before.body ? [] : ["body"]),
    ...(names === before.tags ? [] : ["tags"]),
    ...(created === before.created_at ? [] : ["created_at"]),
    ...(updated_at === undefined || updated === before.updated_at ? [] : ["updated_at"])
  ]
  if (changed.length === 0 && restored_from === null) return notes.show(before)
  // The previous body is kept and still counts.
  if (body !== before.body) yield* quotas.take(draft, "text_bytes", bytesOf(body))
  if (wanted.notebook_id !== before.notebook_id) {
    yield* countIn(draft, before.notebook_id, -1)
    yield* countIn(draft, wanted.notebook_id, 1)
  }
  const row: NoteRow = {
    ...before,
    ...wanted,
    body,
    tags: names,
    version: draft.revisionAfter(before.version),
    word_count: body === before.body ? before.word_count : wordCount(body),
    created_at: created,
    updated_at: updated,
    author_id: draft.actor.user_id,
    restored_from
  }
  return store(draft, before, row, typeOf(before, row), { fields: changed })
})

/** Moves the note to the trash: it leaves lists and links, and can be restored for 30 days. */
export const trash = Effect.fnUntracedEager(function* (draft: Draft, id: string, condition?: NoteCondition) {
  const before = yield* liveNote(draft, id, condition)
  yield* leave(draft, before)
  for (const part of noteParts) yield* part.trash(draft, id)
  return store(
    draft,
    before,
    {
      ...before,
      version: draft.revisionAfter(before.version),
      updated_at: draft.now,
      deleted_at: draft.now,
      deleted_with: null,
      author_id: draft.actor.user_id,
      restored_from: null
    },
    "note.deleted",
    null
  )
})

/** Restores a note from the archive, or from the trash: into the given notebook, its own, or else "Inbox". */
export const restore = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  id: string,
  notebook_id?: string,
  condition?: RestoreCondition
) {
  const before = yield* anyNote(draft, id)
  if (condition !== undefined) yield* condition(before, before.version)
  if (before.deleted_at === null) return yield* update(draft, quotas, id, { archived: false })
  yield* restorable(draft, "note", before.deleted_at)
  const own = notebook_id ?? before.notebook_id
  const target =
    notebook_id !== undefined || (yield* draft.get(notebooks, own)) !== undefined
      ? own
      : (yield* inbox(draft, quotas)).id
  yield* countIn(draft, target, 1)
  // Tags that were deleted meanwhile are not created again.
  const names = yield* relink(draft, quotas, id, [], yield* carriedNames(draft, before.tags))
  yield* quotas.take(draft, "notes", 1)
  const note = store(
    draft,
    before,
    {
      ...before,
      notebook_id: target,
      tags: names,
      archived: false,
      version: draft.revisionAfter(before.version),
      updated_at: draft.now,
      deleted_at: null,
      deleted_with: null,
      author_id: draft.actor.user_id,
      restored_from: null
    },
    "note.restored",
    null
  )
  for (const part of noteParts) yield* part.restore(draft, id)
  return note
})
