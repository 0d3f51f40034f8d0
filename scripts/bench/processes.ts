/** Processes of servers under load, and their figures in /proc. */
import { type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"

export interface Processes {
  readonly servers: ReadonlyArray<number>
  readonly postmaster: number
}

const TICKS_PER_SECOND = 100
const PATIENCE = 20_000

/** The fields of /proc/<pid>/stat after the name, which may contain blanks; [1] is the parent. None if it has ended. */
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

/** The parent of a process; 0 if the process has ended. */
export const parentOf = (pid: number): number => stat(pid)[1] ?? 0

export const childrenOf = (pid: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === pid)
    .map(Number)

/** The command and the arguments of a process; empty if it has ended. */
export const commandOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
  } catch {
    return []
  }
}

/** CPU seconds used by the servers, and by PostgreSQL including ended backends. */
export const cpuSeconds = ({ servers, postmaster }: Processes): { server: number; stores: number } => {
  const root = stat(postmaster)
  const backends = childrenOf(postmaster).reduce((sum, pid) => sum + own(stat(pid)), 0)
  return {
    server: servers.reduce((sum, pid) => sum + own(stat(pid)), 0) / TICKS_PER_SECOND,
    stores: (own(root) + ofEnded(root) + backends) / TICKS_PER_SECOND
  }
}

const megabytes = (pid: number, field: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

/** Resident memory in MB. */
export const memory = (pid: number): number => megabytes(pid, "VmRSS")
/** Maximum resident memory of the process so far, in MB. */
export const maxMemory = (pid: number): number => megabytes(pid, "VmHWM")

/** Stops a child process and waits until it has exited. */
export const stopping = (child: ChildProcess) => async (): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  const kill = setTimeout(() => child.kill("SIGKILL"), PATIENCE)
  await exited
  clearTimeout(kill)
}
