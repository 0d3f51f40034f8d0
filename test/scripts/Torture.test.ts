import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { carryOut } from "../../scripts/torture/Faults.ts"
import { runHistories } from "../../scripts/torture/History.ts"
import { startKit } from "../../scripts/torture/Kit.ts"
import { Nodes } from "../../scripts/torture/Nodes.ts"
import { type FaultStep, isFault, planOf } from "../../scripts/torture/Plan.ts"
import { planOfPlanted, planted } from "../../scripts/torture/Planted.ts"
import { shrink } from "../../scripts/torture/Shrink.ts"
import type { Stage } from "../../scripts/torture/Stage.ts"
import { rounds, sampled } from "../support/Slow.ts"

const settings = { nodes: 2, replicas: 2, faults: {}, batchesPerFault: 1 }

let stage: Stage
beforeAll(async () => {
  stage = await startKit(settings.nodes, inject("postgres"))
})
afterAll(() => stage.stop())

describe("a torture by seed", () => {
  it("plans the same operations and faults for the same seed", () => {
    const plan = (seed: number) =>
      planOf({ ...settings, seed, operations: 100, faults: { kill: 1 }, batchesPerFault: 3, restores: 1 })
    expect(plan(5)).toEqual(plan(5))
    expect(plan(5)).not.toEqual(plan(6))
    expect(
      plan(5)
        .filter(isFault)
        .map(({ fault }) => fault)
    ).toEqual(expect.arrayContaining(["kill", "backup", "restore"]))
  })

  it("finds nothing in random operations on two nodes with lost and doubled requests", async () => {
    for (let seed = 1; seed <= rounds(1, 20); seed++) {
      const plan = planOf({ ...settings, seed, operations: rounds(40, 400) })
      const [history] = await runHistories(stage, [plan], settings)
      expect(history!.failures).toEqual([])
    }
  })

  it("finds nothing on a node whose workers are killed, stopped and replaced", async () => {
    const faults = { "kill a worker": 2, "stop and continue a worker": 1, "replace the workers": 1 }
    const nodes = await Nodes.start(1, 1, undefined, 2)
    try {
      // The second seed has each of the faults.
      for (let seed = 2; seed < 2 + rounds(1, 4); seed++) {
        const plan = planOf({ ...settings, seed, operations: rounds(40, 150), nodes: 1, faults, batchesPerFault: 3 })
        const carried: Array<string> = []
        const fault = (step: FaultStep) => carryOut(nodes, step, (kind) => carried.push(kind))
        const [history] = await runHistories(nodes, [plan], { ...settings, fault })
        expect(history!.failures).toEqual([])
        expect(carried).toEqual(plan.filter(isFault).map(({ fault }) => fault))
      }
    } finally {
      await nodes.stop()
    }
  })

  // `npm run torture -- --planted` plants each.
  it.each(sampled(planted, 7).map((each) => [each.name, each] as const))("finds that %s", async (_, each) => {
    const [history] = await runHistories(stage, [planOfPlanted(each, 1)], { ...settings, planted: each })
    expect(history!.failures).not.toEqual([])
  })

  it("drops the steps without which the same check fails", async () => {
    const plan = planOf({ ...settings, seed: 1, operations: 40 })
    const [wanted, other] = [plan[11]!, plan[29]!]
    const failure = { check: "both are there", detail: "" }
    const run = async (steps: typeof plan) => (steps.includes(wanted) && steps.includes(other) ? [failure] : [])
    expect(await shrink(plan, failure.check, run, Infinity)).toEqual([wanted, other])
  })
})
