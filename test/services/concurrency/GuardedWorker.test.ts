import { describe, expect, it } from "vitest"
import { GuardedWorker } from "../../../services/concurrency/GuardedWorker.ts"
import { rounds } from "../../support/Slow.ts"

const program = `
  import { parentPort, threadId } from "node:worker_threads"
  parentPort.on("message", (asked) => {
    for (const kept = []; asked === "fill"; ) kept.push(1.5)
    for (; asked === "compute"; );
    if (asked === "die") throw new Error("as requested")
    parentPort.postMessage(threadId)
  })
`
const entry = new URL(`data:text/javascript,${encodeURIComponent(program)}`)
const threadOf = (mostMillis = 10_000) =>
  new GuardedWorker<string, number>(entry, { mostMillis, mostMegabytes: 32, isKept: true })

/** Keeps this thread busy, as large responses do. */
const busyFor = (millis: number): void => {
  const end = performance.now() + millis
  while (performance.now() < end);
}

describe("GuardedWorker", () => {
  it("is ended at the limit of its heap while the thread that has started it is busy", async () => {
    const thread = threadOf()
    for (let round = 0; round < rounds(1, 100); round++) {
      const made = thread.run("fill")
      // Without a look from elsewhere, the heap grows until V8 ends the process.
      busyFor(1_000)
      expect(await made).toBeUndefined()
      expect(await thread.run("a")).toBeTypeOf("number")
    }
    await thread.end()
  })

  it("has no result for a task that takes too long or fails, and one for the next task", async () => {
    const thread = threadOf(1_000)
    const first = await thread.run("a")
    expect(await thread.run("b")).toBe(first)
    expect([await thread.run("compute"), await thread.run("die")]).toEqual([undefined, undefined])
    expect(await thread.run("c")).toBeTypeOf("number")
    const late = thread.run("compute")
    await thread.end()
    expect(await late).toBeUndefined()
  })
})
