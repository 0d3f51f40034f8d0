import { Effect } from "effect"
import { Invalid } from "../Errors.ts"
import type { Draft } from "../writer/Draft.ts"
import type { Quotas } from "../workspaces/Quotas.ts"
import { notebooks } from "./notebooks/Notebook.ts"
import { type NoteRow, noteTags } from "./NoteTable.ts"
import { carriedTags, resolveTags } from "./tags/Tags.ts"
import { type TagRow, tags } from "./tags/Tag.ts"

/**
 * Links of a note in a draft: to its notebook and its tags, which count their notes. The row of the note names them
 * too, and is written by `NoteEdits`.
 */

/** Adds `difference` to the note count of a notebook, which must exist. */
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

/** Removes a note from its notebook, its tags and the count of notes, which do not include notes in the trash. */
export const leave = Effect.fnUntracedEager(function* (draft: Draft, row: NoteRow) {
  yield* countIn(draft, row.notebook_id, -1).pipe(Effect.orDie)
  for (const tag of yield* carriedTags(draft, row.tags)) unlink(draft, row.id, tag)
  draft.count("notes", -1)
})

/** Updates links and tag counts of a note, from the tags `before` to `after`. Returns the stored names. */
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
