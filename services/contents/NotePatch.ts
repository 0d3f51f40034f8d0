import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { Note, NoteUpdate } from "../notes/Note.ts"

/** A change of a note, and what becomes of the links that lead to it (contract 5, Links in a body). */
export const NotePatch = Schema.Struct({
  ...NoteUpdate.fields,
  links: Schema.optionalKey(
    Schema.Literals(["keep", "update"]).annotate({
      description:
        "For another title or notebook: `update` rewrites the links that led to the note by its title or path, `keep` counts their notes. Links that are kept lead to the note by its former title for 90 days.",
      examples: ["update" as const]
    })
  )
}).annotate({ identifier: "NotePatch" })

/** The links to a note that got another title or place. */
export const RenamedLinks = Schema.Struct({
  notes: Fields.count(
    "Notes with links that led to the note by its title or path and do not any more: those that were changed, or with `keep` would be.",
    12
  ),
  change_set_id: Schema.NullOr(
    Fields.id("cs", "The change set of the note and the links; null if no link was changed.")
  )
}).annotate({ identifier: "RenamedLinks" })
export type RenamedLinks = typeof RenamedLinks.Type

export const PatchedNote = Schema.Struct({
  ...Note.fields,
  links: Schema.optionalKey(RenamedLinks.annotate({ description: "Only for a request with `links`." }))
}).annotate({ identifier: "PatchedNote" })
