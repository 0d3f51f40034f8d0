import { Effect } from "effect"
import { Conflict, Invalid, NotFound } from "../../Errors.ts"
import { notebooks } from "../../notes/notebooks/Notebook.ts"
import { limitedCredential } from "../../writer/Actor.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import type { Staged } from "../../files/Blobs.ts"
import { blobs, released, taken } from "../../files/BlobTable.ts"
import type { Draft } from "../../writer/Draft.ts"
import { type ExportCreate, type ExportRow, exports } from "./Export.ts"
import { room } from "../TransferRoom.ts"
import * as TransferTable from "../TransferTable.ts"

/** Changes of exports, on a draft. Clients do not sync exports: only their end is an entry of the log. */

export const missing = NotFound.of("export")

/** Milliseconds that a finished export is kept (contract, section 7). */
export const keptFor = 7 * 24 * 3_600_000
/** Maximum number of finished exports per workspace. */
const maxFinished = 5

export const create = Effect.fnUntraced(function* (draft: Draft, input: ExportCreate) {
  const { format = "markdown", include_attachments = true, scope } = input
  const notebook_id = scope === "notebook" ? (input.notebook_id ?? null) : null
  if (scope === "notebook") {
    const notebook = notebook_id === null ? undefined : yield* draft.get(notebooks, notebook_id)
    if (notebook === undefined) {
      return yield* Invalid.field("notebook_id", "unknown", "names no notebook", "unresolved_reference")
    }
  }
  yield* room(draft)
  const row: ExportRow = {
    id: draft.newId("ex"),
    scope,
    format,
    status: "queued",
    notebook_id,
    include_attachments,
    error: null,
    size_bytes: null,
    expires_at: null,
    created_at: draft.now,
    author_id: draft.actor.user_id,
    credential_id: limitedCredential(draft.actor),
    reach: draft.actor.reach ?? null,
    blob: null
  }
  draft.add(exports, row)
  AuditTrail.audit(draft, {
    action: "export.requested",
    resource: "export",
    resource_id: row.id,
    data: { scope, format, notebook_id, include_attachments }
  })
  TransferTable.put(draft, row.id)
  return row
})

const logEnd = (draft: Draft, type: "export.ready" | "export.failed", row: ExportRow) => {
  const { error, format, notebook_id, scope, size_bytes } = row
  const entry = {
    resource: "export" as const,
    resource_id: row.id,
    data: { scope, format, notebook_id, size_bytes, error }
  }
  draft.append({ type, ...entry })
  AuditTrail.audit(draft, { action: type, ...entry })
}

/** Removes an export and releases its file. */
const remove = Effect.fnUntraced(function* (draft: Draft, row: ExportRow) {
  draft.remove(exports, row.id)
  if (row.blob === null) return
  const blob = (yield* draft.get(blobs, row.blob))!
  draft.put(blobs, released(blob, draft.now))
})

/** Removes the oldest finished exports so that one more can finish. The others may have `room` bytes in all. */
const makeRoom = Effect.fnUntraced(function* (draft: Draft, room: number) {
  const finished = [
    ...(yield* draft.having(exports, "status", "ready")),
    ...(yield* draft.having(exports, "status", "failed"))
  ]
  // Exports that finished at the same time are in the order of their ids.
  const place = ({ expires_at, id }: ExportRow) => `${expires_at ?? ""} ${id}`
  const inOrder = finished.toSorted((one, other) => (place(one) < place(other) ? -1 : 1))
  let count = inOrder.length
  let bytes = inOrder.reduce((sum, { size_bytes }) => sum + (size_bytes ?? 0), 0)
  for (const row of inOrder) {
    if (count < maxFinished && bytes <= room) return
    yield* remove(draft, row)
    count--
    bytes -= row.size_bytes ?? 0
  }
})

/** Ends an export. Returns false, and changes nothing, if it has ended already. */
const finished = Effect.fnUntraced(function* (draft: Draft, id: string, end: Partial<ExportRow>, maxBytes = Infinity) {
  const before = yield* draft.get(exports, id)
  // Another attempt has finished it.
  if (before === undefined || before.status !== "queued") return false
  yield* makeRoom(draft, maxBytes - (end.size_bytes ?? 0))
  const row: ExportRow = { ...before, ...end, expires_at: new Date(draft.millis + keptFor).toISOString() }
  draft.put(exports, row)
  draft.remove(TransferTable.transfers, id)
  logEnd(draft, row.status === "ready" ? "export.ready" : "export.failed", row)
  return true
})

/** Makes an export ready, with its file. All finished exports may have `maxBytes` together: the oldest are removed. */
export const makeReady = Effect.fnUntraced(function* (draft: Draft, id: string, file: Staged, maxBytes: number) {
  const { sha256, size } = file
  const before = yield* draft.get(exports, id)
  if (before === undefined || before.status !== "queued") return
  const blob = (yield* draft.get(blobs, sha256))!
  draft.put(blobs, taken(blob, file))
  yield* finished(draft, id, { status: "ready", size_bytes: size, blob: sha256 }, maxBytes)
})

/** Ends an export as failed. Returns false if it has ended already. */
export const fail = (draft: Draft, id: string, error: string) => finished(draft, id, { status: "failed", error })

/** Queues a failed export again, for the operator. It exports the state of the moment at which it runs. */
export const retry = Effect.fnUntraced(function* (draft: Draft, id: string) {
  const before = yield* draft.get(exports, id)
  if (before === undefined) return yield* missing
  const { notebook_id, status } = before
  if (status !== "failed") return yield* TransferTable.notFailed(status)
  if (notebook_id !== null && (yield* draft.get(notebooks, notebook_id)) === undefined) {
    return yield* new Conflict({ code: "invalid_state", detail: "The notebook of the export no longer exists" })
  }
  yield* room(draft)
  const row: ExportRow = { ...before, status: "queued", error: null, expires_at: null }
  draft.put(exports, row)
  TransferTable.put(draft, id)
})

/** Removes an export that has expired. */
export const expire = Effect.fnUntraced(function* (draft: Draft, id: string, now: string) {
  const row = yield* draft.get(exports, id)
  if (row === undefined || row.expires_at === null || row.expires_at > now) return
  yield* remove(draft, row)
})
