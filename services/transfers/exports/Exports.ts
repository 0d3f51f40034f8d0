import { Clock, Context, Effect, Layer } from "effect"
import type { Readable } from "node:stream"
import {
  type BadRequest,
  Forbidden,
  type Invalid,
  type NotFound,
  type RateLimited,
  type Unavailable
} from "../../Errors.ts"
import { RateCounters } from "../../limits/RateCounters.ts"
import { Lists } from "../../lists/Lists.ts"
import type { Page, PageQuery } from "../../lists/Page.ts"
import { Principal, type PrincipalShape, type Role } from "../../Principal.ts"
import { Randomness } from "../../Randomness.ts"
import { type Actor, actorOf } from "../../writer/Actor.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import { type BlobMissing, Blobs, type ByteRange } from "../../files/Blobs.ts"
import { Database, orUnavailable, runSql } from "../../database/Database.ts"
import { ago } from "../../database/DeleteInBatches.ts"
import { SignedUrls } from "../../files/SignedUrls.ts"
import { Writer } from "../../writer/Writer.ts"
import { traced } from "../../Traced.ts"
import { FileRoom } from "../../workspaces/FileRoom.ts"
import { insufficient } from "../../workspaces/RoleChecks.ts"
import {
  type Export,
  type ExportCreate,
  exportList,
  type ExportRow,
  exports,
  ListedExport,
  maySeeWorkspaceExports
} from "./Export.ts"
import * as Edits from "./ExportEdits.ts"
import * as ExportUrls from "./ExportUrls.ts"
import { expireDue } from "../Expiry.ts"
import { TransferQueue } from "../TransferQueue.ts"

/** The file of an export, for downloads. */
interface ExportFile {
  readonly id: string
  readonly sha256: string
  readonly size: number
  readonly filename: string
  readonly read: (range?: ByteRange) => Effect.Effect<Readable, NotFound | Unavailable>
}

/** Milliseconds in which further downloads of an export by the same user make no audit entry. */
const downloadEntryEvery = 3600_000

const notWhole = new Forbidden({
  code: "insufficient_scope",
  detail: "A credential for some notebooks exports one of them: send the scope notebook, and its notebook_id",
  extra: { required_scopes: ["export:write"] }
})

/** Exports of workspaces and notebooks (contract, section 7). `ExportRuns` makes their files. */
export class Exports extends Context.Service<
  Exports,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly create: (
      input: ExportCreate
    ) => Effect.Effect<Export, Forbidden | Invalid | NotFound | RateLimited | Unavailable, Principal>
    readonly get: (id: string) => Effect.Effect<Export, NotFound | Unavailable, Principal>
    /** Returns the file for a signed address of a member with this role. */
    readonly file: (workspace_id: string, id: string, role: Role) => Effect.Effect<ExportFile, NotFound | Unavailable>
    /** Adds a download to the audit log, once an hour per export and user. */
    readonly downloaded: (actor: Actor, workspace_id: string, id: string) => Effect.Effect<void, Unavailable>
    /** Removes expired exports. */
    readonly prune: Effect.Effect<void>
  }
>()("sheaf/transfers/exports/Exports") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      Exports,
      Effect.gen(function* () {
        const { read, write: sql } = yield* Database
        const lists = yield* Lists
        const writer = yield* Writer
        const blobs = yield* Blobs
        const fileRoom = yield* FileRoom
        const queue = yield* TransferQueue
        const randomness = yield* Randomness
        const { shown } = ExportUrls.make(publicUrl, yield* SignedUrls, blobs)
        const downloads = (yield* RateCounters).counter("export-download", downloadEntryEvery)

        const downloaded = Effect.fnUntraced(function* (actor: Actor, workspace_id: string, id: string) {
          const key = `${id} ${actor.user_id}`
          if ((yield* downloads.add(key)).count > 1) return
          const now = yield* Clock.currentTimeMillis
          const entry = { action: "export.downloaded", resource: "export", resource_id: id } as const
          const entryId = AuditTrail.auditId(randomness, now)
          const stored = orUnavailable(AuditTrail.insertEntry(sql, workspace_id, actor, now, entry, entryId))
          yield* Effect.onError(stored, () => downloads.refund(key))
        })

        /** An export with its address. An address of a bucket counts as a download, as the server does not see those. */
        const shownTo = Effect.fnUntraced(function* (principal: PrincipalShape, found: ListedExport) {
          const each = yield* shown(principal, found)
          if (blobs.direct !== undefined && each.download_url !== null) {
            yield* downloaded(actorOf(principal), principal.workspace_id, each.id)
          }
          return each
        })

        const list = traced("Exports.list")(function* (query: PageQuery) {
          const principal = yield* Principal
          const { workspace_id } = principal
          const page = yield* lists.page({
            spec: exportList,
            query,
            workspace_id,
            where: "(scope = 'notebook' OR $2::boolean)",
            params: [maySeeWorkspaceExports(principal)]
          })
          const items = yield* Effect.forEach(page.items, (item) =>
            Effect.map(shownTo(principal, JSON.parse(item) as ListedExport), (each) => JSON.stringify(each))
          )
          return { ...page, items }
        })

        const getText = `SELECT ${Object.keys(ListedExport.fields)
          .map((name) => (name === "size_bytes" ? "size_bytes::float8 AS size_bytes" : name))
          .join(", ")} FROM ${exportList.from} WHERE workspace_id = $1 AND id = $2`
        const get = traced("Exports.get")(function* (id: string) {
          const principal = yield* Principal
          const { workspace_id } = principal
          const [found] = yield* runSql<ListedExport>(read, getText, [workspace_id, id])
          if (found === undefined || (found.scope === "workspace" && !maySeeWorkspaceExports(principal))) {
            return yield* Edits.missing
          }
          return yield* shownTo(principal, found)
        })

        const create = traced("Exports.create")(function* (input: ExportCreate) {
          const principal = yield* Principal
          if (input.scope === "workspace" && principal.reach !== undefined) return yield* notWhole
          if (input.scope === "workspace" && !maySeeWorkspaceExports(principal)) return yield* insufficient("admin")
          yield* fileRoom.onDisk
          const made = yield* writer.change((draft) =>
            Effect.map(Edits.create(draft, input), (row) => ({ ...exports.show(row), permille: 0, blob: row.blob }))
          )
          yield* queue.wake
          return yield* shown(principal, made)
        })

        const fileText = `SELECT ${exports.selectList} FROM exports e WHERE workspace_id = $1 AND id = $2
          AND EXISTS (SELECT FROM workspaces w WHERE w.workspace_id = e.workspace_id AND w.deleted_at IS NULL)`
        const file = traced("Exports.file")(function* (workspace_id: string, id: string, role: Role) {
          const [row] = yield* runSql<ExportRow>(read, fileText, [workspace_id, id])
          if (row === undefined || row.blob === null) return yield* Edits.missing
          if (row.scope === "workspace" && !maySeeWorkspaceExports({ role })) return yield* Edits.missing
          const sha256 = row.blob
          return {
            id,
            sha256,
            size: row.size_bytes!,
            filename: ExportUrls.filenameOf(row),
            read: (range?: ByteRange) =>
              Effect.catchTag(blobs.read({ workspace_id, sha256 }, range), "BlobMissing", (missing: BlobMissing) =>
                Effect.andThen(Effect.logError("the bytes of an export are missing", missing.key), Edits.missing)
              )
          }
        })

        const prune = Effect.flatMap(ago(0), (now) =>
          expireDue({
            sql,
            writer,
            table: exports,
            column: "expires_at",
            now,
            end: (draft, id) => Edits.expire(draft, id, now)
          })
        )

        return Exports.of({ list, create, get, file, downloaded, prune: Effect.orDie(prune) })
      })
    )
}
