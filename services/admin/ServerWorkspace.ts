import { Schema } from "effect"
import { email } from "../Email.ts"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"
import { plans } from "../Principal.ts"
import * as Text from "../Text.ts"
import { keptBytes } from "../workspaces/KeptBytes.ts"
import { about } from "../workspaces/Workspace.ts"

/** A workspace of the server, as operators see it (contract 11). */
export const ServerWorkspace = Schema.Struct({
  id: Fields.ownId("ws"),
  name: Schema.String.annotate(about.name),
  slug: Schema.String.annotate(about.slug),
  plan: Schema.Literals(plans).annotate(about.plan),
  seats: Schema.Int.annotate(about.seats),
  personal: Schema.Boolean.annotate({
    description: "Whether it is the personal workspace of a user, which ends with the user.",
    examples: [false]
  }),
  members: Fields.count("Number of members.", 4),
  notes: Fields.count("Number of notes, without those in the trash.", 1234),
  storage_bytes: Fields.count("Bytes of attachments, including those of notes in the trash.", 52_428_800),
  text_bytes: Fields.count("Bytes of the texts of notes, with their history, and templates.", 184_320),
  kept_bytes: Fields.count(
    "Bytes that it keeps in all, at most twice the storage of its plan: texts, and files as they are stored, also those of imports and exports, deleted ones that are not removed yet, and the room for files that are being received.",
    52_613_120
  ),
  deleted_at: Schema.NullOr(Fields.time("When it was deleted; else null. It can be restored for 30 days.")).annotate({
    examples: [null]
  }),
  purge_at: Schema.NullOr(
    Fields.time("When its erasure was requested, which follows within two hours; else null.")
  ).annotate({ examples: [null] }),
  created_at: Fields.createdAt
}).annotate({ identifier: "ServerWorkspace" })
export type ServerWorkspace = typeof ServerWorkspace.Type

export const ServerWorkspaceUpdate = Schema.Struct({
  plan: Schema.optionalKey(Text.oneOf(plans, "unknown_plan").annotate(about.plan)),
  seats: Schema.optionalKey(Text.whole(1, 100_000).annotate(about.seats))
}).annotate({ identifier: "ServerWorkspaceUpdate" })
export type ServerWorkspaceUpdate = typeof ServerWorkspaceUpdate.Type

export const WorkspaceRestore = Schema.Struct({
  owner: Schema.optionalKey(
    email({
      description: "The address of a user who becomes an owner. Required if no owner is left.",
      examples: ["anna@example.org"]
    })
  ),
  current_password: Fields.currentPassword
}).annotate({ identifier: "WorkspaceRestore" })
export type WorkspaceRestore = typeof WorkspaceRestore.Type

/** All workspaces, with those that are deleted and not erased yet. */
export const serverWorkspaceList = listOf(ServerWorkspace, {
  path: "/admin/workspaces",
  from: `(SELECT w.workspace_id AS id, w.name, w.slug, w.plan, w.seats, w.deleted_at, w.purge_at, w.created_at,
      EXISTS (SELECT FROM users u WHERE u.workspace_id = w.workspace_id) AS personal,
      (SELECT count(*)::int FROM members m WHERE m.workspace_id = w.workspace_id) AS members,
      h.notes::float8 AS notes, h.file_bytes::float8 AS storage_bytes, h.text_bytes::float8 AS text_bytes,
      ${keptBytes()} AS kept_bytes
    FROM workspaces w JOIN heads h ON h.workspace_id = w.workspace_id) w`,
  sort: ["-created_at", "slug"],
  filter: ["id", "name", "slug", "plan", "personal", "deleted", "created_at"],
  words: ["name", "slug"],
  enums: ["plan"],
  indexed: { id: "few" },
  // With an index on this order, PostgreSQL would read the workspaces of a user among those of all others.
  unindexedSorts: ["created_at"],
  sorts: { slug: { sql: `slug COLLATE "C"`, type: "text" } },
  filters: { deleted: { type: "boolean", sql: "(deleted_at IS NOT NULL)" } }
})
