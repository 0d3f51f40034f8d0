/** What the description says of members by their names. What a schema says of itself comes first. */

type Fragment = Readonly<Record<string, unknown>>

/** The prefixes of ids by what they name (interface.md, "Identifier prefixes"). */
export const prefixes: Readonly<Record<string, string>> = {
  note: "nt",
  notebook: "nb",
  attachment: "at",
  template: "tp",
  tag: "tg",
  reminder: "rm",
  invitation: "iv",
  workspace: "ws",
  comment: "cm",
  share: "sh",
  user: "us",
  member: "mb",
  export: "ex",
  import: "im",
  audit_entry: "al",
  api_key: "ak",
  webhook: "wh",
  event: "ev",
  device: "sy",
  session: "se",
  delivery: "dl"
}

/** An id of a kind: clients may make them too, with 16 to 40 characters behind the prefix (contract 6). */
export const idOf = (kind: string): Fragment => {
  const prefix = prefixes[kind]
  return prefix === undefined
    ? { examples: ["nt_01kq3mZ8vT4sWx7Yb2Nc5E"] }
    : { pattern: `^${prefix}_[0-9A-Za-z_-]{16,40}$`, examples: [`${prefix}_01kq3mZ8vT4sWx7Yb2Nc5E`] }
}

const timestamp = { format: "date-time", examples: ["2026-03-01T12:00:00.000Z"] }
const counted = { minimum: 0, examples: [3] }
const cursor = "eyJ2IjoxLCJzIjo0Mn0.q1Zt8Jx0"

const note = {
  id: "nt_01kq3mZ8vT4sWx7Yb2Nc5E",
  notebook_id: "nb_01kq3mZ8vT4sWx7Yb2Nc5E",
  title: "Meeting notes",
  body: "# Agenda\n\n- budget\n- roadmap",
  tags: ["work", "planning"],
  pinned: false,
  archived: false,
  version: 3,
  word_count: 3,
  created_at: "2026-03-01T12:00:00.000Z",
  updated_at: "2026-03-01T12:00:00.000Z"
}

/** By name, or by schema and name where a name means different things. */
const members: Readonly<Record<string, Fragment>> = {
  id: { description: "The record's id." },
  title: { description: "Plain text, at most 200 characters.", examples: [note.title] },
  body: { description: "Markdown, at most 1 048 576 bytes in UTF-8.", examples: [note.body] },
  tags: { description: "Names of tags, at most 50.", examples: [note.tags] },
  pinned: { description: "Pinned notes come first in lists.", examples: [false] },
  archived: { description: "Archived notes are hidden from default lists.", examples: [false] },
  version: { description: "The version's number; it grows by one on every change.", minimum: 1, examples: [3] },
  word_count: { description: "Words in the body, counted by the server.", minimum: 0, examples: [note.word_count] },
  name: { description: "The name that people see.", examples: ["Projects"] },
  color: { description: "A colour as `#rgb` or `#rrggbb`; kept as six lower-case digits.", examples: ["#1a2b3c"] },
  icon: { description: "An icon's name, out of the built-in set.", examples: ["book"] },
  parent_id: { description: "The notebook that this one lies in; null at the top.", ...idOf("notebook"), examples: [null] },
  note_count: { description: "How many notes there are directly inside, or with the tag.", ...counted },
  created_at: { description: "When it was made.", ...timestamp },
  updated_at: { description: "When it was last changed.", ...timestamp },
  occurred_at: { description: "When it happened.", ...timestamp },
  note_id: { description: "The note's id.", ...idOf("note") },
  notebook_id: { description: "The notebook that contains the note.", ...idOf("notebook") },
  workspace_id: { description: "The workspace's id.", ...idOf("workspace") },
  user_id: { description: "The user's id.", ...idOf("user") },
  author_id: { description: "The user who made it; null when the server did.", ...idOf("user") },
  actor_id: { description: "The user who caused it; null when the server did.", ...idOf("user") },
  device_id: { description: "The device that it came from, when it named itself.", ...idOf("device") },
  restored_from: { description: "The version whose content this one took up again, else null.", minimum: 1, examples: [null] },
  data: { description: "The resources of this page." },
  has_more: { description: "Whether there is another page.", examples: [false] },
  next_cursor: { description: "The `cursor` of the next page, else null.", examples: [null] },
  deleted: { description: "Always true." },
  cursor: { description: "An opaque position, at most 2048 characters.", maxLength: 2048, examples: [cursor] },
  cursor_expires_at: { description: "Until when the cursor is good.", ...timestamp, examples: ["2026-03-02T12:00:00.000Z"] },
  limit: { description: "The most items of a page." },
  sort: { description: "A field, or several with commas between; `-` before it for descending." },
  query: { description: "What is searched for.", examples: ["meeting"] },
  filters: { description: "The same filters, in an object of their own." },
  include_subnotebooks: { description: "Whether notebooks inside `notebook_id` count too.", default: true },
  tags_match: { description: "Whether a note must carry all of `tags`, or any.", default: "all" },
  created_after: { description: "Made at or after: an RFC 3339 time or a date." },
  created_before: { description: "Made before: an RFC 3339 time or a date." },
  updated_after: { description: "Changed at or after: an RFC 3339 time or a date." },
  updated_before: { description: "Changed before: an RFC 3339 time or a date." },
  date_from: { description: "Another name of `updated_after`." },
  date_to: { description: "Another name of `updated_before`." },
  hits: { description: "The notes found, without their bodies." },
  total: { description: "How many notes match.", ...counted, examples: [1] },
  took_ms: { description: "Time that the server spent, in milliseconds.", ...counted },
  score: { description: "How well the note matches.", minimum: 0, maximum: 1, examples: [0.87] },
  snippet: { description: "The best fragment as HTML: escaped, matches in `<mark>`.", examples: ["<mark>Meeting</mark> notes"] },
  highlights: { description: "Where the matches are." },
  field: { description: "Which member." },
  matches: { description: "Offsets into the member's raw value, in UTF-16 code units." },
  index: { description: "Which element, counted from 0; of tags only.", minimum: 0 },
  start: { description: "Where the match begins.", minimum: 0, examples: [0] },
  length: { description: "How long the match is.", minimum: 0, examples: [7] },
  text: { description: "The completed tag or title.", examples: ["Meeting notes"] },
  source_ids: { description: "The tags that end, by id or name.", examples: [["wrok", "jobs"]] },
  sources: { description: "Another name of `source_ids`.", examples: [["wrok", "jobs"]] },
  target_id: { description: "The tag that takes their notes, by id or name.", examples: ["work"] },
  target: { description: "Another name of `target_id`.", examples: ["work"] },
  changes: { description: "Change entries." },
  conflicts: { description: "Pushed entries that were not written." },
  results: { description: "What became of each pushed entry; of a push only." },
  op: { description: "Whether the record was written or deleted." },
  revision: { description: "The record's revision, counted from 1; a note's is its version.", minimum: 0, examples: [3] },
  client_revision: { description: "The revision that the client had edited.", minimum: 0, examples: [2] },
  base_revision: { description: "Another name of `revision`." },
  changed_at: { description: "When the record last changed.", ...timestamp },
  mutation_id: { description: "The client's name of this change, 1 to 255 visible ASCII characters.", examples: ["m-7f3a"] },
  client_ref: { description: "A name by which later entries of the push refer to this record, as `$name`." },
  device: { description: "The device that syncs; it is registered on first sight." },
  platform: { description: "What the device runs.", examples: ["ios"] },
  last_sync_at: { description: "When the device last pulled or pushed, to the minute.", ...timestamp },
  current: { description: "Whether it is the caller's own.", examples: [true] },
  types: { description: "Only records of these types; the cursor is bound to them." },
  wait: { description: "Seconds to wait for a change when there is none yet.", minimum: 0, maximum: 30, default: 0 },
  reason: { description: "Why." },
  server: { description: "The record as the server has it." },
  client: { description: "The entry as it was pushed." },
  base: { description: "The record as it was at `client_revision`, while that is known." },
  error: { description: "The problem of a rejected entry." },
  status: { description: "What became of it." },
  type: { description: "The type of the record." },
  resource_type: { description: "The type of the affected record.", examples: ["note"] },
  resource_id: { description: "The id of the affected record.", examples: ["nt_01kq3mZ8vT4sWx7Yb2Nc5E"] },
  prefix: { description: "The first characters of the secret, to know it by.", examples: ["sfk_7Kd2mQx9"] },
  scopes: { description: "What it may be used for.", examples: [["notes:read", "notes:write"]] },
  last_used_at: { description: "When it was last used with success; null when never.", ...timestamp },
  expires_at: { description: "When its time is over; null when never.", ...timestamp, examples: [null] },
  previous_secret_expires_at: { description: "Until when the secret before the last rotation is good too, else null.", ...timestamp, examples: [null] },
  secret: { description: "The secret itself. It is shown in this answer only.", examples: ["sfk_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"] },

  "NoteUpdate.version": { description: "The version that the change is based on; when it is not the current one: 412." },
  "ApiKey.name": { description: "A label.", examples: ["Backup script"] },
  "ApiKeyWithSecret.name": { description: "A label.", examples: ["Backup script"] },
  "ApiKeyWithSecret.id": { description: "The record's id.", ...idOf("api_key") },
  "ApiKeyCreate.name": { description: "A label.", examples: ["Backup script"] },
  "ApiKeyCreate.scopes": { description: "What the key may be used for; when left out, all that the caller may grant.", examples: [["notes:read", "notes:write"]] },
  "ApiKeyRotate.name": { description: "Accepted and not used: a rotation changes the secret alone." },
  "Tag.name": { description: "At most 50 characters, without white space, comma and `#`.", examples: ["work"] },
  "TagCreate.name": { description: "At most 50 characters, without white space, comma and `#`.", examples: ["work"] },
  "TagUpdate.name": { description: "At most 50 characters, without white space, comma and `#`.", examples: ["work"] },
  "Device.name": { description: "The name that people see.", examples: ["Anna's phone"] },
  "PullRequest.name": { description: "The name that people see.", examples: ["Anna's phone"] },
  "PullRequest.id": { description: "The device's id, when it has one already.", ...idOf("device") },
  "PullRequest.limit": { description: "The most changes of a page.", minimum: 1, maximum: 500, default: 100 },
  "PullRequest.types": { description: "Only records of these types; the cursor is bound to them.", examples: [["note", "notebook"]] },
  "PushRequest.name": { description: "The name that people see.", examples: ["Anna's phone"] },
  "PushRequest.id": { description: "The device's id, when it has one already.", ...idOf("device") },
  "PushRequest.changes": { description: "At most 500 entries, applied in their order.", maxItems: 500 },
  "PushEntry.id": { description: "The record's id: the server's, or a new one that the client made.", ...idOf("note") },
  "PushEntry.type": { description: "The type of the record.", examples: ["note"] },
  "PushEntry.revision": { description: "The revision that the client edited; absent or 0 creates.", minimum: 0, examples: [2] },
  "PushEntry.data": { description: "The members that changed.", examples: [{ title: "Meeting notes, corrected" }] },
  "ChangeEntry.id": { description: "The record's id.", ...idOf("") },
  "ChangeEntry.type": { description: "The type of the record.", examples: ["note"] },
  "ChangeEntry.data": { description: "The whole resource; null when it was deleted.", examples: [note] },
  "SyncObject.conflicts": { description: "Pushed entries that were not written; of a push only.", examples: [[]] },
  "SyncConflict.client": {
    description: "The entry as it was pushed.",
    examples: [{ type: "note", op: "upsert", id: note.id, revision: 2, data: { title: "Meeting notes, corrected" } }]
  },
  "SyncConflict.data": { description: "The whole resource.", examples: [{ ...note, version: 2 }] },
  "SyncConflict.revision": { description: "The revision that the server has, or of `base` the one it stood at.", minimum: 0, examples: [3] },
  "SyncConflict.id": { description: "The record's id.", ...idOf("") },
  "SyncConflict.type": { description: "The type of the record.", examples: ["note"] },
  "SyncConflict.reason": { description: "What stands against the change." },
  "PushResult.id": { description: "The record's id, when it is known.", ...idOf("") },
  "PushResult.type": { description: "The type of the record.", examples: ["note"] },
  "PushResult.index": { description: "Which pushed entry, counted from 0.", minimum: 0, examples: [0] },
  "SearchRequest.limit": { description: "The most hits of a page.", minimum: 1, maximum: 100, default: 20 },
  "SearchRequest.cursor": { description: "`next_cursor` of the page before.", maxLength: 2048 },
  "PullRequest.cursor": { description: "Where to go on; without it from the beginning.", maxLength: 2048 },
  "SearchRequest.tags": { description: "Only notes with these tags.", examples: [["work"]] },
  "SearchRequest.archived": { description: "Archived notes only (`true`), without them (`false`), or both (`null`).", default: false },
  "SearchRequest.notebook_id": { description: "Only notes in this notebook.", ...idOf("notebook") },
  "SearchRequest.sort": { description: "`relevance`, or a field as lists have them.", default: "relevance", examples: ["relevance"] },
  "SearchHit.id": { description: "The note's id.", ...idOf("note") },
  "Suggestion.id": { description: "The id of the tag or note.", ...idOf("") },
  "Suggestion.type": { description: "Whether it is a tag or a title." },
  "Deleted.id": { description: "The id of what was deleted.", ...idOf("") },
  "Event.type": { description: "What happened.", examples: ["note.updated"] },
  "Event.data": { description: "Particulars of the event.", examples: [{ title: "Meeting notes" }] }
}

/** `ApiKey` is of the kind `api_key`. */
const ownId = (schema: string): Fragment => {
  const kind = schema.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()
  return prefixes[kind] === undefined ? {} : idOf(kind)
}

/** What is said of a member of a schema, undefined when nothing is. */
export const memberOf = (schema: string, name: string): Fragment | undefined =>
  members[`${schema}.${name}`] ??
    (name === "id" ? { ...members["id"], ...ownId(schema) } : Object.hasOwn(members, name) ? members[name] : undefined)
