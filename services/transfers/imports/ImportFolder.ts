import { Effect } from "effect"
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"

/** Milliseconds after which a folder is a leftover: its process has died, and another node has continued the import. */
const longestTry = 7 * 24 * 3_600_000

/** Returns the folders of interrupted attempts. Only this process works on the import now. */
const leftovers = async (scratch: string, id: string): Promise<ReadonlyArray<string>> => {
  const before = Date.now() - longestTry
  const left: Array<string> = []
  for (const name of await readdir(scratch)) {
    const found = await stat(join(scratch, name)).catch(() => undefined)
    if (name.startsWith(`${id}.`) || (found !== undefined && found.mtimeMs < before)) left.push(name)
  }
  return left
}

/** Creates a folder for one attempt of an import. It is removed when the scope closes. */
export const ownFolder = (scratch: string, id: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await mkdir(scratch, { recursive: true, mode: 0o700 })
      for (const name of await leftovers(scratch, id)) await rm(join(scratch, name), { recursive: true, force: true })
      return mkdtemp(join(scratch, `${id}.`))
    }),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
