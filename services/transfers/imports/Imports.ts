import { Context, Effect, Layer } from "effect"
import {
  type BadRequest,
  type Expired,
  type Forbidden,
  type Invalid,
  type NotFound,
  type RateLimited,
  TooLarge,
  type Unavailable
} from "../../Errors.ts"
import type { WorkspaceId } from "../../Ids.ts"
import { Lists } from "../../lists/Lists.ts"
import type { Page, PageQuery } from "../../lists/Page.ts"
import type { Addressee } from "../../notes/attachments/AttachmentUrls.ts"
import * as AttachmentIntake from "../../notes/attachments/AttachmentIntake.ts"
import type { Taken } from "../../notes/attachments/AttachmentIntake.ts"
import { isAtLeast, Principal, type PrincipalShape } from "../../Principal.ts"
import { Randomness } from "../../Randomness.ts"
import { type Actor, actorOf, systemActor } from "../../writer/Actor.ts"
import { Blobs, type Source } from "../../files/Blobs.ts"
import { Database, orUnavailable } from "../../database/Database.ts"
import { ago } from "../../database/DeleteInBatches.ts"
import { SignedUrls } from "../../files/SignedUrls.ts"
import { Writer } from "../../writer/Writer.ts"
import { traced } from "../../Traced.ts"
import { FileRoom } from "../../workspaces/FileRoom.ts"
import { askerOf, type Import, type ImportCreate, importList, type ImportRow, imports, ListedImport } from "./Import.ts"
import * as Edits from "./ImportEdits.ts"
import * as ImportUrls from "./ImportUrls.ts"
import { limits } from "../formats/Item.ts"
import { expireDue } from "../Expiry.ts"
import { TransferQueue } from "../TransferQueue.ts"

type WriteError = BadRequest | Expired | Forbidden | Invalid | NotFound | RateLimited | TooLarge | Unavailable

/** Maximum bytes of the file of an import, independent of the plan (contract, section 7). */
const most = limits.packedBytes

const tooLarge = () =>
  new TooLarge({
    code: "payload_too_large",
    detail: `The file of an import may have at most ${most} bytes`,
    extra: { limit_bytes: most }
  })

const unknown = { size: null, sha256: null }

/** Imports and the upload of their files (contract, section 7). `ImportRuns` runs them. */
export class Imports extends Context.Service<
  Imports,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    /** Creates an import that waits for its file. */
    readonly create: (input: ImportCreate) => Effect.Effect<Import, WriteError, Principal>
    /** Stages the file in a request that creates an import, and calls `use` with it. */
    readonly taken: <A, E, R>(
      workspace_id: WorkspaceId,
      source: Source,
      use: (taken: Taken) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | WriteError, R>
    /** Creates an import with a staged file. */
    readonly add: (input: ImportCreate, taken: Taken) => Effect.Effect<Import, WriteError, Principal>
    /** Creates an import for an operator, in the name of the first owner of the workspace. Returns its id. */
    readonly addFor: (
      workspace_id: WorkspaceId,
      input: ImportCreate,
      source: Source
    ) => Effect.Effect<string, WriteError>
    readonly get: (id: string) => Effect.Effect<Import, NotFound | Unavailable, Principal>
    readonly find: (workspace_id: string, id: string) => Effect.Effect<Import, NotFound | Unavailable>
    /** Takes the file that is sent to a signed address. `source` starts only if the import can still take a file. */
    readonly receive: <R>(
      by: Addressee,
      id: string,
      source: Effect.Effect<Source, never, R>
    ) => Effect.Effect<Import, WriteError, R>
    /** Fails imports whose file did not arrive in time, and removes old ones. */
    readonly prune: Effect.Effect<void>
  }
>()("sheaf/transfers/imports/Imports") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      Imports,
      Effect.gen(function* () {
        const { read, write: sql } = yield* Database
        const lists = yield* Lists
        const writer = yield* Writer
        const blobs = yield* Blobs
        const fileRoom = yield* FileRoom
        const queue = yield* TransferQueue
        const { shown, withUpload } = ImportUrls.make(publicUrl, yield* SignedUrls)
        const { keeping, taking, takingAgain } = AttachmentIntake.make(sql, blobs, writer, fileRoom, yield* Randomness)

        const listed = (row: ImportRow): ListedImport => ({
          ...imports.show(row),
          permille: row.permille,
          blob: row.blob
        })

        const list = traced("Imports.list")(function* (query: PageQuery) {
          const { workspace_id } = yield* Principal
          const page = yield* lists.page({ spec: importList, query, workspace_id })
          return { ...page, items: page.items.map((item) => JSON.stringify(shown(JSON.parse(item) as ListedImport))) }
        })

        const getText = `SELECT ${Object.keys(ListedImport.fields)
          .map((name) => (name === "size_bytes" ? "size_bytes::float8 AS size_bytes" : name))
          .join(", ")} FROM ${importList.from} WHERE workspace_id = $1 AND id = $2`
        const found = Effect.fnUntraced(function* (workspace_id: string, id: string) {
          const [row] = yield* orUnavailable(read.unsafe<ListedImport>(getText, [workspace_id, id]))
          return row ?? (yield* Edits.missing)
        })

        const get = traced("Imports.get")(function* (id: string) {
          const principal = yield* Principal
          const { workspace_id } = principal
          const row = yield* found(workspace_id, id)
          // A member who may send the file gets its address again, because the first response may have been lost.
          return mayWrite(principal) ? yield* withUpload(principal, row) : shown(row)
        })

        const create = traced("Imports.create")(function* (input: ImportCreate) {
          yield* fileRoom.onDisk
          const row = yield* writer.change((draft) => Edits.create(draft, input))
          return yield* withUpload(yield* Principal, listed(row))
        })

        const taken: Imports["Service"]["taken"] = (workspace_id, source, use) =>
          taking(
            workspace_id,
            unknown,
            most,
            source,
            (taken) =>
              // The file of a repeated request is not used.
              Effect.tap(use(taken), () => Effect.ignore(blobs.discard(taken.name))),
            tooLarge
          )

        const kept = (workspace_id: WorkspaceId, actor: Actor, input: ImportCreate, { name, staged }: Taken) =>
          Effect.tap(
            keeping(workspace_id, actor, name, staged, [], (draft) => Edits.create(draft, input, staged)),
            () => queue.wake
          )

        const add = traced("Imports.add")(function* (input: ImportCreate, taken: Taken) {
          const principal = yield* Principal
          const { workspace_id } = principal
          const row = yield* kept(workspace_id, actorOf(principal), input, taken)
          return yield* withUpload(principal, listed(row))
        })

        const firstOwner = (workspace_id: WorkspaceId) =>
          Effect.map(
            orUnavailable(
              read.unsafe<{ readonly user_id: string }>(
                `SELECT user_id FROM members WHERE workspace_id = $1 AND role = 'owner' ORDER BY created_at, id LIMIT 1`,
                [workspace_id]
              )
            ),
            ([row]): Actor => ({ ...systemActor, user_id: row?.user_id ?? null })
          )

        const waitingText = `SELECT ${imports.selectList} FROM imports i WHERE workspace_id = $1 AND id = $2
          AND EXISTS (SELECT FROM workspaces w WHERE w.workspace_id = i.workspace_id AND w.deleted_at IS NULL)`

        const receive = traced("Imports.receive")(function* <R>(
          by: Addressee,
          id: string,
          source: Effect.Effect<Source, never, R>
        ) {
          const { workspace_id } = by
          const [row] = yield* orUnavailable(read.unsafe<ImportRow>(waitingText, [workspace_id, id]))
          if (row === undefined) return yield* Edits.missing
          const { file_sha256, size_bytes, status } = row
          if (file_sha256 !== null && size_bytes !== null) {
            // The response to the first one may have been lost.
            yield* takingAgain(workspace_id, { size: size_bytes, sha256: file_sha256 }, yield* source, Edits.usedUp)
            return yield* withUpload(by, yield* found(workspace_id, id))
          }
          if (status !== "queued") return yield* Edits.usedUp
          const actor = { ...systemActor, user_id: askerOf(row) }
          const begun = yield* taking(
            workspace_id,
            unknown,
            most,
            yield* source,
            ({ name, staged }) =>
              keeping(workspace_id, actor, name, staged, [[imports, id]], (draft) => Edits.receive(draft, id, staged)),
            tooLarge
          )
          yield* queue.wake
          return yield* withUpload(by, listed(begun))
        })

        const prune = Effect.flatMap(ago(0), (now) =>
          expireDue({
            sql,
            writer,
            table: imports,
            column: "ends_at",
            now,
            end: (draft, id) => Edits.expire(draft, id, now)
          })
        )

        return Imports.of({
          list,
          create,
          taken,
          add,
          addFor: (workspace_id, input, source) =>
            Effect.flatMap(firstOwner(workspace_id), (actor) =>
              taken(workspace_id, source, (file) => Effect.map(kept(workspace_id, actor, input, file), ({ id }) => id))
            ),
          get,
          find: (workspace_id, id) => Effect.map(found(workspace_id, id), shown),
          receive,
          prune: Effect.orDie(prune)
        })
      })
    )
}

const mayWrite = ({ role, scopes }: PrincipalShape): boolean => isAtLeast(role, "editor") && scopes.has("notes:write")
