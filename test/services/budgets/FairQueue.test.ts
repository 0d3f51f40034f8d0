import { Effect, Exit, Fiber } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FairQueue } from "../../../services/budgets/FairQueue.ts"
import { LeapClock } from "../../support/LeapClock.ts"

/** All that can happen has happened: no fiber takes so many turns of the event loop to go on. */
const settled = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((done) => setImmediate(done))
}

interface Job {
  readonly key: string
  readonly last: boolean
  fiber: Fiber.Fiber<void, unknown> | undefined
  end: () => void
  state: "waiting" | "running" | "ended"
  /** How many had begun when it came, and when it began. */
  readonly came: number
  began: number
}

/** A queue whose jobs end when they are told to. */
const begin = (options: Partial<ConstructorParameters<typeof FairQueue>[0]> = {}) => {
  const queue = new FairQueue({
    concurrency: 1,
    maxWaitingPerKey: 5,
    maxWaiting: 100,
    maxWait: "15 seconds",
    detail: "Too much",
    ...options
  })
  const jobs: Array<Job> = []
  const begun: Array<Job> = []
  const add = (key: string, last = false): Job => {
    const job: Job = { key, last, fiber: undefined, end: () => {}, state: "waiting", came: begun.length, began: 0 }
    const work = Effect.callback<void>((resume) => {
      job.state = "running"
      job.began = begun.length
      begun.push(job)
      job.end = () => resume(Effect.void)
    })
    jobs.push(job)
    job.fiber = Effect.runFork(
      Effect.ensuring(
        queue.run(key, { last }, work),
        Effect.sync(() => (job.state = "ended"))
      )
    )
    return job
  }
  return { queue, jobs, begun, add }
}

const keysOf = (jobs: ReadonlyArray<Job>) => jobs.map(({ key }) => key).join("")

/** Lets jobs end one after the other until there are none. */
const drain = async ({ begun, jobs }: ReturnType<typeof begin>) => {
  for (let round = 0; jobs.some(({ state }) => state !== "ended"); round++) {
    expect(round).toBeLessThan(1_000)
    begun.find(({ state }) => state === "running")!.end()
    await settled()
  }
}

describe("a fair queue", () => {
  it("gives every key a turn, however much one of them asks for", async () => {
    const all = begin()
    for (const key of "aaaaabbc") all.add(key)
    await settled()
    await drain(all)
    expect(keysOf(all.begun)).toBe("aabcabaa")
  })

  it("refuses what is too much for one key, and nobody else", async () => {
    const all = begin()
    const [first, ...rest] = [..."aaaaaaa"].map((key) => all.add(key))
    const other = all.add("b")
    await settled()
    expect(await Effect.runPromise(Effect.flip(Fiber.join(rest.at(-1)!.fiber!)))).toMatchObject({
      _tag: "Unavailable",
      code: "overloaded",
      detail: "Too much",
      retry_after: 2
    })
    expect([first!.state, ...rest.slice(0, 5).map(({ state }) => state), other.state]).toEqual([
      "running",
      "waiting",
      "waiting",
      "waiting",
      "waiting",
      "waiting",
      "waiting"
    ])
  })

  it("lets a new key in when it is full, at the cost of the longest row, and of those who wait last before it", async () => {
    const all = begin({ maxWaiting: 6 })
    const jobs = [..."xaaaabb"].map((key) => all.add(key))
    await settled()
    all.add("c")
    await settled()
    expect(jobs.map(({ state }) => state)).toEqual([
      "running",
      "waiting",
      "waiting",
      "waiting",
      "ended",
      "waiting",
      "waiting"
    ])
    const lasting = begin({ maxWaiting: 2 })
    const [, one, late] = [lasting.add("x"), lasting.add("a"), lasting.add("b", true)]
    await settled()
    lasting.add("c", true)
    await settled()
    expect([one!.state, late!.state, lasting.jobs.at(-1)!.state]).toEqual(["waiting", "waiting", "ended"])
    lasting.add("d")
    await settled()
    expect([one!.state, late!.state, lasting.jobs.at(-1)!.state]).toEqual(["waiting", "ended", "waiting"])
  })

  it("gives those who wait last each eighth turn while others wait", async () => {
    const all = begin({ maxWaitingPerKey: 20 })
    for (const key of "aaaaaaaaaaaa") all.add(key)
    for (const key of "zzz") all.add(key, true)
    await settled()
    await drain(all)
    expect(keysOf(all.begun)).toBe("aaaaaaaazaaaazz")
  })

  it("forgets who went away, and passes on a turn that was given to them", async () => {
    const all = begin()
    const [first, second, third] = [all.add("a"), all.add("b"), all.add("c")]
    await settled()
    expect(all.queue.waiting).toBe(2)
    first!.end()
    Effect.runFork(Fiber.interrupt(second!.fiber!))
    await settled()
    expect([second!.state, third!.state, all.queue.waiting]).toEqual(["ended", "running", 0])
    expect(Exit.isFailure(await Effect.runPromise(Fiber.await(second!.fiber!)))).toBe(true)
  })

  it("refuses whose turn has not come in time", async () => {
    const queue = new FairQueue({
      concurrency: 1,
      maxWaitingPerKey: 5,
      maxWaiting: 10,
      maxWait: "15 seconds",
      detail: "Too much"
    })
    await Effect.runPromise(
      Effect.gen(function* () {
        const clock = yield* LeapClock
        const running = yield* Effect.forkChild(queue.run("a", {}, Effect.never), { startImmediately: true })
        const waiting = yield* Effect.forkChild(Effect.flip(queue.run("b", {}, Effect.void)), {
          startImmediately: true
        })
        yield* clock.advance("14 seconds")
        expect(queue.waiting).toBe(1)
        yield* clock.advance("1 second")
        expect(yield* Fiber.join(waiting)).toMatchObject({ code: "overloaded" })
        expect(queue.waiting).toBe(0)
        yield* Fiber.interrupt(running)
        expect(yield* queue.run("c", {}, Effect.succeed("free again"))).toBe("free again")
      }).pipe(Effect.provide(LeapClock.layer(0)))
    )
  })

  it("keeps its bounds and the order of each key, and lets nobody starve, whatever happens", async () => {
    const keys = "abcdefgh"
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ key: fc.constantFrom(...keys), last: fc.boolean() }) },
      { weight: 4, arbitrary: fc.record({ end: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ leave: fc.nat(20) }) }
    )
    const options = fc.record({
      concurrency: fc.integer({ min: 1, max: 3 }),
      maxWaitingPerKey: fc.integer({ min: 1, max: 5 }),
      maxWaiting: fc.integer({ min: 1, max: 20 }),
      // Whether a key always waits in the same class.
      isFixed: fc.boolean()
    })
    await fc.assert(
      fc.asyncProperty(options, fc.array(step, { maxLength: 80 }), async ({ isFixed, ...some }, steps) => {
        const all = begin(some)
        for (const each of steps) {
          if ("key" in each) {
            all.add(each.key, isFixed ? each.key >= "e" : each.last)
          } else if ("end" in each) {
            const running = all.jobs.filter(({ state }) => state === "running")
            running[each.end % Math.max(1, running.length)]?.end()
          } else {
            const open = all.jobs.filter(({ state }) => state !== "ended")
            const leaving = open[each.leave % Math.max(1, open.length)]
            if (leaving !== undefined) Effect.runFork(Fiber.interrupt(leaving.fiber!))
          }
          await settled()
          const waiting = all.jobs.filter(({ state }) => state === "waiting")
          expect(all.queue.waiting).toBe(waiting.length)
          expect(waiting.length).toBeLessThanOrEqual(some.maxWaiting)
          for (const key of keys) {
            expect(waiting.filter((job) => job.key === key).length).toBeLessThanOrEqual(some.maxWaitingPerKey)
          }
          const running = all.jobs.filter(({ state }) => state === "running").length
          expect(running).toBeLessThanOrEqual(some.concurrency)
          // Nobody waits while there is room.
          if (waiting.length > 0) expect(running).toBe(some.concurrency)
        }
        await drain(all)
        for (const key of keys) {
          const ofKey = all.begun.filter((job) => job.key === key)
          expect(ofKey).toEqual(all.jobs.filter((job) => ofKey.includes(job)))
        }
        if (!isFixed) return
        for (const job of all.begun) {
          const rounds = some.maxWaitingPerKey * keys.length
          // For each turn of those who wait last, seven of the others; for those, one of the last after each seven.
          expect(job.began - job.came).toBeLessThanOrEqual(job.last ? 8 * rounds : rounds + Math.ceil(rounds / 7))
        }
      })
    )
  })
})
