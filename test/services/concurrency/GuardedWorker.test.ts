import { once } from "node:events"
import { MessageChannel, type MessagePort } from "node:worker_threads"
import { describe, expect, it } from "vitest"
import { GuardedThread } from "../../../services/concurrency/GuardedThread.ts"
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
const threadOf = (maxMillis = 10_000) =>
  new GuardedWorker<string, number>(entry, { maxMillis, maxMegabytes: 32, isKept: true })

/** Keeps this thread busy, as large responses do. */
const busyFor = (millis: number): void => {
  const end = performance.now() + millis
  while (performance.now() < end);
}

/** A thread that sends its messages back, and fills its heap or fails on request. */
const echo = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { workerData } from "node:worker_threads"
  const { control, name, other } = workerData
  other?.postMessage(name)
  control.on("message", (asked) => {
    for (const kept = []; asked === "fill"; ) kept.push(1.5)
    if (asked === "die") throw new Error("as requested")
    for (let sent = 0; sent < 1_000; sent++) control.postMessage(asked + sent)
    if (asked === "last") control.close()
  })
`)}`
)
const started = (data: object = {}, moved: ReadonlyArray<MessagePort> = []) => {
  const thread = new GuardedThread<string, string>({
    entry: echo,
    heap: { maxMegabytes: 32, youngMegabytes: 8 },
    data,
    moved
  })
  const messages: Array<string> = []
  const ended = new Promise<string | undefined>((resolve) => {
    thread.onEnd = resolve
  })
  thread.onMessage = (message) => messages.push(message)
  return { thread, messages, ended }
}

describe("GuardedThread", () => {
  it("is ended at the limit of its heap while the thread that has started it is busy", async () => {
    const { ended, thread } = started()
    thread.send("fill")
    busyFor(1_000)
    expect(await ended).toBeUndefined()
    await thread.end()
  })

  it("says why it has ended, after its last message", async () => {
    const last = started()
    last.thread.send("last")
    expect(await last.ended).toBeUndefined()
    expect([last.messages.length, last.messages.at(-1)]).toEqual([1_000, "last999"])
    const failing = started()
    failing.thread.send("die")
    expect(await failing.ended).toContain("as requested")
    const stopped = started()
    await stopped.thread.end()
    expect(await stopped.ended).toBeUndefined()
  })

  it("ends at once while it makes streams of zlib, and the process lives", async () => {
    const begin = new URL("../../../services/concurrency/WorkerModule.ts", import.meta.url)
    const program = `
      import { workerData } from "node:worker_threads"
      import { createDeflateRaw } from "node:zlib"
      import { beginGuarded } from "${begin}"
      beginGuarded()
      const make = () => {
        for (let made = 0; made < 50; made++) createDeflateRaw().close()
        setImmediate(make)
      }
      make()
      workerData.control.postMessage("up")
    `
    const entry = new URL(`data:text/javascript,${encodeURIComponent(program)}`)
    for (let round = 0; round < rounds(20, 400); round++) {
      const thread = new GuardedThread<never, string>({
        entry,
        heap: { maxMegabytes: 64, youngMegabytes: 8 },
        data: {}
      })
      await new Promise<string>((resolve) => {
        thread.onMessage = resolve
      })
      await thread.end()
    }
  })

  it("has data with ports of its own", async () => {
    const { port1, port2 } = new MessageChannel()
    const { thread } = started({ name: "a name", other: port2 }, [port2])
    const [message] = await once(port1, "message")
    expect(message).toBe("a name")
    port1.close()
    await thread.end()
  })
})

describe("GuardedWorker", () => {
  it("is ended at the limit of its heap while the thread that has started it is busy", async () => {
    const thread = threadOf()
    for (let round = 0; round < rounds(1, 10); round++) {
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
