import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer, Schedule } from "effect"
import { rmSync } from "node:fs"
import { mkdir, readdir, rm, stat, utimes } from "node:fs/promises"
import { dirname, join } from "node:path"
import { headsOf } from "./ChangedNotes.ts"
import { IndexRegistry } from "./IndexRegistry.ts"
import { workspaceOf } from "./IndexScope.ts"
import type { ThreadData } from "./SearchThread.ts"

/** Milliseconds without a modification after which a folder is deleted: its node ended, or has another name now. */
const maxAge = 7 * 24 * 3_600_000
/**
 * Milliseconds out of memory after which an index is deleted: no search has used it, and its files have the words of notes
 * erased since.
 */
const maxIndexAge = 30 * 24 * 3_600_000
/** How often files that are no longer needed are deleted. */
const cleanupInterval = "1 hour"
/** Number of workspaces per query. */
const lookedUpTogether = 1_000

const remove = (folder: string) => rm(folder, { recursive: true, force: true })

const deleteOthers = async (directory: string): Promise<void> => {
  for (const name of await readdir(dirname(directory))) {
    const folder = join(dirname(directory), name)
    const { mtimeMs } = await stat(folder)
    if (folder !== directory && mtimeMs < Date.now() - maxAge) await remove(folder)
  }
}

/**
 * The folder with the files of the indexes. It belongs to one node, as nodes may share `DATA_DIR`, and stays when the node
 * ends. Its modification time shows the other nodes that it is in use.
 */
export const layer = ({ directory }: Pick<ThreadData, "directory">) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* PgClient
      const indexes = yield* IndexRegistry
      const deleteErased = Effect.gen(function* () {
        const names = yield* Effect.tryPromise(() => readdir(directory))
        for (let from = 0; from < names.length; from += lookedUpTogether) {
          const some = names.slice(from, from + lookedUpTogether)
          const heads = yield* headsOf(sql, [...new Set(some.map(workspaceOf))])
          const known = new Set(heads.map(({ workspace_id }) => workspace_id))
          const erased = some.filter((name) => !known.has(workspaceOf(name)))
          for (const name of erased) yield* Effect.tryPromise(() => remove(join(directory, name)))
        }
      })
      const deleteUnused = async (): Promise<void> => {
        for (const name of await readdir(directory)) {
          const folder = join(directory, name)
          const { mtimeMs } = await stat(folder)
          // Without writes, an index in memory does not change its folder.
          if (indexes.holds(name)) await utimes(folder, new Date(), new Date())
          // Deleted in the same turn: no search opens the files in between.
          else if (mtimeMs < Date.now() - maxIndexAge) rmSync(folder, { recursive: true })
        }
      }

      yield* Effect.tryPromise(() => mkdir(directory, { recursive: true, mode: 0o700 })).pipe(
        Effect.andThen(Effect.tryPromise(() => utimes(directory, new Date(), new Date()))),
        Effect.andThen(Effect.tryPromise(() => deleteOthers(directory))),
        Effect.andThen(deleteErased),
        Effect.andThen(Effect.tryPromise(deleteUnused)),
        Effect.catchCause((cause) => Effect.logWarning("the folder of search indexes cannot be written to", cause)),
        Effect.repeat(Schedule.spaced(cleanupInterval)),
        Effect.forkScoped
      )
    })
  )
