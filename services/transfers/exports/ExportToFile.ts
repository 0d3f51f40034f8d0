import { Clock, Data, Effect, Schedule } from "effect"
import { createWriteStream } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import { sent } from "../../concurrency/SentSecrets.ts"
import { Blobs } from "../../files/Blobs.ts"
import { Contents } from "../../contents/Contents.ts"
import { Database } from "../../database/Database.ts"
import { messageOf } from "../../ErrorCause.ts"
import { fileFailure } from "../../FileFailure.ts"
import { Progress } from "../../Progress.ts"
import type { Export } from "./Export.ts"
import { linksRead } from "./LinksRead.ts"
import * as ExportThread from "./ExportThread.ts"

/** The file could not be written, or it exists already. */
class NotExported extends Data.TaggedError("NotExported")<{ readonly detail: string }> {}

const refused = (cause: unknown) => {
  const { code, path } = cause as NodeJS.ErrnoException
  const detail =
    code === "EEXIST"
      ? `${path} exists: name a new file, or delete this one if a killed export has left it`
      : (fileFailure(cause, "The export") ?? messageOf(cause))
  return new NotExported({ detail })
}

/** Exports a workspace to a new file, for operators. The bytes go to `path` only when the export is complete. */
export const exportToFile = Effect.fnUntraced(function* (workspace_id: string, format: Export["format"], path: string) {
  const { address } = yield* Database
  const blobs = yield* Blobs
  // No existing file is overwritten.
  yield* Effect.acquireRelease(
    Effect.tryPromise({ try: async () => (await open(path, "wx", 0o600)).close(), catch: refused }),
    (_, exit) => (exit._tag === "Success" ? Effect.void : Effect.promise(() => rm(path, { force: true })))
  )
  const part = `${path}.part`
  yield* Effect.addFinalizer(() => Effect.promise(() => rm(part, { force: true })))
  yield* linksRead(yield* Contents, workspace_id, format)
  const report = yield* Progress
  /** The share of the notes. The last files follow them. */
  let permille = 0
  let leftOut = 0
  const thread = yield* ExportThread.begin({
    data: {
      address: sent(address),
      parameters: {
        workspace_id,
        scope: "workspace",
        format,
        notebook_id: null,
        include_attachments: true,
        reach: null,
        now: yield* Clock.currentTimeMillis
      }
    },
    progress: (next) => Effect.sync(() => void (permille = Math.min(next, 990))),
    file: (sha256) => blobs.read({ workspace_id, sha256 }),
    leftOut: (files) => Effect.sync(() => void (leftOut = files))
  })
  const file = createWriteStream(part, { flags: "wx", mode: 0o600 })
  const step = Effect.sync(() =>
    report({ what: "Exporting", share: permille / 1000, done: file.bytesWritten, unit: "bytes" })
  )
  yield* Effect.forkScoped(Effect.repeat(step, Schedule.spaced("100 millis")))
  yield* Effect.tryPromise({
    try: () => pipeline(thread.pieces, file),
    catch: refused
  })
  yield* Effect.tryPromise({ try: () => rename(part, path), catch: refused })
  return { file: path, format, bytes: file.bytesWritten, files_left_out: leftOut }
}, Effect.scoped)
