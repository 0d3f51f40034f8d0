import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { eventually } from "../../support/flows/eventually.ts"
import { call } from "../../support/flows/Wire.ts"
import { freePort } from "../../support/servers/freePort.ts"
import { endPrograms, Program, sqlOf } from "../../support/servers/Program.ts"
import { rounds } from "../../support/Slow.ts"
import { unzip } from "../../support/Unzip.ts"
import { usedDataDir } from "../../support/servers/UsedDataDir.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-exports-"))
const dataDir = join(place, "data")
const sql = sqlOf(dataDir)

afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

it("an export restarts from the beginning after kill -9, and is a consistent snapshot during writes", async () => {
  const env = { DATA_DIR: await usedDataDir(dataDir), PORT: String(await freePort()) }
  let program = new Program(env)
  let server = await program.server()
  const notebook_id = (await call(server, "GET", "/notebooks")).body.data[0].id
  const count = rounds(1_000, 4_000)
  const title = (number: number) => `Note ${number}`
  for (let at = 0; at < count; at += 500) {
    const changes = Array.from({ length: 500 }, (_, index) => ({
      type: "note",
      op: "upsert",
      data: { notebook_id, title: title(at + index), body: "text ".repeat(400) }
    }))
    expect((await call(server, "POST", "/sync/push", { changes })).status).toBe(201)
  }
  const { id } = (await call(server, "POST", "/exports", { scope: "workspace", format: "json" })).body
  const get = async () => (await call(server, "GET", `/exports/${id}`)).body
  await eventually("the export is running", async () => (await get()).progress > 0.05)
  await program.kill("SIGKILL")

  program = new Program(env)
  server = await program.server()
  expect(await get()).toMatchObject({ status: "running", download_url: null })
  // Its claim expires two minutes after the last renewal; the test does not wait for that.
  await sql("UPDATE transfers SET next_at = created_at, permille = 0")
  await eventually("the export runs again", async () => (await get()).progress > 0.05)
  // A write after the snapshot of the export.
  const later = (await call(server, "POST", "/notes", { notebook_id, title: "Later" })).body.id
  const ready = await eventually("the export is ready", async () => {
    const found = await get()
    return found.status === "ready" && found
  })
  const { pathname, search } = new URL(ready.download_url)
  const response = await fetch(new URL(pathname + search, server.url))
  const { files } = await unzip(Buffer.from(await response.arrayBuffer()))
  const notes = [...files].flatMap(([path, bytes]) =>
    path.startsWith("notes/") ? [JSON.parse(bytes.toString()).note] : []
  )
  expect(new Set(notes.map((note) => note.title))).toEqual(new Set(Array.from({ length: count }, (_, at) => title(at))))
  expect(notes.some((note) => note.id === later)).toBe(false)
  const ends = await sql("SELECT type FROM changes WHERE resource = 'export'")
  expect(ends).toEqual([{ type: "export.ready" }])
  expect(await sql("SELECT refs FROM blobs")).toEqual([{ refs: 1 }])
  expect(await program.kill("SIGTERM")).toBe(0)
})
