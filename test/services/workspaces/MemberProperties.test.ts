import * as fc from "fast-check"
import { beforeAll, expect, it } from "vitest"
import { planLimits } from "../../support/TestApp.ts"
import { isAtLeast, type Role, roles } from "../../../services/Principal.ts"
import { join, register, type Person, workspaceOf } from "../../support/people/People.ts"
import { rounds } from "../../support/Slow.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp({
  settings: { policies: { signUp: "open", planChanges: "owner", ownedWorkspaces: 0, limits: planLimits } }
})
let people: ReadonlyArray<Person>

beforeAll(async () => {
  const registered: Array<Person> = []
  for (let n = 0; n < 5; n++) registered.push(await register(app))
  people = registered
})

/** A change by one person to the membership of another person, or to their own. */
interface Change {
  readonly actor: number
  readonly target: number
  /** null removes the membership. */
  readonly to: Role | null
}

/** Roles by person. */
type Team = ReadonlyMap<number, Role>
type Outcome = "done" | "refused" | "last_owner"

/** Returns the outcome of a change according to the contract. */
const expectedOutcome = (team: Team, { actor, target, to }: Change): readonly [Outcome, Team] => {
  const [own, from] = [team.get(actor), team.get(target)]
  if (own === undefined || from === undefined) return ["refused", team]
  const isLeaving = actor === target && to === null
  const isAllowed = isAtLeast(own, "admin") && isAtLeast(own, from) && (to === null || isAtLeast(own, to))
  if (!isLeaving && !isAllowed) return ["refused", team]
  const owners = [...team.values()].filter((role) => role === "owner").length
  if (from === "owner" && to !== "owner" && owners === 1) return ["last_owner", team]
  const next = new Map(team)
  to === null ? next.delete(target) : next.set(target, to)
  return ["done", next]
}

/** Returns all valid results of concurrent changes: for each order, the outcomes and the resulting team. */
const orders = (team: Team, changes: ReadonlyArray<readonly [number, Change]>): ReadonlyArray<string> =>
  changes.length === 0
    ? [JSON.stringify([...team].toSorted(([a], [b]) => a - b))]
    : changes.flatMap(([place, change]) => {
        const [outcome, next] = expectedOutcome(team, change)
        return orders(
          next,
          changes.filter(([other]) => other !== place)
        ).map((rest) => `${place} ${outcome}; ${rest}`)
      })

const sorted = (order: string): string => order.split("; ").toSorted().join("; ")

const change = fc.record({
  actor: fc.nat(4),
  target: fc.nat(4),
  to: fc.constantFrom<Role | null>(...roles, null)
})

it("applies concurrent changes of members as if in some order, and always keeps an owner", async () => {
  const seen: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...roles), { minLength: 4, maxLength: 4 }),
      fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
      async (given, turns) => {
        const workspace = await workspaceOf(app, people[0]!)
        for (const [n, role] of given.entries()) await join(app, people[0]!, workspace, people[n + 1]!, role)
        let team: Team = new Map([[0, "owner"], ...given.map((role, n) => [n + 1, role] as const)])
        const present = async () => {
          const rows = await app.sql("SELECT id, user_id, role FROM members WHERE workspace_id = $1", [workspace])
          return new Map(
            rows.map((row) => [
              people.findIndex(({ user_id }) => user_id === row.user_id),
              row as { id: string; role: Role }
            ])
          )
        }
        for (const round of turns) {
          const before = await present()
          const outcomes = await Promise.all(
            round.map(async ({ actor, target, to }) => {
              const path = `/workspaces/${workspace}/members/${before.get(target)?.id ?? "mb_0000000000000000"}`
              const response =
                to === null
                  ? await app.call("DELETE", path, undefined, people[actor]!.headers)
                  : await app.call("PATCH", path, { role: to }, people[actor]!.headers)
              if (response.status === 200) return "done"
              expect([403, 404, 409]).toContain(response.status)
              return response.status === 409 ? response.body.code : "refused"
            })
          )
          for (const outcome of outcomes) seen[outcome] = (seen[outcome] ?? 0) + 1
          team = new Map([...(await present())].map(([n, { role }]) => [n, role]))
          expect([...team.values()]).toContain("owner")
          const observed = sorted(
            [
              ...outcomes.map((outcome, place) => `${place} ${outcome}`),
              JSON.stringify([...team].toSorted(([a], [b]) => a - b))
            ].join("; ")
          )
          const was: Team = new Map([...before].map(([n, { role }]) => [n, role]))
          expect(orders(was, [...round.entries()]).map(sorted)).toContain(observed)
        }
      }
    ),
    {
      numRuns: rounds(10, 40),
      // Random rounds may not contain this case.
      examples: [[["viewer", "admin", "editor", "viewer"], [[{ actor: 0, target: 0, to: null }]]]]
    }
  )
  // Each outcome occurred.
  for (const outcome of ["done", "refused", "last_owner"]) expect(seen[outcome] ?? 0, outcome).toBeGreaterThan(0)
})
