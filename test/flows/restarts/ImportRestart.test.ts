import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { eventually } from "../../support/flows/eventually.ts"
import { call, type Server } from "../../support/flows/Wire.ts"
import { isSlow, rounds } from "../../support/Slow.ts"
import { freePort } from "../../support/servers/freePort.ts"
import { endPrograms, Program, sqlOf } from "../../support/servers/Program.ts"
import { usedDataDir } from "../../support/servers/UsedDataDir.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-imports-"))
const dataDir = join(place, "data")
const sql = sqlOf(dataDir)

afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

const count = rounds(400, 1_500)

const noteXml = (number: number, text = "text") => {
  const picture = Buffer.from(`picture ${number}`).toString("base64")
  const resource =
    number % 10 === 0 ? `<resource><data encoding="base64">${picture}</data><mime>image/png</mime></resource>` : ""
  return `<note><title>Note ${number}</title><created>20200102T030405Z</created><tag>t${number % 7}</tag><content><![CDATA[<en-note>${`<div>${text}</div>`.repeat(20)}</en-note>]]></content>${resource}</note>`
}
const enexOf = (length: number, text: (number: number) => string) =>
  `<?xml version="1.0"?><en-export>${Array.from({ length }, (_, number) => noteXml(number, text(number))).join("\n")}</en-export>`
const enex = enexOf(count, () => "text")

const send = async (server: Server, made: { readonly upload_url: string }, body: string) => {
  const { pathname, search } = new URL(made.upload_url)
  expect((await fetch(new URL(pathname + search, server.url), { method: "PUT", body })).status).toBe(200)
}

it("an import continues after kill -9 at any moment without a lost or duplicated note, and so does its repetition", async () => {
  const env = { DATA_DIR: await usedDataDir(dataDir), PORT: String(await freePort()) }
  let program = new Program(env)
  let server = await program.server()

  // A preview begins again, and leaves nothing but its record.
  const asked = { source: "enex", filename: "Many.enex", preview: true }
  const preview = (await call(server, "POST", "/imports", asked)).body
  await send(server, preview, enex)
  const previewed = async () => (await call(server, "GET", `/imports/${preview.id}`)).body
  await eventually("a half is foreseen", async () => (await previewed()).imported >= 0.45 * count)
  await program.kill("SIGKILL")
  program = new Program(env)
  server = await program.server()
  const foreseen = await eventually("the preview is done", async () => {
    const found = await previewed()
    return found.status === "done" && found
  })
  expect(foreseen).toMatchObject({ imported: count, total: count, tags: 7, attachments: count / 10, errors: [] })
  expect(
    await sql("SELECT (SELECT count(*) FROM records WHERE type <> 'notebook')::int AS n, notes::int FROM heads")
  ).toEqual([{ n: 0, notes: 0 }])

  const made = (await call(server, "POST", "/imports", { source: "enex", filename: "Many.enex" })).body
  await send(server, made, enex)
  const get = async () => (await call(server, "GET", `/imports/${made.id}`)).body

  for (const share of isSlow ? [0.05, 0.45, 0.9] : [0.45]) {
    await eventually(`${share} of the import is done`, async () => (await get()).imported >= share * count)
    await program.kill("SIGKILL")
    program = new Program(env)
    server = await program.server()
    expect((await get()).status).toBe("running")
  }
  const done = await eventually("the import is done", async () => {
    const found = await get()
    return found.status === "done" && found
  })
  expect(done).toMatchObject({ imported: count, total: count, errors: [], progress: 1 })
  const [found] = await sql(`SELECT count(*)::int AS notes, count(DISTINCT title)::int AS titles,
    count(*) FILTER (WHERE created_at = '2020-01-02T03:04:05.000Z')::int AS dated FROM notes`)
  expect(found).toEqual({ notes: count, titles: count, dated: count })
  expect(await sql("SELECT count(*)::int AS files, count(DISTINCT note_id)::int AS notes FROM attachments")).toEqual([
    { files: count / 10, notes: count / 10 }
  ])
  expect(await sql("SELECT count(*)::int AS n FROM blobs WHERE refs > 0")).toEqual([{ n: count / 10 }])
  expect(await sql("SELECT count(*)::int AS n, max(note_count)::int AS most FROM tags")).toEqual([
    { n: 7, most: Math.ceil(count / 7) }
  ])
  expect(await sql("SELECT notes::int, attachments::int FROM heads")).toEqual([
    { notes: count, attachments: count / 10 }
  ])
  expect(await sql("SELECT type FROM changes WHERE resource = 'import'")).toEqual([{ type: "import.done" }])

  // A second import, with 300 changed and 200 new notes after the unchanged ones.
  const changed = enexOf(count + 200, (number) => (number < count - 300 ? "text" : "changed"))
  const again = (
    await call(server, "POST", "/imports", { source: "enex", filename: "Many.enex", on_existing: "update" })
  ).body
  await send(server, again, changed)
  const state = async () => (await call(server, "GET", `/imports/${again.id}`)).body
  for (const least of isSlow ? [50, 150, 350] : []) {
    await eventually(`${least} notes are written`, async () => {
      const { imported, updated } = await state()
      return imported + updated >= least
    })
    await program.kill("SIGKILL")
    program = new Program(env)
    server = await program.server()
  }
  const second = await eventually("the second import is done", async () => {
    const found = await state()
    return found.status === "done" && found
  })
  expect(second).toMatchObject({ imported: 200, skipped: count - 300, updated: 300, total: count + 200, errors: [] })
  expect(
    await sql(`SELECT count(*)::int AS notes, count(DISTINCT title)::int AS titles,
      count(*) FILTER (WHERE version = 2)::int AS updated, count(*) FILTER (WHERE version > 2)::int AS more FROM notes`)
  ).toEqual([{ notes: count + 200, titles: count + 200, updated: 300, more: 0 }])
  const files = (count + 200) / 10
  expect(await sql("SELECT count(*)::int AS n, count(DISTINCT note_id)::int AS notes FROM attachments")).toEqual([
    { n: files, notes: files }
  ])
  expect(await program.kill("SIGTERM")).toBe(0)
})
