import { searchSorts } from "../../services/search/SearchResult.ts"

/** What the description says of members by their names. What a schema says of itself comes first. */

type Fragment = Readonly<Record<string, unknown>>

/** Whose member it is: a component, and the unions that it is a branch of, or nobody's in particular. */
export interface Owner {
  readonly name: string
  readonly unions: ReadonlyArray<string>
}

export const nobody: Owner = { name: "", unions: [] }

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

/** An example of an id that one of the schemas asks for by its pattern; undefined where none does. */
export const examplesOf = (schemas: ReadonlyArray<Fragment>): ReadonlyArray<string> | undefined => {
  for (const { pattern } of schemas) {
    const prefix = typeof pattern === "string" ? /^\^\(?([a-z]{2}_)/.exec(pattern)?.[1] : undefined
    if (prefix !== undefined) return [`${prefix}01kq3mZ8vT4sWx7Yb2Nc5E`]
  }
  return undefined
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
  parent_id: {
    description: "The notebook that this one lies in; null at the top.",
    ...idOf("notebook"),
    examples: [null]
  },
  note_count: { description: "How many notes there are directly inside, or with the tag.", ...counted },
  created_at: { description: "When it was made.", ...timestamp },
  updated_at: { description: "When it was last changed.", ...timestamp },
  deleted_at: {
    description: "When it was put into the trash. Stands on notes in the trash only.",
    format: "date-time"
  },
  occurred_at: { description: "When it happened.", ...timestamp },
  note_id: { description: "The note's id.", ...idOf("note") },
  notebook_id: { description: "The notebook that contains the note.", ...idOf("notebook") },
  workspace_id: { description: "The workspace's id.", ...idOf("workspace") },
  user_id: { description: "The user's id.", ...idOf("user") },
  author_id: { description: "The user who made it; null when the server did.", ...idOf("user") },
  actor_id: { description: "The user who caused it; null when the server did.", ...idOf("user") },
  device_id: { description: "The device that it came from, when it named itself.", ...idOf("device") },
  restored_from: {
    description: "The version whose content this one took up again, else null.",
    minimum: 1,
    examples: [null]
  },
  data: { description: "The resources of this page." },
  has_more: { description: "Whether there is another page.", examples: [false] },
  next_cursor: { description: "The `cursor` of the next page, else null.", examples: [null] },
  deleted: { description: "Always true." },
  cursor: { description: "An opaque position, at most 2048 characters.", maxLength: 2048, examples: [cursor] },
  cursor_expires_at: {
    description: "Until when the cursor is good.",
    ...timestamp,
    examples: ["2026-03-02T12:00:00.000Z"]
  },
  limit: { description: "The most items of a page." },
  sort: { description: "A field, or several with commas between; `-` before it for descending." },
  query: { description: "What is searched for.", examples: ["meeting"] },
  filters: { description: "The same filters, in an object of their own." },
  include_subnotebooks: {
    description: "Whether notebooks inside `notebook_id` count too, as they do when this is left out."
  },
  tags_match: { description: "Whether a note must carry all of `tags`, as when this is left out, or any." },
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
  snippet: {
    description: "The best fragment as HTML: escaped, matches in `<mark>`.",
    examples: ["<mark>Meeting</mark> notes"]
  },
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
  revision: {
    description: "The record's revision, counted from 1; a note's is its version.",
    minimum: 0,
    examples: [3]
  },
  client_revision: { description: "The revision that the client had edited.", minimum: 0, examples: [2] },
  base_revision: { description: "Another name of `revision`." },
  changed_at: { description: "When the record last changed.", ...timestamp },
  mutation_id: {
    description: "The client's name of this change, 1 to 255 visible ASCII characters.",
    examples: ["m-7f3a"]
  },
  client_ref: { description: "A name by which later entries of the push refer to this record, as `$name`." },
  device: { description: "The device that syncs; it is registered on first sight." },
  platform: { description: "What the device runs.", examples: ["ios"] },
  last_sync_at: { description: "When the device last pulled or pushed, to the minute.", ...timestamp },
  current: { description: "Whether it is the caller's own.", examples: [true] },
  types: { description: "Only records of these types; the cursor is bound to them." },
  wait: {
    description: "Seconds to wait for a change when there is none yet; when left out, none.",
    minimum: 0,
    maximum: 30
  },
  reason: { description: "Why." },
  server: { description: "The record as the server has it." },
  client: { description: "The entry as it was pushed." },
  base: { description: "The record as it was at `client_revision`, while that is known." },
  error: { description: "The problem of a rejected entry." },
  status: { description: "What became of it." },
  type: { description: "The type of the record." },
  resource_type: { description: "The type of the affected record.", examples: ["note"] },
  resource_id: { description: "The id of the affected record.", examples: ["nt_01kq3mZ8vT4sWx7Yb2Nc5E"] },
  action: { description: "What was done, in dotted form.", examples: ["member.role_changed"] },
  ip: { description: "The address that it came from; null when the server did it by itself.", examples: ["192.0.2.7"] },
  metadata: { description: "Particulars of the action.", examples: [{ from: "editor", to: "admin" }] },
  user_agent: {
    description: "How the client named itself, shortened; null when it did not.",
    examples: ["SheafCLI/1.0"]
  },
  plan: { description: "The plan of the workspace.", examples: ["plus"] },
  prefix: { description: "The first characters of the secret, to know it by.", examples: ["sfk_7Kd2mQx9"] },
  scopes: { description: "What it may be used for.", examples: [["notes:read", "notes:write"]] },
  last_used_at: { description: "When it was last used with success; null when never.", ...timestamp },
  expires_at: { description: "When its time is over; null when never.", ...timestamp, examples: [null] },
  previous_secret_expires_at: {
    description: "Until when the secret before the last rotation is good too, else null.",
    ...timestamp,
    examples: [null]
  },
  secret: {
    description: "The secret itself. It is shown in this answer only.",
    examples: ["sfk_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"]
  },

  slug: { description: "What stands for the workspace in addresses; no two have the same.", examples: ["acme"] },
  seats: { description: "How many seats are paid for.", examples: [5] },
  role: { description: "What a member may do: `owner`, `admin`, `editor` or `viewer`.", examples: ["editor"] },
  invited_by: { description: "The user who invited.", ...idOf("user") },

  "Workspace.name": { description: "The name that people see.", examples: ["Acme"] },
  "WorkspaceCreate.name": { description: "The name that people see.", examples: ["Acme"] },
  "WorkspaceUpdate.name": { description: "The name that people see.", examples: ["Acme"] },
  "WorkspaceCreate.slug": {
    description: "What stands for the workspace in addresses; when left out, made from the name.",
    examples: ["acme"]
  },
  "WorkspaceCreate.plan": { description: "The plan of the workspace; when left out, `free`.", examples: ["plus"] },
  "WorkspaceCreate.seats": { description: "How many seats are paid for; when left out, one.", examples: [5] },
  "Member.name": { description: "The name of the person.", examples: ["Anna"] },
  "Member.email": { description: "The e-mail address of the person.", examples: ["anna@example.org"] },
  "MemberUpdate.user_id": { description: "Accepted and not used.", examples: ["us_01kq3mZ8vT4sWx7Yb2Nc5E"] },
  "MemberUpdate.email": { description: "Accepted and not used.", examples: ["anna@example.org"] },
  "Invitation.email": { description: "Whom it is for.", examples: ["anna@example.org"] },
  "Invitation.expires_at": { description: "Until when it can be accepted.", ...timestamp },
  "Invitation.status": { description: "As it stands at the time of the answer.", examples: ["pending"] },
  "InvitationSent.id": { description: "The record's id.", ...idOf("invitation") },
  "InvitationSent.email": { description: "Whom it is for.", examples: ["anna@example.org"] },
  "InvitationSent.expires_at": { description: "Until when it can be accepted.", ...timestamp },
  "InvitationSent.status": { description: "As it stands at the time of the answer.", examples: ["pending"] },
  "InvitationSent.accept_url": {
    description: "The link for the invitee, where the server sends no mail by SMTP. It is shown in this answer only.",
    format: "uri",
    examples: ["http://127.0.0.1:4000/invitations/accept?token=sfi_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"]
  },
  "InvitationCreate.email": { description: "Whom it is for.", examples: ["anna@example.org"] },
  "InvitationCreate.role": {
    description: "The role that it gives, up to the caller's own; when left out, `editor`.",
    examples: ["editor"]
  },
  "InvitationCreate.expires_at": {
    description: "Until when it can be accepted, at most 30 days ahead; when left out, for seven days.",
    ...timestamp
  },
  "InvitationCreate.status": { description: "Accepted and not used.", examples: ["pending"] },
  "InvitationResend.email": { description: "Accepted and not used.", examples: ["anna@example.org"] },
  "InvitationResend.role": { description: "Accepted and not used.", examples: ["editor"] },
  "InvitationResend.expires_at": {
    description: "Until when it can be accepted, at most 30 days ahead; when left out, for seven days.",
    ...timestamp
  },
  "InvitationResend.status": { description: "Accepted and not used.", examples: ["pending"] },
  "InvitationAccept.token": {
    description: "The token of the link.",
    examples: ["sfi_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"]
  },
  "NoteUpdate.version": {
    description: "The version that the change is based on; when it is not the current one: 412."
  },
  "ApiKey.name": { description: "A label.", examples: ["Backup script"] },
  "ApiKeyWithSecret.name": { description: "A label.", examples: ["Backup script"] },
  "ApiKeyWithSecret.id": { description: "The record's id.", ...idOf("api_key") },
  "ApiKeyCreate.name": { description: "A label.", examples: ["Backup script"] },
  "ApiKeyCreate.scopes": {
    description: "What the key may be used for; when left out, all that the caller may grant.",
    examples: [["notes:read", "notes:write"]]
  },
  email: { description: "An e-mail address.", examples: ["anna@example.org"] },
  password: { description: "The password.", examples: ["correct horse battery"] },
  current_password: { description: "The present password.", examples: ["correct horse battery"] },
  new_password: {
    description: "The password from now on, at least 10 characters.",
    examples: ["staple battery horse"]
  },
  locale: { description: "A BCP 47 language tag.", examples: ["de-AT"] },
  timezone: { description: "An IANA time zone.", examples: ["Europe/Vienna"] },
  invitation_token: {
    description: "The token of an invitation to this address, which is accepted by it.",
    examples: ["sfi_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"]
  },
  access_token: {
    description: "For the header Authorization, for an hour.",
    examples: ["sfa_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"]
  },
  token_type: { description: "Always `Bearer`." },
  expires_in: { description: "For how many seconds the access token is good.", ...counted, examples: [3600] },
  refresh_token: {
    description: "For new tokens; it is used up by that.",
    examples: ["sfr_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"]
  },
  refresh_expires_in: {
    description: "For how many seconds the refresh token is good.",
    ...counted,
    examples: [7_776_000]
  },
  scope: {
    description: "What the tokens may be used for, with spaces between.",
    examples: ["notes:read notes:write profile"]
  },
  session_id: { description: "The session's id.", ...idOf("session") },
  user: { description: "Who has signed in." },
  last_active_at: { description: "When it was last used.", ...timestamp },
  accepted: { description: "Always true." },
  changed: { description: "Always true." },

  "User.name": { description: "The name that people see.", examples: ["Anna"] },
  "UserUpdate.name": { description: "The name that people see.", examples: ["Anna"] },
  "UserUpdate.current_password": {
    description: "Needed for another e-mail address.",
    examples: ["correct horse battery"]
  },
  "TokenAnswer.device_id": { description: "The device that was signed in on.", ...idOf("device") },
  "TokenAnswer.workspace_id": {
    description: "The user's personal workspace, on which the token acts unless `Workspace-Id` names another.",
    ...idOf("workspace")
  },
  "Register.name": {
    description: "The name that people see; when left out, the first part of the address.",
    examples: ["Anna"]
  },
  "Register.password": { description: "At least 10 characters.", examples: ["correct horse battery"] },
  "Register.device": {
    description: "The device to sign in on.",
    examples: [{ name: "Anna's phone", platform: "ios" }]
  },
  "LogIn.device": {
    description: "The device to sign in on: one that is known, by its id, or a new one.",
    examples: [{ name: "Anna's phone", platform: "ios" }]
  },
  "LogIn.id": { description: "The device's id, when it has one already.", ...idOf("device") },
  "LogIn.name": { description: "The name that people see.", examples: ["Anna's phone"] },
  "PasswordReset.token": {
    description: "The token that was mailed.",
    examples: ["sfp_7Kd2mQx9vT4sWx7Yb2Nc5E0aLpR3uHn1zQj9G"]
  },
  "Session.device": { description: "What was signed in on." },
  "Session.expires_at": { description: "When it ends, unless it is refreshed before.", ...timestamp },
  "SessionDevice.id": { description: "The device's id.", ...idOf("device") },
  "SessionDevice.name": { description: "The name that people see.", examples: ["Anna's phone"] },
  "ApiKeyRotate.name": { description: "Accepted and not used: a rotation changes the secret alone." },
  "Tag.name": { description: "At most 50 characters, without white space, comma and `#`.", examples: ["work"] },
  "TagCreate.name": { description: "At most 50 characters, without white space, comma and `#`.", examples: ["work"] },
  "TagUpdate.name": { description: "At most 50 characters, without white space, comma and `#`.", examples: ["work"] },
  "Device.name": { description: "The name that people see.", examples: ["Anna's phone"] },
  "DeviceInput.name": { description: "The name that people see.", examples: ["Anna's phone"] },
  "DeviceInput.id": { description: "The device's id, when it has one already.", ...idOf("device") },
  "PullRequest.limit": { description: "The most changes of a page; when left out, 100.", minimum: 1, maximum: 500 },
  "PullRequest.types": {
    description: "Only records of these types; the cursor is bound to them.",
    examples: [["note", "notebook"]]
  },
  "PushRequest.changes": { description: "At most 500 entries, applied in their order.", maxItems: 500 },
  "PushEntry.id": {
    description:
      "The record's id: the server's, or a new one that the client made, or `$` and the `client_ref` of an earlier entry. A new record may go without."
  },
  "PushEntry.op": { description: "Whether the record is to be written or deleted." },
  "PushEntry.revision": {
    description: "The revision that the client edited; absent or 0 creates. A deletion needs it.",
    minimum: 0,
    examples: [2]
  },
  "PushEntry.base_revision": { description: "Another name of `revision`.", minimum: 0 },
  "PushEntry.data": {
    description:
      "What an upsert changes; of a new record the members that it needs. In place of a notebook's id, `$` and the `client_ref` of an earlier entry. A deletion has none."
  },
  "ChangeEntry.revision": {
    description: "The record's revision, counted from 1; a note's is its version.",
    minimum: 1,
    examples: [3]
  },
  "ChangeEntry.id": { description: "The record's id." },
  "ChangeEntry.data": { description: "The whole record; null when it was deleted." },
  "SyncObject.conflicts": {
    description: "Always empty: pushed entries that were not written stand in the answer to a push.",
    examples: [[]]
  },
  "PushAnswer.changes": { description: "The change entries that the push made." },
  "PushAnswer.conflicts": {
    description: "Pushed entries that were not written, because the server has moved past them.",
    examples: [[]]
  },
  "SyncConflict.data": { description: "The whole record." },
  "SyncConflict.revision": {
    description: "The revision that the server has, or of `base` the one it stood at.",
    minimum: 0,
    examples: [3]
  },
  "SyncConflict.id": { description: "The record's id." },
  "SyncConflict.reason": { description: "What stands against the change." },
  "PushResult.id": { description: "The record's id, when it is known.", ...idOf("") },
  "StreamEvent.id": {
    description: "The cursor behind the event: `Last-Event-ID` of the request that goes on from here."
  },
  "StreamEvent.event": { description: "The event's name." },
  "StreamEvent.data": { description: "Its data, read as JSON." },
  "StreamEnd.reason": { description: "Why the stream ends." },
  "PushResult.revision": {
    description: "The revision that the record has now; null when there is none, or when it is not known.",
    minimum: 1,
    examples: [3]
  },
  "PushResult.index": { description: "Which pushed entry, counted from 0.", minimum: 0, examples: [0] },
  "SearchRequest.limit": { description: "The most hits of a page; when left out, 20.", minimum: 1, maximum: 100 },
  "SearchRequest.cursor": { description: "`next_cursor` of the page before.", maxLength: 2048 },
  "PullRequest.cursor": { description: "Where to go on; without it from the beginning.", maxLength: 2048 },
  "SearchRequest.tags": { description: "Only notes with these tags.", examples: [["work"]] },
  "SearchRequest.archived": {
    description: "Archived notes only (`true`), without them (`false`, and when left out), or both (`null`)."
  },
  "SearchRequest.notebook_id": { description: "Only notes in this notebook.", ...idOf("notebook") },
  "SearchRequest.sort": {
    description: "`relevance`, as when this is left out, or one field, `-` before it for descending.",
    enum: searchSorts,
    examples: ["relevance"]
  },
  "SearchHit.id": { description: "The note's id.", ...idOf("note") },
  "Suggestion.id": { description: "The id of the tag or note.", ...idOf("") },
  "Suggestion.type": { description: "Whether it is a tag or a title." },
  "DeletedVersion.id": { description: "The note's id.", ...idOf("note") },
  "DeletedVersion.version": { description: "The version that was deleted.", minimum: 1, examples: [3] },
  "Deleted.id": { description: "The id of what was deleted.", ...idOf("") },
  "Event.type": { description: "What happened. Later versions may have more types: skip those that you do not know." },
  "AuditEntry.actor_id": {
    description: "Who did it; null when nobody had signed in, or the server did it.",
    ...idOf("user")
  },
  "AuditEntry.resource_id": { description: "The id of what it was done to.", examples: ["mb_01kq3mZ8vT4sWx7Yb2Nc5E"] },
  "AuditEntry.resource_type": { description: "The type of what it was done to.", examples: ["member"] },
  "PlanLimits.requests_per_minute": {
    description: "Requests a minute and credential, as in force here.",
    ...counted,
    examples: [3000]
  },
  "PlanLimits.notes": { description: "How many notes the workspace may have.", ...counted, examples: [100_000] },
  "PlanLimits.storage_bytes": {
    description: "How many bytes its attachments, its notes and their history may have together.",
    ...counted,
    examples: [21_474_836_480]
  },
  "PlanLimits.attachment_bytes": {
    description: "How many bytes one attachment may have.",
    ...counted,
    examples: [209_715_200]
  },
  "PlanLimits.audit_days": { description: "For how many days audit entries are kept.", ...counted, examples: [400] },
  "PlanLimits.api_keys": {
    description: "How many API keys that have not ended a user may have.",
    ...counted,
    examples: [100]
  },
  "PlanLimits.devices": {
    description: "How many devices a user may have; beyond, the longest silent one ends.",
    ...counted,
    examples: [100]
  },
  "Usage.period_start": {
    description: "When the period began: the first of the month, in UTC.",
    ...timestamp,
    examples: ["2026-03-01T00:00:00.000Z"]
  },
  "Usage.period_end": {
    description: "When it is over, and the next one begins.",
    ...timestamp,
    examples: ["2026-04-01T00:00:00.000Z"]
  },
  "Usage.notes": { description: "Notes outside the trash.", ...counted, examples: [1234] },
  "PlanLimits.tags": { description: "How many tags the workspace may have.", ...counted, examples: [10_000] },
  "PlanLimits.notebooks": { description: "How many notebooks the workspace may have.", ...counted, examples: [2_000] },
  "Usage.text_bytes": {
    description: "Bytes of the texts of its notes and of their history; a text that versions share counts once.",
    ...counted,
    examples: [184_320]
  },
  "Usage.storage_bytes": { description: "Bytes used by attachments.", ...counted, examples: [0] },
  "Usage.api_requests": {
    description: "Authenticated requests, of the period or of the day.",
    ...counted,
    examples: [42]
  },
  "Usage.limits": { description: "What the plan allows; 0 is without a limit." },
  "Usage.daily": { description: "Each day of the period up to today." },
  "Usage.date": { description: "The day, in UTC.", format: "date", examples: ["2026-03-01"] },
  "Event.data": { description: "Particulars of the event.", examples: [{ title: "Meeting notes" }] }
}

/** `ApiKey` is of the kind `api_key`. */
const ownId = (schema: string): Fragment => {
  const kind = schema.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()
  return prefixes[kind] === undefined ? {} : idOf(kind)
}

/** What is said of a member of a schema, undefined when nothing is. */
export const memberOf = (owner: Owner, name: string): Fragment | undefined => {
  // A tag as sync sends it is a tag.
  const resource = owner.name.replace(/^Synced/, "")
  const said = [resource, ...owner.unions].find((each) => Object.hasOwn(members, `${each}.${name}`))
  if (said !== undefined) return members[`${said}.${name}`]
  if (name === "id") return { ...members["id"], ...ownId(resource) }
  return Object.hasOwn(members, name) ? members[name] : undefined
}
