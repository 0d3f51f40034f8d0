import { Effect } from "effect"
import { Conflict, Expired, Invalid, NotFound } from "../../Errors.ts"
import { notebooks } from "../../notes/notebooks/Notebook.ts"
import { limitedCredential } from "../../writer/Actor.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import type { Staged } from "../../files/Blobs.ts"
import { blobs, released, taken } from "../../files/BlobTable.ts"
import type { Draft } from "../../writer/Draft.ts"
import { refused } from "../../writer/ReachedOverlay.ts"
import { type ImportCreate, type ImportError, type ImportRow, imports, unnamed } from "./Import.ts"
import { ImportErrors } from "./ImportErrors.ts"
import { room } from "../TransferRoom.ts"
import * as TransferTable from "../TransferTable.ts"
import { transfers } from "../TransferTable.ts"

/** Changes of imports, on a draft. Clients do not sync imports: only their end is an entry of the log. */

export const missing = NotFound.of("import")

/** Milliseconds that an import waits for its file. */
export const fileAwaited = 24 * 3_600_000
/** Milliseconds that an ended import is kept. */
const keptFor = 90 * 24 * 3_600_000
/** Maximum number of ended imports per workspace. */
const maxEnded = 100

const after = (draft: Draft, millis: number): string => new Date(draft.millis + millis).toISOString()

const checkNotebook = Effect.fnUntraced(function* (draft: Draft, notebook_id: string | null) {
  if (notebook_id === null) {
    if (draft.reach !== undefined) return yield* Invalid.field("notebook_id", "required", "is required")
    return
  }
  if ((yield* draft.get(notebooks, notebook_id)) === undefined) {
    return yield* Invalid.field("notebook_id", "unknown", "names no notebook", "unresolved_reference")
  }
  if (!(yield* draft.mayWrite(notebooks, notebook_id))) return yield* refused
})

const nothingCame = (file: string, message: string): ImportError => ({ file, code: "nothing_came", message })

/** Maximum number of imports of a workspace that wait for their file. When one more is created, the oldest fails. */
const maxWithoutFile = 20

const makeRoomForFile = Effect.fnUntraced(function* (draft: Draft) {
  const waiting = (yield* draft.having(imports, "status", "queued")).filter(({ blob }) => blob === null)
  for (const { filename, id } of waiting.slice(0, Math.max(0, waiting.length - maxWithoutFile + 1))) {
    const error = nothingCame(
      filename ?? "",
      `Its file did not arrive, and ${maxWithoutFile} newer imports are waiting for theirs`
    )
    yield* end(draft, id, { status: "failed", errors: [error], total: null })
  }
})

/** Creates an import. Without `file`, the import waits for its file. */
export const create = Effect.fnUntraced(function* (draft: Draft, input: ImportCreate, file?: Staged) {
  const { filename = null, on_existing = "skip", preview = false, source } = input
  // A limited credential imports everything into its notebook.
  const notebook_id = source === "json" && draft.reach === undefined ? null : (input.notebook_id ?? null)
  yield* checkNotebook(draft, notebook_id)
  if (file === undefined) yield* makeRoomForFile(draft)
  const row: ImportRow = {
    id: draft.newId("im"),
    source,
    status: "queued",
    preview,
    notebook_id,
    filename,
    size_bytes: null,
    on_existing,
    imported: 0,
    skipped: 0,
    updated: 0,
    notebooks: 0,
    tags: 0,
    attachments: 0,
    total: null,
    errors: [],
    created_at: draft.now,
    author_id: preview ? null : draft.actor.user_id,
    asked_by: preview ? draft.actor.user_id : null,
    credential_id: limitedCredential(draft.actor),
    blob: null,
    file_sha256: null,
    permille: 0,
    keeps_ids: null,
    ends_at: after(draft, fileAwaited)
  }
  if (file !== undefined) return yield* begin(draft, row, file)
  draft.add(imports, row)
  return row
})

export const usedUp = new Expired({
  code: "upload_expired",
  detail: "This address was already used: the import has its file"
})

/**
 * Queues the next import: imports of a workspace run one at a time, the oldest first, so that each finds the records of
 * the earlier ones. Called when an import has received its file, and when one has ended.
 */
const queueNext = Effect.fnUntraced(function* (draft: Draft) {
  const begun = (yield* draft.having(imports, "status", "queued")).filter(({ blob }) => blob !== null)
  for (const { id } of begun) if ((yield* draft.get(transfers, id)) !== undefined) return
  const [next] = begun.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  if (next !== undefined) TransferTable.put(draft, next.id)
})

/** Stores the reference to the file of an import, and queues the import. */
const begin = Effect.fnUntraced(function* (draft: Draft, before: ImportRow, file: Staged) {
  const { sha256, size } = file
  yield* room(draft)
  const blob = (yield* draft.get(blobs, sha256))!
  draft.put(blobs, taken(blob, file))
  const row: ImportRow = { ...before, size_bytes: size, blob: sha256, file_sha256: sha256, ends_at: null }
  draft.put(imports, row)
  yield* queueNext(draft)
  return row
})

/** Takes the file of an import. The same file again has no effect. */
export const receive = Effect.fnUntraced(function* (draft: Draft, id: string, file: Staged) {
  const row = yield* draft.get(imports, id)
  if (row === undefined) return yield* missing
  if (row.file_sha256 === file.sha256) return row
  return row.status === "queued" && row.file_sha256 === null ? yield* begin(draft, row, file) : yield* usedUp
})

/** Removes the oldest ended imports so that one more can end. */
const makeRoom = Effect.fnUntraced(function* (draft: Draft) {
  const ended = [
    ...(yield* draft.having(imports, "status", "done")),
    ...(yield* draft.having(imports, "status", "failed"))
  ]
  const inOrder = ended.toSorted((one, other) => ((one.ends_at ?? "") < (other.ends_at ?? "") ? -1 : 1))
  for (const { id } of inOrder.slice(0, Math.max(0, inOrder.length - maxEnded + 1))) draft.remove(imports, id)
})

/** Begins an attempt of a preview: no earlier one has left anything but its counts. */
export const beginPreview = Effect.fnUntraced(function* (draft: Draft, id: string) {
  const row = yield* draft.get(imports, id)
  if (row === undefined || row.status !== "queued") return
  const none = { imported: 0, skipped: 0, updated: 0, notebooks: 0, tags: 0, attachments: 0 }
  const begun: ImportRow = { ...row, ...none, permille: 0, errors: [] }
  draft.put(imports, begun)
})

export interface End {
  readonly status: "done" | "failed"
  readonly errors: ReadonlyArray<ImportError>
  readonly total: number | null
  /** If absent, the number that is stored remains. */
  readonly skipped?: number
}

/** Ends an import and releases its file. Returns false, and changes nothing, if it has ended already. */
export const end = Effect.fnUntraced(function* (draft: Draft, id: string, { errors, skipped, status, total }: End) {
  const before = yield* draft.get(imports, id)
  if (before === undefined || before.status !== "queued") return false
  yield* makeRoom(draft)
  if (before.blob !== null) {
    const blob = (yield* draft.get(blobs, before.blob))!
    draft.put(blobs, released(blob, draft.now))
  }
  const row: ImportRow = {
    ...before,
    status,
    errors,
    total,
    skipped: skipped ?? before.skipped,
    permille: status === "done" ? 1000 : before.permille,
    blob: null,
    ends_at: after(draft, keptFor)
  }
  draft.put(imports, row)
  if (before.blob !== null) {
    draft.remove(transfers, id)
    yield* queueNext(draft)
  }
  // A preview is no event of the workspace.
  if (row.preview) return true
  const type = status === "done" ? "import.done" : "import.failed"
  const { filename, imported, notebook_id, source, updated } = row
  const entry = {
    resource: "import" as const,
    resource_id: id,
    data: {
      source,
      filename,
      notebook_id,
      imported,
      skipped: row.skipped,
      updated,
      total,
      errors: errors.length
    }
  }
  draft.append({ type, ...entry })
  AuditTrail.audit(draft, { action: type, ...entry })
  return true
})

/**
 * Ends an import as failed. `reason` becomes an entry of its `errors`. Notes that it has created stay. Returns false if it
 * has ended already.
 */
export const fail = Effect.fnUntraced(function* (draft: Draft, id: string, reason: string) {
  const row = yield* draft.get(imports, id)
  if (row === undefined) return false
  const { errors, filename, source } = row
  const entry: ImportError = { file: filename ?? unnamed[source], code: "not_ended", message: reason }
  return yield* end(draft, id, { status: "failed", errors: new ImportErrors(errors).with([entry]).all, total: null })
})

/** Its file has been removed since the import ended. */
export const fileGone = new Conflict({
  code: "invalid_state",
  detail: "Its file is gone, because files are removed after an import ends: import the file again"
})

/**
 * Queues a failed import again, for the operator. The bytes of its `file` are still there. Like an interrupted import, it
 * reads the file from the beginning and omits all that it has created already.
 */
export const retry = Effect.fnUntraced(function* (draft: Draft, id: string, file: Staged) {
  const row = yield* draft.get(imports, id)
  if (row === undefined) return yield* missing
  if (row.status !== "failed") return yield* TransferTable.notFailed(row.status)
  if (row.notebook_id !== null && (yield* draft.get(notebooks, row.notebook_id)) === undefined) {
    return yield* new Conflict({ code: "invalid_state", detail: "The notebook of the import no longer exists" })
  }
  if ((yield* draft.get(blobs, file.sha256)) === undefined) return yield* fileGone
  yield* begin(draft, { ...row, status: "queued", errors: [], total: null, permille: 0 }, file)
})

/** Expires an import: one that still waits for its file fails; an ended one is removed. */
export const expire = Effect.fnUntraced(function* (draft: Draft, id: string, now: string) {
  const row = yield* draft.get(imports, id)
  if (row === undefined || row.ends_at === null || row.ends_at > now) return
  if (row.status !== "queued") return draft.remove(imports, id)
  yield* end(draft, id, {
    status: "failed",
    errors: [nothingCame(row.filename ?? "", "Its file did not arrive within a day")],
    total: null
  })
})
