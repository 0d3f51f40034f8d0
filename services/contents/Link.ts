import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"

export const linkKinds = ["link", "embed", "property", "mention"] as const
export const linkStates = ["resolved", "missing", "ambiguous", "unlinked"] as const
export const linkWays = ["id", "title", "alias", "former"] as const

const noteTitle = (description: string) => Fields.text(description, "Meeting notes")

/** A link of a note that leads to another note, or would (contract 5, Contents of notes). */
export const NoteLink = Schema.Struct({
  id: Fields.id("lk", "The link's id. It changes with the text of its note."),
  note_id: Fields.id("nt", "The note that has the link."),
  note_title: noteTitle("The title of that note."),
  notebook_id: Fields.id("nb", "The notebook of that note."),
  kind: Schema.Literals(linkKinds).annotate({
    description:
      "`embed` shows its target (`![[…]]`), `property` is in the front matter, `mention` is a name without a link.",
    examples: ["link" as const]
  }),
  target: Fields.text("The target as written, without `note:` and percent-encoding.", "Trips/Vienna#Packing list"),
  text: Fields.text("The words that it shows.", "Vienna"),
  context: Fields.text("The words around it.", "… see Vienna for the hotel …"),
  version: Schema.Int.annotate({
    description: "The version of the note in which it was read.",
    minimum: 1,
    examples: [3]
  }),
  line: Schema.Int.annotate({
    description: "The line of that version on which it begins, from 1.",
    minimum: 1,
    examples: [7]
  }),
  starts: Schema.Int.annotate({
    description: "Where it begins in the text of that version, in UTF-16 code units.",
    minimum: 0,
    examples: [120]
  }),
  ends: Schema.Int.annotate({ description: "Where it ends.", minimum: 1, examples: [130] }),
  status: Schema.Literals(linkStates).annotate({
    description: "`missing`: no note has the name or id. `ambiguous`: several notes have it. `unlinked`: a mention.",
    examples: ["resolved" as const]
  }),
  resolved_by: Schema.NullOr(Schema.Literals(linkWays)).annotate({
    description:
      "How the note was found: by its id, its title or path, an alias in its front matter, or a title that it had in the last 90 days.",
    examples: ["title" as const]
  }),
  target_id: Schema.NullOr(Fields.id("nt", "The note to which it leads.")),
  target_title: Schema.NullOr(noteTitle("The title of that note.")),
  anchor: Fields.text("The id of the element to which it leads on the page of that note; empty for its beginning.", ""),
  place_found: Schema.Boolean.annotate({
    description: "Whether that note has the heading or block that the link names.",
    examples: [true]
  }),
  candidates: Schema.Array(Schema.String).annotate({
    description: "The ids of the notes that an ambiguous link may mean, at most 50.",
    examples: [[]]
  })
}).annotate({ identifier: "NoteLink" })
export type NoteLink = typeof NoteLink.Type

export const linkList = listOf(NoteLink, {
  path: "/links",
  from: `(SELECT l.workspace_id, l.id, l.note_id, n.title AS note_title, n.notebook_id, n.archived, l.kind, l.target, l.text,
      l.context, o.version, l.line, l.start_at AS starts, l.end_at AS ends, l.status, l.status IN ('missing', 'ambiguous') AS broken, l.resolved_by, l.target_id, t.title AS target_title,
      l.anchor, (l.target_id IS NOT NULL AND (l.anchor = '' OR l.anchor = ANY(c.anchors))) AS place_found, l.candidates
    FROM note_links l JOIN notes n ON n.workspace_id = l.workspace_id AND n.id = l.note_id
      JOIN note_contents o ON o.workspace_id = l.workspace_id AND o.note_id = l.note_id
      LEFT JOIN notes t ON t.workspace_id = l.workspace_id AND t.id = l.target_id
      LEFT JOIN note_contents c ON c.workspace_id = l.workspace_id AND c.note_id = l.target_id
    WHERE l.status <> 'file') links`,
  sort: ["id"],
  filter: [
    "id",
    "note_id",
    "target_id",
    "notebook_id",
    "kind",
    "status",
    "resolved_by",
    "place_found",
    "target",
    "broken"
  ],
  enums: ["kind", "status", "resolved_by"],
  indexed: { id: "few", note_id: "few", target_id: "few", status: "few" },
  within: { target_id: ["id"], status: ["id"] },
  filters: { broken: { type: "boolean", sql: "broken", indexed: "part" } }
})

/** A note that links connect with another one. */
export const Neighbour = Schema.Struct({
  id: Fields.id("nt", "The note."),
  title: noteTitle("Its title."),
  notebook_id: Fields.id("nb", "Its notebook."),
  distance: Schema.Int.annotate({ description: "The number of links between.", minimum: 1, examples: [1] })
}).annotate({ identifier: "Neighbour" })
export type Neighbour = typeof Neighbour.Type
