import { hashAt } from "./Uploads.ts"

/** The texts of the requests of a world. */

export const titles = ["Plan", "Trip", "Secret", "Über"]
export const bodies = [
  "",
  "[[Plan]] [[Trip]] [[Secret]] [[Private/Secret]] [[Shared/Plan]] [[../Plan]] ![[Alias#a|b]]\n\n- [ ] tickets 📅 2026-12-01 #work\n- [x] done",
  "---\naliases: [Secret]\nstatus: open\ncount: 3\n---\nwords [[Alias]]\n- [ ] call ⏫",
  "# Heading\n\nplain text with [a link](note:NOTE)"
]
export const tags = [["red"], ["red", "blue"], []]
export const filters = [
  "notebook_id = NOTEBOOK",
  "id = NOTE",
  "title = Secret",
  "deleted_at:*",
  "archived = true",
  "tags = hidden",
  "tags = red",
  'properties.status = "open"',
  "properties.secret:*",
  "done = false",
  "broken = true",
  "target_id = NOTE",
  "resolved_by = title",
  "resolved_by = alias",
  "status = ambiguous",
  "due < 2026-12-31",
  `sha256 = ${hashAt(0)}`,
  "filename = Secret.txt",
  "size > 3",
  "status = ready",
  "type = note.updated",
  "type = *.deleted",
  "resource_id = NOTE",
  "resource_type = notebook",
  "occurred_at > 2026-03-01T12:01:00Z",
  "id = EVENT",
  "id = ev_0*",
  "origin = revert",
  "nonsense ="
]
/** Words of both sides, wrong spellings, beginnings and operators. */
export const queries = [
  "plan",
  "secret",
  "sekret",
  "trip",
  "hidd",
  "heading",
  "milk OR hidden",
  '"plain text"',
  "alais",
  "-trip words",
  "#hidden",
  "#red"
]
export const sorts = [
  "title",
  "-updated_at",
  "created_at",
  "word_count",
  "name",
  "note_count",
  "due",
  "properties.status",
  "filename",
  "size",
  "occurred_at",
  "-occurred_at"
]
