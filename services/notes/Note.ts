import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import * as Text from "../Text.ts"
import { TagName } from "./tags/Tag.ts"

/** Descriptions of members that requests and responses share. */
export const about = {
  notebook_id: "The notebook that contains the note.",
  title: { description: "Plain text, at most 200 characters.", examples: ["Meeting notes"] },
  body: {
    description: "Markdown, at most 1 048 576 bytes in UTF-8.",
    examples: ["# Agenda\n\n- budget\n- roadmap"]
  },
  tags: { description: "Names of tags, at most 50.", examples: [["work", "planning"]] }
}

const pinned = Schema.Boolean.annotate({ description: "Pinned notes come first in lists.", examples: [false] })
const archived = Schema.Boolean.annotate({
  description: "Archived notes are hidden from default lists.",
  examples: [false]
})
const version = Schema.Int.annotate({
  description: "The number of the version; each change increases it by one.",
  minimum: 1,
  examples: [3]
})
const word_count = Fields.count("Words in the body, counted by the server.")

/** A note (contract 5). Contract 2 defines how its limits are counted. */
export const Note = Schema.Struct({
  id: Fields.ownId("nt"),
  notebook_id: Fields.id("nb", about.notebook_id),
  title: Schema.String.annotate(about.title),
  body: Schema.String.annotate({ ...about.body, isLarge: true }),
  tags: Schema.Array(Schema.String).annotate(about.tags),
  pinned,
  archived,
  version,
  word_count,
  created_at: Fields.createdAt,
  updated_at: Fields.updatedAt,
  deleted_at: Schema.optionalKey(
    Schema.String.annotate({
      description: "When it was moved to the trash. Only notes in the trash have this member.",
      format: "date-time",
      plain: "time"
    })
  )
}).annotate({ identifier: "Note" })
export type Note = typeof Note.Type

const { body: _, ...members } = Note.fields

/** A note in lists that show no bodies. */
export const NoteSummary = Schema.Struct({
  ...members,
  excerpt: Schema.String.annotate({
    description: "The beginning of the text on one line, without Markdown and front matter, at most 200 characters.",
    examples: ["Agenda budget roadmap"]
  })
}).annotate({ identifier: "NoteSummary" })
export type NoteSummary = typeof NoteSummary.Type

/** A note as HTML for members. */
export const RenderedNote = Schema.Struct({
  id: Fields.ownId("nt"),
  version,
  html: Schema.String.annotate({
    description:
      "Safe HTML, without scripts and styles. Addresses of files are signed, and valid for at most 15 minutes. Links to other notes lead to `#note:` and the id, with `#` and the id of an element if they lead to a heading or block; links without a note lead to `#missing:` and the percent-encoded target as written.",
    examples: ['<h2 id="h-agenda">Agenda</h2>\n<ul>\n<li>budget</li>\n<li>roadmap</li>\n</ul>']
  }),
  lang: Schema.NullOr(Schema.String).annotate({
    description:
      "The language that the front matter states (BCP 47), else that of the script, such as `ja` or `ko`; null if neither shows it.",
    examples: ["en"]
  }),
  is_plain: Schema.Boolean.annotate({
    description: "Whether it is the plain text, because the note is beyond the limits of rendering.",
    examples: [false]
  })
}).annotate({ identifier: "RenderedNote" })
export type RenderedNote = typeof RenderedNote.Type

/** The note to which a link leads. */
export const LinkedNote = Schema.Struct({
  id: Fields.ownId("nt"),
  anchor: Schema.String.annotate({
    description: "The id of the element of the rendered note to which the link leads; empty for its beginning.",
    examples: ["h-packing-list"]
  })
}).annotate({ identifier: "LinkedNote" })

const notebook_id = Text.notBlank(100).annotate(Fields.aboutId("nb", about.notebook_id))
/** Maximum number of Unicode code points in a title, and of UTF-8 bytes in a body (contract, Limits). */
export const maxTitle = 200
export const maxBody = 1_048_576

const title = Text.singleLine(maxTitle, about.title)

const writable = {
  notebook_id: Schema.optionalKey(notebook_id),
  title: Schema.optionalKey(title),
  body: Schema.optionalKey(Text.bytes(maxBody).annotate(about.body)),
  tags: Schema.optionalKey(Schema.Array(TagName).check(Text.atMost(50)).annotate(about.tags)),
  pinned: Schema.optionalKey(pinned),
  archived: Schema.optionalKey(archived)
}

export const NoteCreate = Schema.Struct({ ...writable, notebook_id, title }).annotate({ identifier: "NoteCreate" })
export type NoteCreate = typeof NoteCreate.Type

/** A note as a push creates it: made offline, it has the time of that (contract 6). */
export const PushedNote = Schema.Struct({
  ...NoteCreate.fields,
  created_at: Schema.optionalKey(
    Schema.NullOr(
      Text.timestamp({
        description:
          "When the user created the note, for one that was made offline: not before 1970, and not in the future. Default: now. Not used for a note that exists."
      })
    )
  )
})

/** `version` is a condition, like If-Match: the version that the change is based on. */
export const NoteUpdate = Schema.Struct({
  ...writable,
  version: Schema.optionalKey(
    Schema.Int.annotate({
      description: "The version that the change is based on. If it is not the current one: 412."
    })
  )
}).annotate({
  identifier: "NoteUpdate"
})
export type NoteUpdate = typeof NoteUpdate.Type
/** The members to change. */
export type NoteChange = Omit<NoteUpdate, "version">

export const NoteVersion = Schema.Struct({
  version,
  note_id: Fields.id("nt", "The note's id."),
  title: Schema.String.annotate(about.title),
  body: Schema.String.annotate({ ...about.body, isLarge: true }),
  tags: Schema.Array(Schema.String).annotate(about.tags),
  notebook_id: Fields.id("nb", about.notebook_id),
  word_count,
  author_id: Schema.NullOr(Fields.id("us", "The user who created it; null if the server did.")),
  created_at: Fields.createdAt,
  restored_from: Schema.NullOr(
    Schema.Int.annotate({
      description: "The version that this one restored, else null.",
      minimum: 1
    })
  ).annotate({ examples: [null] })
}).annotate({ identifier: "NoteVersion" })
export type NoteVersion = typeof NoteVersion.Type

const suffix = " (copy)"

/** The title of a copy of a note. */
export const copyTitle = (title: string): string => {
  const points = [...title]
  return points.slice(0, maxTitle - suffix.length).join("") + suffix
}
