import { Effect } from "effect"
import { existsSync } from "node:fs"
import { opendir, stat } from "node:fs/promises"
import { join } from "node:path"
import { Database, runSql } from "../database/Database.ts"

/** An entry below the directory of files that no row needs, or that belongs to another user. */
export interface Orphan {
  readonly path: string
  readonly problem: "unused" | "unknown" | "foreign"
  readonly bytes: number
}

/** Number of files that one query looks up. */
const slice = 500

/** Files that are being removed have a row until their bytes are gone. Others are stored meanwhile: their row is first. */
const knownText = `SELECT workspace_id || '/' || sha256 AS name FROM blobs
  WHERE (workspace_id, sha256) IN (SELECT * FROM unnest($1::text[], $2::text[]))`

const filePattern = /^(ws_[0-9A-Za-z]+)\/([0-9a-f]{2})\/(\2[0-9a-f]{62})$/

/** Entries that have their place in the tree: directories of workspaces, and what is staged. */
const hasPlace = (path: string, isDirectory: boolean): boolean =>
  path === "staging" || path.startsWith("staging/")
    ? true
    : isDirectory
      ? /^ws_[0-9A-Za-z]+(\/[0-9a-f]{2})?$/.test(path)
      : filePattern.test(path)

interface Entry {
  readonly path: string
  readonly isDirectory: boolean
}

/** All entries below a directory, in little memory. A running server removes some meanwhile. */
async function* entriesOf(root: string, below = ""): AsyncGenerator<Entry> {
  const directory = await opendir(join(root, below)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined
    throw error
  })
  if (directory === undefined) return
  for await (const entry of directory) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`
    yield { path, isDirectory: entry.isDirectory() }
    // An unknown entry is one fault, whatever is in it.
    if (entry.isDirectory() && hasPlace(path, true)) yield* entriesOf(root, path)
  }
}

/**
 * Finds files on the disk that no row of `blobs` has, entries that are not Sheaf's, and entries of another user. Calls
 * `found` with each, until it returns false.
 */
export const findOrphans = Effect.fnUntraced(function* (root: string, found: (orphan: Orphan) => boolean) {
  const { read } = yield* Database
  const owner = yield* Effect.promise(() =>
    stat(root).then(
      ({ uid }) => uid,
      () => undefined
    )
  )
  if (owner === undefined) return
  const entries = entriesOf(root)

  /** The next entries, with what is wrong without a look into the database. */
  const next = Effect.promise(async () => {
    const orphans: Array<Orphan> = []
    const files: Array<{ readonly path: string; readonly bytes: number; readonly key: RegExpExecArray }> = []
    while (files.length < slice && orphans.length < slice) {
      const { done, value } = await entries.next()
      if (done) return { orphans, files, isEnd: true }
      const { isDirectory, path } = value
      const state = await stat(join(root, path)).catch(() => undefined)
      if (state === undefined) continue
      const key = isDirectory ? null : filePattern.exec(path)
      if (!hasPlace(path, isDirectory)) orphans.push({ path, problem: "unknown", bytes: state.size })
      else if (state.uid !== owner) orphans.push({ path, problem: "foreign", bytes: state.size })
      if (key !== null) files.push({ path, bytes: state.size, key })
    }
    return { orphans, files, isEnd: false }
  })

  while (true) {
    const { files, isEnd, orphans } = yield* next
    const known = new Set(
      (yield* runSql<{ readonly name: string }>(read, knownText, [
        files.map(({ key }) => key[1]!),
        files.map(({ key }) => key[3]!)
      ])).map(({ name }) => name)
    )
    const unused = files
      // One that was removed meanwhile, with its row, is none.
      .filter(({ key, path }) => !known.has(`${key[1]}/${key[3]}`) && existsSync(join(root, path)))
      .map(({ bytes, path }): Orphan => ({ path, problem: "unused", bytes }))
    for (const orphan of [...orphans, ...unused]) if (!found(orphan)) return
    if (isEnd) return
  }
})
