import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { setFlagsFromString } from "node:v8"
import { afterEach, expect, it, vi } from "vitest"
import { type Held, HeldIndexes, newHeld } from "../services/search/HeldIndexes.ts"
import * as HeapGrowth from "../src/HeapGrowth.ts"

vi.mock("node:v8", async (original) => ({ ...(await original<object>()), setFlagsFromString: vi.fn() }))
afterEach(() => vi.restoreAllMocks())

const megabytes = 1024 * 1024
const resident = (size: number) => vi.spyOn(process.memoryUsage, "rss").mockReturnValue(size * megabytes)

it("indexes make more room for each other while the process is large", () => {
  const all = new HeldIndexes()
  const grow = (workspace_id: string): ReadonlyArray<string> => {
    const held: Held = { ...newHeld(), index: { bytes: 30 * megabytes } as Held["index"] }
    all.use(workspace_id, held)
    return all.makeRoomFor(workspace_id, held)
  }
  resident(390)
  expect(["a", "b", "c", "d", "e"].flatMap(grow)).toEqual([])
  expect(grow("f")).toEqual(["a"])
  resident(410)
  expect(grow("g")).toEqual(["b", "c", "d"])
  expect(all.bytes).toBe(90 * megabytes)
})

it("heaps grow by less where memory is scarce, and as V8 likes where it is not", async () => {
  const flags = vi.mocked(setFlagsFromString)
  const told = () => flags.mock.calls.splice(0).map(([flag]) => flag)
  const program = Effect.gen(function* () {
    const watching = yield* Effect.forkChild(HeapGrowth.watch)
    const sizes = [300, 370, 380, 350, 340]
    const seen: Array<ReadonlyArray<string>> = []
    for (const size of sizes) {
      resident(size)
      yield* TestClock.adjust("200 millis")
      seen.push(told())
    }
    yield* Fiber.interrupt(watching)
    return seen
  })
  expect(await Effect.runPromise(Effect.provide(program, TestClock.layer()))).toEqual([
    [],
    ["--heap-growing-percent=10"],
    [],
    ["--heap-growing-percent=0"],
    []
  ])
})
