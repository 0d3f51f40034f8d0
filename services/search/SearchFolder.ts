import { Effect, Layer, Schedule } from "effect"
import { mkdir, readdir, rm, stat, utimes } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { ThreadData } from "./SearchMessages.ts"

/** Milliseconds. The folder of a node that ended earlier, or runs under another name since, is deleted. */
const maxAge = 7 * 24 * 3_600_000

const deleteOthers = async (directory: string): Promise<void> => {
  for (const name of await readdir(dirname(directory))) {
    const folder = join(dirname(directory), name)
    const { mtimeMs } = await stat(folder)
    if (folder !== directory && mtimeMs < Date.now() - maxAge) await rm(folder, { recursive: true, force: true })
  }
}

/**
 * The folder with the files of the indexes. It belongs to one node, as nodes may share `DATA_DIR`, and stays when the node
 * ends. Its time of change shows the other nodes that it is in use.
 */
export const layer = ({ directory }: Pick<ThreadData, "directory">) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      yield* Effect.promise(() => mkdir(directory, { recursive: true, mode: 0o700 }))
      const touch = Effect.tryPromise(() => utimes(directory, new Date(), new Date()))
      yield* Effect.tryPromise(() => deleteOthers(directory)).pipe(
        Effect.andThen(Effect.repeat(touch, Schedule.spaced("1 day"))),
        Effect.catch((error) => Effect.logWarning("folders of search indexes cannot be looked after", error)),
        Effect.forkScoped
      )
    })
  )
