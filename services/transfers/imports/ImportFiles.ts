import type { PgClient } from "@effect/sql-pg/PgClient"
import type { Reads } from "../../database/ReachedRows.ts"
import { Effect } from "effect"
import { createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { MessagePort } from "node:worker_threads"
import type { WorkspaceId } from "../../Ids.ts"
import type { RandomnessShape } from "../../Randomness.ts"
import * as AttachmentIntake from "../../notes/attachments/AttachmentIntake.ts"
import * as BlobIntake from "../../files/BlobIntake.ts"
import type { Blobs, Staged } from "../../files/Blobs.ts"
import { BlobDamaged } from "../../files/CheckedBlobs.ts"
import * as Queue from "../../jobs/Queue.ts"
import type { Writer } from "../../writer/Writer.ts"
import type { FileRoom } from "../../workspaces/FileRoom.ts"
import type { Plans } from "../../workspaces/Plans.ts"
import type { ImportError } from "./Import.ts"
import type { UsedFile } from "./ImportBatch.ts"
import type { SentFile } from "./ImportMessages.ts"
import type { ImportNames } from "./ImportNames.ts"
import type { ImportPreview } from "./ImportPreview.ts"
import { fromPort } from "../PortStream.ts"

/** Maximum number of files of a batch that are stored at a time. */
const filesAtOnce = 4

const retry = ({ detail }: { readonly detail: string }) => new Queue.Retry({ reason: detail })

/** The bytes of an import: its own file, and the files in it. */
export const make = ({
  blobs,
  fileRoom,
  plans,
  randomness,
  read,
  write,
  writer
}: {
  readonly read: Reads
  readonly write: PgClient
  readonly blobs: Blobs["Service"]
  readonly writer: Writer["Service"]
  readonly fileRoom: FileRoom["Service"]
  readonly plans: Plans["Service"]["limits"]
  readonly randomness: RandomnessShape
}) => {
  const { keep } = AttachmentIntake.make(write, blobs, writer, fileRoom, randomness)

  /** Copies the file of an import to the local disk, because an archive is read from its end. */
  const fetch = Effect.fnUntraced(function* (workspace_id: string, sha256: string, path: string) {
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
      catch: (cause) =>
        cause instanceof BlobDamaged
          ? new Queue.Drop({ reason: "The file is damaged: send it again with a new import" })
          : new Queue.Retry({ reason: `The file could not be fetched: ${String(cause)}` })
    })
  })

  /** Returns which of these attachments the workspace has, or had. */
  const known = (workspace_id: string, ids: ReadonlyArray<string>) =>
    Effect.map(
      read.unsafe<{ readonly id: string }>(
        "SELECT id FROM records WHERE workspace_id = $1 AND type = 'attachment' AND id = ANY($2::text[])",
        [workspace_id, ids]
      ),
      (rows) => new Set(rows.map(({ id }) => id))
    )

  /**
   * Returns the blob if a record of the workspace uses it already: its bytes need not be stored again. A limited caller always
   * sends them.
   */
  const held = (workspace_id: string, sha256: string) =>
    Effect.map(
      read.unsafe<Staged>(
        "SELECT sha256, size::float8 AS size FROM blobs WHERE workspace_id = $1 AND sha256 = $2 AND refs > 0",
        [workspace_id, sha256]
      ),
      ([row]) => row
    )

  const most = (workspace_id: string) =>
    Effect.map(
      read.unsafe<{ readonly plan: keyof typeof plans }>("SELECT plan FROM workspaces WHERE workspace_id = $1", [
        workspace_id
      ]),
      ([row]) => (row === undefined ? 0 : plans[row.plan].attachment_bytes || Infinity)
    )

  async function* whole(bytes: Uint8Array) {
    yield bytes
  }

  const opened = (bytes: Uint8Array | MessagePort) =>
    bytes instanceof MessagePort
      ? { source: fromPort(bytes), length: undefined }
      : { source: whole(bytes), length: bytes.length }

  /** Counts the bytes of a file for a preview, within the same limits. */
  const count = (workspace_id: WorkspaceId, bytes: Uint8Array | MessagePort, most: number, preview: ImportPreview) =>
    Effect.gen(function* () {
      const { length, source } = opened(bytes)
      const foreseen = preview.keptBytes
      const staged = yield* fileRoom.reserving({ workspace_id, length, foreseen }, (room) =>
        BlobIntake.count(source, most, room)
      )
      const rows = yield* Effect.orDie(
        read.unsafe("SELECT 1 FROM blobs WHERE workspace_id = $1 AND sha256 = $2", [workspace_id, staged.sha256])
      )
      preview.count(staged, rows.length > 0)
      return staged
    })

  const stage = (workspace_id: WorkspaceId, bytes: Uint8Array | MessagePort, most: number) =>
    Effect.suspend(() => {
      const name = AttachmentIntake.stagingName(randomness)
      const { length, source } = opened(bytes)
      // Quotas count the file only with its records, and a small archive may contain very many files: reserve the room.
      return fileRoom
        .reserving({ workspace_id, length }, (room) =>
          Effect.tap(blobs.stage(source, name, most, room), (staged) => keep(workspace_id, name, staged))
        )
        .pipe(Effect.onError(() => Effect.ignore(blobs.discard(name))))
    })

  /**
   * Stores the bytes of files; a preview only counts them. Returns the files to create attachments for, and the errors of
   * the refused ones.
   */
  const takeIn = Effect.fnUntraced(function* (
    workspace_id: WorkspaceId,
    names: ImportNames,
    files: ReadonlyArray<SentFile>,
    { isLimited, preview }: { readonly isLimited: boolean; readonly preview: ImportPreview | undefined }
  ) {
    if (files.length === 0) return { used: [], refused: [], lacking: [] }
    const ids = files.flatMap(({ uses }) => uses.map(({ key }) => names.file(key)))
    const isKnown = yield* Effect.orDie(known(workspace_id, ids))
    const maxBytes = yield* Effect.orDie(most(workspace_id))

    const take = Effect.fnUntraced(function* (file: SentFile) {
      const used: Array<UsedFile> = []
      const refused: Array<ImportError> = []
      /** Ids of notes that lack the file because of a quota. */
      const lacking: Array<string> = []
      const taken = { used, refused, lacking }
      const { bytes, content_type, created_at, filename, path, sha256 } = file
      const refuse = (code: ImportError["code"], message: string) => {
        refused.push({ file: path, code, message })
        return taken
      }
      const uses = file.uses.filter(({ key }) => {
        const id = names.file(key)
        return !isKnown.has(id) && preview?.has(id) !== true
      })
      const own =
        sha256 === undefined || isLimited
          ? undefined
          : (preview?.used(sha256) ?? (yield* Effect.orDie(held(workspace_id, sha256))))
      if ((uses.length === 0 || own !== undefined) && bytes instanceof MessagePort) bytes.close()
      if (uses.length === 0) return taken
      if (own === undefined && bytes === undefined) {
        return refuse("missing_file", `The export does not contain the bytes of ${filename}`)
      }
      const staged =
        own ??
        (yield* (
          preview === undefined ? stage(workspace_id, bytes!, maxBytes) : count(workspace_id, bytes!, maxBytes, preview)
        ).pipe(
          Effect.catchTags({
            TooLarge: () =>
              Effect.sync(
                () => void refuse("too_large", `The plan of the workspace allows ${maxBytes} bytes for a file`)
              ),
            Forbidden: ({ detail }) =>
              Effect.sync(() => {
                refuse("quota_exceeded", detail)
                lacking.push(...uses.map(({ note, note_id }) => note_id ?? names.note(note)))
              }),
            // The thread reports the reason.
            SourceFailed: () => Effect.void,
            Unavailable: retry
          })
        ))
      if (staged === undefined) return taken
      if (sha256 !== undefined && staged.sha256 !== sha256) {
        return refuse("damaged", `The bytes of ${filename} do not match its SHA-256`)
      }
      for (const { key, note, note_id } of uses) {
        used.push({
          id: names.file(key),
          note_id: note_id ?? names.note(note),
          path,
          filename,
          ...(content_type === undefined ? {} : { content_type }),
          ...(created_at === undefined ? {} : { created_at }),
          staged
        })
      }
      return taken
    })
    // A preview counts each file with those before it.
    const concurrency = preview === undefined ? filesAtOnce : 1
    // In the order of the file, whichever is stored first.
    const all = yield* Effect.forEach(files, take, { concurrency })
    return {
      used: all.flatMap(({ used }) => used),
      refused: all.flatMap(({ refused }) => refused),
      lacking: all.flatMap(({ lacking }) => lacking)
    }
  })

  return { fetch, takeIn }
}
