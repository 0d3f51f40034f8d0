import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { constants, getPriority, setPriority } from "node:os"

/** By how much a thread steps back whose answers somebody waits for, and one that works on a job. */
const steps = { answers: 5, jobs: 10 } as const

/** Behind the main loop, whose thread has the id of the process. It may be behind it already: nobody but root may go forward. */
const lower = (thread: number, by: number): void => {
  const behind = Math.min(getPriority(process.pid) + by, constants.priority.PRIORITY_LOW)
  if (getPriority(thread) < behind) setPriority(thread, behind)
}

/**
 * Lets the main loop go before the thread that calls it: all wait for the main loop, and few for a thread. Only Linux has
 * priorities of single threads; elsewhere nothing changes.
 */
export const stepBack = (as: keyof typeof steps): void => {
  if (process.platform !== "linux") return
  // It reads `<process>/task/<thread>`.
  lower(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), steps[as])
}

/** The same for the threads that hash passwords, pack large answers and read files (of libuv), as far as they run. */
export const stepBackPool = (): void => {
  if (process.platform !== "linux") return
  for (const thread of readdirSync("/proc/self/task")) {
    const name = readFileSync(`/proc/self/task/${thread}/comm`, "utf8").trim()
    if (name === "libuv-worker") lower(Number(thread), steps.answers)
  }
}
