import { Effect } from "effect"
import { findOrphans, type Orphan } from "../files/OrphanFiles.ts"
import { type Faults, Skipped } from "./Check.ts"

const words: Readonly<Record<Orphan["problem"], readonly [string, string]>> = {
  unused: [
    "belongs to no file that Sheaf has: it takes space, and is not in backups",
    "Move it to another place; delete it there when nothing misses it."
  ],
  unknown: ["is not of Sheaf", "Move it out of DATA_DIR."],
  foreign: [
    "belongs to another user than the directory, so that Sheaf may be unable to read or remove it",
    "Run chown on it, with the user of the server."
  ]
}

/** Looks for entries below DATA_DIR/files that no record needs. `directory` is undefined if files are in a bucket. */
export const storedFilesCheck = (directory: string | undefined) => ({
  name: "stored files",
  run: Effect.fnUntraced(function* (faults: Faults) {
    if (directory === undefined) return yield* new Skipped({ reason: "files are in a bucket, which is not listed" })
    yield* findOrphans(directory, ({ bytes, path, problem }) => {
      const [what, remedy] = words[problem]
      faults.add({ problem: `${directory}/${path} (${bytes} bytes) ${what}.`, remedy })
      return !faults.isFull
    })
  })
})
