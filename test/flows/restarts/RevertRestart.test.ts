import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { eventually } from "../../support/flows/eventually.ts"
import { call } from "../../support/flows/Wire.ts"
import { isSlow, rounds } from "../../support/Slow.ts"
import { freePort } from "../../support/servers/freePort.ts"
import { endPrograms, Program, sqlOf } from "../../support/servers/Program.ts"
import { usedDataDir } from "../../support/servers/UsedDataDir.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-reverts-"))
const dataDir = join(place, "data")
const sql = sqlOf(dataDir)

afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

const length = rounds(2_000, 10_000)

it("a revert continues after kill -9 at any moment, and changes each record once", async () => {
  const env = { DATA_DIR: await usedDataDir(dataDir), PORT: String(await freePort()), RATE_LIMIT: "0" }
  let program = new Program(env)
  let server = await program.server()
  const set = "cs_restart0000000000000"
  const [{ id: notebook_id }] = (await call(server, "GET", "/notebooks")).body.data
  const ids: Array<string> = []
  for (let from = 0; from < length; from += 500) {
    const changes = Array.from({ length: 500 }, (_, at) => ({
      type: "note",
      op: "upsert",
      mutation_id: `m-${from + at}`,
      data: { notebook_id, title: `n${from + at}`, body: "before" }
    }))
    const { body } = await call(server, "POST", "/sync/push", { changes })
    ids.push(...body.changes.filter(({ type }: any) => type === "note").map(({ id }: any) => id))
  }
  for (let from = 0; from < length; from += 500) {
    const changes = ids.slice(from, from + 500).map((id, at) => ({
      type: "note",
      op: "upsert",
      id,
      revision: 1,
      mutation_id: `c-${from + at}`,
      data: { body: "after" }
    }))
    expect((await call(server, "POST", "/sync/push", { changes }, { "change-set": set })).status).toBe(201)
  }
  const { id } = (await call(server, "POST", `/change-sets/${set}/revert`, {})).body
  const get = async () => (await call(server, "GET", `/reverts/${id}`)).body
  for (const share of isSlow ? [0.05, 0.3, 0.6, 0.9] : [0.3]) {
    await eventually(`${share} of the revert is done`, async () => (await get()).reverted >= share * length)
    await program.kill("SIGKILL")
    program = new Program(env)
    server = await program.server()
  }
  const done = await eventually("the revert is done", async () => {
    const found = await get()
    return found.status === "done" && found
  })
  expect(done).toMatchObject({ records: length, reverted: length, merged: 0, kept: 0 })
  expect(
    await sql(
      "SELECT count(*)::int AS notes, count(*) FILTER (WHERE body = 'before' AND version = 3)::int AS whole FROM notes"
    )
  ).toEqual([{ notes: length, whole: length }])
  expect(
    await sql(
      "SELECT count(*)::int AS n, count(DISTINCT record_id)::int AS ids, max(ordinal) AS last FROM revert_outcomes"
    )
  ).toEqual([{ n: length, ids: length, last: length }])
  expect(await program.kill("SIGTERM")).toBe(0)
})
