import { readlinkSync } from "node:fs"
import { getPriority } from "node:os"
import { Worker } from "node:worker_threads"
import { expect, it } from "vitest"

const ownThread = () => Number(readlinkSync("/proc/thread-self").split("/").at(-1))

const program = `
  import { readlinkSync } from "node:fs"
  import { getPriority } from "node:os"
  import { parentPort } from "node:worker_threads"
  import { stepBack } from ${JSON.stringify(new URL("../../../services/budgets/StepBack.ts", import.meta.url).href)}
  stepBack("jobs")
  stepBack("answers")
  parentPort.postMessage(getPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1))))
`

it.runIf(process.platform === "linux")(
  "a thread that steps back lets the main loop go first, and by one step only",
  async () => {
    const before = getPriority(ownThread())
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`))
    const priority = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject))
    await worker.terminate()
    expect(priority).toBe(Math.min(before + 15, 19))
    expect(getPriority(ownThread())).toBe(before)
  }
)
