import { Effect } from "effect"
import { Command } from "effect/cli"
import { existsSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import * as ProcessLock from "../../services/database/ProcessLock.ts"
import { load } from "../Config.ts"
import { usingFiles } from "../UsingFile.ts"
import { ports } from "./CommandServices.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"

/** Deletes the folders of all nodes in a directory. Returns the number of indexes in them. */
const removeAll = async (directory: string): Promise<number> => {
  let indexes = 0
  if (!existsSync(directory)) return indexes
  for (const node of await readdir(directory)) {
    const folder = join(directory, node)
    indexes += (await readdir(folder)).length
    await rm(folder, { recursive: true })
  }
  return indexes
}

export const reindex = Command.make(
  "reindex",
  {},
  Effect.fnUntraced(function* () {
    if (yield* ProcessLock.isAnyThere) {
      return yield* new Refused({
        message: "Sheaf is running on this database and uses its search indexes: stop it, then run this command again"
      })
    }
    const directory = join((yield* load).dataDir, "search")
    const removed = yield* usingFiles("DATA_DIR", directory, () => removeAll(directory))
    yield* Output.show({ removed }, "The next search of each workspace builds its index from the database.")
  }, Effect.provide(ports))
).pipe(
  Command.withDescription(
    "Delete the files of all search indexes in DATA_DIR: the next search of each workspace builds its index again. Stop Sheaf first"
  ),
  Command.withExamples([{ command: "sheaf reindex", description: "Delete the search indexes" }])
)
