import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { eventually } from "../../support/flows/eventually.ts"
import { call } from "../../support/flows/Wire.ts"
import { freePort } from "../../support/servers/freePort.ts"
import { endPrograms, Program, sqlOf } from "../../support/servers/Program.ts"
import { usedDataDir } from "../../support/servers/UsedDataDir.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-counts-"))
const dataDir = join(place, "data")
const sql = sqlOf(dataDir)

afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

/** The stored number of requests, read from the database. */
const storedRequests = async (): Promise<number> =>
  (await sql("SELECT coalesce(sum(api_requests), 0)::int AS n FROM request_days"))[0].n

it("request and share view counts survive a shutdown, and kill -9 except for the last seconds", async () => {
  const env = { DATA_DIR: await usedDataDir(dataDir), PORT: String(await freePort()) }
  let program = new Program(env)
  const server = await program.server()
  /** Number of requests with a credential. */
  let asked = 0
  const ask = async (method: string, path: string, body?: object) => {
    asked++
    return (await call(server, method, path, body)).body
  }
  const notebook_id = (await ask("GET", "/notebooks")).data[0].id
  const note = await ask("POST", "/notes", { notebook_id, title: "Shared", body: "*text*" })
  const { id, url } = await ask("POST", "/shares", { note_id: note.id })
  const use = async () => {
    for (let time = 0; time < 5; time++) {
      const page = await fetch(url, { headers: { accept: "text/html" } })
      expect(await page.text()).toContain("<em>text</em>")
      await ask("GET", "/notebooks")
    }
  }
  const viewCount = async (): Promise<number> => (await ask("GET", `/shares/${id}`)).view_count
  const requestCount = async (): Promise<number> => (await ask("GET", "/usage")).api_requests
  const restart = async () => {
    program = new Program(env)
    await program.url()
  }

  await use()
  await eventually("requests are stored automatically", async () => (await storedRequests()) === asked)
  await eventually("views are stored automatically", async () => (await viewCount()) === 5)
  const stored = await storedRequests()
  await use()
  const most = asked
  await program.kill("SIGKILL")
  await restart()
  const views = await viewCount()
  expect(views).toBeGreaterThanOrEqual(5)
  expect(views).toBeLessThanOrEqual(10)
  const requests = await requestCount()
  // The two requests that read the counts are counted, too.
  expect(requests).toBeGreaterThanOrEqual(stored + 1)
  expect(requests).toBeLessThanOrEqual(most + 2)

  asked = requests
  await use()
  expect(await program.kill("SIGTERM")).toBe(0)
  await restart()
  expect(await viewCount()).toBe(views + 5)
  expect(await requestCount()).toBe(asked)
  expect(await program.kill("SIGTERM")).toBe(0)
})
