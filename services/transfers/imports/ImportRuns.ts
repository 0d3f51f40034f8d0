import { Clock, Context, Effect, Layer } from "effect"
import { join } from "node:path"
import type { Unavailable } from "../../Errors.ts"
import type { WorkspaceId } from "../../Ids.ts"
import { Randomness } from "../../Randomness.ts"
import { type Actor, systemActor, withChangeSet } from "../../writer/Actor.ts"
import { Blobs } from "../../files/Blobs.ts"
import { Database } from "../../database/Database.ts"
import { presentReach, presentReads } from "../../oauth/PresentReach.ts"
import * as Queue from "../../jobs/Queue.ts"
import type { Draft } from "../../writer/Draft.ts"
import { Writer } from "../../writer/Writer.ts"
import { FileRoom } from "../../workspaces/FileRoom.ts"
import { Plans } from "../../workspaces/Plans.ts"
import { Quotas } from "../../workspaces/Quotas.ts"
import { askerOf, type ImportError, type ImportRow, imports, unnamed } from "./Import.ts"
import * as ImportBatch from "./ImportBatch.ts"
import * as Edits from "./ImportEdits.ts"
import { ImportErrors } from "./ImportErrors.ts"
import * as ImportFiles from "./ImportFiles.ts"
import { ownFolder } from "./ImportFolder.ts"
import type { Request, Sent, SentFile } from "./ImportMessages.ts"
import { ImportNames } from "./ImportNames.ts"
import * as ImportSources from "./ImportSources.ts"
import { ImportPreview } from "./ImportPreview.ts"
import * as KeptIds from "./KeptIds.ts"
import { RefusedItems } from "./RefusedItems.ts"
import * as ImportThread from "./ImportThread.ts"
import type { NoteItem, ProblemItem } from "../formats/Item.ts"
import type { RecordItem } from "./JsonRecords.ts"

/** Maximum number of attachments that are written in one commit. */
const usesAtOnce = 100

/** The change set of an import. */
const changeSetOf = (import_id: string): string => `cs_${import_id.slice("im_".length)}`

const recordTypes: ReadonlySet<string> = new Set<RecordItem["type"]>([
  "notebook",
  "tag",
  "template",
  "whole_note",
  "versions",
  "part"
])

/** The outcome of the attempt after a failed write. */
const ending = {
  Unavailable: ({ detail }: Unavailable) => new Queue.Retry({ reason: detail }),
  NotFound: () => new Queue.Drop({ reason: "The workspace no longer exists" })
}

const endingOfBatch = {
  ...ending,
  Changed: () => new Queue.Retry({ reason: "A note was erased while the import updated it" })
}

/** Runs imports. Each attempt reads the file from its beginning, and omits records that exist already. */
export class ImportRuns extends Context.Service<
  ImportRuns,
  {
    /** Runs an import. One that has ended already is not changed. */
    readonly run: (workspace_id: string, id: string) => Effect.Effect<void, Queue.Retry | Queue.Drop>
    /** Ends an import as failed. `reason` becomes an entry of its `errors`. */
    readonly fail: (workspace_id: string, id: string, reason: string) => Effect.Effect<void>
  }
>()("sheaf/transfers/imports/ImportRuns") {
  static readonly layer = ({ scratch }: { readonly scratch: string }) =>
    Layer.effect(
      ImportRuns,
      Effect.gen(function* () {
        const { read, write: sql } = yield* Database
        const writer = yield* Writer
        const quotas = yield* Quotas
        const fileRoom = yield* FileRoom
        const files = ImportFiles.make({
          read,
          write: sql,
          blobs: yield* Blobs,
          writer,
          fileRoom,
          plans: (yield* Plans).limits,
          randomness: yield* Randomness
        })

        const { decide } = KeptIds.make(read, writer)

        const find = (workspace_id: string, id: string) =>
          Effect.map(
            read.unsafe<ImportRow>(
              `SELECT ${imports.selectList} FROM imports WHERE workspace_id = $1 AND id = $2 AND status = 'queued'`,
              [workspace_id, id]
            ),
            ([row]) => row && { ...row, author_id: askerOf(row) }
          )

        const actor = ({ author_id, credential_id, id, preview }: ImportRow): Actor => {
          const own: Actor = {
            ...systemActor,
            user_id: author_id,
            ...(credential_id === null ? {} : { credential_id }),
            via: { by: "import", import_id: id }
          }
          return preview ? own : withChangeSet(own, { id: changeSetOf(id), origin: "import" })
        }

        /** The time zone of the user who imports, for times that state none. */
        const timezoneOf = ({ author_id }: ImportRow) =>
          Effect.map(
            Effect.orDie(
              read.unsafe<{ readonly timezone: string }>("SELECT timezone FROM users WHERE id = $1", [author_id])
            ),
            ([row]) => row?.timezone ?? "UTC"
          )

        const run = Effect.fnUntraced(function* (workspace: string, id: string) {
          const workspace_id = workspace as WorkspaceId
          const row = yield* Effect.orDie(find(workspace_id, id))
          if (row === undefined || row.blob === null) return
          const folder = yield* ownFolder(scratch, id)
          const path = join(folder, "file")
          yield* files.fetch(workspace_id, row.blob, path)
          const filename = row.filename ?? unnamed[row.source]
          const sources = ImportSources.make(presentReads(read, workspace_id, row))
          const isLimited = row.credential_id !== null
          const preview = row.preview ? new ImportPreview(id) : undefined
          if (preview !== undefined) yield* changes(workspace_id, row, (draft) => Edits.beginPreview(draft, id))
          let names = new ImportNames(id, row.created_at)
          const next = yield* ImportThread.begin({
            path,
            source: row.source,
            filename,
            isUnnamed: row.filename === null,
            onExisting: row.on_existing,
            hasNotebook: row.notebook_id !== null,
            hasEarlier: yield* Effect.orDie(sources.any(workspace_id, row)),
            scratch: folder,
            now: yield* Clock.currentTimeMillis,
            timezone: yield* timezoneOf(row),
            import_id: id,
            created_at: row.created_at
          })

          let errors = new ImportErrors()
          let current = row
          let total = 0
          /** Number of notes that this attempt has skipped. */
          let skipped = 0
          /** Notes that could not be updated, with the new notes that were created instead. */
          let moved: ReadonlyMap<string, string> = new Map()
          /** Notebooks of the workspace that are used for notebooks of an export. */
          let placed: ReadonlyMap<string, string> = new Map()
          let templates: ReadonlySet<string> = new Set()
          let isFatal = false
          /** Whether the file is a JSON export of this service. */
          let isExport = false
          const refusedItems = new RefusedItems()

          const errorOf = ({ code, file, message }: ProblemItem): ImportError => ({
            file: file || filename,
            code,
            message
          })

          const write = Effect.fnUntraced(function* (batch: ImportBatch.Batch) {
            const needs = ImportBatch.needsOf(batch, names, id)
            const reach = yield* presentReach(read, workspace_id, row)
            const writing = reach === undefined ? actor(row) : { ...actor(row), reach }
            const before = { errors, moved, placed, templates }
            const means = { quotas, names, preview }
            const written = yield* writer
              .write(workspace_id, { actor: writing, needs }, ImportBatch.write(means, id, batch, before))
              .pipe(Effect.catchTags(endingOfBatch))
            ;({ errors, moved, placed, templates } = written)
            preview?.add(written.draft)
            current = written.row
            for (const each of written.refusedItems) refusedItems.add(each)
          })

          const bringIn = Effect.fnUntraced(function* (items: ReadonlyArray<Sent>, progress: number) {
            yield* Effect.catchTag(fileRoom.onDisk, "Unavailable", ending.Unavailable)
            const notes = items.filter((item): item is NoteItem => item.type === "note")
            const problems = items.filter((item): item is ProblemItem => item.type === "problem")
            isFatal ||= problems.some((problem) => problem.isFatal === true)
            const records = items.filter((item): item is RecordItem => recordTypes.has(item.type))
            const leftOut = items.filter(({ type }) => type === "skipped").length
            skipped += leftOut
            total += notes.length + leftOut + records.filter(({ type }) => type === "whole_note").length
            const sent = items.filter((item): item is SentFile => item.type === "file")
            const { lacking, refused, used } = yield* files.takeIn(workspace_id, names, sent, { isLimited, preview })
            const permille = Math.min(999, Math.floor(1000 * progress))
            yield* write({
              notes,
              records,
              files: used.slice(0, usesAtOnce),
              lacking,
              errors: [...problems.map(errorOf), ...refused],
              skipped,
              permille
            })
            for (let at = usesAtOnce; at < used.length; at += usesAtOnce) {
              yield* write({
                notes: [],
                records: [],
                files: used.slice(at, at + usesAtOnce),
                lacking: [],
                errors: [],
                skipped,
                permille
              })
            }
          })

          const idsInFile = new Set<string>()

          const all = Effect.gen(function* () {
            let request: Request = {}
            while (true) {
              const reply = yield* next(request)
              request = {}
              if (reply === undefined) return undefined
              if ("earlier" in reply) {
                request = { earlier: yield* Effect.orDie(sources.find(workspace_id, row, reply.earlier)) }
                continue
              }
              for (const item of reply.items) if (item.type === "ids") for (const each of item.ids) idsInFile.add(each)
              yield* bringIn(reply.items, reply.progress)
              if (reply.items.some(({ type }) => type === "decide")) {
                isExport = true
                const decided = decide(workspace_id, actor(row), row, idsInFile, preview)
                const keepsIds = yield* Effect.catchTags(decided, ending)
                idsInFile.clear()
                names = new ImportNames(id, row.created_at, keepsIds)
                request = { keepsIds }
              }
            }
          })
          const refused = yield* Effect.catchTags(all, {
            Ended: () => Effect.succeed("ended" as const),
            NotAllowed: ({ message }) => Effect.succeed({ file: filename, code: "insufficient_role" as const, message })
          })
          if (refused === "ended") return
          const last = [...(refused === undefined ? [] : [refused]), ...refusedItems.errors]
          const everything = errors.with(last).all
          // A JSON export may have other records than notes.
          const isNothing = current.imported + current.updated + skipped === 0 && everything.length > 0 && !isExport
          yield* changes(workspace_id, row, (draft) =>
            Edits.end(draft, id, {
              status: isFatal || refused !== undefined || isNothing ? "failed" : "done",
              errors: everything,
              skipped,
              total: isFatal || refused !== undefined ? null : total
            })
          )
        }, Effect.scoped)

        const changes = <A>(workspace_id: WorkspaceId, row: ImportRow, change: (draft: Draft) => Effect.Effect<A>) =>
          writer
            .write(workspace_id, { actor: actor(row), needs: [[imports, row.id]] }, change)
            .pipe(Effect.catchTags(ending))

        const fail = Effect.fnUntraced(function* (workspace_id: string, id: string, reason: string) {
          const row = yield* Effect.orDie(find(workspace_id, id))
          if (row === undefined) return
          yield* Effect.catchTags(
            changes(workspace_id as WorkspaceId, row, (draft) => Edits.fail(draft, id, reason)),
            { Drop: () => Effect.void, Retry: Effect.die }
          )
        })

        return ImportRuns.of({ run, fail })
      })
    )
}
