import { Effect } from "effect"
import { Invalid } from "../Errors.ts"
import type { Draft } from "../writer/Draft.ts"
import type { Quotas } from "../workspaces/Quotas.ts"
import { notebooks } from "./notebooks/Notebook.ts"
import { type NoteRow, noteTags } from "./NoteTable.ts"
import { carriedTags, resolveTags } from "./tags/Tags.ts"
import { type TagRow, tags } from "./tags/Tag.ts"

/**
 * What a note is in, on a draft: its notebook and its tags, which count the notes that they have. The note itself names
 * them in its row, which is written by `NoteEdits`.
 */

/** One note more or less in a notebook, which must be there. */
export const countIn = Effect.fnUntracedEager(function* (draft: Draft, notebook_id: string, difference: number) {
  const notebook = yield* draft.get(notebooks, notebook_id)
  if (notebook === undefined) {
    return yield* Invalid.field("notebook_id", "unknown", "names no notebook", "unresolved_reference")
  }
  draft.put(notebooks, { ...notebook, note_count: notebook.note_count + difference })
})

const link = (draft: Draft, note_id: string, tag: TagRow) => {
  draft.put(noteTags, { tag_id: tag.id, note_id }, 100)
  draft.put(tags, { ...tag, note_count: tag.note_count + 1 })
}

const unlink = (draft: Draft, note_id: string, tag: TagRow) => {
  draft.remove(noteTags, tag.id, note_id)
  draft.put(tags, { ...tag, note_count: tag.note_count - 1 })
}

/** Out of its notebook, its tags and the count of notes: what is in the trash is in none of them. */
export const leave = Effect.fnUntracedEager(function* (draft: Draft, row: NoteRow) {
  yield* countIn(draft, row.notebook_id, -1).pipe(Effect.orDie)
  for (const tag of yield* carriedTags(draft, row.tags)) unlink(draft, row.id, tag)
  draft.count("notes", -1)
})

/** Brings links and tag counts from the names that a note carried to those that it carries. */
export const relink = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  note_id: string,
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>
) {
  if (before.length === 0 && after.length === 0) return []
  const old = yield* carriedTags(draft, before)
  const next = yield* resolveTags(draft, quotas, after)
  const stays = new Set(next.map((tag) => tag.id))
  const had = new Set(old.map((tag) => tag.id))
  for (const tag of old) if (!stays.has(tag.id)) unlink(draft, note_id, tag)
  for (const tag of next) if (!had.has(tag.id)) link(draft, note_id, tag)
  return next.map((tag) => tag.name)
})
