import { readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { constants, getPriority, setPriority } from "node:os"

/** By how much a thread steps back whose answers somebody waits for, and one that works on a job; and a backend of heavy reads. */
const steps = { answers: 10, jobs: 15, backends: 10 } as const
export type Step = keyof typeof steps

/** Behind the main loop, whose thread has the id of the process. It may be behind it already: nobody but root may go forward. */
const lower = (thread: number, by: number): void => {
  const behind = Math.min(getPriority(process.pid) + by, constants.priority.PRIORITY_LOW)
  if (getPriority(thread) < behind) setPriority(thread, behind)
}

/**
 * Of a sandbox without /proc, of one that keeps priorities as they are, of a thread that has ended meanwhile, of a process
 * that is another user's, and of a system that has just changed the priority of another session.
 */
const systemCodes = new Set(["ENOENT", "ESRCH", "EACCES", "EPERM", "EROFS", "EAGAIN", "ERR_SYSTEM_ERROR"])
const isOfSystem = (error: unknown): boolean =>
  error instanceof Error && "code" in error && systemCodes.has(String(error.code))

/**
 * Lets the main loop go before the thread that calls it: all wait for the main loop, and few for a thread. Only Linux has
 * priorities of single threads; elsewhere, and where the system allows none of it, nothing changes.
 */
export const stepBack = (as: Step): void => {
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

/**
 * Lets this process go before a backend of PostgreSQL that looks through much, and says whether it does. Each backend is a
 * session of its own, and where Linux shares processors by sessions (sched(7), "autogroup") what counts is the priority of
 * the session, of which the system changes one in a tenth of a second.
 */
export const putBehind = (backend: number): boolean => {
  if (process.platform !== "linux") return false
  try {
    lower(backend, steps.backends)
    writeFileSync(`/proc/${backend}/autogroup`, `${steps.backends}`)
    return true
  } catch (error) {
    if (!isOfSystem(error)) throw error
    return false
  }
}

/** The processor time that a process has had, in milliseconds, by tens (proc_pid_stat(5)); undefined where it is not told. */
export const processorTime = (process: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${process}/stat`, "latin1")
    // The name before may have blanks and brackets in it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch (error) {
    if (!isOfSystem(error)) throw error
    return undefined
  }
}
