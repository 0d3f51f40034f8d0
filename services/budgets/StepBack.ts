import { readlinkSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { constants, getPriority, setPriority } from "node:os"

/** By how much a thread steps back whose answers somebody waits for, and one that works on a job. */
const steps = { answers: 10, jobs: 15 } as const

/** Behind the main loop, whose thread has the id of the process. It may be behind it already: nobody but root may go forward. */
const lower = (thread: number, by: number): void => {
  const behind = Math.min(getPriority(process.pid) + by, constants.priority.PRIORITY_LOW)
  if (getPriority(thread) < behind) setPriority(thread, behind)
}

/** Of a sandbox without /proc, of one that keeps priorities as they are, or of a thread that has ended meanwhile. */
const isOfSystem = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ERR_SYSTEM_ERROR")

/**
 * Lets the main loop go before the thread that calls it: all wait for the main loop, and few for a thread. Only Linux has
 * priorities of single threads; elsewhere, and where the system allows none of it, nothing changes.
 */
export const stepBack = (as: keyof typeof steps): void => {
  if (process.platform !== "linux") return
  try {
    // It reads `<process>/task/<thread>`.
    lower(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), steps[as])
  } catch (error) {
    if (!isOfSystem(error)) throw error
  }
}

/** Of libuv: hash passwords, pack large answers and read files. Of V8: compile, and mark what is garbage. */
const ofAll = new Set(["libuv-worker", "V8Worker"])

/** The same for the threads that work for all others of the process. */
export const stepBackPool = async (): Promise<void> => {
  if (process.platform !== "linux") return
  try {
    // One of them reads it: by then all have begun.
    for (const thread of await readdir("/proc/self/task")) {
      const name = await readFile(`/proc/self/task/${thread}/comm`, "utf8")
      if (ofAll.has(name.trim())) lower(Number(thread), steps.answers)
    }
  } catch (error) {
    if (!isOfSystem(error)) throw error
  }
}
