import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import costs from "../../scripts/capacity/costs.json" with { type: "json" }
import { demandOf, person, planOf, wallsOf } from "../../scripts/capacity/model.ts"
import { planLines, wallLines } from "../../scripts/capacity/plans.ts"

const scaling = readFileSync(join(import.meta.dirname, "../../docs/scaling.md"), "utf8")

it("docs/scaling.md has the plans and walls of the measured costs", () => {
  expect(scaling).toContain(planLines([100, 10_000, 1_000_000, 100_000_000], person, costs).join("\n"))
  expect(scaling).toContain(wallLines(person, costs).join("\n"))
})

it("demands grow with the users, and each installation of a plan is before each wall that more nodes do not move", () => {
  const walls = wallsOf(person, costs)
  expect(walls.map(([, users]) => users)).toEqual(walls.map(([, users]) => users).toSorted((one, other) => one - other))
  for (const users of [1, 100, 10_000, 1_000_000, 100_000_000]) {
    const { each, installations } = planOf(users, person, costs)
    for (const [wall, before] of walls.filter(([wall]) => wall !== "one main thread of Node"))
      expect(each.users, wall).toBeLessThanOrEqual(before)
    expect(each.users * installations).toBeCloseTo(users)
    const [some, more] = [demandOf(users, person, costs), demandOf(users * 2, person, costs)]
    for (const member of ["requests", "postgresCores", "log", "storedYear", "indexes"] as const)
      expect(more[member] / some[member]).toBeCloseTo(2)
    expect(more.nodes).toBeGreaterThanOrEqual(some.nodes)
  }
})
