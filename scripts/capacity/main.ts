import { readFileSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { measureCosts } from "./measure.ts"
import { type Costs, type Habits, person } from "./model.ts"
import { printPlans } from "./plans.ts"

const help = `npm run capacity -- [options]

Prints what numbers of users demand: nodes, PostgreSQL, bytes, and the wall that comes first, by the measured costs of
scripts/capacity/costs.json.

  --users 100,10000,1000000,100000000
  --habits FILE   JSON with members of Habits (scripts/capacity/model.ts) that differ from those of a person
  --measure       measures the costs on this machine for three minutes, compares them with a mix of requests, and fails
                  if processor time or log differ by more than 30 %
  --save          stores the measured costs
`
const { values: options } = parseArgs({
  options: {
    habits: { type: "string" },
    help: { type: "boolean", default: false },
    measure: { type: "boolean", default: false },
    save: { type: "boolean", default: false },
    users: { type: "string", default: "100,10000,1000000,100000000" }
  }
})
if (options.help) {
  console.log(help)
  process.exit()
}

const file = join(import.meta.dirname, "costs.json")
const stored: Costs = JSON.parse(readFileSync(file, "utf8"))
const given: Partial<Habits> = options.habits === undefined ? {} : JSON.parse(readFileSync(options.habits, "utf8"))
const habits: Habits = { ...person, ...given, perDay: { ...person.perDay, ...given.perDay } }

/** Largest difference between a prediction and the mix. */
const TOLERANCE = 0.3

if (options.measure) {
  const machine = `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, Node ${process.version}`
  const { compared, costs, requests } = await measureCosts(habits, stored.foreign, machine)
  console.log(
    `${JSON.stringify(costs, null, 2)}\n\n| of ${requests} requests | predicted | measured | ratio |\n|---|---|---|---|`
  )
  for (const [name, predicted, measured] of compared) {
    const ratio = predicted / measured
    // The database grows by whole files.
    if (name !== "stored" && Math.abs(ratio - 1) > TOLERANCE) process.exitCode = 1
    console.log(`| ${name} | ${Math.round(predicted)} | ${Math.round(measured)} | ${ratio.toFixed(2)} |`)
  }
  if (options.save) writeFileSync(file, `${JSON.stringify(costs, null, 2)}\n`)
} else printPlans(options.users.split(",").map(Number), habits, stored)
