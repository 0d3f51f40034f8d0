import { describe, expect, inject, it } from "vitest"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { AdapterScenario } from "../support/adapters/AdapterScenario.ts"
import { startRxDevice } from "../support/adapters/RxDevice.ts"
import { rounds } from "../support/Slow.ts"

describe("RxDB collections", () => {
  it("end equal to the server, and lose no word that their users type", { timeout: 1_800_000 }, async () => {
    for (let seed = 1; seed <= rounds(2, 100); seed++) {
      await using sheaf = await Sheaf.start({ postgres: inject("postgres") })
      const words = await new AdapterScenario(sheaf, seed).run(startRxDevice)
      expect([seed, words]).toEqual([seed, { lost: [], twice: [] }])
    }
  })
})
