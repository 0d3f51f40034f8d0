import { describe, expect, inject, it } from "vitest"
import { createClient } from "../../src/clients/client/SheafClient.ts"
import { openSync } from "../../src/clients/sync/SyncEngine.ts"
import { memoryStore } from "../../src/clients/sync/SyncStore.ts"
import { Random } from "../../src/program/testing/Random.ts"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { EngineDevices } from "../support/devices/EngineDevices.ts"
import { rounds } from "../support/Slow.ts"

/** The text of all records on the server, also in the trash. Devices only add words to a text: none is only in its history. */
const textOf = async (devices: EngineDevices): Promise<string> => {
  const tables = ["title, body, tags FROM notes", "name, body FROM templates", "name FROM notebooks"]
  return JSON.stringify(await Promise.all(tables.map((from) => devices.sql(`SELECT ${from}`))))
}

const first = Number(process.env["CONVERGENCE_SEED"] ?? 1)
const seeds = Array.from(
  { length: Number(process.env["CONVERGENCE_RUNS"] ?? rounds(1, 100)) },
  (_, index) => first + index
)

describe("engines that edit, lose responses, crash and lose their cursors", () => {
  it.each(seeds)("converge, and no typed word is lost (seed %i)", async (seed) => {
    const random = new Random(seed)
    await using sheaf = await Sheaf.start({ postgres: inject("postgres") })
    await using devices = new EngineDevices(sheaf, random)
    for (let each = 0; each < 5; each++) await devices.add()
    await devices.settle()
    sheaf.faults.set({ seed, lostResponses: 0.1, unavailable: 0.1, cutStreams: 0.2 })
    for (let step = 0; step < 150; step++) await devices.step()
    sheaf.faults.clear()
    await devices.settle()

    const text = await textOf(devices)
    expect([...devices.words].filter((word) => !text.includes(word))).toEqual([])
    const fresh = await openSync({ client: createClient({ url: sheaf.url, key: sheaf.key }), store: memoryStore() })
    await fresh.sync()
    const server = devices.view({ engine: fresh } as never)
    for (const device of devices.devices) {
      const { engine } = device
      expect([engine.state, engine.refused]).toEqual([
        { status: "synced", waiting: 0, error: undefined, isWhole: true, recovered: 0 },
        []
      ])
      expect(devices.view(device)).toEqual(server)
    }
  })
})
