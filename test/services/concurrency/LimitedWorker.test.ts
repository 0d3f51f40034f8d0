import { Worker } from "node:worker_threads"
import { afterEach, describe, expect, it, vi } from "vitest"
import { LimitedWorker } from "../../../services/concurrency/LimitedWorker.ts"

const program = `
  import { parentPort, threadId } from "node:worker_threads"
  parentPort.on("message", (asked) => {
    if (asked === "die") throw new Error("as requested")
    if (asked === "wait") return setTimeout(() => parentPort.postMessage(threadId), 500)
    for (; asked === "compute"; );
    for (const kept = []; asked === "array"; ) kept.push(1.5)
    for (const kept = new Map(); asked === "map"; ) kept.set(kept.size, kept.size)
    parentPort.postMessage(threadId)
  })
`
const bounds = { maxMillis: 10_000, maxMegabytes: 32, isKept: true }
const threadOf = (kept: typeof bounds) =>
  new LimitedWorker<string, number>(new URL(`data:text/javascript,${encodeURIComponent(program)}`), kept)

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe("LimitedWorker", () => {
  it("keeps its thread for the next task, and ends it after 10 seconds without one", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const thread = threadOf(bounds)
    const first = await thread.run("a")
    vi.advanceTimersByTime(9_000)
    expect(await thread.run("b")).toBe(first)
    vi.advanceTimersByTime(9_000)
    expect(await thread.run("c")).toBe(first)
    vi.advanceTimersByTime(10_000)
    expect(await thread.run("d")).not.toBe(first)
    await thread.end()
  })

  it("ends its thread after each task unless it is kept", async () => {
    const thread = threadOf({ ...bounds, isKept: false })
    expect(await thread.run("a")).not.toBe(await thread.run("b"))
    await thread.end()
  })

  it.each(["new", "kept"])("waits for a %s thread that gets no CPU time", async (which) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const asked = vi.spyOn(Worker.prototype, "cpuUsage")
    const thread = threadOf({ ...bounds, maxMillis: 100 })
    if (which === "kept") await thread.run("a")
    let made: number | undefined | null = null
    const run = thread.run("wait").then((answer) => (made = answer))
    while (made === null) {
      await Promise.allSettled(asked.mock.results.map(({ value }) => value))
      vi.advanceTimersByTime(10_000)
      await new Promise(setImmediate)
    }
    expect(await run).toBeTypeOf("number")
    await thread.end()
  })

  it("returns undefined for a task that takes too much CPU time, and starts a new thread for the next task", async () => {
    const thread = threadOf({ ...bounds, maxMillis: 100 })
    const first = await thread.run("a")
    expect(await thread.run("compute")).toBeUndefined()
    expect(await thread.run("b")).not.toBe(first)
    await thread.end()
  })

  // With a limit of V8 at this size, these would end the process.
  it.each(["array", "map"])("returns undefined for a task that fills its heap by a growing %s", async (kind) => {
    const thread = threadOf(bounds)
    const first = await thread.run("a")
    expect(await thread.run(kind)).toBeUndefined()
    expect(await thread.run("b")).not.toBe(first)
    await thread.end()
  })

  it("returns undefined for a task that crashes the thread, and starts a new thread for the next task", async () => {
    const thread = threadOf(bounds)
    const first = await thread.run("a")
    expect(await thread.run("die")).toBeUndefined()
    expect(await thread.run("b")).not.toBe(first)
    await thread.end()
  })
})
