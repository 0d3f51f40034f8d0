import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { freePort } from "../support/servers/freePort.ts"
import { eventually } from "../support/flows/eventually.ts"
import { endPrograms, Program, sqlOf } from "../support/servers/Program.ts"
import { call } from "../support/flows/Wire.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-usage-"))
const dataDir = join(place, "data")
const sql = sqlOf(dataDir)

afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

const written = async (): Promise<number> => (await sql("SELECT sum(api_requests)::int AS n FROM request_days"))[0].n

it("counted requests survive kill -9 but for the last seconds, and an orderly end entirely", async () => {
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()) }
  let program = new Program(env)
  const server = await program.server()
  const ask = async (times: number) => {
    for (let time = 0; time < times; time++) expect((await call(server, "GET", "/notebooks")).status).toBe(200)
  }
  const requests = async (): Promise<number> => (await call(server, "GET", "/usage")).body.api_requests

  await ask(25)
  await eventually("the requests are written down by themselves", async () => (await written()) === 25)
  await ask(10)
  await program.kill("SIGKILL")
  program = new Program(env)
  await program.url()
  const kept = (await requests()) - 1
  expect(kept).toBeGreaterThanOrEqual(25)
  expect(kept).toBeLessThanOrEqual(35)

  await ask(10)
  expect(await program.kill("SIGTERM")).toBe(0)
  program = new Program(env)
  await program.url()
  expect(await requests()).toBe(kept + 1 + 10 + 1)
  expect(await program.kill("SIGTERM")).toBe(0)
})
