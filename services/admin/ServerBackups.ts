import { Clock, Context, Effect, Exit, Layer, Scope } from "effect"
import { basename } from "node:path"
import type { Readable } from "node:stream"
import { attempt, reasonOf } from "../backup/BackupFailure.ts"
import { placeAt } from "../backup/BackupPlaces.ts"
import { BackupSchedule } from "../backup/BackupSchedule.ts"
import { RestoreDrills } from "../backup/RestoreDrills.ts"
import { Database, runSql } from "../database/Database.ts"
import { Conflict, type Forbidden, NotFound, type Unavailable } from "../Errors.ts"
import type { Access } from "../files/S3Place.ts"
import { goodFor, invalid, SignedUrls } from "../files/SignedUrls.ts"
import { readsOfServer, type ServerReads } from "../lists/RecordService.ts"
import { Principal } from "../Principal.ts"
import { traced } from "../Traced.ts"
import * as ServerAudit from "./ServerAudit.ts"
import { type BackupDownload, type ServerBackup, serverBackupList } from "./ServerBackup.ts"

/** A backup that is being downloaded. */
interface BackupFile {
  readonly filename: string
  readonly size: number
  /** Destroyed by the caller, which frees the connection to a bucket. */
  readonly content: Readable
}

const missing = NotFound.of("backup")
const unfinished = new Conflict({ code: "invalid_state", detail: "The backup has failed, or still runs" })

const unreadable = (reason: string) =>
  new Conflict({ code: "invalid_state", detail: `The backup cannot be read by this node: ${reason}` })

/** The backups of the server, for operators (contract 11). */
export class ServerBackups extends Context.Service<
  ServerBackups,
  ServerReads<ServerBackup> & {
    /** Begins a backup in the background. Its attempt is in the list. */
    readonly begin: Effect.Effect<void, Conflict | NotFound | Unavailable, Principal>
    /** Begins a drill of the newest backup in the background. Its result is in the state of the server. */
    readonly beginDrill: Effect.Effect<void, Conflict | NotFound | Unavailable, Principal>
    /** Signs a URL that downloads a backup. */
    readonly link: (id: string) => Effect.Effect<BackupDownload, Conflict | NotFound | Unavailable, Principal>
    /** Opens the backup of a signed URL, for a user who is an operator. */
    readonly open: (
      id: string,
      path: string,
      query: URLSearchParams
    ) => Effect.Effect<BackupFile, Conflict | Forbidden | NotFound | Unavailable>
  }
>()("sheaf/admin/ServerBackups") {
  static readonly layer = (options: { readonly publicUrl: string; readonly access: Access | undefined }) =>
    Layer.effect(
      ServerBackups,
      Effect.gen(function* () {
        const { read } = yield* Database
        const reads = yield* readsOfServer<ServerBackup>("ServerBackups", serverBackupList, missing)
        const schedule = yield* BackupSchedule
        const drills = yield* RestoreDrills
        const urls = yield* SignedUrls
        const audit = yield* ServerAudit.make

        const complete = Effect.fnUntraced(function* (id: string) {
          const backup = yield* reads.get(id)
          return backup.bytes === null ? yield* unfinished : backup
        })

        const link = Effect.fnUntraced(function* (id: string) {
          const { user_id } = yield* Principal
          yield* complete(id)
          const expires = (yield* Clock.currentTimeMillis) + goodFor
          yield* audit("server.backup_downloaded", id)
          return {
            url: options.publicUrl + urls.sign({ purpose: "backup", path: `/files/backups/${id}`, user_id }, expires),
            expires_at: new Date(expires).toISOString()
          }
        })

        /** The file, or the object in a bucket, whose connection ends with the stream. */
        const opened = Effect.fnUntraced(function* (target: string) {
          const scope = yield* Scope.make()
          return yield* Effect.gen(function* () {
            const place = yield* Scope.provide(placeAt(target, options.access), scope)
            const size = yield* attempt(place.size)
            if (size === undefined) return yield* unreadable("it is not there")
            const content = place.read()
            content.once("close", () => void Effect.runFork(Scope.close(scope, Exit.void)))
            return { filename: basename(target), size, content }
          }).pipe(
            Effect.onError(() => Scope.close(scope, Exit.void)),
            Effect.catchTags({
              BackupFailed: ({ message }) => Effect.fail(unreadable(message)),
              SystemFailure: (failure) => Effect.fail(unreadable(reasonOf(failure, target)))
            })
          )
        }, Effect.uninterruptible)

        const open = Effect.fnUntraced(function* (id: string, path: string, query: URLSearchParams) {
          const { user_id } = yield* urls.verify({ purpose: "backup", path }, query)
          const operators = yield* runSql(
            read,
            "SELECT 1 AS found FROM users WHERE id = $1 AND is_operator AND suspended_at IS NULL",
            [user_id]
          )
          if (operators.length === 0) return yield* invalid
          return yield* opened((yield* complete(id)).target)
        })

        return ServerBackups.of({
          ...reads,
          begin: traced("ServerBackups.begin")(() => schedule.begin(audit("server.backup_requested", "backups")))(),
          beginDrill: traced("ServerBackups.beginDrill")(() =>
            drills.begin(audit("server.drill_requested", "backups"))
          )(),
          link: traced("ServerBackups.link")(link),
          open: traced("ServerBackups.open")(open)
        })
      })
    )
}
