import { Clock, Context, Effect, Layer } from "effect"
import { isDeepStrictEqual } from "node:util"
import { Contents } from "../../contents/Contents.ts"
import { sent } from "../../concurrency/SentSecrets.ts"
import { presentReach } from "../../oauth/PresentReach.ts"
import { Randomness } from "../../Randomness.ts"
import type { WorkspaceId } from "../../Ids.ts"
import * as AttachmentIntake from "../../notes/attachments/AttachmentIntake.ts"
import { systemActor } from "../../writer/Actor.ts"
import { Blobs, type Room } from "../../files/Blobs.ts"
import { Database } from "../../database/Database.ts"
import * as Queue from "../../jobs/Queue.ts"
import { Writer } from "../../writer/Writer.ts"
import { FileRoom } from "../../workspaces/FileRoom.ts"
import { Plans } from "../../workspaces/Plans.ts"
import { workspaces } from "../../workspaces/WorkspaceTables.ts"
import * as Edits from "./ExportEdits.ts"
import { type ExportRow, exports } from "./Export.ts"
import { linksRead } from "./LinksRead.ts"
import * as ExportThread from "./ExportThread.ts"

/** Maximum bytes of an export: more than any store accepts for one object. */
const maxBytes = 5 * 1024 ** 4

/** Makes the files of exports. Each attempt starts from the beginning. */
export class ExportRuns extends Context.Service<
  ExportRuns,
  {
    /** Runs an export. One that has ended already is not changed. */
    readonly run: (workspace_id: string, id: string) => Effect.Effect<void, Queue.Retry | Queue.Drop>
    /** Ends an export as failed. `reason` becomes its `error`. */
    readonly fail: (workspace_id: string, id: string, reason: string) => Effect.Effect<void>
  }
>()("sheaf/transfers/exports/ExportRuns") {
  static readonly layer = Layer.effect(
    ExportRuns,
    Effect.gen(function* () {
      const { address, read, write: sql } = yield* Database
      const blobs = yield* Blobs
      const writer = yield* Writer
      const fileRoom = yield* FileRoom
      const { limits } = yield* Plans
      const contents = yield* Contents
      const randomness = yield* Randomness
      const { keeping } = AttachmentIntake.make(sql, blobs, writer, fileRoom, randomness)

      const find = (workspace_id: string, id: string) =>
        Effect.map(
          read.unsafe<ExportRow>(
            `SELECT ${exports.selectList} FROM exports WHERE workspace_id = $1 AND id = $2 AND status = 'queued'`,
            [workspace_id, id]
          ),
          ([row]) => row
        )

      /** Stores the progress. The progress that clients see is at most a few seconds old. */
      const progress = (workspace_id: string, id: string) => (permille: number) =>
        Effect.ignore(
          sql.unsafe("UPDATE transfers SET permille = $3::int WHERE workspace_id = $1 AND id = $2", [
            workspace_id,
            id,
            String(permille)
          ])
        )

      const actor = ({ author_id }: ExportRow) => ({ ...systemActor, user_id: author_id })

      const made = Effect.fnUntraced(function* (workspace_id: WorkspaceId, row: ExportRow) {
        const { format, id, include_attachments, notebook_id, reach, scope } = row
        // Its credential reads only exports of what it reaches now.
        if (!isDeepStrictEqual((yield* presentReach(read, workspace_id, row)) ?? null, reach)) {
          return yield* new Queue.Drop({ reason: "Its credential has ended, or its notebooks have changed" })
        }
        yield* linksRead(contents, workspace_id, format).pipe(
          Effect.catchTag("Unavailable", ({ detail }) => Effect.fail(new Queue.Retry({ reason: detail })))
        )
        const name = `ex_${randomness.text(24)}`
        const thread = yield* ExportThread.begin({
          data: {
            address: sent(address),
            parameters: {
              workspace_id,
              format,
              include_attachments,
              notebook_id,
              scope,
              reach,
              now: yield* Clock.currentTimeMillis
            }
          },
          progress: progress(workspace_id, id),
          file: (sha256) => blobs.read({ workspace_id, sha256 }),
          leftOut: (files) =>
            Effect.annotateLogs(
              Effect.logWarning("an export left out files whose bytes are missing or damaged: run sheaf files check"),
              { workspace_id, export_id: id, files }
            )
        })
        yield* Effect.addFinalizer(() => Effect.ignore(blobs.discard(name)))
        const stored = Effect.fnUntraced(function* (room: Room) {
          const staged = yield* blobs.stage(thread.pieces, name, maxBytes, room)
          yield* keeping(workspace_id, actor(row), name, staged, [], (draft) =>
            Effect.flatMap(draft.get(workspaces), (workspace) =>
              Edits.makeReady(draft, id, staged, limits[workspace!.plan].storage_bytes || Infinity)
            )
          )
        })
        yield* Effect.catchTags(fileRoom.reserving({ workspace_id, isExport: true }, stored), {
          SourceFailed: () =>
            thread.isNotebookGone()
              ? new Queue.Drop({ reason: "The notebook was deleted before it was exported" })
              : new Queue.Retry({ reason: thread.failure() }),
          TooLarge: ({ detail }) => new Queue.Drop({ reason: detail }),
          Forbidden: ({ detail }) => new Queue.Drop({ reason: detail }),
          NotFound: () => new Queue.Drop({ reason: "The workspace no longer exists" }),
          Unavailable: ({ detail }) => new Queue.Retry({ reason: detail })
        })
        // Earlier exports may have been removed to make room.
        yield* Effect.ignore(fileRoom.collect(workspace_id))
      }, Effect.scoped)

      const run = Effect.fnUntraced(function* (workspace_id: string, id: string) {
        const row = yield* Effect.orDie(find(workspace_id, id))
        if (row !== undefined) yield* made(workspace_id as WorkspaceId, row)
      })

      const fail = Effect.fnUntraced(function* (workspace_id: string, id: string, reason: string) {
        const row = yield* Effect.orDie(find(workspace_id, id))
        if (row === undefined) return
        yield* Effect.catchTag(
          writer.write(workspace_id as WorkspaceId, { actor: actor(row) }, (draft) => Edits.fail(draft, id, reason)),
          "NotFound",
          () => Effect.void
        ).pipe(Effect.orDie)
      })

      return ExportRuns.of({ run, fail })
    })
  )
}
