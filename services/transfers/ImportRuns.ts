import { Clock, Context, Effect, Layer } from "effect"
import { createWriteStream } from "node:fs"
import { mkdir, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import * as Ids from "../Ids.ts"
import type { WorkspaceId } from "../Ids.ts"
import * as AttachmentIntake from "../notes/AttachmentIntake.ts"
import { nobody } from "../storage/Actor.ts"
import { Blobs, type Staged } from "../storage/Blobs.ts"
import { Database } from "../storage/Database.ts"
import * as Queue from "../storage/Queue.ts"
import { Writer } from "../storage/Writer.ts"
import { Plans } from "../workspaces/Plans.ts"
import { Quotas } from "../workspaces/Quotas.ts"
import type { ImportError, ImportSource } from "./Import.ts"
import * as ImportBatch from "./ImportBatch.ts"
import * as Edits from "./ImportEdits.ts"
import { ImportErrors } from "./ImportErrors.ts"
import type { Sent, SentFile } from "./ImportMessages.ts"
import { ImportNames } from "./ImportNames.ts"
import { type ImportRow, imports } from "./ImportTable.ts"
import * as ImportThread from "./ImportThread.ts"
import type { NoteItem, ProblemItem } from "./Item.ts"
import { fromPort } from "./PortStream.ts"

/** Files of a batch that are taken in at a time. */
const filesAtOnce = 4
/** Uses of files that are written in one commit. */
const usesAtOnce = 100

/** What a file is called that nobody has given a name. */
const unnamed: Readonly<Record<ImportSource, string>> = {
  markdown: "Import.md",
  enex: "Evernote.enex",
  notion: "Notion.zip"
}

const retry = ({ detail }: { readonly detail: string }) => new Queue.Retry({ reason: detail })

/** What quotas have kept out, each told once. */
class KeptOut {
  private readonly quotas = new Map<string, { readonly first: ImportBatch.KeptOut; count: number }>()

  add(each: ImportBatch.KeptOut): void {
    const known = this.quotas.get(each.quota)
    if (known === undefined) this.quotas.set(each.quota, { first: each, count: 1 })
    else known.count++
  }

  get errors(): ReadonlyArray<ImportError> {
    return [...this.quotas.values()].map(({ count, first }) => ({
      file: first.file,
      code: "quota_exceeded",
      message: `${first.detail}: ${count === 1 ? "this did" : `${count} of the file, this the first, did`} not come in`
    }))
  }

  get isEmpty(): boolean {
    return this.quotas.size === 0
  }
}

/** Brings in what imports hold: always reading from the beginning, and leaving out what is there already. */
export class ImportRuns extends Context.Service<
  ImportRuns,
  {
    /** One that has ended already is left as it is. */
    readonly run: (workspace_id: string, id: string) => Effect.Effect<void, Queue.Retry | Queue.Drop>
    /** It will not go on: `reason` is told to whoever asked for it. */
    readonly fail: (workspace_id: string, id: string, reason: string) => Effect.Effect<void>
  }
>()("sheaf/transfers/ImportRuns") {
  static readonly layer = ({ scratch }: { readonly scratch: string }) =>
    Layer.effect(
      ImportRuns,
      Effect.gen(function* () {
        const { read, write: sql } = yield* Database
        const blobs = yield* Blobs
        const writer = yield* Writer
        const quotas = yield* Quotas
        const { limits: plans } = yield* Plans
        const { keep } = AttachmentIntake.make(sql, blobs, writer)

        const find = (workspace_id: string, id: string) =>
          Effect.map(
            read.unsafe<ImportRow>(
              `SELECT ${imports.selectList} FROM imports WHERE workspace_id = $1 AND id = $2 AND status = 'queued'`,
              [workspace_id, id]
            ),
            ([row]) => row
          )

        const actor = ({ author_id }: ImportRow) => ({ ...nobody, user_id: author_id })

        /** What a try that was cut short has left goes first: this process alone works on the import now. */
        const ownFolder = (id: string) =>
          Effect.acquireRelease(
            Effect.promise(async () => {
              await mkdir(scratch, { recursive: true, mode: 0o700 })
              for (const name of await readdir(scratch)) {
                if (name.startsWith(`${id}.`)) await rm(join(scratch, name), { recursive: true, force: true })
              }
              const folder = join(scratch, `${id}.${Ids.random(8)}`)
              await mkdir(folder, { mode: 0o700 })
              return folder
            }),
            (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
          )

        /** An archive is read from its end: it has to lie on this machine. */
        const fetchFile = Effect.fnUntraced(function* (workspace_id: string, sha256: string, path: string) {
          const stream = yield* Effect.acquireRelease(blobs.read({ workspace_id, sha256 }), (stream) =>
            Effect.sync(() => stream.destroy())
          ).pipe(
            Effect.catchTags({
              BlobMissing: () => new Queue.Drop({ reason: "The file is gone" }),
              Unavailable: retry
            })
          )
          yield* Effect.tryPromise({
            try: (signal) => pipeline(stream, createWriteStream(path, { flags: "wx", mode: 0o600 }), { signal }),
            catch: (cause) => new Queue.Retry({ reason: `The file could not be fetched: ${String(cause)}` })
          })
        })

        const knownFiles = Effect.fnUntraced(function* (workspace_id: string, ids: ReadonlyArray<string>) {
          const rows = yield* Effect.orDie(
            read.unsafe<{ readonly id: string }>(
              "SELECT id FROM records WHERE workspace_id = $1 AND type = 'attachment' AND id = ANY($2::text[])",
              [workspace_id, ids]
            )
          )
          return new Set(rows.map(({ id }) => id))
        })

        const planText = "SELECT plan FROM workspaces WHERE workspace_id = $1"
        const mostOfFile = (workspace_id: string) =>
          Effect.map(
            Effect.orDie(read.unsafe<{ readonly plan: keyof typeof plans }>(planText, [workspace_id])),
            ([row]) => (row === undefined ? 0 : plans[row.plan].attachment_bytes || Infinity)
          )

        /** Takes the bytes of a file in; undefined where it has none that may come in. */
        const stage = (workspace_id: WorkspaceId, { bytes }: SentFile, most: number) =>
          Effect.gen(function* () {
            const name = AttachmentIntake.stagingName()
            async function* whole() {
              yield bytes as Uint8Array
            }
            const staged = yield* blobs.stage(bytes instanceof Uint8Array ? whole() : fromPort(bytes), name, most).pipe(
              Effect.andThen((staged: Staged) => Effect.as(keep(workspace_id, name, staged), staged)),
              Effect.onError(() => Effect.ignore(blobs.discard(name)))
            )
            return staged
          })

        const run = Effect.fnUntraced(function* (workspace: string, id: string) {
          const workspace_id = workspace as WorkspaceId
          const row = yield* Effect.orDie(find(workspace_id, id))
          if (row === undefined || row.blob === null) return
          const folder = yield* ownFolder(id)
          const path = join(folder, "file")
          yield* fetchFile(workspace_id, row.blob, path)
          const filename = row.filename ?? unnamed[row.source]
          const names = new ImportNames(id, row.created_at)
          const next = yield* ImportThread.begin({
            path,
            source: row.source,
            filename,
            scratch: folder,
            now: yield* Clock.currentTimeMillis,
            import_id: id,
            created_at: row.created_at
          })

          let errors = new ImportErrors()
          let imported = row.imported
          let total = 0
          let isFatal = false
          const keptOut = new KeptOut()

          const told = ({ code, file, message }: ProblemItem): ImportError => ({
            file: file || filename,
            code,
            message
          })

          const write = (batch: ImportBatch.Batch) =>
            writer
              .write(
                workspace_id,
                { actor: actor(row), needs: ImportBatch.needsOf(batch, names, id) },
                ImportBatch.write(quotas, names, id, batch, errors)
              )
              .pipe(
                Effect.map((written) => {
                  errors = written.errors
                  imported = written.row.imported
                  for (const each of written.keptOut) keptOut.add(each)
                }),
                Effect.catchTags({
                  Unavailable: retry,
                  NotFound: () => new Queue.Drop({ reason: "The workspace is gone" })
                })
              )

          const bringIn = Effect.fnUntraced(function* (items: ReadonlyArray<Sent>, progress: number) {
            const notes = items.filter((item): item is NoteItem => item.type === "note")
            const files = items.filter((item): item is SentFile => item.type === "file")
            const said = items.filter((item): item is ProblemItem => item.type === "problem")
            isFatal ||= said.some((problem) => problem.isFatal === true)
            total += notes.length
            const known =
              files.length === 0
                ? new Set<string>()
                : yield* knownFiles(
                    workspace_id,
                    files.flatMap(({ uses }) => uses.map(({ key }) => names.file(key)))
                  )
            const most = files.length === 0 ? 0 : yield* mostOfFile(workspace_id)
            const used: Array<ImportBatch.UsedFile> = []
            const tooLarge: Array<ImportError> = []
            const takeIn = Effect.fnUntraced(function* (file: SentFile) {
              const uses = file.uses.filter(({ key }) => !known.has(names.file(key)))
              if (uses.length === 0) {
                if (!(file.bytes instanceof Uint8Array)) file.bytes.close()
                return
              }
              const staged = yield* stage(workspace_id, file, most).pipe(
                Effect.catchTags({
                  TooLarge: () =>
                    Effect.sync(() => {
                      const message = `The plan of the workspace allows ${most} bytes for a file`
                      tooLarge.push({ file: file.path, code: "too_large", message })
                      return undefined
                    }),
                  // The thread tells why.
                  SourceFailed: () => Effect.undefined,
                  Unavailable: retry
                })
              )
              if (staged === undefined) return
              const { content_type, filename, path } = file
              for (const { key, note } of uses) {
                used.push({
                  id: names.file(key),
                  note_id: names.note(note),
                  path,
                  filename,
                  ...(content_type === undefined ? {} : { content_type }),
                  staged
                })
              }
            })
            yield* Effect.forEach(files, takeIn, { concurrency: filesAtOnce, discard: true })
            const permille = Math.min(999, Math.floor(1000 * progress))
            yield* write({
              notes,
              files: used.slice(0, usesAtOnce),
              errors: [...said.map(told), ...tooLarge],
              permille
            })
            for (let at = usesAtOnce; at < used.length; at += usesAtOnce) {
              yield* write({ notes: [], files: used.slice(at, at + usesAtOnce), errors: [], permille })
            }
          })

          const all = Effect.gen(function* () {
            while (true) {
              const said = yield* next
              if (said === undefined) return undefined
              yield* bringIn(said.items, said.progress)
            }
          })
          const refused = yield* Effect.catchTags(all, {
            Ended: () => Effect.succeed("ended" as const),
            NotAllowed: ({ message }) => Effect.succeed({ file: filename, code: "insufficient_role" as const, message })
          })
          if (refused === "ended") return
          const last = [...(refused === undefined ? [] : [refused]), ...keptOut.errors]
          const isDone = !isFatal && refused === undefined && (imported > 0 || keptOut.isEmpty)
          yield* finish(workspace_id, row, {
            status: isDone ? "done" : "failed",
            errors: errors.with(last).all,
            total: isFatal || refused !== undefined ? null : total
          })
        }, Effect.scoped)

        const finish = (workspace_id: WorkspaceId, row: ImportRow, end: Edits.End) =>
          writer
            .write(workspace_id, { actor: actor(row), needs: [[imports, row.id]] }, (draft) =>
              Edits.end(draft, row.id, end)
            )
            .pipe(
              Effect.catchTags({
                Unavailable: retry,
                NotFound: () => new Queue.Drop({ reason: "The workspace is gone" })
              })
            )

        const fail = Effect.fnUntraced(function* (workspace_id: string, id: string, reason: string) {
          const row = yield* Effect.orDie(find(workspace_id, id))
          if (row === undefined) return
          const file = row.filename ?? unnamed[row.source]
          const errors = new ImportErrors(row.errors).with([{ file, code: "not_ended", message: reason }]).all
          yield* Effect.catchTags(finish(workspace_id as WorkspaceId, row, { status: "failed", errors, total: null }), {
            Drop: () => Effect.void,
            Retry: Effect.die
          })
        })

        return ImportRuns.of({ run, fail })
      })
    )
}
