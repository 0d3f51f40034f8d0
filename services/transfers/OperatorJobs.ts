import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { Conflict, type Invalid, NotFound, type RateLimited, type Unavailable } from "../Errors.ts"
import { Database, orUnavailable } from "../database/Database.ts"
import { notifyAdded, notifyEnded } from "../database/NodeBus.ts"
import { isGone } from "../database/ProcessLock.ts"
import { Blobs, type Staged } from "../files/Blobs.ts"
import { blobs as blobTable } from "../files/BlobTable.ts"
import { traced } from "../Traced.ts"
import * as WorkspaceEdits from "../workspaces/WorkspaceEdits.ts"
import { OperatorActor } from "../writer/Actor.ts"
import { Writer } from "../writer/Writer.ts"
import * as ExportEdits from "./exports/ExportEdits.ts"
import * as ImportEdits from "./imports/ImportEdits.ts"
import { transfers } from "./TransferTable.ts"

/** An export or import, as the operator sees it. Times are RFC 3339. */
export interface OwnedJob {
  readonly id: string
  readonly kind: "export" | "import"
  readonly workspace_id: WorkspaceId
  /** Its slug. */
  readonly workspace: string
  /** `retrying`: a try failed, and another one follows at `next_at`. */
  readonly state: "awaiting_file" | "queued" | "running" | "retrying" | "failed" | "done"
  /** From 0 to 1. */
  readonly progress: number
  /** Number of tries of a job that has not ended. */
  readonly attempts: number
  readonly next_at: string | null
  /** Why it failed; for an import its last problem. */
  readonly error: string | null
  readonly created_at: string
  /** Time since `created_at`, such as "2h 5m 10s". */
  readonly age: string
}

/** The state of a job that has not ended. A claim of a process that has died is no claim. */
const unended = `CASE WHEN t.claimed_by IS NOT NULL AND NOT ${isGone("t.claimed_by")} THEN 'running'
  WHEN t.attempts > 0 THEN 'retrying' ELSE 'queued' END`

const of = (kind: OwnedJob["kind"], table: string, own: string) =>
  `(SELECT '${kind}' AS kind, j.id, j.workspace_id, j.created_at, coalesce(t.attempts, 0) AS attempts,
      CASE WHEN t.attempts > 0 AND t.claimed_by IS NULL THEN t.next_at END AS next_at, ${own}
    FROM ${table} j LEFT JOIN transfers t ON t.workspace_id = j.workspace_id AND t.id = j.id
    WHERE (j.workspace_id, j.id) > ($1, $2) AND ($3::text IS NULL OR j.workspace_id = $3)
      AND ($4::boolean OR j.status IN ('queued', 'failed'))
    ORDER BY j.workspace_id, j.id LIMIT 500)`

const listText = `SELECT j.*, w.slug AS workspace FROM (
    ${of(
      "export",
      "exports",
      `CASE j.status WHEN 'queued' THEN ${unended} WHEN 'ready' THEN 'done' ELSE j.status END AS state,
      CASE WHEN j.status = 'ready' THEN 1000 ELSE coalesce(t.permille, 0) END / 1000::float8 AS progress, j.error`
    )} UNION ALL ${of(
      "import",
      "imports",
      `CASE WHEN j.status <> 'queued' THEN j.status WHEN j.blob IS NULL THEN 'awaiting_file' ELSE ${unended} END AS state,
      j.permille / 1000::float8 AS progress, CASE WHEN j.status = 'failed' THEN j.errors -> -1 ->> 'message' END AS error`
    )}
  ) j JOIN workspaces w ON w.workspace_id = j.workspace_id ORDER BY j.workspace_id, j.id LIMIT 500`

interface FoundExport {
  readonly kind: "export"
  readonly workspace_id: WorkspaceId
}

interface FoundImport {
  readonly kind: "import"
  readonly workspace_id: WorkspaceId
  readonly status: string
  readonly sha256: string | null
  readonly size: number | null
}

/** Commands of the operator on exports and imports, with or without a running server, which runs them. */
export class OperatorJobs extends Context.Service<
  OperatorJobs,
  {
    /** Returns at most 500 jobs after `after`, of all workspaces or of one; with `ended` also those that succeeded. */
    readonly all: (
      after: Pick<OwnedJob, "id" | "workspace_id"> | undefined,
      options: { readonly workspace_id: WorkspaceId | undefined; readonly ended: boolean }
    ) => Effect.Effect<ReadonlyArray<OwnedJob>, Unavailable>
    /** Ends a job as failed, in the same way as one that failed by itself. A node that runs it stops. */
    readonly cancel: (id: string) => Effect.Effect<void, NotFound | Conflict | Unavailable>
    /** Queues a failed job again. Nothing that it has created already is created again. */
    readonly retry: (id: string) => Effect.Effect<void, NotFound | Conflict | Invalid | RateLimited | Unavailable>
  }
>()("sheaf/transfers/OperatorJobs") {
  static readonly layer = Layer.effect(
    OperatorJobs,
    Effect.gen(function* () {
      const { read, write: sql } = yield* Database
      const writer = yield* Writer
      const blobs = yield* Blobs

      const find = Effect.fnUntraced(function* (id: string) {
        const [found] = yield* orUnavailable(
          read.unsafe<FoundExport | FoundImport>(
            `SELECT 'export' AS kind, workspace_id, status, NULL AS sha256, NULL AS size FROM exports WHERE id = $1
            UNION ALL SELECT 'import', workspace_id, status, file_sha256, size_bytes::float8 FROM imports WHERE id = $1`,
            [id]
          )
        )
        return found ?? (yield* NotFound.of(`job: ${id}`))
      })

      const cancel = Effect.fnUntraced(function* (id: string) {
        const { kind, workspace_id } = yield* find(id)
        const { fail } = kind === "export" ? ExportEdits : ImportEdits
        yield* writer.writeLocked(
          workspace_id,
          { actor: yield* OperatorActor },
          Effect.fnUntraced(function* (draft) {
            if (!(yield* fail(draft, id, "The operator of the server cancelled it"))) {
              return yield* new Conflict({ code: "invalid_state", detail: "It has ended already" })
            }
            yield* Effect.orDie(notifyEnded(draft.sql, transfers.name, id))
            // The next import of the workspace may have been queued.
            yield* Effect.orDie(notifyAdded(draft.sql, transfers.name))
          })
        )
      })

      /**
       * The file of an import, if its bytes are still there. The row is marked first, so that the collection of files,
       * which locks it, spares the bytes for an hour.
       */
      const fileOf = Effect.fnUntraced(function* ({ sha256, size, status, workspace_id }: FoundImport) {
        if (sha256 === null || size === null) {
          return yield* new Conflict({
            code: "invalid_state",
            detail: "Its file has never arrived: create a new import"
          })
        }
        const file: Staged = { sha256, size }
        // The draft refuses it.
        if (status !== "failed") return file
        const now = new Date(yield* Clock.currentTimeMillis).toISOString()
        const marked = yield* orUnavailable(
          sql.unsafe(
            `UPDATE blobs SET released = false, unused_since = CASE WHEN refs = 0 THEN greatest(unused_since, $3) END
            WHERE workspace_id = $1 AND sha256 = $2 RETURNING 1`,
            [workspace_id, sha256, now]
          )
        )
        const found = marked.length === 0 ? undefined : yield* blobs.stat({ workspace_id, sha256 })
        return found?.size === size ? file : yield* ImportEdits.fileGone
      })

      const retry = Effect.fnUntraced(function* (id: string) {
        const found = yield* find(id)
        const file = found.kind === "import" ? yield* fileOf(found) : undefined
        yield* writer.writeLocked(
          found.workspace_id,
          { actor: yield* OperatorActor, needs: file === undefined ? [] : [[blobTable, file.sha256]] },
          Effect.fnUntraced(function* (draft) {
            const workspace = yield* WorkspaceEdits.present(draft)
            yield* file === undefined ? ExportEdits.retry(draft, id) : ImportEdits.retry(draft, id, file)
            WorkspaceEdits.retried(draft, workspace, id)
            yield* Effect.orDie(notifyAdded(draft.sql, transfers.name))
          })
        )
      })

      return OperatorJobs.of({
        all: traced("OperatorJobs.all")(function* (
          after: Pick<OwnedJob, "id" | "workspace_id"> | undefined,
          { ended, workspace_id }: { readonly workspace_id: WorkspaceId | undefined; readonly ended: boolean }
        ) {
          const now = yield* Clock.currentTimeMillis
          const rows = yield* orUnavailable(
            read.unsafe<Omit<OwnedJob, "age">>(listText, [
              after?.workspace_id ?? "",
              after?.id ?? "",
              workspace_id ?? null,
              String(ended)
            ])
          )
          return rows.map((row): OwnedJob => {
            const seconds = Math.max(0, Math.round((now - Date.parse(row.created_at)) / 1000))
            return { ...row, age: Duration.format(Duration.seconds(seconds)) }
          })
        }),
        cancel: traced("OperatorJobs.cancel")(cancel),
        retry: traced("OperatorJobs.retry")(retry)
      })
    })
  )
}
