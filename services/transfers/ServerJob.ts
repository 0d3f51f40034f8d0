import { Schema } from "effect"
import { isGone } from "../database/ProcessLock.ts"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"

const states = ["awaiting_file", "queued", "running", "retrying", "failed", "done"] as const

/** An export or import of any workspace, as operators see it (contract 11). */
export const ServerJob = Schema.Struct({
  id: Fields.text("The id of the export or import.", Fields.exampleId("ex")),
  kind: Schema.Literals(["export", "import"]).annotate({ description: "The kind of job.", examples: ["export"] }),
  workspace_id: Fields.id("ws", "The workspace that it reads or writes."),
  workspace: Fields.text("The slug of the workspace.", "acme"),
  state: Schema.Literals(states).annotate({
    description: "Its state. `retrying`: a try failed, and another one follows at `next_at`.",
    examples: ["running"]
  }),
  progress: Schema.Finite.annotate({ description: "From 0 to 1.", examples: [0.25] }),
  attempts: Fields.count("Number of tries of a job that has not ended.", 1),
  next_at: Schema.NullOr(Fields.time("When the next try begins; null if none is due.")).annotate({ examples: [null] }),
  error: Schema.NullOr(Fields.text("Why it failed; for an import its last problem.", "The disk is full")).annotate({
    examples: [null]
  }),
  created_at: Fields.createdAt
}).annotate({ identifier: "ServerJob" })
export type ServerJob = typeof ServerJob.Type

/** The state of a job that has not ended. A claim of a process that has died is no claim. */
const unended = `CASE WHEN t.claimed_by IS NOT NULL AND NOT ${isGone("t.claimed_by")} THEN 'running'
  WHEN t.attempts > 0 THEN 'retrying' ELSE 'queued' END`

const of = (kind: ServerJob["kind"], table: string, own: string) =>
  `SELECT '${kind}' AS kind, j.id, j.workspace_id, w.slug AS workspace, j.created_at,
      coalesce(t.attempts, 0) AS attempts,
      CASE WHEN t.attempts > 0 AND t.claimed_by IS NULL THEN t.next_at END AS next_at, ${own}
    FROM ${table} j JOIN workspaces w ON w.workspace_id = j.workspace_id
    LEFT JOIN transfers t ON t.workspace_id = j.workspace_id AND t.id = j.id`

export const serverJobList = listOf(ServerJob, {
  path: "/admin/jobs",
  from: `(${of(
    "export",
    "exports",
    `CASE j.status WHEN 'queued' THEN ${unended} WHEN 'ready' THEN 'done' ELSE j.status END AS state,
      CASE WHEN j.status = 'ready' THEN 1000 ELSE coalesce(t.permille, 0) END / 1000::float8 AS progress, j.error`
  )} UNION ALL ${of(
    "import",
    "imports",
    `CASE WHEN j.status <> 'queued' THEN j.status WHEN j.blob IS NULL THEN 'awaiting_file' ELSE ${unended} END AS state,
      j.permille / 1000::float8 AS progress, CASE WHEN j.status = 'failed' THEN j.errors -> -1 ->> 'message' END AS error`
  )}) j`,
  sort: ["-created_at"],
  filter: ["id", "kind", "workspace_id", "workspace", "state", "created_at"],
  words: ["workspace"],
  enums: ["kind", "state"],
  // Those of deleted workspaces are deleted, and a workspace keeps few.
  unindexedSorts: ["created_at"]
})
