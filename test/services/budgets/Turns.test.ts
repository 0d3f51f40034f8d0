import { Effect, Exit, Fiber } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Budget, type Sliced, sliceSteps } from "../../../services/budgets/Budget.ts"
import { Turns } from "../../../services/budgets/Turns.ts"

const turnsOf = () => Effect.runSync(Effect.provide(Effect.service(Turns), Turns.layer))

/** Work of so many slices, which tells each of them. */
function* work(name: string, slices: number, told: Array<string>, budget = new Budget()): Sliced<string> {
  for (let slice = 1; slice < slices; slice++) {
    told.push(name)
    if (budget.spend(sliceSteps)) yield
  }
  told.push(name)
  return `${name} is done`
}

const begin = (turns: ReturnType<typeof turnsOf>, key: string, name: string, slices: number, told: Array<string>) => {
  const budget = new Budget()
  return Effect.runFork(turns.run(key, budget, () => work(name, slices, told, budget)))
}
const resultOf = <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.runPromise(Fiber.join(fiber))

describe("turns", () => {
  it("go round by key: who has much to do holds nobody up by more than a slice for each key", async () => {
    const told: Array<string> = []
    const turns = turnsOf()
    const fibers = [
      begin(turns, "a", "long", 100, told),
      begin(turns, "a", "next", 100, told),
      begin(turns, "b", "short", 3, told)
    ]
    expect(await resultOf(fibers[2]!)).toBe("short is done")
    expect(told).toEqual(["long", "short", "long", "short", "long", "short"])
    expect(await resultOf(fibers[1]!)).toBe("next is done")
    // The work of one key is done one after the other.
    expect(told.lastIndexOf("long")).toBeLessThan(told.indexOf("next"))
  })

  it("come to work of low priority once in eight rounds while other work waits", async () => {
    const told: Array<string> = []
    const turns = turnsOf()
    const budget = new Budget()
    const last = Effect.runFork(turns.runLast("a", budget, () => work("last", 4, told, budget)))
    const first = begin(turns, "a", "first", 16, told)
    expect(await resultOf(first)).toBe("first is done")
    expect(told.map((name, place) => (name === "last" ? place : -1)).filter((place) => place >= 0)).toEqual([7, 16])
    expect(await resultOf(last)).toBe("last is done")
    expect(told.length).toBe(20)
  })

  it("let the event loop go on between two slices", async () => {
    const told: Array<string> = []
    const fiber = begin(turnsOf(), "a", "long", 10, told)
    const seen: Array<number> = []
    for (let times = 0; times < 5; times++) {
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(told.length)
    }
    expect(new Set(seen).size).toBe(seen.length)
    await resultOf(fiber)
  })

  it("leave work where it is when its caller goes away, and end what it had begun", async () => {
    const turns = turnsOf()
    let ended = false
    function* endless(): Sliced<never> {
      try {
        while (true) yield
      } finally {
        ended = true
      }
    }
    const fiber = Effect.runFork(turns.run("a", new Budget(), endless))
    await new Promise((resolve) => setImmediate(resolve))
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(ended).toBe(true)
    expect(await resultOf(begin(turns, "a", "next", 2, []))).toBe("next is done")
  })

  it("refuse what is too much for one key, and tell a mistake to its caller alone", async () => {
    const turns = turnsOf()
    const told: Array<string> = []
    const fibers = Array.from({ length: 22 }, (_, index) => begin(turns, "a", String(index), 2, told))
    const other = begin(turns, "b", "other", 2, told)
    const exits = await Promise.all(fibers.map((fiber) => Effect.runPromise(Fiber.await(fiber))))
    expect(exits.map(Exit.isSuccess)).toEqual([...Array(20).fill(true), false, false])
    expect(await resultOf(other)).toBe("other is done")
    const broken = await Effect.runPromiseExit(
      turns.run("c", new Budget(), function* (): Sliced<void> {
        yield
        throw new Error("broken")
      })
    )
    expect(Exit.isFailure(broken)).toBe(true)
    expect(await resultOf(begin(turns, "c", "next", 2, []))).toBe("next is done")
  })

  it("do all work to its end, whatever comes in which order", async () => {
    const job = fc.record({ key: fc.constantFrom("a", "b", "c"), slices: fc.integer({ min: 1, max: 8 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(job, { maxLength: 15 }), async (jobs) => {
        const turns = turnsOf()
        const told: Array<string> = []
        const fibers = jobs.map(({ key, slices }, index) => begin(turns, key, `${index}`, slices, told))
        expect(await Promise.all(fibers.map(resultOf))).toEqual(jobs.map((_, index) => `${index} is done`))
        expect(told.length).toBe(jobs.reduce((sum, { slices }) => sum + slices, 0))
      })
    )
  })
})
