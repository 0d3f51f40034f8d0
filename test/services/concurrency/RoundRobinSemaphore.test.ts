import { Effect, Exit, Fiber } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Key } from "../../../services/concurrency/RoundRobinQueue.ts"
import { type Priority, RoundRobinSemaphore } from "../../../services/concurrency/RoundRobinSemaphore.ts"
import { LeapClock } from "../../../src/program/testing/LeapClock.ts"

/** Enough turns of the event loop for all fibers to proceed as far as they can. */
const settled = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((done) => setImmediate(done))
}

interface Job {
  readonly key: Key
  readonly priority: Priority
  fiber: Fiber.Fiber<void, unknown> | undefined
  release: () => void
  end: () => void
  state: "waiting" | "running" | "released" | "ended"
  /** The number of jobs that had begun when this one was added, and when it began. */
  readonly came: number
  began: number
}

const limits = { permits: 1, maxWaiting: 100, maxWaitingPerKey: 5, detail: "Too much" }

/** A semaphore whose jobs end when the test ends them. */
const begin = (some: Partial<ConstructorParameters<typeof RoundRobinSemaphore>[0]> = {}) => {
  const semaphore = new RoundRobinSemaphore({ ...limits, ...some })
  const jobs: Array<Job> = []
  const begun: Array<Job> = []
  const add = (key: Key, priority: Priority = "normal"): Job => {
    const job: Job = {
      key,
      priority,
      fiber: undefined,
      release: () => {},
      end: () => {},
      state: "waiting",
      came: begun.length,
      began: 0
    }
    const work = (release: () => void) =>
      Effect.callback<void>((resume) => {
        job.state = "running"
        job.began = begun.length
        begun.push(job)
        job.release = () => {
          job.state = "released"
          release()
        }
        job.end = () => resume(Effect.void)
      })
    jobs.push(job)
    job.fiber = Effect.runFork(
      Effect.ensuring(
        priority === "normal"
          ? semaphore.withReleasablePermit(key, work)
          : semaphore.withPermit(
              key,
              work(() => {}),
              priority
            ),
        Effect.sync(() => (job.state = "ended"))
      )
    )
    return job
  }
  return { semaphore, jobs, begun, add }
}

const keysOf = (jobs: ReadonlyArray<Job>) => jobs.map(({ key }) => key).join("")
const statesOf = (jobs: ReadonlyArray<Job>) => jobs.map(({ state }) => state)

/** Ends one running job after the other until all have ended. */
const drain = async ({ begun, jobs }: ReturnType<typeof begin>) => {
  for (let round = 0; jobs.some(({ state }) => state !== "ended"); round++) {
    expect(round).toBeLessThan(1_000)
    begun.find(({ state }) => state === "running" || state === "released")!.end()
    await settled()
  }
}

/** The order of turns and the limits per key and group are those of `RoundRobinQueue`. */
describe("RoundRobinSemaphore", () => {
  it("refuses the newest effect of the group with the most waiting effects, whichever member it belongs to", async () => {
    const all = begin({ maxWaiting: 6 })
    all.add("x")
    for (const member of "1234") all.add(["a", member])
    const few = [all.add(["b", "1"]), all.add(["b", "1"])]
    const other = all.add(["c", "1"])
    await settled()
    expect(statesOf([...few, other])).toEqual(["waiting", "waiting", "waiting"])
    expect(all.jobs.filter(({ state }) => state === "ended").map(({ key }) => key)).toEqual([["a", "1"]])
  })

  it("refuses an effect when too many of its key wait, and none of other keys", async () => {
    const all = begin()
    const jobs = [..."aaaaaaab"].map((key) => all.add(key))
    await settled()
    expect(await Effect.runPromise(Effect.flip(Fiber.join(jobs[6]!.fiber!)))).toMatchObject({
      _tag: "Unavailable",
      code: "overloaded",
      detail: "Too much",
      retry_after: 2
    })
    expect(statesOf(jobs)).toEqual(["running", ...Array(5).fill("waiting"), "ended", "waiting"])
  })

  it("refuses the newest effect of the key with the most when too many wait, and keeps out no key with fewer", async () => {
    const all = begin({ maxWaiting: 6 })
    const jobs = [..."xaaaabbcddd"].map((key) => all.add(key))
    await settled()
    expect(keysOf(all.jobs.filter(({ state }) => state === "waiting"))).toBe("aabbcd")
    expect(await Effect.runPromise(Effect.flip(Fiber.join(jobs[4]!.fiber!)))).toMatchObject({ code: "overloaded" })
    // No key has more waiting effects than the key of this effect, so this effect is refused.
    const last = all.add("b")
    await settled()
    expect(last.state).toBe("ended")
    await drain(all)
    expect(keysOf(all.begun)).toBe("xabcdab")
  })

  it("accepts an effect of one more key when others have filled all places, in any order", async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `key ${index}`)
    const filling = fc.shuffledSubarray(
      keys.flatMap((key) => Array<string>(16).fill(key)),
      { minLength: 192 }
    )
    const inOrder = fc.constant(keys.flatMap((key) => Array<string>(16).fill(key)))
    await fc.assert(
      fc.asyncProperty(fc.oneof(inOrder, filling), async (order) => {
        const all = begin({ maxWaiting: 100, maxWaitingPerKey: 20 })
        for (const key of order) all.add(key)
        const last = all.add("one more")
        await settled()
        expect([last.state, all.semaphore.waiting]).toEqual(["waiting", 100])
        await Effect.runPromise(Fiber.interruptAll(all.jobs.map(({ fiber }) => fiber!)))
      }),
      { numRuns: 20 }
    )
  })

  it("gives keys of low priority every eighth turn while others wait", async () => {
    const all = begin({ maxWaitingPerKey: 20 })
    for (const key of "aaaaaaaaaaaa") all.add(key)
    for (const key of "zzz") all.add(key, "low")
    await settled()
    await drain(all)
    expect(keysOf(all.begun)).toBe("aaaaaaaazaaaazz")
  })

  it("runs keys of first priority before others, and gives each lower priority every eighth turn", async () => {
    const all = begin({ maxWaitingPerKey: 20 })
    for (const key of "aaaaaaa") all.add(key)
    for (const key of "zzz") all.add(key, "low")
    for (const key of "ffffffffff") all.add(key, "first")
    await settled()
    await drain(all)
    expect(keysOf(all.begun)).toBe("afffffffazfffaaaazaz")
  })

  it("has a separate queue for low priority, so that its waiting effects do not make others refused", async () => {
    const all = begin({ maxWaiting: 2 })
    for (const key of "xyzu") all.add(key, "low")
    const other = all.add("a")
    await settled()
    expect(statesOf(all.jobs)).toEqual(["running", "waiting", "waiting", "ended", "waiting"])
    all.jobs[0]!.end()
    await settled()
    expect(other.state).toBe("running")
  })

  it("removes an interrupted effect, and passes on a permit that was granted to it", async () => {
    const all = begin()
    const [first, second, third] = [all.add("a"), all.add("b"), all.add("c")]
    await settled()
    expect(all.semaphore.waiting).toBe(2)
    first!.end()
    Effect.runFork(Fiber.interrupt(second!.fiber!))
    await settled()
    expect([second!.state, third!.state, all.semaphore.waiting]).toEqual(["ended", "running", 0])
    expect(Exit.isFailure(await Effect.runPromise(Fiber.await(second!.fiber!)))).toBe(true)
  })

  it("releases a permit once when its effect continues without it", async () => {
    const all = begin()
    const [first, second, third] = [all.add("a"), all.add("a"), all.add("a")]
    await settled()
    first!.release()
    first!.release()
    await settled()
    expect(statesOf(all.jobs)).toEqual(["released", "running", "waiting"])
    first!.end()
    await settled()
    expect(statesOf(all.jobs)).toEqual(["ended", "running", "waiting"])
    second!.end()
    await settled()
    expect(third!.state).toBe("running")
  })

  it("runs many short effects one after the other without a deep stack", async () => {
    const semaphore = new RoundRobinSemaphore({ ...limits, maxWaiting: 8_000, maxWaitingPerKey: 4_000 })
    let ended = 0
    const short = semaphore.withPermit(
      "a",
      Effect.sync(() => void ended++)
    )
    const first = Effect.runFork(semaphore.withPermit("a", Effect.yieldNow))
    const others = Array.from({ length: 4_000 }, () => Effect.runFork(short))
    await Effect.runPromise(Fiber.joinAll([first, ...others]))
    expect(ended).toBe(4_000)
  })

  it("refuses an effect that has waited for 15 seconds", async () => {
    const semaphore = new RoundRobinSemaphore(limits)
    await Effect.runPromise(
      Effect.gen(function* () {
        const clock = yield* LeapClock
        const running = yield* Effect.forkChild(semaphore.withPermit("a", Effect.never), { startImmediately: true })
        const waiting = yield* Effect.forkChild(Effect.flip(semaphore.withPermit("b", Effect.void)), {
          startImmediately: true
        })
        yield* clock.advance("14 seconds")
        expect(semaphore.waiting).toBe(1)
        yield* clock.advance("1 second")
        expect(yield* Fiber.join(waiting)).toMatchObject({ code: "overloaded" })
        expect(semaphore.waiting).toBe(0)
        yield* Fiber.interrupt(running)
        expect(yield* semaphore.withPermit("c", Effect.succeed("free again"))).toBe("free again")
      }).pipe(Effect.provide(LeapClock.layer(0)))
    )
  })

  it("keeps its limits and the order of each key, loses no permit and starves no key, whatever happens", async () => {
    const keys: ReadonlyArray<Key> = ["a", "b", "c", "d"].flatMap((group) => [
      [group, "1"] as const,
      [group, "2"] as const
    ])
    const priorityOf = ([group]: Key): Priority => (group === "a" ? "first" : group === "b" ? "normal" : "low")
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ key: fc.constantFrom(...keys) }) },
      { weight: 4, arbitrary: fc.record({ end: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ release: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ interrupt: fc.nat(20) }) }
    )
    const options = fc.record({
      permits: fc.integer({ min: 1, max: 4 }),
      permitsPerKey: fc.integer({ min: 1, max: 3 }),
      maxWaitingPerKey: fc.integer({ min: 1, max: 5 }),
      maxWaiting: fc.integer({ min: 1, max: 20 })
    })
    const pick = (jobs: ReadonlyArray<Job>, index: number): Job | undefined => jobs[index % Math.max(1, jobs.length)]
    await fc.assert(
      fc.asyncProperty(options, fc.array(step, { maxLength: 80, size: "max" }), async (some, steps) => {
        const all = begin(some)
        const perGroup = Math.max(1, Math.floor(some.permits / 2))
        const inState = (state: Job["state"]) => all.jobs.filter((job) => job.state === state)
        for (const each of steps) {
          if ("key" in each) {
            all.add(each.key, priorityOf(each.key))
          } else if ("end" in each) {
            pick([...inState("running"), ...inState("released")], each.end)?.end()
          } else if ("release" in each) {
            pick(
              inState("running").filter(({ priority }) => priority === "normal"),
              each.release
            )?.release()
          } else {
            const open = all.jobs.filter(({ state }) => state !== "ended")
            const interrupted = pick(open, each.interrupt)
            if (interrupted !== undefined) Effect.runFork(Fiber.interrupt(interrupted.fiber!))
          }
          await settled()
          const [waiting, running] = [inState("waiting"), inState("running")]
          expect(all.semaphore.waiting).toBe(waiting.length)
          for (const priority of ["first", "normal", "low"] as const) {
            expect(waiting.filter((job) => job.priority === priority).length).toBeLessThanOrEqual(some.maxWaiting)
          }
          expect(running.length).toBeLessThanOrEqual(some.permits)
          for (const key of keys) {
            const [waits, runs] = [waiting, running].map((jobs) => jobs.filter((job) => job.key === key).length)
            const runsOfGroup = running.filter((job) => job.key[0] === key[0]).length
            expect(waits).toBeLessThanOrEqual(some.maxWaitingPerKey)
            expect(runs).toBeLessThanOrEqual(some.permitsPerKey)
            expect(runsOfGroup).toBeLessThanOrEqual(perGroup)
            // No effect waits while it may have a permit.
            if (waits! > 0 && runs! < some.permitsPerKey && runsOfGroup < perGroup) {
              expect(running.length).toBe(some.permits)
            }
          }
        }
        await drain(all)
        for (const key of keys) {
          const ofKey = all.begun.filter((job) => job.key === key)
          expect(ofKey).toEqual(all.jobs.filter((job) => ofKey.includes(job)))
        }
        const last = Array.from({ length: some.permits }, (_, index) => all.add(String(index)))
        await settled()
        expect(statesOf(last)).toEqual(last.map(() => "running"))
      })
    )
  })
})
