import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { eventually } from "../support/flows/eventually.ts"
import { call } from "../support/flows/Wire.ts"
import { freePort } from "../support/servers/freePort.ts"
import { endPrograms, Program } from "../support/servers/Program.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-shares-"))

afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

it("views of a share survive kill -9 but for the last seconds, and an orderly end entirely", async () => {
  const env = { DATA_DIR: join(place, "data"), PORT: String(await freePort()) }
  let program = new Program(env)
  const server = await program.server()
  const notebook_id = (await call(server, "GET", "/notebooks")).body.data[0].id
  const note = (await call(server, "POST", "/notes", { notebook_id, title: "Shared", body: "*text*" })).body
  const { id, url } = (await call(server, "POST", "/shares", { note_id: note.id })).body
  const look = async (times: number) => {
    for (let time = 0; time < times; time++) {
      const page = await fetch(url, { headers: { accept: "text/html" } })
      expect(await page.text()).toContain("<em>text</em>")
    }
  }
  const views = async (): Promise<number> => (await call(server, "GET", `/shares/${id}`)).body.view_count

  await look(5)
  await eventually("the views are written down by themselves", async () => (await views()) === 5)
  await look(5)
  await program.kill("SIGKILL")
  program = new Program(env)
  await program.url()
  const kept = await views()
  expect(kept).toBeGreaterThanOrEqual(5)
  expect(kept).toBeLessThanOrEqual(10)

  await look(5)
  expect(await program.kill("SIGTERM")).toBe(0)
  program = new Program(env)
  await program.url()
  expect(await views()).toBe(kept + 5)
  expect(await program.kill("SIGTERM")).toBe(0)
})
