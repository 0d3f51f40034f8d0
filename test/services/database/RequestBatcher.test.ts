import { Effect, Exit, Fiber } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as RequestBatcher from "../../../services/database/RequestBatcher.ts"

/** Waits enough turns of the event loop for all fibers to run as far as they can. */
const settled = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((done) => setImmediate(done))
}

interface Item {
  readonly name: string
  readonly weight?: number
  readonly isBad?: boolean
}

interface Batch {
  readonly key: string
  readonly items: ReadonlyArray<Item>
  end: () => void
}

/** Batches that end when the test ends them; a batch with a bad item fails. */
const start = (concurrency: number, maxWeight: number) => {
  const batches: Array<Batch> = []
  const running: Array<Batch> = []
  const ask = RequestBatcher.make<string, Item, string, string>({
    concurrency,
    maxWeight,
    weigh: ({ weight = 1 }) => weight,
    run: (key, items) =>
      Effect.callback((resume) => {
        const batch: Batch = {
          key,
          items,
          end: () => {
            running.splice(running.indexOf(batch), 1)
            const bad = items.find(({ isBad }) => isBad)
            resume(
              bad === undefined ? Effect.succeed(items.map(({ name }) => `${key}:${name}`)) : Effect.fail(bad.name)
            )
          }
        }
        batches.push(batch)
        running.push(batch)
      })
  })
  const names = () => batches.map(({ items, key }) => `${key}:${items.map(({ name }) => name).join("")}`)
  return { batches, running, names, ask: (key: string, item: Item) => Effect.runFork(ask(key, item)) }
}

const resultsOf = (fibers: ReadonlyArray<Fiber.Fiber<string, string>>) =>
  Promise.all(
    fibers.map(async (fiber) =>
      Exit.match(await Effect.runPromise(Fiber.await(fiber)), {
        onSuccess: (value) => value,
        onFailure: () => "failed"
      })
    )
  )

describe("RequestBatcher", () => {
  it("batches requests of the same key that arrive at the same time, or while others run", async () => {
    const { ask, names, running } = start(1, 10)
    const fibers = [..."ab"].map((name) => ask("x", { name }))
    fibers.push(ask("y", { name: "c" }))
    await settled()
    for (const name of "de") fibers.push(ask("x", { name }))
    await settled()
    expect(names()).toEqual(["x:ab", "y:c"])
    running[0]!.end()
    await settled()
    expect(names()).toEqual(["x:ab", "y:c", "x:de"])
    for (const batch of [...running]) batch.end()
    expect(await resultsOf(fibers)).toEqual(["x:a", "x:b", "y:c", "x:d", "x:e"])
  })

  it("limits the weight of a batch, and runs a heavier request alone", async () => {
    const { ask, names, running } = start(1, 5)
    const weights = [2, 3, 1, 9, 5]
    const fibers = weights.map((weight, index) => ask("x", { name: "abcde"[index]!, weight }))
    for (let ended = 0; ended < 4; ended++) {
      await settled()
      running[0]!.end()
    }
    expect(names()).toEqual(["x:ab", "x:c", "x:d", "x:e"])
    expect(await resultsOf(fibers)).toEqual([..."abcde"].map((name) => `x:${name}`))
  })

  it("runs the requests of a failed batch alone, so that only faulty requests fail", async () => {
    const { ask, names, running } = start(1, 10)
    const fibers = [..."abc"].map((name) => ask("x", { name, isBad: name === "b" }))
    for (let ended = 0; ended < 4; ended++) {
      await settled()
      running[0]!.end()
    }
    expect(names()).toEqual(["x:abc", "x:a", "x:b", "x:c"])
    expect(await resultsOf(fibers)).toEqual(["x:a", "failed", "x:c"])
  })

  it("runs a second batch while the first one stalls", async () => {
    const { ask, names, running } = start(2, 10)
    const stalled = ask("x", { name: "a" })
    await settled()
    const next = ask("x", { name: "b" })
    await settled()
    running[1]!.end()
    expect(await resultsOf([next])).toEqual(["x:b"])
    ask("x", { name: "c" })
    await settled()
    expect(names()).toEqual(["x:a", "x:b", "x:c"])
    for (const batch of [...running]) batch.end()
    expect(await resultsOf([stalled])).toEqual(["x:a"])
  })

  it("returns each request its own result within the limits, whichever arrive, fail or are interrupted", async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          key: fc.constantFrom("x", "y"),
          weight: fc.integer({ min: 1, max: 4 }),
          isBad: fc.nat(9).map((number) => number === 0)
        })
      },
      { weight: 3, arbitrary: fc.record({ end: fc.nat(5) }) },
      { weight: 1, arbitrary: fc.record({ interrupt: fc.nat(20) }) }
    )
    const limits = fc.record({ concurrency: fc.integer({ min: 1, max: 2 }), maxWeight: fc.integer({ min: 1, max: 8 }) })
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 40 }), async ({ concurrency, maxWeight }, steps) => {
        const { ask, batches, running } = start(concurrency, maxWeight)
        const asked: Array<{ readonly fiber: Fiber.Fiber<string, string>; result: string }> = []
        for (const each of steps) {
          if ("key" in each) {
            const name = String(asked.length)
            const fiber = ask(each.key, { ...each, name })
            asked.push({ fiber, result: each.isBad ? "failed" : `${each.key}:${name}` })
          } else if ("end" in each) running[each.end % Math.max(1, running.length)]?.end()
          else {
            const interrupted = asked[each.interrupt % Math.max(1, asked.length)]
            if (interrupted !== undefined && interrupted.fiber.pollUnsafe() === undefined) {
              interrupted.result = "failed"
              Effect.runFork(Fiber.interrupt(interrupted.fiber))
            }
          }
          await settled()
          for (const key of "xy") {
            expect(running.filter((batch) => batch.key === key).length).toBeLessThanOrEqual(concurrency)
          }
        }
        for (; running.length > 0; await settled()) running[0]!.end()
        expect(await resultsOf(asked.map(({ fiber }) => fiber))).toEqual(asked.map(({ result }) => result))
        for (const { items } of batches) {
          const weight = items.reduce((sum, item) => sum + item.weight!, 0)
          expect(weight <= maxWeight || items.length === 1).toBe(true)
        }
      })
    )
  })
})
