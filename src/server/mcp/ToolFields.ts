import { Schema } from "effect"
import type { Note } from "../../../services/notes/Note.ts"
import { line } from "../../../services/notes/texts/EditRequest.ts"
import { short, whole } from "../../../services/Text.ts"
import { reads, withinReach, writes } from "../api/Authorization.ts"
import { shortened } from "../../../services/notes/texts/ShownText.ts"

/** Arguments and members of results that several tools have. */

export const read = withinReach(reads("notes:read"))
export const write = withinReach(writes("notes:write"))

export const id = short(100)
export const note_id = id.annotate({ description: "The note." })
/** The notebook that a note goes to. */
export const notebook_id = id.annotate({ description: "From list_notebooks." })
export const version = whole(1, 2_147_483_647)
/** The version that the caller has read. */
export const versionRead = version.annotate({ description: "The version that you read." })
export const from_line = Schema.optionalKey(line.annotate({ description: "From 1." }))
export const from_character = Schema.optionalKey(
  whole(0, 1_048_576).annotate({ description: "From 0 within `from_line`: `next.character`." })
)
export const cursor = Schema.optionalKey(short(8_192).annotate({ description: "From `next_cursor`." }))
export const pageSize = (max: number, usual: number) =>
  Schema.optionalKey(whole(1, max).annotate({ description: `At most ${max}; ${usual} by default.` }))

export const count = Schema.Finite
/** Where a text continues; null at its end. */
export const next = Schema.NullOr(Schema.Struct({ line: count, character: count }))
export const next_cursor = Schema.NullOr(Schema.String)

/** Marks of a note, which a result has only if they are true. */
const marks = { pinned: Schema.optionalKey(Schema.Boolean), archived: Schema.optionalKey(Schema.Boolean) }

const shownMarks = ({ archived, pinned }: { readonly archived: boolean; readonly pinned: boolean }) => ({
  ...(pinned ? { pinned } : {}),
  ...(archived ? { archived } : {})
})

/** A note in a list. */
export const brief = {
  id: Schema.String,
  title: Schema.String,
  notebook_id: Schema.String,
  tags: Schema.Array(Schema.String),
  version: count,
  updated_at: Schema.String,
  ...marks
}

/** A note after a change. */
export const changed = { id: Schema.String, version: count }

/** Maximum characters of the tags of a note in a result: 50 names can have 2 500. */
const maxTags = 600

/** The first tags of a note. `…` shows that there are more: a filter finds notes by each of them. */
const shownTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> => {
  const shown: Array<string> = []
  let rest = maxTags
  for (const tag of tags) {
    rest -= tag.length
    if (rest < 0) return [...shown, "…"]
    shown.push(tag)
  }
  return shown
}

export const shownBrief = (note: Pick<Note, keyof typeof brief>) => ({
  id: note.id,
  title: shortened(note.title, 200),
  notebook_id: note.notebook_id,
  tags: shownTags(note.tags),
  version: note.version,
  updated_at: note.updated_at,
  ...shownMarks(note)
})
