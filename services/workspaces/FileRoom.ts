import { Cause, Clock, Context, Effect, Exit, Layer } from "effect"
import type { Forbidden, Unavailable } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { Plan } from "../Principal.ts"
import { Randomness } from "../Randomness.ts"
import { collectReleased } from "../files/BlobCollection.ts"
import { Blobs, type Room } from "../files/Blobs.ts"
import { Database, runSql } from "../database/Database.ts"
import { DiskSpace } from "../files/DiskSpace.ts"
import { isGone, ProcessLock } from "../database/ProcessLock.ts"
import { keptBytes, releasedBytes, timesStorage } from "./KeptBytes.ts"
import { Plans } from "./Plans.ts"
import { exceeded } from "./Quotas.ts"

/** Bytes by which the reservation for a file of unknown length grows, or an eighth of the received bytes if more. */
const step = 1024 * 1024

/** The bytes in use, with reservations of processes that still exist. */
const usedText = `SELECT w.plan, ${keptBytes(`${isGone("s.holder")} IS NOT TRUE`)} AS used, ${releasedBytes} AS released
  FROM heads h JOIN workspaces w ON w.workspace_id = h.workspace_id WHERE h.workspace_id = $1`

interface Taking {
  readonly workspace_id: Ids.WorkspaceId
  /** The length of the file in bytes, if it is known in advance. */
  readonly length?: number | undefined
  /** An export is never refused: earlier exports are deleted if it needs their room. */
  readonly isExport?: boolean
  /** Bytes that would have been kept before. With them, nothing is reserved: the bytes are only compared with the limit. */
  readonly foreseen?: number
}

/**
 * Space for files on the disk and within the storage of a workspace. Bytes are reserved before they are written, and
 * count until they are deleted (contract 2).
 */
export class FileRoom extends Context.Service<
  FileRoom,
  {
    /** Fails with `overloaded` while the disk has little space left. */
    readonly onDisk: Effect.Effect<void, Unavailable>
    /** Receives a file. Its room is reserved until the effect ends: then the file is a blob or deleted. */
    readonly reserving: <A, E, R>(
      taking: Taking,
      take: (room: Room) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Forbidden | Unavailable, R>
    /** Removes the released bytes of a workspace that exceeds its limit. */
    readonly collect: (workspace_id: Ids.WorkspaceId) => Effect.Effect<void, Unavailable>
  }
>()("sheaf/workspaces/FileRoom") {
  static readonly layer = Layer.effect(
    FileRoom,
    Effect.gen(function* () {
      const { write: sql } = yield* Database
      const blobs = yield* Blobs
      const disk = yield* DiskSpace
      const processLock = yield* ProcessLock
      const { limits } = yield* Plans
      const randomness = yield* Randomness

      /** Returns the bytes in use and the limit of a workspace; undefined without a limit. */
      const kept = Effect.fnUntraced(function* (workspace_id: string) {
        const [row] = yield* runSql<{ readonly plan: Plan; readonly used: number; readonly released: number }>(
          sql,
          usedText,
          [workspace_id]
        )
        const limit = row === undefined ? 0 : limits[row.plan].storage_bytes * timesStorage
        return limit === 0 ? undefined : { used: row!.used, released: row!.released, limit }
      })

      const isOver = (found: { readonly used: number; readonly limit: number } | undefined): boolean =>
        found !== undefined && found.used > found.limit

      /** The same, after the released bytes are collected if the workspace exceeds its limit. */
      const keptAtLeast = Effect.fnUntraced(function* (workspace_id: string) {
        const found = yield* kept(workspace_id)
        if (!isOver(found) || (yield* collectReleased(sql, blobs, workspace_id)) === 0) return found
        return yield* kept(workspace_id)
      })

      const over = (limit: number, used: number) =>
        exceeded(
          "storage_bytes",
          `The workspace may keep ${limit} bytes, twice the storage of its plan: uploads, imports, exports and recently deleted files count too`,
          limit,
          used
        )

      const foresee = Effect.fnUntraced(function* (workspace_id: string, before: number, bytes: number) {
        yield* disk.roomForFiles
        const found = yield* kept(workspace_id)
        if (found === undefined) return
        // Released bytes would be collected.
        const used = found.used - found.released + before
        if (used + bytes > found.limit) return yield* over(found.limit, used)
      })

      const reserve = Effect.fnUntraced(function* (
        { isExport = false, workspace_id }: Taking,
        name: string,
        before: number,
        bytes: number
      ) {
        yield* disk.roomForFiles
        const now = new Date(yield* Clock.currentTimeMillis).toISOString()
        const put = (bytes: number) =>
          runSql(
            sql,
            `INSERT INTO staged_files (workspace_id, name, bytes, holder, created_at) VALUES ($1, $2, $3::bigint, $4::int, $5)
              ON CONFLICT (workspace_id, name) DO UPDATE SET bytes = excluded.bytes`,
            [workspace_id, name, String(bytes), processLock.holder(), now]
          )
        // Write before the check, so that two concurrent reservations see each other.
        yield* put(bytes)
        const found = yield* keptAtLeast(workspace_id)
        if (isExport || !isOver(found)) return
        yield* put(before)
        const { limit, used } = found!
        return yield* over(limit, used - (bytes - before))
      })

      const reserving: FileRoom["Service"]["reserving"] = (taking, take) =>
        Effect.suspend(() => {
          const name = `rs_${randomness.text(24)}`
          let reserved = 0
          const upTo = Effect.fnUntraced(function* (bytes: number) {
            if (bytes <= reserved && reserved > 0) return
            const { foreseen, workspace_id } = taking
            yield* foreseen === undefined
              ? reserve(taking, name, reserved, bytes)
              : foresee(workspace_id, foreseen, bytes)
            reserved = bytes
          })
          const end = Effect.suspend(() =>
            taking.foreseen === undefined
              ? runSql(sql, "DELETE FROM staged_files WHERE workspace_id = $1 AND name = $2", [
                  taking.workspace_id,
                  name
                ])
              : Effect.void
          )
          return Effect.gen(function* () {
            yield* upTo(taking.length ?? 0)
            const run = Effect.runPromiseExitWith(yield* Effect.context<never>())
            return yield* take(async (bytes) => {
              if (bytes <= reserved) return
              const exit = await run(upTo(Math.max(bytes, reserved + Math.max(step, reserved >> 3))))
              if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
            })
            // A row that cannot be deleted now is deleted later by its age.
          }).pipe(Effect.ensuring(Effect.ignore(end)))
        })

      return FileRoom.of({
        onDisk: disk.roomForFiles,
        reserving,
        collect: (workspace_id) => Effect.asVoid(keptAtLeast(workspace_id))
      })
    })
  )
}
