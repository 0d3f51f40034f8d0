import { describe, inject, it } from "vitest"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { FolderWorld } from "../support/folders/FolderWorld.ts"
import { rounds } from "../support/Slow.ts"

const first = Number(process.env["FOLDER_SEED"] ?? 1)
const seeds = Number(process.env["FOLDER_SEEDS"] ?? rounds(20, 200))

describe("two folders and clients of the API that change at random", () => {
  it.each(Array.from({ length: seeds }, (_, index) => first + index))(
    "are equal in the end, have lost no word and deleted nothing else (seed %i)",
    async (seed) => {
      await using sheaf = await Sheaf.start({ postgres: inject("postgres") })
      await using world = new FolderWorld(sheaf, seed)
      try {
        await world.run(30)
        await world.check()
      } catch (error) {
        throw new Error(`seed ${seed}: ${world.history.join("\n")}`, { cause: error })
      }
    }
  )
})
