import { Clock, Context, Effect, Layer } from "effect"
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
import { Randomness } from "../../Randomness.ts"
import { actorOf, systemActor } from "../../writer/Actor.ts"
import { Blobs, type Source } from "../../files/Blobs.ts"
import { Database, runSql } from "../../database/Database.ts"
import type { Draft } from "../../writer/Draft.ts"
import { type OwnId, type SyncAdapter, syncAdapter } from "../../records/SyncAdapter.ts"
import { SignedUrls } from "../../files/SignedUrls.ts"
import { Writer } from "../../writer/Writer.ts"
import { traced } from "../../Traced.ts"
import { FileRoom } from "../../workspaces/FileRoom.ts"
import { Plans } from "../../workspaces/Plans.ts"
import { Quotas } from "../../workspaces/Quotas.ts"
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
import type { AttachmentFile } from "./AddressedAttachments.ts"
import * as AddressedAttachments from "./AddressedAttachments.ts"
import * as Edits from "./AttachmentEdits.ts"
import * as AttachmentIntake from "./AttachmentIntake.ts"
import { stagingName, type Taken, tooLarge } from "./AttachmentIntake.ts"
import type { Addressee } from "./AttachmentUrls.ts"
import * as AttachmentUrls from "./AttachmentUrls.ts"
import * as DirectUploads from "./DirectUploads.ts"

type Create = AttachmentCreate
type WriteError = BadRequest | Conflict | Expired | Forbidden | Invalid | NotFound | TooLarge | Unavailable

/** Finds a note that a limited caller may change. */
const writableText = `SELECT 1 FROM notes n JOIN reached r ON r.id = n.notebook_id AND r.access = 'write'
  WHERE n.workspace_id = $1 AND n.id = $2`

/** Files that belong to notes: their records, uploads and downloads (contract 7). */
export class Attachments extends Context.Service<
  Attachments,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly create: (input: AttachmentCreate) => Effect.Effect<AttachmentUpload, WriteError, Principal>
    /** Receives the bytes in the request that creates their attachment, and passes them to `use`. */
    readonly taken: <A, E, R>(
      input: AttachmentCreate,
      source: Source,
      use: (taken: Taken) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | WriteError, R | Principal>
    /** Creates a ready attachment from received bytes. */
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
    /** Makes an attachment ready after its client has uploaded the bytes to a bucket. */
    readonly complete: (
      id: string,
      condition?: Condition<StoredAttachment>
    ) => Effect.Effect<Attachment, WriteError | Stale, Principal>
    /** Returns the attachment with a new URL, which is valid for its full time. */
    readonly download: (id: string) => Effect.Effect<Attachment, Conflict | NotFound | Unavailable, Principal>
    /** Returns the file of a signed address. */
    readonly file: (workspace_id: string, id: string) => Effect.Effect<AttachmentFile, NotFound | Unavailable>
    /** Receives an upload by a signed address. `source` begins after the attachment was found. */
    readonly receive: <R>(
      by: Addressee,
      id: string,
      source: Effect.Effect<Source, never, R>
    ) => Effect.Effect<Attachment, WriteError, R>
    /** Removes attachments that have been pending since before `before`. */
    readonly expire: (
      workspace_id: WorkspaceId,
      ids: ReadonlyArray<string>,
      before: string
    ) => Effect.Effect<void, NotFound | Unavailable>
    readonly syncAdapter: SyncAdapter
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
        const intake = AttachmentIntake.make(sql, blobs, writer, fileRoom, yield* Randomness)
        const { keeping, taking } = intake
        const { isDirect, settle } = DirectUploads.make(blobs, quotas, keeping)
        const capOf = (plan: PrincipalShape["plan"]): number => limits[plan].attachment_bytes || Infinity
        const { file, receive } = AddressedAttachments.make({ read, blobs, quotas, capOf, intake, shown })

        const rowText = `SELECT ${attachments.selectList} FROM attachments
          WHERE workspace_id = $1 AND id = $2 AND NOT trashed`
        const find = Effect.fnUntraced(function* (workspace_id: string, id: string) {
          const [row] = yield* runSql<AttachmentRow>(read, rowText, [workspace_id, id])
          return row ?? (yield* Edits.missing)
        })

        /** Whether the attachment is in no notebook that the caller may only read. */
        const isWritable = ({ reach, workspace_id }: PrincipalShape, { note_id }: AttachmentRow) =>
          reach === undefined
            ? Effect.succeed(true)
            : Effect.map(runSql(read, writableText, [workspace_id, note_id]), (found) => found.length > 0)

        const make = Effect.fnUntraced(function* (draft: Draft, input: Create, own?: OwnId) {
          const { plan } = yield* Principal
          const maxBytes = capOf(plan)
          if ((input.size ?? 0) > maxBytes) return yield* tooLarge(maxBytes)
          const staging = isDirect(input) ? { staging: stagingName(draft.randomness) } : {}
          const row = yield* Edits.create(draft, quotas, input, staging, own)
          // Fails before the upload if there is no room for it.
          if (row.status === "pending" && row.size !== null && row.staging === null) {
            yield* quotas.take(draft, "file_bytes", row.size)
            draft.count("file_bytes", -row.size)
          }
          return row
        })

        /** The response to a creation. A repeated request gets it only while the file is where the caller may write. */
        const created = Effect.fnUntraced(function* (principal: PrincipalShape, row: AttachmentRow) {
          if (principal.reach === undefined) return yield* withUpload(principal, row)
          const now = yield* find(principal.workspace_id, row.id)
          return (yield* isWritable(principal, now)) ? yield* withUpload(principal, now) : yield* Edits.missing
        })

        const create = traced("Attachments.create")(function* (input: Create) {
          yield* fileRoom.onDisk
          return yield* created(yield* Principal, yield* writer.change((draft) => make(draft, input)))
        })

        const taken: Attachments["Service"]["taken"] = (input, source, use) =>
          Effect.flatMap(Principal, ({ plan, workspace_id }) =>
            taking(
              workspace_id,
              { size: input.size ?? null, sha256: input.sha256 ?? null },
              capOf(plan),
              source,
              (taken) =>
                // A repeated request whose response is stored does not keep the bytes.
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
          return yield* created(principal, row)
        })

        const complete = traced("Attachments.complete")(function* (
          id: string,
          condition?: Condition<StoredAttachment>
        ) {
          const principal = yield* Principal
          const { workspace_id } = principal
          const before = yield* find(workspace_id, id)
          if (before.status === "pending" && !(yield* isWritable(principal, before))) return yield* Edits.missing
          if (condition !== undefined) yield* condition(attachments.show(before))
          const row = yield* settle(workspace_id, before, condition)
          return row.status === "ready" ? yield* shown(principal, row) : yield* Edits.notReady
        })

        /** Returns the attachment, completed if its bytes have arrived. Ignores errors: `complete` reports them. */
        const refreshed = Effect.fnUntraced(function* (caller: PrincipalShape, id: string) {
          const row = yield* find(caller.workspace_id, id)
          if (row.status !== "pending" || !(yield* isWritable(caller, row))) return row
          return yield* Effect.orElseSucceed(settle(caller.workspace_id, row), () => row)
        })

        const get = traced("Attachments.get")(function* (id: string) {
          const principal = yield* Principal
          const row = yield* refreshed(principal, id)
          // A caller who may upload the bytes gets the address again: an earlier response may have been lost.
          return row.status === "pending" && mayWrite(principal) && (yield* isWritable(principal, row))
            ? yield* withUpload(principal, row)
            : yield* shown(principal, row)
        })

        const download = traced("Attachments.download")(function* (id: string) {
          const principal = yield* Principal
          const row = yield* refreshed(principal, id)
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

        const own = syncAdapter(Edits.records, {
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
          syncAdapter: Edits.pushed(own, AttachmentUpdate)
        })
      })
    )
}

const mayWrite = ({ role, scopes }: PrincipalShape): boolean =>
  isAtLeast(role, "editor") && (scopes.has("files:write") || scopes.has("notes:write"))
