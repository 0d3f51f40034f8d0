/** A server under load: a separate process with new workspaces, stopped at the end. */
import { execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import * as Postmaster from "../../src/program/postgres/Postmaster.ts"
import { stopping } from "./processes.ts"

/** A workspace with one notebook, one key and its signed-in owner. */
export interface Workspace {
  readonly workspace_id: string
  readonly notebook_id: string
  readonly key: string
  /** The access token of the owner. */
  readonly token: string
  /** The e-mail address of the owner, whose password is `PASSWORD`. */
  readonly email: string
}
export const PASSWORD = "correct horse battery"

export interface Target {
  readonly pid: number
  readonly port: number
  readonly workspaces: readonly Workspace[]
  readonly stop: () => Promise<void>
}
export type Started = Omit<Target, "workspaces">

/** This checkout. */
export const HERE = join(import.meta.dirname, "../..")
const START = 60_000
/** The same for all, because several processes may share a database. */
const secretKey = randomBytes(32).toString("base64")

/** The embedded PostgreSQL of a running Sheaf, from its `postmaster.pid`. */
export const postgresOf = (dataDir: string) => {
  const found = Postmaster.read(join(dataDir, "postgres", "cluster"))
  if (found === undefined) throw new Error(`no PostgreSQL runs in ${dataDir}`)
  return { pid: found.pid, host: found.socketDirectory, port: found.port, user: "sheaf" }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Starts a script that listens on PORT. It has started when a GET of `path` succeeds. */
export const startServer = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  path: string,
  key?: string
): Promise<Started> => {
  const port = await freePort()
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env, PORT: `${port}` },
    stdio: ["ignore", "ignore", "inherit"]
  })
  const stop = stopping(child)
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  for (const until = performance.now() + START; performance.now() < until && child.exitCode === null;) {
    const isReady = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).then(
      (it) => it.ok,
      () => false
    )
    if (isReady) return { pid: child.pid as number, port, stop }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await stop()
  throw new Error(`${args.join(" ")} did not start`)
}

/**
 * Starts the built bundle of a checkout. It is ready when /readyz is 200, or with a key, when an authenticated read
 * succeeds. Rate limits are counted but never reached.
 */
export const startSheaf = (
  dataDir: string,
  {
    checkout = HERE,
    env = {},
    key
  }: { readonly checkout?: string; readonly env?: Readonly<Record<string, string>>; readonly key?: string } = {}
): Promise<Started> => {
  const settings = {
    DATA_DIR: dataDir,
    DATABASE_URL: "",
    LOG_LEVEL: "warn",
    NODE_COMPILE_CACHE: join(checkout, "node_modules/.cache/compile"),
    RATE_LIMIT: "999999999",
    REDIS_URL: "",
    SECRET_KEY: secretKey,
    STREAMS_PER_CREDENTIAL: "100000",
    ...env
  }
  const path = key === undefined ? "/readyz" : "/v2/notes?limit=1"
  return startServer(["--max-old-space-size=2000", join(checkout, "dist/main.js")], settings, path, key)
}

/** Creates workspaces through the services of a checkout, on the database of its running Sheaf. */
export const seed = async (
  dataDir: string,
  workspaces: number,
  { checkout = HERE, plan = "team" }: { readonly checkout?: string; readonly plan?: "free" | "team" } = {}
): Promise<Workspace[]> => {
  const script = join(checkout, "scripts/bench/seed.ts")
  const env = { ...process.env, DATA_DIR: dataDir }
  const { stdout } = await promisify(execFile)(process.execPath, [script, `${workspaces}`, plan], { env })
  return JSON.parse(stdout)
}
