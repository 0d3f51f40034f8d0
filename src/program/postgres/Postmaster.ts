import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

/** The content of `postmaster.pid`, which a running server writes into its cluster and a killed one leaves there. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  readonly socketDirectory: string
  readonly status: string
}

const file = (cluster: string) => path.join(cluster, "postmaster.pid")

export const read = (cluster: string): Postmaster | undefined => {
  const lines = textOf(file(cluster))
    ?.split("\n")
    .map((line) => line.trim())
  if (lines === undefined) return undefined
  const [pid, , , port, socketDirectory, , , status] = lines
  return { pid: Number(pid), port: Number(port), socketDirectory: socketDirectory ?? "", status: status ?? "" }
}

/**
 * Whether the process id still belongs to a running PostgreSQL. In a restarted container, processes get the same ids
 * again, so it may be this process or one of its threads. A zombie does not count as running.
 */
export const state = (pid: number): "postgres" | "other" | "none" => {
  if (process.platform === "linux") {
    const stat = /\((.*)\) (\S)/s.exec(textOf(`/proc/${pid}/stat`) ?? "")
    return stat === null ? "none" : stat[1] === "postgres" && stat[2] !== "Z" ? "postgres" : "other"
  }
  try {
    const command = execFileSync("ps", ["-o", "stat=,comm=", "-p", String(pid)], { encoding: "utf8" }).trim()
    return /^[^Z]\S*\s(.*\/)?postgres$/.test(command) ? "postgres" : "other"
  } catch {
    // ps fails when there is no such process.
    return "none"
  }
}

/**
 * Removes the files of a killed server whose process id now belongs to another program. PostgreSQL would take that for a
 * running server and refuse to start; if the id is unused, PostgreSQL removes the files itself.
 */
export const forget = (cluster: string, { pid, port, socketDirectory }: Postmaster) => {
  if (state(pid) !== "other" || read(cluster)?.pid !== pid) return
  fs.rmSync(file(cluster), { force: true })
  fs.rmSync(path.join(socketDirectory, `.s.PGSQL.${port}.lock`), { force: true })
}

const textOf = (name: string) => {
  try {
    return fs.readFileSync(name, "utf8")
  } catch (cause) {
    // ESRCH: the process ended between the opening and the reading of its file under /proc.
    if (["ENOENT", "ESRCH"].includes((cause as NodeJS.ErrnoException).code ?? "")) return undefined
    throw cause
  }
}
