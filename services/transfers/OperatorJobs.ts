import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { Conflict, type Invalid, NotFound, type RateLimited, type Unavailable } from "../Errors.ts"
import { Database, runSql } from "../database/Database.ts"
import { notifyAdded, notifyEnded } from "../database/NodeBus.ts"
import { Blobs, type Staged } from "../files/Blobs.ts"
import { blobs as blobTable } from "../files/BlobTable.ts"
import { readsOfServer, type ServerReads } from "../lists/RecordService.ts"
import { columnsOf } from "../tables/Column.ts"
import { traced } from "../Traced.ts"
import * as WorkspaceEdits from "../workspaces/WorkspaceEdits.ts"
import { OperatorActor } from "../writer/Actor.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Writer } from "../writer/Writer.ts"
import * as ExportEdits from "./exports/ExportEdits.ts"
import * as ImportEdits from "./imports/ImportEdits.ts"
import { type ServerJob, serverJobList } from "./ServerJob.ts"
import { transfers } from "./TransferTable.ts"

/** A job with the time since its creation, such as "2h 5m 10s". */
export interface OwnedJob extends ServerJob {
  readonly age: string
}

const listText = `SELECT ${columnsOf(serverJobList.shape)} FROM ${serverJobList.from}
  WHERE (workspace_id, id) > ($1, $2) AND ($3::text IS NULL OR workspace_id = $3)
    AND ($4::boolean OR state <> 'done') ORDER BY workspace_id, id LIMIT 500`

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
  ServerReads<ServerJob> & {
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
      const reads = yield* readsOfServer<ServerJob>("OperatorJobs", serverJobList, NotFound.of("job"))

      const find = Effect.fnUntraced(function* (id: string) {
        const [found] = yield* runSql<FoundExport | FoundImport>(
          read,
          `SELECT 'export' AS kind, workspace_id, status, NULL AS sha256, NULL AS size FROM exports WHERE id = $1
            UNION ALL SELECT 'import', workspace_id, status, file_sha256, size_bytes::float8 FROM imports WHERE id = $1`,
          [id]
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
        const marked = yield* runSql(
          sql,
          `UPDATE blobs SET released = false, unused_since = CASE WHEN refs = 0 THEN greatest(unused_since, $3) END
            WHERE workspace_id = $1 AND sha256 = $2 RETURNING 1`,
          [workspace_id, sha256, now]
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
            yield* WorkspaceEdits.present(draft)
            yield* file === undefined ? ExportEdits.retry(draft, id) : ImportEdits.retry(draft, id, file)
            AuditTrail.audit(draft, { action: "server.job_retried", resource: found.kind, resource_id: id })
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
          const rows = yield* runSql<ServerJob>(read, listText, [
            after?.workspace_id ?? "",
            after?.id ?? "",
            workspace_id ?? null,
            String(ended)
          ])
          return rows.map((row): OwnedJob => {
            const seconds = Math.max(0, Math.round((now - Date.parse(row.created_at)) / 1000))
            return { ...row, age: Duration.format(Duration.seconds(seconds)) }
          })
        }),
        ...reads,
        cancel: traced("OperatorJobs.cancel")(cancel),
        retry: traced("OperatorJobs.retry")(retry)
      })
    })
  )
}
