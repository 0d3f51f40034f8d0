import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { eventually } from "../../support/flows/eventually.ts"
import { call } from "../../support/flows/Wire.ts"
import { rounds } from "../../support/Slow.ts"
import { freePort } from "../../support/servers/freePort.ts"
import { endPrograms, Program, sqlOf } from "../../support/servers/Program.ts"
import { usedDataDir } from "../../support/servers/UsedDataDir.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-reminders-"))
const dataDir = join(place, "data")
const sql = sqlOf(dataDir)

afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

it("each reminder fires once despite kill -9, also when it became due while no server ran", async () => {
  const env = { DATA_DIR: await usedDataDir(dataDir), PORT: String(await freePort()) }
  let program = new Program(env)
  const server = await program.server()
  const notebook_id = (await call(server, "GET", "/notebooks")).body.data[0].id
  const note_id = (await call(server, "POST", "/notes", { notebook_id, title: "Told" })).body.id

  const each = 300
  const firings = async (): Promise<number> =>
    (await sql("SELECT count(*)::int AS n FROM changes WHERE type = 'reminder.fired'"))[0].n
  for (let round = 0; round < rounds(1, 2); round++) {
    // In the past, so that they fire at once, some of them before the kill.
    const data = { note_id, remind_at: "2026-01-01T00:00:00Z", channel: "webhook" }
    const changes = Array.from({ length: each }, () => ({ type: "reminder", op: "upsert", data }))
    const before = await firings()
    const pushed = await call(server, "POST", "/sync/push", { changes })
    expect(pushed.status).toBe(201)
    await eventually("some have fired", async () => (await firings()) > before)
    await program.kill("SIGKILL")
    program = new Program(env)
    await program.url()
    // The new process takes over the claims of the killed one, because it detects that it is gone.
    await eventually("all have fired", async () => (await firings()) === (round + 1) * each)
  }
  const [{ left, times }] = (await sql(
    `SELECT (SELECT count(*)::int FROM reminders WHERE NOT done) AS left, max(n)::int AS times FROM (
      SELECT count(*) AS n FROM changes WHERE type = 'reminder.fired' GROUP BY resource_id
    ) each`
  )) as [any]
  expect({ left, times }).toEqual({ left: 0, times: 1 })
  expect(await program.kill("SIGTERM")).toBe(0)
})
