/**
 * Tortures Sheaf by random operations and faults that follow from a seed, and checks that nothing is lost, doubled or wrong.
 *   node scripts/torture/main.ts [--seed N] [--minutes M] [--nodes N] [--operations N] [--replicas N] [--kit]
 *   node scripts/torture/main.ts --planted      checks that each planted fault is found
 * Exit code 1 if a check fails. See CONTRIBUTING.md.
 */
import { parseArgs } from "node:util"
import { carryOut, weights } from "./Faults.ts"
import { runHistory } from "./History.ts"
import { startKit } from "./Kit.ts"
import { Nodes } from "./Nodes.ts"
import { type FaultStep, planOf, type Step } from "./Plan.ts"
import { planted, planOfPlanted } from "./Planted.ts"
import { describe, shrink } from "./Shrink.ts"
import type { Stage } from "./Stage.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "1" },
    nodes: { type: "string", default: "2" },
    operations: { type: "string", default: "300" },
    replicas: { type: "string", default: "3" },
    // The chance of a history to have a backup and its restore.
    restores: { type: "string", default: "0.3" },
    "shrink-minutes": { type: "string", default: "3" },
    kit: { type: "boolean", default: false },
    planted: { type: "boolean", default: false }
  }
})
const [seed, minutes, nodes, operations, replicas, shrinkMinutes] = [
  values.seed,
  values.minutes,
  values.nodes,
  values.operations,
  values.replicas,
  values["shrink-minutes"]
].map(Number) as [number, number, number, number, number, number]
for (const [name, value] of Object.entries({ seed, minutes, nodes, operations, replicas }))
  if (!Number.isFinite(value) || value < (name === "minutes" ? 0 : 1)) throw new TypeError(`--${name} must be a number`)

/** Histories on one stage: later ones are slower, because the checks of the database read all workspaces. */
const historiesPerStage = 20
/** Batches between two faults, on average. */
const batchesPerFault = 12

const totals = new Map<string, number>()
const count = (kind: string, by = 1) => void totals.set(kind, (totals.get(kind) ?? 0) + by)
const show = (title: string, kinds: (kind: string) => boolean): void => {
  const found = [...totals].filter(([kind]) => kinds(kind)).toSorted(([one], [other]) => (one < other ? -1 : 1))
  console.log(`${title}: ${found.reduce((sum, [, number]) => sum + number, 0)}`)
  for (const [kind, number] of found) console.log(`  ${kind.replace(/^\w+: /, "").padEnd(44)} ${number}`)
}

const stopped = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopped.abort())

interface Place {
  readonly stage: Stage
  readonly fault: (step: FaultStep) => Promise<void>
}

const open = async (): Promise<Place> => {
  if (values.kit || values.planted) return { stage: await startKit(nodes), fault: async () => {} }
  const stage = await Nodes.start(nodes, seed)
  return { stage, fault: (step) => carryOut(stage, step, (kind) => count(`fault: ${kind}`)) }
}

const checkPlanted = async (): Promise<boolean> => {
  const { stage } = await open()
  const missed: Array<string> = []
  for (const each of planted) {
    const { failures, happened } = await runHistory(stage, planOfPlanted(each, seed), { replicas: 2, planted: each })
    const isFound = failures.length > 0
    if (!isFound) missed.push(each.name)
    console.log(
      `${isFound ? "found " : "MISSED"} ${each.name}, ${happened} times: ${failures[0]?.check ?? "nothing was found"}`
    )
  }
  await stage.stop()
  return missed.length === 0
}

/** Runs histories until the time is over. Returns whether all checks were passed. */
const torture = async (): Promise<boolean> => {
  const until = performance.now() + minutes * 60_000
  let place = await open()
  try {
    for (let number = 0; number === 0 || (performance.now() < until && !stopped.signal.aborted); number++) {
      if (number % historiesPerStage === 0 && number > 0) {
        await place.stage.stop()
        place = await open()
      }
      const plan = planOf({
        seed: seed + number,
        operations,
        nodes,
        replicas,
        faults: values.kit ? {} : weights,
        restores: values.kit ? 0 : Number(values.restores),
        batchesPerFault
      })
      const run = async (steps: ReadonlyArray<Step>) => runHistory(place.stage, steps, { replicas, fault: place.fault })
      const began = performance.now()
      const { done, failures, requests } = await run(plan)
      for (const [kind, by] of done) count(`operation: ${kind}`, by)
      for (const [kind, by] of requests) count(`request: ${kind}`, by)
      console.log(
        `seed ${seed + number}: ${failures.length === 0 ? "holds" : "FAILED"}, ${((performance.now() - began) / 1000).toFixed(1)} s`
      )
      if (failures.length === 0) continue
      for (const { check, detail } of failures) console.log(`  ${check}: ${detail}`)
      const shortest = await shrink(
        plan,
        failures[0]!,
        async (steps) => (await run(steps)).failures,
        performance.now() + shrinkMinutes * 60_000
      )
      console.log(
        `the smallest history with "${failures[0]!.check}", ${shortest.length} of ${plan.length} steps:\n${describe(shortest)}`
      )
      console.log(
        `again: npm run torture -- --seed ${seed + number} --minutes 0 --nodes ${nodes} --operations ${operations} --replicas ${replicas} --restores ${values.restores}`
      )
      return false
    }
    return true
  } finally {
    await place.stage.stop()
  }
}

const holds = values.planted ? await checkPlanted() : await torture()
if (!values.planted) {
  show("operations", (kind) => kind.startsWith("operation"))
  show("faults of nodes", (kind) => kind.startsWith("fault"))
  show("faults of requests", (kind) => kind.startsWith("request"))
}
process.exit(holds ? 0 : 1)
