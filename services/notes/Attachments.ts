import { Clock, Context, Effect, Layer } from "effect"
import type { Readable } from "node:stream"
import {
  BadRequest,
  type Condition,
  type Conflict,
  type Expired,
  Forbidden,
  Invalid,
  type NotFound,
  type Stale,
  TooLarge,
  type Unavailable
} from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { UserId, WorkspaceId } from "../Ids.ts"
import { Lists } from "../lists/Lists.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { isAtLeast, Principal, type PrincipalShape } from "../Principal.ts"
import { type Actor, actorOf, nobody } from "../storage/Actor.ts"
import { type BlobMissing, Blobs, type ByteRange, type Source, type Staged } from "../storage/Blobs.ts"
import { Database, orUnavailable } from "../storage/Database.ts"
import type { Draft } from "../storage/Draft.ts"
import { type OwnId, type Pushable, pushable, reader } from "../storage/Pushable.ts"
import * as Records from "../storage/Records.ts"
import { begunAt, goodFor, SignedUrls } from "../storage/SignedUrls.ts"
import { Writer } from "../storage/Writer.ts"
import { traced } from "../Traced.ts"
import { Plans } from "../workspaces/Plans.ts"
import { Quotas } from "../workspaces/Quotas.ts"
import { type Attachment, AttachmentCreate, type AttachmentUpload, AttachmentUpdate } from "./Attachment.ts"
import * as Edits from "./AttachmentEdits.ts"
import { attachmentList, type AttachmentRow, attachments } from "./AttachmentTable.ts"
import { dispositionOf } from "../Disposition.ts"
import { servedType } from "../MediaTypes.ts"

type Create = AttachmentCreate
type WriteError = BadRequest | Conflict | Expired | Forbidden | Invalid | NotFound | TooLarge | Unavailable

/** Bytes of an attachment, as they are served. */
export interface AttachmentFile {
  readonly row: AttachmentRow
  readonly read: (range?: ByteRange) => Effect.Effect<Readable, NotFound | Unavailable>
}

/** Bytes that have been taken in, and are not kept yet. */
export interface Taken {
  readonly name: string
  readonly staged: Staged
}

/** A bucket takes no more in one PUT. */
const mostOfPut = 5 * 1024 ** 3

/** Files that hang on notes: their records, and the way of their bytes (contract 7). */
export class Attachments extends Context.Service<
  Attachments,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly create: (input: AttachmentCreate, own?: OwnId) => Effect.Effect<AttachmentUpload, WriteError, Principal>
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
      condition?: Condition<Attachment>
    ) => Effect.Effect<Attachment, Forbidden | Invalid | NotFound | Stale | Unavailable, Principal>
    readonly delete: (
      id: string,
      condition?: Condition<Attachment>
    ) => Effect.Effect<void, NotFound | Stale | Unavailable, Principal>
    /** Makes one ready whose bytes a client has sent to a bucket. */
    readonly complete: (id: string) => Effect.Effect<Attachment, WriteError, Principal>
    /** With a URL that is good for all of its time. */
    readonly download: (id: string) => Effect.Effect<Attachment, Conflict | NotFound | Unavailable, Principal>
    /** The bytes that a signed address was made for. */
    readonly file: (workspace_id: string, id: string) => Effect.Effect<AttachmentFile, NotFound | Unavailable>
    /** Whether a signed address may still be used. */
    readonly awaits: (workspace_id: string, id: string) => Effect.Effect<void, Expired | NotFound | Unavailable>
    /** Takes in what comes by a signed address. */
    readonly receive: (workspace_id: string, id: string, source: Source) => Effect.Effect<Attachment, WriteError>
    /** Removes what has waited for its bytes since before a moment. */
    readonly expire: (workspace_id: WorkspaceId, ids: ReadonlyArray<string>, before: string) => Effect.Effect<void>
    readonly pushable: Pushable
  }
>()("sheaf/notes/Attachments") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      Attachments,
      Effect.gen(function* () {
        const { read, write: sql } = yield* Database
        const lists = yield* Lists
        const writer = yield* Writer
        const quotas = yield* Quotas
        const blobs = yield* Blobs
        const urls = yield* SignedUrls
        const { limits } = yield* Plans

        const pathOf = (purpose: "attachment" | "upload", workspace_id: string, id: string) =>
          `/files/${purpose === "attachment" ? "" : "uploads/"}${workspace_id}/${id}`

        /** Where the bytes are, from a moment on. */
        const urlAt = (workspace_id: string, row: AttachmentRow | StoredRow, at: number): Effect.Effect<string> => {
          const key = { workspace_id, sha256: row.sha256! }
          if (blobs.direct === undefined) {
            const path = pathOf("attachment", workspace_id, row.id)
            return Effect.succeed(publicUrl + urls.sign({ purpose: "attachment", path }, at + goodFor))
          }
          const { content_type, isInline } = servedType(row.content_type)
          return blobs.direct.downloadUrl(key, {
            content_type,
            content_disposition: dispositionOf(row.filename, isInline),
            expires_in_seconds: goodFor / 1000,
            at: new Date(at)
          })
        }

        const stableUrl = (workspace_id: string, row: AttachmentRow | StoredRow, now: number) =>
          row.status === "ready"
            ? urlAt(workspace_id, row, begunAt(now, Date.parse(row.created_at)))
            : Effect.succeed(null)

        /** Where its bytes are to be sent, from now on. */
        const uploadOf = Effect.fnUntraced(function* (workspace_id: string, row: AttachmentRow, now: number) {
          if (row.status !== "pending") return nowhere
          const upload_expires_at = new Date(now + goodFor).toISOString()
          if (row.staging !== null && blobs.direct !== undefined) {
            const { headers, url } = yield* blobs.direct.uploadUrl({
              name: row.staging,
              size: row.size!,
              sha256: row.sha256!,
              content_type: row.content_type,
              expires_in_seconds: goodFor / 1000
            })
            return { upload_url: url, upload_method: "PUT" as const, upload_headers: headers, upload_expires_at }
          }
          const path = pathOf("upload", workspace_id, row.id)
          return {
            upload_url: publicUrl + urls.sign({ purpose: "upload", path }, now + goodFor),
            upload_method: "PUT" as const,
            upload_headers: { "content-type": row.content_type },
            upload_expires_at
          }
        })

        const shown = Effect.fnUntraced(function* (workspace_id: string, row: AttachmentRow) {
          const now = yield* Clock.currentTimeMillis
          return { ...attachments.show(row), url: yield* stableUrl(workspace_id, row, now) } satisfies Attachment
        })

        const withUpload = Effect.fnUntraced(function* (workspace_id: string, row: AttachmentRow) {
          const now = yield* Clock.currentTimeMillis
          return {
            ...(yield* shown(workspace_id, row)),
            ...(yield* uploadOf(workspace_id, row, now))
          } satisfies AttachmentUpload
        })

        /** What a condition is on: all that its answer shows. */
        const conditionOn = (workspace_id: string, condition: Condition<Attachment> | undefined) =>
          condition === undefined
            ? undefined
            : (row: AttachmentRow, version?: number) =>
                Effect.flatMap(shown(workspace_id, row), (attachment) => condition(attachment, version))

        const rowText = `SELECT ${attachments.selectList} FROM attachments
          WHERE workspace_id = $1 AND id = $2 AND NOT trashed`
        const find = Effect.fnUntraced(function* (workspace_id: string, id: string) {
          const [row] = yield* orUnavailable(read.unsafe<AttachmentRow>(rowText, [workspace_id, id]))
          return row ?? (yield* Edits.missing)
        })

        const capOf = (plan: PrincipalShape["plan"]): number => limits[plan].attachment_bytes || Infinity

        const tooLarge = (most: number) =>
          new TooLarge({
            code: "payload_too_large",
            detail: `The plan of the workspace allows ${most} bytes for a file`,
            extra: { limit_bytes: most }
          })

        /** A client sends to a bucket itself what it has told all of: the signature holds it. */
        const isDirect = ({ sha256, size }: Create): boolean =>
          blobs.direct !== undefined &&
          sha256 !== undefined &&
          sha256 !== null &&
          size !== undefined &&
          size !== null &&
          size <= mostOfPut

        const make = Effect.fnUntraced(function* (input: Create, own?: OwnId) {
          const { plan } = yield* Principal
          const most = capOf(plan)
          if ((input.size ?? 0) > most) return yield* tooLarge(most)
          return yield* writer.change((draft) =>
            Effect.gen(function* () {
              const staging = isDirect(input) ? { staging: stagingName() } : {}
              const row = yield* Edits.create(draft, quotas, input, staging, own)
              // What there is no room for now need not be sent.
              if (row.status === "pending" && row.size !== null) {
                yield* quotas.take(draft, "file_bytes", row.size)
                draft.count("file_bytes", -row.size)
              }
              return row
            })
          )
        })

        const create = traced("Attachments.create")(function* (input: Create, own?: OwnId) {
          const { workspace_id } = yield* Principal
          return yield* withUpload(workspace_id, yield* make(input, own))
        })

        /**
         * Keeps staged bytes, and writes whatever refers to them. That they come is written down first: what is cut short
         * after that is found by its row, which nothing has, and removed once it is an hour old.
         */
        const keeping = Effect.fnUntraced(function* <A, E>(
          workspace_id: WorkspaceId,
          actor: Actor,
          name: string,
          staged: Staged,
          change: (draft: Draft) => Effect.Effect<A, E>
        ) {
          const now = new Date(yield* Clock.currentTimeMillis).toISOString()
          const [held] = yield* orUnavailable(
            sql.unsafe<{ readonly refs: number }>(
              `INSERT INTO blobs (workspace_id, sha256, size, refs, unused_since) VALUES ($1, $2, $3::bigint, 0, $4)
              ON CONFLICT (workspace_id, sha256) DO UPDATE
                SET unused_since = CASE WHEN blobs.refs = 0 THEN excluded.unused_since END
              RETURNING refs`,
              [workspace_id, staged.sha256, String(staged.size), now]
            )
          )
          if (held!.refs === 0) {
            yield* Effect.catchTag(blobs.keep(name, { workspace_id, sha256: staged.sha256 }), "NotStaged", Effect.die)
          }
          return yield* writer.write(workspace_id, { actor }, change)
        })

        /** Takes bytes in and checks them; when it is over, nothing of them is staged. */
        const taking = <A, E, R>(
          said: Pick<AttachmentRow, "size" | "sha256">,
          most: number,
          source: Source,
          use: (taken: Taken) => Effect.Effect<A, E, R>
        ) =>
          Effect.suspend(() => {
            const name = stagingName()
            return Effect.gen(function* () {
              const staged = yield* blobs.stage(source, name, Math.min(most, said.size ?? Infinity)).pipe(
                Effect.catchTags({
                  TooLarge: (): Effect.Effect<never, Invalid | TooLarge> =>
                    said.size !== null && said.size <= most
                      ? Invalid.field("size", "mismatch", `was said to be ${said.size}, and more came`, "size_mismatch")
                      : tooLarge(most),
                  SourceFailed: () => Effect.fail(brokeOff)
                })
              )
              yield* Edits.checkContent(said, staged)
              return yield* use({ name, staged })
            }).pipe(Effect.onExit(() => Effect.ignore(blobs.discard(name))))
          })

        const taken: Attachments["Service"]["taken"] = (input, source, use) =>
          Effect.flatMap(Principal, ({ plan }) =>
            taking({ size: input.size ?? null, sha256: input.sha256 ?? null }, capOf(plan), source, use)
          )

        const add = traced("Attachments.add")(function* (input: Create, { name, staged }: Taken) {
          const principal = yield* Principal
          const { workspace_id } = principal
          const row = yield* keeping(workspace_id, actorOf(principal), name, staged, (draft) =>
            Edits.create(draft, quotas, input, { kept: staged })
          )
          return yield* withUpload(workspace_id, row)
        })

        /** Makes ready what has come to the bucket; undefined while nothing, or not the right thing, has. */
        const settle = Effect.fnUntraced(function* (workspace_id: WorkspaceId, row: AttachmentRow) {
          const name = row.staging
          if (row.status !== "pending" || name === null || blobs.direct === undefined) return row
          const staged = { size: row.size!, sha256: row.sha256! }
          switch (yield* blobs.direct.staged(name, staged)) {
            case "ok":
              return yield* keeping(workspace_id, { ...nobody, user_id: row.author_id }, name, staged, (draft) =>
                Edits.makeReady(draft, quotas, row.id, staged)
              ).pipe(Effect.tap(() => Effect.ignore(blobs.discard(name))))
            case "missing":
              return row
            case "wrong_size":
              return yield* Invalid.field("size", "mismatch", "is not that of what came", "size_mismatch")
            case "wrong_hash":
              return yield* Invalid.field("sha256", "mismatch", "is not that of what came", "checksum_mismatch")
          }
        })

        const complete = traced("Attachments.complete")(function* (id: string) {
          const { workspace_id } = yield* Principal
          const row = yield* settle(workspace_id, yield* find(workspace_id, id))
          return row.status === "ready" ? yield* shown(workspace_id, row) : yield* Edits.notReady
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
            ? yield* withUpload(workspace_id, row)
            : yield* shown(workspace_id, row)
        })

        const download = traced("Attachments.download")(function* (id: string) {
          const { workspace_id } = yield* Principal
          const row = yield* lookedAt(workspace_id, id)
          if (row.status !== "ready") return yield* Edits.notReady
          const url = yield* urlAt(workspace_id, row, yield* Clock.currentTimeMillis)
          return { ...attachments.show(row), url }
        })

        const update = traced("Attachments.update")(function* (
          id: string,
          input: AttachmentUpdate,
          condition?: Condition<Attachment>
        ) {
          const { workspace_id } = yield* Principal
          const row = yield* writer.change(
            (draft) => Edits.update(draft, id, input, conditionOn(workspace_id, condition)),
            [[attachments, id]]
          )
          return yield* shown(workspace_id, row)
        })

        const remove = traced("Attachments.delete")(function* (id: string, condition?: Condition<Attachment>) {
          const { workspace_id } = yield* Principal
          yield* writer.change(
            (draft) => Edits.remove(draft, id, conditionOn(workspace_id, condition)),
            [[attachments, id]]
          )
        })

        const list = traced("Attachments.list")(function* (query: PageQuery) {
          const { workspace_id } = yield* Principal
          const page = yield* lists.page({ spec: attachmentList, query, workspace_id })
          const now = yield* Clock.currentTimeMillis
          const items = yield* Effect.forEach(page.items, (item) =>
            Effect.map(
              stableUrl(workspace_id, JSON.parse(item) as StoredRow, now),
              (url) => `${item.slice(0, -1)},"url":${JSON.stringify(url)}}`
            )
          )
          return { ...page, items }
        })

        const awaits = Effect.fnUntraced(function* (workspace_id: string, id: string) {
          const row = yield* find(workspace_id, id)
          if (row.status !== "pending") return yield* Edits.usedUp
        })

        const planText = `SELECT plan FROM workspaces WHERE workspace_id = $1 AND deleted_at IS NULL`

        const receive = traced("Attachments.receive")(function* (workspace: string, id: string, source: Source) {
          const workspace_id = workspace as WorkspaceId
          const row = yield* find(workspace_id, id)
          if (row.status !== "pending") return yield* Edits.usedUp
          const [found] = yield* orUnavailable(read.unsafe<Pick<PrincipalShape, "plan">>(planText, [workspace_id]))
          if (found === undefined) return yield* Edits.missing
          const actor = { ...nobody, user_id: row.author_id as UserId | null }
          const ready = yield* taking(row, capOf(found.plan), source, ({ name, staged }) =>
            keeping(workspace_id, actor, name, staged, (draft) => Edits.makeReady(draft, quotas, id, staged))
          )
          return yield* shown(workspace_id, ready)
        })

        const file = traced("Attachments.file")(function* (workspace_id: string, id: string) {
          const row = yield* find(workspace_id, id)
          if (row.status !== "ready") return yield* Edits.missing
          const key = { workspace_id, sha256: row.sha256! }
          return {
            row,
            read: (range?: ByteRange) =>
              Effect.catchTag(blobs.read(key, range), "BlobMissing", (missing: BlobMissing) =>
                // A record is never without its bytes: somebody has taken them away.
                Effect.andThen(Effect.logError("the bytes of an attachment are gone", missing.key), Edits.missing)
              )
          }
        })

        const toUpdate = reader(AttachmentUpdate)
        const pushed = pushable(
          Records.of({ type: "attachment", table: attachments, weigh: () => 500, counter: "attachments" }),
          {
            Create: AttachmentCreate,
            Update: AttachmentUpdate,
            create: (input: Create, own: OwnId) => make(input, own),
            update: (id: string, input: AttachmentUpdate) => writer.change((draft) => Edits.update(draft, id, input)),
            delete: (id: string) => writer.change((draft) => Edits.remove(draft, id))
          }
        )

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
          awaits,
          receive,
          expire: (workspace_id, ids, before) =>
            writer
              .write(workspace_id, { actor: nobody, needs: ids.map((id) => [attachments, id] as const) }, (draft) =>
                Effect.forEach(ids, (id) => Edits.expire(draft, id, before), { discard: true })
              )
              .pipe(Effect.ignore),
          pushable: {
            ...pushed,
            // In the trash with its note, it is deleted to clients.
            state: (draft, id) =>
              Effect.flatMap(draft.get(attachments, id), (row) =>
                row?.trashed === true
                  ? Effect.succeed({ live: false, revision: row.revision })
                  : pushed.state(draft, id)
              ),
            data: (draft, id) =>
              Effect.map(draft.get(attachments, id), (row) =>
                row === undefined || row.trashed ? null : attachments.dataOf(row)
              ),
            revive: (draft, id, revision, data) =>
              Effect.flatMap(draft.get(attachments, id), (row) =>
                row === undefined
                  ? pushed.revive(draft, id, revision, data)
                  : // It comes back with its note alone.
                    Effect.flatMap(toUpdate(data), () =>
                      Effect.fail(Invalid.field("note_id", "unknown", "is in the trash", "unresolved_reference"))
                    )
              )
          }
        })
      })
    )
}

/** Its client seldom hears it. */
const brokeOff = new BadRequest({ code: "malformed_request", detail: "The body broke off before its end" })

type StoredRow = Pick<AttachmentRow, "id" | "status" | "sha256" | "filename" | "content_type" | "created_at">

const nowhere = {
  upload_url: null,
  upload_method: "PUT" as const,
  upload_headers: {},
  upload_expires_at: null
}

const stagingName = () => `up_${Ids.random(24)}`

const mayWrite = ({ role, scopes }: PrincipalShape): boolean =>
  isAtLeast(role, "editor") && (scopes.has("files:write") || scopes.has("notes:write"))
