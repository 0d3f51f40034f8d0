import { Worker } from "node:worker_threads"
import { afterEach, describe, expect, it, vi } from "vitest"
import { LimitedWorker } from "../../../services/concurrency/LimitedWorker.ts"

const program = `
  import { parentPort, threadId } from "node:worker_threads"
  parentPort.on("message", (asked) => {
    if (asked === "die") throw new Error("it was told to")
    if (asked === "wait") return setTimeout(() => parentPort.postMessage(threadId), 500)
    for (; asked === "compute"; );
    parentPort.postMessage(threadId)
  })
`
const bounds = { mostMillis: 10_000, mostMegabytes: 32, isKept: true }
const threadOf = (kept: typeof bounds) =>
  new LimitedWorker<string, number>(new URL(`data:text/javascript,${encodeURIComponent(program)}`), kept)

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe("a thread that works on one note at a time", () => {
  it("waits for the next, and ends when there is none for a while", async () => {
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

  it("ends with its note where it is not kept", async () => {
    const thread = threadOf({ ...bounds, isKept: false })
    expect(await thread.run("a")).not.toBe(await thread.run("b"))
    await thread.end()
  })

  it.each(["which has yet to be begun", "which waits for the next"])(
    "waits for one that gets no time to compute, %s",
    async (which) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      const asked = vi.spyOn(Worker.prototype, "cpuUsage")
      const thread = threadOf({ ...bounds, mostMillis: 100 })
      if (which === "which waits for the next") await thread.run("a")
      let made: number | undefined | null = null
      const run = thread.run("wait").then((answer) => (made = answer))
      while (made === null) {
        await Promise.allSettled(asked.mock.results.map(({ value }) => value))
        vi.advanceTimersByTime(10_000)
        await new Promise(setImmediate)
      }
      expect(await run).toBeTypeOf("number")
      await thread.end()
    }
  )

  it("makes nothing of a note that is computed for too long, and is begun anew with the next", async () => {
    const thread = threadOf({ ...bounds, mostMillis: 100 })
    const first = await thread.run("a")
    expect(await thread.run("compute")).toBeUndefined()
    expect(await thread.run("b")).not.toBe(first)
    await thread.end()
  })

  it("makes nothing of a note of which it dies, and is begun anew with the next", async () => {
    const thread = threadOf(bounds)
    const first = await thread.run("a")
    expect(await thread.run("die")).toBeUndefined()
    expect(await thread.run("b")).not.toBe(first)
    await thread.end()
  })
})
