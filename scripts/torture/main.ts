/**
 * Tortures Sheaf by random operations and faults that follow from a seed, and checks that nothing is lost, doubled or wrong.
 *   node scripts/torture/main.ts [--seed N] [--minutes M] [--nodes N] [--workers N] [--operations N] [--replicas N] [--restores P] [--outside P] [--at-once N]
 *   node scripts/torture/main.ts --planted      checks that each planted fault is found
 * Exit code 1 if a check fails. See CONTRIBUTING.md.
 */
import { writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Random } from "../../src/program/testing/Random.ts"
import { carryOut, weightsOf } from "./Faults.ts"
import { type History, runHistories } from "./History.ts"
import { startKit } from "./Kit.ts"
import { Nodes } from "./Nodes.ts"
import { Outside, stopGateway } from "./Outside.ts"
import type { Failure } from "./Model.ts"
import { type FaultStep, isFault, planOf, type Step } from "./Plan.ts"
import { planted, planOfPlanted } from "./Planted.ts"
import { describe, shrink } from "./Shrink.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "1" },
    nodes: { type: "string", default: "2" },
    // The processes of each node that serve.
    workers: { type: "string", default: "1" },
    operations: { type: "string", default: "300" },
    replicas: { type: "string", default: "3" },
    // The chance of a history to have a backup and its restore.
    restores: { type: "string", default: "0.3" },
    // The chance of nodes to use an S3 and a Redis.
    outside: { type: "string", default: "0.5" },
    // Histories that run at once.
    "at-once": { type: "string", default: "4" },
    "shrink-minutes": { type: "string", default: "3" },
    planted: { type: "boolean", default: false }
  }
})
const numberOf = (name: Exclude<keyof typeof values, "planted">, least = 0): number => {
  const value = Number(values[name])
  if (!(value >= least)) throw new TypeError(`--${name} must be a number from ${least} on`)
  return value
}
const [seed, operations] = [numberOf("seed", 1), numberOf("operations", 1)]
const [nodes, workers] = [numberOf("nodes", 1), numberOf("workers", 1)]
const [minutes, replicas, restores] = [numberOf("minutes"), numberOf("replicas", 1), numberOf("restores")]
const [outside, atOnce, shrinkMinutes] = [numberOf("outside"), numberOf("at-once", 1), numberOf("shrink-minutes")]

type Run = (plans: ReadonlyArray<ReadonlyArray<Step>>) => Promise<ReadonlyArray<History>>

/** Histories on one stage: later ones are slower, because the checks of the database read all workspaces. */
const historiesPerStage = 20
/** Ids and words in the details of failures. */
const namePattern = /\b(?:[a-z]{2}_[\w-]+|wh\d+x\d+[a-d]?y)/g
/** Batches between two faults, on average. */
const batchesPerFault = 12

const totals = new Map<string, number>()
const count = (kind: string, by = 1) => void totals.set(kind, (totals.get(kind) ?? 0) + by)
const show = (title: string, group: string): void => {
  const found = [...totals].filter(([kind]) => kind.startsWith(group)).toSorted()
  console.log(`${title}: ${found.reduce((sum, [, number]) => sum + number, 0)}`)
  for (const [kind, number] of found) console.log(`  ${kind.slice(group.length).padEnd(44)} ${number}`)
}

const stopped = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopped.abort())

const open = async (seed: number): Promise<Nodes> =>
  Nodes.start(nodes, seed, new Random(seed).chance(outside) ? await Outside.start() : undefined, workers)

const checkPlanted = async (): Promise<boolean> => {
  const stage = workers > 1 ? await Nodes.start(nodes, seed, undefined, workers) : await startKit(nodes)
  let missed = 0
  for (const each of planted) {
    const plan = planOfPlanted(each, seed)
    const [history] = await runHistories(stage, [plan], { replicas: 2, planted: each })
    const { failures, happened } = history!
    if (failures.length === 0) missed++
    const found = failures.length > 0 ? "found " : "MISSED"
    console.log(`${found} ${each.name}, ${happened} times: ${failures[0]?.check ?? "nothing was found"}`)
  }
  await stage.stop()
  return missed === 0
}

/** Finds a smaller history that fails, and prints it. */
const explain = async (stage: Nodes, seed: number, plan: ReadonlyArray<Step>, run: Run, { check }: Failure) => {
  const until = performance.now() + shrinkMinutes * 60_000
  const shortest = await shrink(plan, check, async (steps) => (await run([steps]))[0]!.failures, until)
  console.log(
    `the smallest history with "${check}", ${shortest.length} of ${plan.length} steps:\n${describe(shortest)}`
  )
  const options = { seed, nodes, workers, operations, replicas, restores, outside: stage.outside === undefined ? 0 : 1 }
  const again = Object.entries(options).map(([name, value]) => `--${name} ${value}`)
  console.log(`again: npm run torture -- --minutes 0 --at-once 1 ${again.join(" ")}`)
}

/** Prints what fails, and writes what was exchanged about its records and words, and the logs of the nodes. */
const trace = (stage: Nodes, seed: number, { about, failures }: History): void => {
  for (const { check, detail } of failures) console.log(`  ${check}: ${detail}`)
  const file = join(tmpdir(), `sheaf-torture-${process.pid}-${seed}.trace`)
  const named = failures.flatMap(({ detail }) => detail.match(namePattern) ?? [])
  writeFileSync(file, [...about([...new Set(named)]), ...stage.logs].join("\n"))
  console.log(`what was exchanged about them, and the logs: ${file}`)
}

/** Runs the histories of some seeds at once, one after the other if one of them has a restore, which is of all. */
const runSeeds = async (stage: Nodes, seeds: ReadonlyArray<number>): Promise<boolean> => {
  const faults = weightsOf(stage)
  const fault = (step: FaultStep) => carryOut(stage, step, (kind) => count(`fault: ${kind}`))
  const run: Run = (plans) => runHistories(stage, plans, { replicas, fault })
  const plans = seeds.map((seed) => planOf({ seed, operations, nodes, replicas, faults, restores, batchesPerFault }))
  const isAlone = plans.some((plan) => plan.some((step) => isFault(step) && step.fault === "restore"))
  const began = performance.now()
  const histories: Array<History> = []
  for (const group of isAlone ? plans.map((plan) => [plan]) : [plans]) histories.push(...(await run(group)))
  for (const { done, requests } of histories) {
    for (const [kind, by] of done) count(`operation: ${kind}`, by)
    for (const [kind, by] of requests) count(`request: ${kind}`, by)
  }
  const failed = histories.findIndex(({ failures }) => failures.length > 0)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`seeds ${seeds.join(", ")}: ${failed < 0 ? "hold" : `${seeds[failed]} FAILED`}, ${seconds} s`)
  if (failed >= 0) trace(stage, seeds[failed]!, histories[failed]!)
  if (failed >= 0) await explain(stage, seeds[failed]!, plans[failed]!, run, histories[failed]!.failures[0]!)
  return failed < 0
}

/** Runs histories until the time is over, or one fails. Returns whether all checks were passed. */
const torture = async (): Promise<boolean> => {
  const until = performance.now() + minutes * 60_000
  let stage = await open(seed)
  try {
    for (let next = seed; next === seed || (performance.now() < until && !stopped.signal.aborted); next += atOnce) {
      if ((next - seed) % historiesPerStage < atOnce && next > seed) {
        await stage.stop()
        stage = await open(next)
      }
      if (
        !(await runSeeds(
          stage,
          Array.from({ length: atOnce }, (_, index) => next + index)
        ))
      )
        return false
    }
    return true
  } finally {
    await stage.stop()
    await stopGateway()
  }
}

const holds = values.planted ? await checkPlanted() : await torture()
if (!values.planted) {
  show("operations", "operation: ")
  show("faults of nodes", "fault: ")
  show("faults of requests and replicas", "request: ")
}
process.exit(holds ? 0 : 1)
