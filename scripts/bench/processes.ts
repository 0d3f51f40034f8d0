/** What the operating system knows of the servers under load (Linux: /proc). */
import { readdirSync, readFileSync } from "node:fs"

export interface Processes {
  readonly server: number
  readonly postmaster: number
  /** Of a server that counts there. */
  readonly redis?: number
}

const TICKS_PER_SECOND = 100

/** The fields of /proc/<pid>/stat behind the name, which may hold blanks; [1] is the parent. */
const stat = (pid: number | string): number[] => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    return text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number)
  } catch {
    return []
  }
}

const own = (fields: number[]): number => (fields[11] ?? 0) + (fields[12] ?? 0)
const ofEnded = (fields: number[]): number => (fields[13] ?? 0) + (fields[14] ?? 0)

export const parentOf = (pid: number): number => stat(pid)[1] ?? 0

/** CPU seconds so far: of the server, and of its stores: Redis, and the postmaster with its children, the ended ones too. */
export const cpuSeconds = ({ server, postmaster, redis }: Processes): { server: number; stores: number } => {
  const root = stat(postmaster)
  let stores = own(root) + ofEnded(root) + (redis === undefined ? 0 : own(stat(redis)))
  for (const pid of readdirSync("/proc")) {
    if (!/^\d/.test(pid)) continue
    const fields = stat(pid)
    if (fields[1] === postmaster) stores += own(fields)
  }
  return { server: own(stat(server)) / TICKS_PER_SECOND, stores: stores / TICKS_PER_SECOND }
}

/** CPU seconds so far of everything on the machine. */
export const cpuSecondsOfAll = (): number => {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = readFileSync("/proc/stat", "utf8")
    .slice(5, 200)
    .trim()
    .split(/\s+/)
    .map(Number)
  return (user + nice + system + irq + softIrq) / TICKS_PER_SECOND
}

/** Resident memory in MB. */
export const memory = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
