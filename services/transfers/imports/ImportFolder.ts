import { Effect } from "effect"
import { mkdir, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Ids from "../../Ids.ts"

/** What lies on disk for longer was left by a process that has died: whoever took over was elsewhere. */
const longestTry = 7 * 24 * 3_600_000

/** What other tries have left here, that were cut short: this process alone works on the import now. */
const leftovers = async (scratch: string, id: string): Promise<ReadonlyArray<string>> => {
  const before = Date.now() - longestTry
  const left: Array<string> = []
  for (const name of await readdir(scratch)) {
    const found = await stat(join(scratch, name)).catch(() => undefined)
    if (name.startsWith(`${id}.`) || (found !== undefined && found.mtimeMs < before)) left.push(name)
  }
  return left
}

/** A folder for one try of an import, which goes with its scope. */
export const ownFolder = (scratch: string, id: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await mkdir(scratch, { recursive: true, mode: 0o700 })
      for (const name of await leftovers(scratch, id)) await rm(join(scratch, name), { recursive: true, force: true })
      const folder = join(scratch, `${id}.${Ids.random(8)}`)
      await mkdir(folder, { mode: 0o700 })
      return folder
    }),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
