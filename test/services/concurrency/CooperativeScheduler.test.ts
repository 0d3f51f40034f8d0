import { Effect, Exit, Fiber } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Budget, type Sliced, sliceSteps } from "../../../services/concurrency/Budget.ts"
import { CooperativeScheduler } from "../../../services/concurrency/CooperativeScheduler.ts"

const schedulerOf = () =>
  Effect.runSync(Effect.provide(Effect.service(CooperativeScheduler), CooperativeScheduler.layer))

/** Work that logs each of its slices. */
function* work(name: string, slices: number, log: Array<string>, budget = new Budget()): Sliced<string> {
  for (let slice = 1; slice < slices; slice++) {
    log.push(name)
    if (budget.spend(sliceSteps)) yield
  }
  log.push(name)
  return `${name} is done`
}

const begin = (
  scheduler: ReturnType<typeof schedulerOf>,
  key: string,
  name: string,
  slices: number,
  log: Array<string>
) => {
  const budget = new Budget()
  return Effect.runFork(scheduler.run(key, budget, () => work(name, slices, log, budget)))
}
const resultOf = <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.runPromise(Fiber.join(fiber))

describe("CooperativeScheduler", () => {
  it("does one slice of each key in turn, and the work of one key in order", async () => {
    const log: Array<string> = []
    const scheduler = schedulerOf()
    const fibers = [
      begin(scheduler, "a", "long", 100, log),
      begin(scheduler, "a", "next", 100, log),
      begin(scheduler, "b", "short", 3, log)
    ]
    expect(await resultOf(fibers[2]!)).toBe("short is done")
    expect(log).toEqual(["long", "short", "long", "short", "long", "short"])
    expect(await resultOf(fibers[1]!)).toBe("next is done")
    // The work of one key is done one after the other.
    expect(log.lastIndexOf("long")).toBeLessThan(log.indexOf("next"))
  })

  it("does a slice of low priority in one of eight turns while other work waits", async () => {
    const log: Array<string> = []
    const scheduler = schedulerOf()
    const budget = new Budget()
    const last = Effect.runFork(scheduler.runAtLowPriority("a", budget, () => work("last", 4, log, budget)))
    const first = begin(scheduler, "a", "first", 16, log)
    expect(await resultOf(first)).toBe("first is done")
    expect(log.map((name, place) => (name === "last" ? place : -1)).filter((place) => place >= 0)).toEqual([7, 16])
    expect(await resultOf(last)).toBe("last is done")
    expect(log.length).toBe(20)
  })

  it("runs the event loop between two slices", async () => {
    const log: Array<string> = []
    const fiber = begin(schedulerOf(), "a", "long", 10, log)
    const seen: Array<number> = []
    for (let times = 0; times < 5; times++) {
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(log.length)
    }
    expect(new Set(seen).size).toBe(seen.length)
    await resultOf(fiber)
  })

  it("stops interrupted work between two slices, and ends its generator", async () => {
    const scheduler = schedulerOf()
    let ended = false
    function* endless(): Sliced<never> {
      try {
        while (true) yield
      } finally {
        ended = true
      }
    }
    const fiber = Effect.runFork(scheduler.run("a", new Budget(), endless))
    await new Promise((resolve) => setImmediate(resolve))
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(ended).toBe(true)
    expect(await resultOf(begin(scheduler, "a", "next", 2, []))).toBe("next is done")
  })

  it("refuses work when too much work of its key waits, and reports a defect only to its caller", async () => {
    const scheduler = schedulerOf()
    const log: Array<string> = []
    const fibers = Array.from({ length: 22 }, (_, index) => begin(scheduler, "a", String(index), 2, log))
    const other = begin(scheduler, "b", "other", 2, log)
    const exits = await Promise.all(fibers.map((fiber) => Effect.runPromise(Fiber.await(fiber))))
    expect(exits.map(Exit.isSuccess)).toEqual([...Array(20).fill(true), false, false])
    expect(await resultOf(other)).toBe("other is done")
    const broken = await Effect.runPromiseExit(
      scheduler.run("c", new Budget(), function* (): Sliced<void> {
        yield
        throw new Error("broken")
      })
    )
    expect(Exit.isFailure(broken)).toBe(true)
    expect(await resultOf(begin(scheduler, "c", "next", 2, []))).toBe("next is done")
  })

  it("completes all work, whatever its order", async () => {
    const job = fc.record({ key: fc.constantFrom("a", "b", "c"), slices: fc.integer({ min: 1, max: 8 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(job, { maxLength: 15 }), async (jobs) => {
        const scheduler = schedulerOf()
        const log: Array<string> = []
        const fibers = jobs.map(({ key, slices }, index) => begin(scheduler, key, `${index}`, slices, log))
        expect(await Promise.all(fibers.map(resultOf))).toEqual(jobs.map((_, index) => `${index} is done`))
        expect(log.length).toBe(jobs.reduce((sum, { slices }) => sum + slices, 0))
      })
    )
  })
})
