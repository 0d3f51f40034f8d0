/** The process that measures another user's requests during an attack. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { stopping } from "../bench/processes.ts"
import { nextAddress } from "./Client.ts"
import type { Server } from "./Lab.ts"
import type { Measurement, Task } from "./measure.ts"

export interface Probe {
  /** The measurement since the previous mark. */
  readonly mark: () => Promise<Measurement>
  readonly stop: () => Promise<void>
}

export const startProbe = async ({ other, pid, port }: Server): Promise<Probe> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "measure.ts")], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const lines = createInterface(child.stdout)
  const ended = new Promise<undefined>((resolve) => child.once("exit", () => resolve(undefined)))
  const task: Task = { address: nextAddress(), pid, port, workspace: other }
  child.stdin.on("error", () => {}).write(`${JSON.stringify(task)}\n`)
  const mark = async (): Promise<Measurement> => {
    child.stdin.write("mark\n")
    const line = await Promise.race([once(lines, "line"), ended])
    if (line === undefined) throw new Error("the probe ended")
    return JSON.parse(line[0])
  }
  await mark()
  return { mark, stop: stopping(child) }
}
