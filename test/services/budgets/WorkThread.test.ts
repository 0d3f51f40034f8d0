import { afterEach, describe, expect, it, vi } from "vitest"
import { WorkThread } from "../../../services/budgets/WorkThread.ts"

const program = `
  import { parentPort, threadId } from "node:worker_threads"
  parentPort.on("message", (asked) => {
    if (asked === "die") throw new Error("it was told to")
    parentPort.postMessage(threadId)
  })
`
const bounds = { mostMillis: 10_000, mostMegabytes: 32, isKept: true }
const threadOf = (kept: typeof bounds) =>
  new WorkThread<string, number>(new URL(`data:text/javascript,${encodeURIComponent(program)}`), "answers", kept)

afterEach(() => vi.useRealTimers())

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

  it("makes nothing of a note of which it dies, and is begun anew with the next", async () => {
    const thread = threadOf(bounds)
    const first = await thread.run("a")
    expect(await thread.run("die")).toBeUndefined()
    expect(await thread.run("b")).not.toBe(first)
    await thread.end()
  })
})
