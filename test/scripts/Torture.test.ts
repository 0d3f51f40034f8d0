import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { startKit } from "../../scripts/torture/Kit.ts"
import { planOfPlanted, planted } from "../../scripts/torture/Planted.ts"
import { planOf } from "../../scripts/torture/Plan.ts"
import { runHistory } from "../../scripts/torture/History.ts"
import type { Stage } from "../../scripts/torture/Stage.ts"
import { processorSeconds } from "../support/processorSeconds.ts"
import { rounds, sampled } from "../support/Slow.ts"

const settings = { nodes: 2, replicas: 2, faults: {}, batchesPerFault: 1 }

let stage: Stage
beforeAll(async () => {
  stage = await startKit(settings.nodes, inject("postgres"))
})
afterAll(() => stage.stop())

describe("a torture by seed", () => {
  it("plans the same operations for the same seed", () => {
    const plan = (seed: number) => planOf({ ...settings, seed, operations: 100 })
    expect(plan(5)).toEqual(plan(5))
    expect(plan(5)).not.toEqual(plan(6))
  })

  it("finds nothing in random operations on two nodes with lost and doubled requests", async () => {
    for (let seed = 1; seed <= rounds(1, 20); seed++) {
      const { failures } = await runHistory(stage, planOf({ ...settings, seed, operations: rounds(80, 400) }), settings)
      expect(failures).toEqual([])
    }
  })

  it.each(sampled(planted, 10).map((each) => [each.name, each] as const))("finds that %s", async (_, each) => {
    const plan = planOfPlanted(each, 1)
    const {
      answer: { failures, happened },
      seconds
    } = await processorSeconds(() => runHistory(stage, plan, { ...settings, planted: each }))
    console.log(each.name, seconds, happened, failures)
    expect(happened + (each.forgets === true ? 1 : 0)).toBeGreaterThan(0)
    expect(failures).not.toEqual([])
  })
})
