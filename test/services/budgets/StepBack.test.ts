import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, readlinkSync } from "node:fs"
import { getPriority } from "node:os"
import { afterEach, describe, expect, it } from "vitest"
import { putBehind } from "../../../services/budgets/StepBack.ts"
import * as Thread from "../../../services/budgets/Thread.ts"

const ownThread = () => Number(readlinkSync("/proc/thread-self").split("/").at(-1))

/** A module that has its priority by the time when it is read, and asks for less of a step. */
const program = `
  import { readlinkSync } from "node:fs"
  import { getPriority } from "node:os"
  import { parentPort } from "node:worker_threads"
  import { stepBack } from ${JSON.stringify(new URL("../../../services/budgets/StepBack.ts", import.meta.url).href)}
  const own = () => getPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)))
  const first = own()
  stepBack("answers")
  parentPort.postMessage([first, own()])
`

let end: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const each of end.splice(0)) await each()
})

/** A process that is a session of its own, as each backend of PostgreSQL is. */
const session = async () => {
  const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" })
  await once(child, "spawn")
  end.push(async () => {
    child.kill("SIGKILL")
    await once(child, "exit")
  })
  return child.pid!
}

/** The priority of the session of a process; undefined where Linux does not share processors by sessions. */
const ofSession = (pid: number): number | undefined => {
  try {
    return Number(readFileSync(`/proc/${pid}/autogroup`, "utf8").split("nice ")[1])
  } catch {
    return undefined
  }
}

describe.runIf(process.platform === "linux")("stepping back", () => {
  it("lets the main loop go before a thread, and by one step only", async () => {
    const before = getPriority(ownThread())
    const worker = Thread.begin(new URL(`data:text/javascript,${encodeURIComponent(program)}`), "jobs", {})
    const priorities = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject))
    await worker.terminate()
    expect(priorities).toEqual(Array(2).fill(Math.min(before + 15, 19)))
    expect(getPriority(ownThread())).toBe(before)
  })

  it("puts a process behind, with the session that it is, once the system takes it", async () => {
    const own = ofSession(process.pid)
    const pid = await session()
    // The system takes one change in a tenth of a second, whoever makes it.
    await expect.poll(() => putBehind(pid) || ofSession(pid) === undefined, { timeout: 10_000 }).toBe(true)
    expect(getPriority(pid)).toBe(Math.min(getPriority(process.pid) + 10, 19))
    if (own !== undefined) expect([ofSession(pid), ofSession(process.pid)]).toEqual([10, own])
  })

  it("says that a process which has ended is not behind", async () => {
    const pid = await session()
    await end.pop()!()
    expect(putBehind(pid)).toBe(false)
  })
})
