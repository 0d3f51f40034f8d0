import { Clock, Context, Effect, Layer } from "effect"
import type { Readable } from "node:stream"
import {
  BadRequest,
  type Condition,
  type Conflict,
  type Expired,
  Forbidden,
  type Invalid,
  type NotFound,
  type Stale,
  TooLarge,
  type Unavailable
} from "../../Errors.ts"
import type { WorkspaceId } from "../../Ids.ts"
import { Lists } from "../../lists/Lists.ts"
import type { Page, PageQuery } from "../../lists/Page.ts"
import { isAtLeast, Principal, type PrincipalShape } from "../../Principal.ts"
import { actorOf, systemActor } from "../../writer/Actor.ts"
import { type BlobMissing, Blobs, type ByteRange, type Source } from "../../files/Blobs.ts"
import { Database, orUnavailable } from "../../database/Database.ts"
import type { Draft } from "../../writer/Draft.ts"
import { type OwnId, type Pushable, pushable } from "../../records/SyncAdapter.ts"
import { SignedUrls } from "../../files/SignedUrls.ts"
import { Writer } from "../../writer/Writer.ts"
import { traced } from "../../Traced.ts"
import { FileRoom } from "../../workspaces/FileRoom.ts"
import { Plans } from "../../workspaces/Plans.ts"
import { Quotas } from "../../workspaces/Quotas.ts"
import { insufficient, roleIn } from "../../workspaces/RoleChecks.ts"
import {
  type Attachment,
  AttachmentCreate,
  attachmentList,
  type AttachmentRow,
  attachments,
  AttachmentUpdate,
  type AttachmentUpload,
  type StoredAttachment
} from "./Attachment.ts"
import * as NotePart from "../NotePart.ts"
import * as Edits from "./AttachmentEdits.ts"
import * as AttachmentIntake from "./AttachmentIntake.ts"
import { stagingName, type Taken, tooLarge } from "./AttachmentIntake.ts"
import type { Addressee } from "./AttachmentUrls.ts"
import * as AttachmentUrls from "./AttachmentUrls.ts"
import * as DirectUploads from "./DirectUploads.ts"

type Create = AttachmentCreate
type WriteError = BadRequest | Conflict | Expired | Forbidden | Invalid | NotFound | TooLarge | Unavailable

/** Bytes of an attachment, as they are served. */
export interface AttachmentFile {
  readonly row: AttachmentRow
  readonly read: (range?: ByteRange) => Effect.Effect<Readable, NotFound | Unavailable>
}

/** Files that hang on notes: their records, and the way of their bytes (contract 7). */
export class Attachments extends Context.Service<
  Attachments,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly create: (input: AttachmentCreate) => Effect.Effect<AttachmentUpload, WriteError, Principal>
    /** Takes in bytes that come with the request that makes their attachment; what is done with them then, `use` says. */
    readonly taken: <A, E, R>(
      input: AttachmentCreate,
      source: Source,
      use: (taken: Taken) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | WriteError, R | Principal>
    /** Makes an attachment of them, which is ready. */
    readonly add: (input: AttachmentCreate, taken: Taken) => Effect.Effect<AttachmentUpload, WriteError, Principal>
    readonly get: (id: string) => Effect.Effect<Attachment, NotFound | Unavailable, Principal>
    readonly update: (
      id: string,
      input: AttachmentUpdate,
      condition?: Condition<StoredAttachment>
    ) => Effect.Effect<Attachment, Forbidden | Invalid | NotFound | Stale | Unavailable, Principal>
    readonly delete: (
      id: string,
      condition?: Condition<StoredAttachment>
    ) => Effect.Effect<void, NotFound | Stale | Unavailable, Principal>
    /** Makes one ready whose bytes a client has sent to a bucket. */
    readonly complete: (
      id: string,
      condition?: Condition<StoredAttachment>
    ) => Effect.Effect<Attachment, WriteError | Stale, Principal>
    /** With a URL that is good for all of its time. */
    readonly download: (id: string) => Effect.Effect<Attachment, Conflict | NotFound | Unavailable, Principal>
    /** The bytes that a signed address was made for. */
    readonly file: (workspace_id: string, id: string) => Effect.Effect<AttachmentFile, NotFound | Unavailable>
    /** Takes in what comes by a signed address; `source` begins once the address is found to be good still. */
    readonly receive: <R>(
      by: Addressee,
      id: string,
      source: Effect.Effect<Source, never, R>
    ) => Effect.Effect<Attachment, WriteError, R>
    /** Removes what has waited for its bytes since before a moment. */
    readonly expire: (
      workspace_id: WorkspaceId,
      ids: ReadonlyArray<string>,
      before: string
    ) => Effect.Effect<void, NotFound | Unavailable>
    readonly pushable: Pushable
  }
>()("sheaf/notes/attachments/Attachments") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      Attachments,
      Effect.gen(function* () {
        const { read, write: sql } = yield* Database
        const lists = yield* Lists
        const writer = yield* Writer
        const quotas = yield* Quotas
        const blobs = yield* Blobs
        const fileRoom = yield* FileRoom
        const { limits } = yield* Plans
        const { shown, stableUrl, urlAt, withUpload } = AttachmentUrls.make(publicUrl, yield* SignedUrls, blobs)
        const { keeping, taking, takingAgain } = AttachmentIntake.make(sql, blobs, writer, fileRoom)
        const { isDirect, settle } = DirectUploads.make(blobs, quotas, keeping)

        const rowText = `SELECT ${attachments.selectList} FROM attachments
          WHERE workspace_id = $1 AND id = $2 AND NOT trashed`
        const find = Effect.fnUntraced(function* (workspace_id: string, id: string) {
          const [row] = yield* orUnavailable(read.unsafe<AttachmentRow>(rowText, [workspace_id, id]))
          return row ?? (yield* Edits.missing)
        })

        const capOf = (plan: PrincipalShape["plan"]): number => limits[plan].attachment_bytes || Infinity

        const make = Effect.fnUntraced(function* (draft: Draft, input: Create, own?: OwnId) {
          const { plan } = yield* Principal
          const most = capOf(plan)
          if ((input.size ?? 0) > most) return yield* tooLarge(most)
          const staging = isDirect(input) ? { staging: stagingName() } : {}
          const row = yield* Edits.create(draft, quotas, input, staging, own)
          // What there is no room for now need not be sent.
          if (row.status === "pending" && row.size !== null && row.staging === null) {
            yield* quotas.take(draft, "file_bytes", row.size)
            draft.count("file_bytes", -row.size)
          }
          return row
        })

        const create = traced("Attachments.create")(function* (input: Create) {
          yield* fileRoom.onDisk
          return yield* withUpload(yield* Principal, yield* writer.change((draft) => make(draft, input)))
        })

        const taken: Attachments["Service"]["taken"] = (input, source, use) =>
          Effect.flatMap(Principal, ({ plan, workspace_id }) =>
            taking(
              workspace_id,
              { size: input.size ?? null, sha256: input.sha256 ?? null },
              capOf(plan),
              source,
              (taken) =>
                // A request that was answered before keeps nothing.
                Effect.tap(use(taken), () => Effect.ignore(blobs.discard(taken.name)))
            )
          )

        const add = traced("Attachments.add")(function* (input: Create, { name, staged }: Taken) {
          const principal = yield* Principal
          const { workspace_id } = principal
          const row = yield* keeping(
            workspace_id,
            actorOf(principal),
            name,
            staged,
            [NotePart.need(input.note_id)],
            (draft) => Edits.create(draft, quotas, input, { kept: staged })
          )
          return yield* withUpload(principal, row)
        })

        const complete = traced("Attachments.complete")(function* (
          id: string,
          condition?: Condition<StoredAttachment>
        ) {
          const principal = yield* Principal
          const { workspace_id } = principal
          const before = yield* find(workspace_id, id)
          if (condition !== undefined) yield* condition(attachments.show(before))
          const row = yield* settle(workspace_id, before, condition)
          return row.status === "ready" ? yield* shown(principal, row) : yield* Edits.notReady
        })

        /** As complete does; what keeps it from being ready is told there. */
        const lookedAt = Effect.fnUntraced(function* (workspace_id: WorkspaceId, id: string) {
          const row = yield* find(workspace_id, id)
          return yield* Effect.orElseSucceed(settle(workspace_id, row), () => row)
        })

        const get = traced("Attachments.get")(function* (id: string) {
          const principal = yield* Principal
          const { workspace_id } = principal
          const row = yield* lookedAt(workspace_id, id)
          // Whoever may send its bytes is told where to: also when the answer that told it was lost.
          return row.status === "pending" && mayWrite(principal)
            ? yield* withUpload(principal, row)
            : yield* shown(principal, row)
        })

        const download = traced("Attachments.download")(function* (id: string) {
          const principal = yield* Principal
          const row = yield* lookedAt(principal.workspace_id, id)
          if (row.status !== "ready") return yield* Edits.notReady
          const url = yield* urlAt(principal, row, yield* Clock.currentTimeMillis)
          return { ...attachments.show(row), url }
        })

        const update = traced("Attachments.update")(function* (
          id: string,
          input: AttachmentUpdate,
          condition?: Condition<StoredAttachment>
        ) {
          const row = yield* writer.change((draft) => Edits.update(draft, id, input, condition), [[attachments, id]])
          return yield* shown(yield* Principal, row)
        })

        const remove = traced("Attachments.delete")(function* (id: string, condition?: Condition<StoredAttachment>) {
          const { staging } = yield* writer.change((draft) => Edits.remove(draft, id, condition), [[attachments, id]])
          if (staging !== null) yield* Effect.ignore(blobs.discard(staging))
        })

        const list = traced("Attachments.list")(function* (query: PageQuery) {
          const principal = yield* Principal
          const { workspace_id } = principal
          const page = yield* lists.page({ spec: attachmentList, query, workspace_id })
          const now = yield* Clock.currentTimeMillis
          const items = yield* Effect.forEach(page.items, (item) =>
            Effect.map(
              stableUrl(principal, JSON.parse(item) as StoredAttachment, now),
              (url) => `${item.slice(0, -1)},"url":${JSON.stringify(url)}}`
            )
          )
          return { ...page, items }
        })

        const addressedText = `SELECT ${attachments.selectList}, (
            SELECT plan FROM workspaces w WHERE w.workspace_id = a.workspace_id AND w.deleted_at IS NULL
          ) AS plan FROM attachments a WHERE workspace_id = $1 AND id = $2 AND NOT trashed`

        /** What a signed address names, unless it is gone, with its workspace or without. */
        const addressed = Effect.fnUntraced(function* (workspace_id: string, id: string) {
          const [row] = yield* orUnavailable(
            read.unsafe<AttachmentRow & { readonly plan: PrincipalShape["plan"] | null }>(addressedText, [
              workspace_id,
              id
            ])
          )
          if (row === undefined || row.plan === null) return yield* Edits.missing
          return { row, plan: row.plan }
        })

        const receive = traced("Attachments.receive")(function* <R>(
          by: Addressee,
          id: string,
          source: Effect.Effect<Source, never, R>
        ) {
          const { user_id, workspace_id } = by
          const { plan, row } = yield* addressed(workspace_id, id)
          if (row.status !== "pending") {
            if (row.size === null || row.sha256 === null) return yield* Edits.usedUp
            // The response to the first one may have been lost.
            yield* takingAgain(workspace_id, { size: row.size, sha256: row.sha256 }, yield* source, Edits.usedUp)
            return yield* shown(by, row)
          }
          const actor = { ...systemActor, user_id }
          const ready = yield* taking(workspace_id, row, capOf(plan), yield* source, ({ name, staged }) =>
            keeping(
              workspace_id,
              actor,
              name,
              staged,
              [[attachments, id]],
              Effect.fnUntraced(function* (draft: Draft) {
                // The role may have been taken away while the bytes came.
                if (!isAtLeast((yield* roleIn(draft, user_id)) ?? "viewer", "editor"))
                  return yield* insufficient("editor")
                return yield* Edits.makeReady(draft, quotas, id, staged)
              })
            )
          )
          return yield* shown(by, ready)
        })

        const file = traced("Attachments.file")(function* (workspace_id: string, id: string) {
          const { row } = yield* addressed(workspace_id, id)
          if (row.status !== "ready") return yield* Edits.missing
          const key = { workspace_id, sha256: row.sha256! }
          return {
            row,
            read: (range?: ByteRange) =>
              Effect.catchTag(blobs.read(key, range), "BlobMissing", (missing: BlobMissing) =>
                // A record is never without its bytes: somebody has taken them away.
                Effect.andThen(
                  Effect.annotateLogs(Effect.logError("the bytes of an attachment are gone"), { ...missing.key }),
                  Edits.missing
                )
              )
          }
        })

        const own = pushable(Edits.records, {
          Create: AttachmentCreate,
          Update: AttachmentUpdate,
          create: (draft, input, own) => make(draft, input, own),
          update: (draft, id, input) => Edits.update(draft, id, input),
          delete: (draft, id) => Edits.remove(draft, id)
        })

        return Attachments.of({
          list,
          create,
          taken,
          add,
          get,
          update,
          delete: remove,
          complete,
          download,
          file,
          receive,
          expire: (workspace_id, ids, before) =>
            writer.write(
              workspace_id,
              { actor: systemActor, needs: ids.map((id) => [attachments, id] as const) },
              (draft) => Effect.forEach(ids, (id) => Edits.expire(draft, id, before), { discard: true })
            ),
          pushable: Edits.pushed(own, AttachmentUpdate)
        })
      })
    )
}

const mayWrite = ({ role, scopes }: PrincipalShape): boolean =>
  isAtLeast(role, "editor") && (scopes.has("files:write") || scopes.has("notes:write"))
