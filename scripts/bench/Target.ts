/** A server to measure: started as a process of its own, its workspaces filled over its own API, stopped at the end. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { existsSync, readdirSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { Connection, requestText } from "./Connection.ts"
import { type FilledWorkspace, jsonOf, newNote, NOTES_PER_WORKSPACE, type Workspace } from "./operations.ts"

export interface Target {
  readonly name: string
  readonly pid: number
  readonly port: number
  readonly workspaces: readonly Workspace[]
  readonly stop: () => Promise<void>
}

export interface PostgresConnection {
  readonly host: string
  readonly port: number
  readonly user: string
}

const NOTES_PER_PUSH = 250
/** More than can be sent: each request is counted, none refused. */
export const HIGHEST_RATE_LIMIT = "999999999"
/** One for all, as several may share a database. */
const secretKey = randomBytes(32).toString("base64")
const here = (file: string): string => join(import.meta.dirname, file)

/** The server that Sheaf keeps in its data directory, by its Unix socket; else the one that BENCH_PGHOST names. */
export const postgresConnection = (dataDir: string): PostgresConnection => {
  const user = process.env["BENCH_PGUSER"] ?? "sheaf"
  const root = join(dataDir, "postgres")
  for (const directory of [root, ...(existsSync(root) ? readdirSync(root).map((it) => join(root, it)) : [])]) {
    let names: string[] = []
    try {
      names = readdirSync(directory)
    } catch {
      continue
    }
    const socket = names.find((name) => /^\.s\.PGSQL\.\d+$/.test(name))
    if (socket) return { host: directory, port: Number(socket.slice(9)), user }
  }
  const host = process.env["BENCH_PGHOST"]
  if (host === undefined) throw new Error(`no PostgreSQL socket under ${root}, and BENCH_PGHOST is not set`)
  return { host, port: Number(process.env["BENCH_PGPORT"] ?? 5432), user }
}

export const stopping = (child: ChildProcess) => async (): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  const kill = setTimeout(() => child.kill("SIGKILL"), 20_000)
  await exited
  clearTimeout(kill)
}

export const startBaseline = async (
  mode: "single" | "group",
  { host, port, user }: PostgresConnection,
  workspaces: number
): Promise<Target> => {
  const child = spawn(process.execPath, [here("baseline.ts"), mode, host, `${port}`, user, `${workspaces}`], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const stop = stopping(child)
  const name = mode === "single" ? "(a) one statement per write" : "(b) group commit"
  const line = await Promise.race([
    once(createInterface(child.stdout), "line"),
    once(child, "exit").then(() => undefined)
  ])
  if (line === undefined) throw new Error(`the baseline ${mode} did not start`)
  return { name, pid: child.pid as number, stop, ...JSON.parse(line[0]) }
}

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/**
 * The built bundle when there is one, else the source. The workspaces come later, from `seed`. Ready when it says so, or
 * with a key when it answers an authenticated read.
 */
export const startSheaf = async (
  dataDir: string,
  { key, env: more = {} }: { readonly key?: string; readonly env?: Readonly<Record<string, string>> } = {}
): Promise<Omit<Target, "workspaces">> => {
  const port = await freePort()
  const built = here("../../dist/main.js")
  const main = existsSync(built) ? built : here("../../src/main.ts")
  const limits = { RATE_LIMIT: HIGHEST_RATE_LIMIT, STREAMS_PER_CREDENTIAL: "100000" }
  const cache = { NODE_COMPILE_CACHE: here("../../node_modules/.cache/compile") }
  const env = {
    ...{
      ...cache,
      ...process.env,
      ...limits,
      SECRET_KEY: secretKey,
      DATA_DIR: dataDir,
      PORT: `${port}`
    },
    ...{ LOG_LEVEL: "warn", REDIS_URL: "", ...more }
  }
  const flags = process.env["SHEAF_NODE_FLAGS"]?.split(" ") ?? ["--max-old-space-size=2000"]
  const child = spawn(process.execPath, [...flags, main], { env, stdio: ["ignore", "ignore", "inherit"] })
  const sheaf = { name: "(c) Sheaf", pid: child.pid as number, port, stop: stopping(child) }
  const path = key === undefined ? "/readyz" : "/v2/notes?limit=1"
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  for (let attempt = 0; attempt < 3000; attempt += 1) {
    const ready = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).then(
      (it) => it.ok,
      () => false
    )
    if (ready) return sheaf
    if (child.exitCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await sheaf.stop()
  throw new Error(`${main} did not become ready`)
}

/** Workspaces with one notebook, one key and one signed-in owner each, made through Sheaf's services. */
export const seed = async (
  dataDir: string,
  workspaces: number,
  plan: "free" | "team" = "team"
): Promise<Workspace[]> => {
  const env = { ...process.env, DATA_DIR: dataDir }
  const { stdout } = await promisify(execFile)(process.execPath, [here("seed.ts"), `${workspaces}`, plan], { env })
  return JSON.parse(stdout)
}

/** Pushes the notes that every operation finds there. */
export const fill = ({ port, workspaces }: Target): Promise<FilledWorkspace[]> =>
  Promise.all(
    workspaces.map(async (workspace) => {
      const connection = new Connection(port)
      const notes: string[] = []
      while (notes.length < NOTES_PER_WORKSPACE) {
        const changes = Array.from({ length: NOTES_PER_PUSH }, () => ({
          type: "note",
          op: "upsert",
          data: newNote(workspace)
        }))
        const answer = await connection.exchange(requestText(workspace.key, "POST", "/v2/sync/push", { changes }))
        if (answer.status !== 201) throw new Error(`fill: ${answer.head}\n\n${answer.body}`)
        for (const { status, id } of jsonOf(answer).results) {
          if (status !== "applied") throw new Error(`fill: ${answer.body.toString().slice(-2000)}`)
          notes.push(id)
        }
      }
      connection.close()
      return { ...workspace, notes }
    })
  )
