import { Effect } from "effect"
import { existsSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import * as ProcessLock from "../../../services/database/ProcessLock.ts"
import { Progress, type Step } from "../../../services/Progress.ts"
import { load } from "../../server/settings/Config.ts"
import { usingFiles } from "../UsingFile.ts"
import { ports } from "./CommandServices.ts"
import { command } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"

/** Deletes the folders of all nodes in a directory. Returns the number of indexes in them. */
const removeAll = async (directory: string, report: (step: Step) => void): Promise<number> => {
  if (!existsSync(directory)) return 0
  const nodes = (await readdir(directory)).map((node) => join(directory, node))
  const indexes = (
    await Promise.all(nodes.map(async (node) => (await readdir(node)).map((index) => join(node, index))))
  ).flat()
  for (const [done, index] of indexes.entries()) {
    report({ what: "Deleting search indexes", done, total: indexes.length, unit: "indexes" })
    await rm(index, { recursive: true })
  }
  for (const node of nodes) await rm(node, { recursive: true })
  return indexes.length
}

export const reindex = command("reindex", {
  description:
    "Delete the files of all search indexes in DATA_DIR: the next search of each workspace builds its index again. Stop Sheaf first",
  examples: [["sheaf reindex", "Delete the search indexes"]],
  input: {},
  run: Effect.fnUntraced(function* () {
    if (yield* ProcessLock.isAnyThere) {
      return yield* new Refused({
        message: "Sheaf is running on this database and uses its search indexes: stop it, then run this command again"
      })
    }
    const directory = join((yield* load).dataDir, "search")
    const report = yield* Progress
    const removed = yield* usingFiles("DATA_DIR", directory, () => removeAll(directory, report))
    yield* Output.show({ removed }, "The next search of each workspace builds its index from the database.")
  }, Effect.provide(ports))
})
