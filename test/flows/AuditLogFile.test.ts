import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { eventually } from "../support/flows/eventually.ts"
import { call } from "../support/flows/Wire.ts"
import { done, sheaf } from "../support/servers/Command.ts"
import { endPrograms, Program, sqlOf } from "../support/servers/Program.ts"
import { usedDataDir } from "../support/servers/UsedDataDir.ts"
import { rounds } from "../support/Slow.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-audit-file-"))
afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

const idsOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .filter((line) => line.startsWith(`{"n":`))
    .map((line) => JSON.parse(line).id)

it("a file has each entry once, in one chain of several workers that are killed, and of commands", async () => {
  const dataDir = await usedDataDir(join(place, "data"))
  const file = join(dataDir, "audit.log")
  const env = { DATA_DIR: dataDir, PORT: "0", WORKERS: "2", RATE_LIMIT: "1000000", AUDIT_LOG: `file:${file}` }
  const sql = sqlOf(dataDir)
  let made = 0
  for (let round = 0; round < rounds(2, 10); round++) {
    const program = new Program(env)
    const server = await program.server()
    let isOver = false
    const { id } = (await call(server, "GET", "/workspaces")).body.data[0]
    // A client whose server is killed gets no response.
    const change = () => call(server, "PATCH", `/workspaces/${id}`, { name: `Name ${made++}` }).catch(() => {})
    const clients = [0, 1, 2, 3].map(async () => {
      while (!isOver) await change()
    })
    const until = made + 20 + 7 * round
    await eventually("the workspace was changed", () => made > until)
    // The parent, its workers with it, and PostgreSQL at any moment of a batch.
    await program.kill("SIGKILL")
    isOver = true
    await Promise.all(clients)
  }
  const program = new Program(env)
  await program.server()
  await done(env, "user add dora@example.org")
  const queue = () => sql("SELECT count(*)::int AS count FROM audit_unsent")
  await eventually("no entry waits", async () => (await queue())[0].count === 0, 30)
  const stored = await sql(
    // The first start of the copied folder had no AUDIT_LOG.
    `SELECT id FROM audit_entries WHERE action NOT IN ('workspace.created', 'member.added', 'auth.bootstrapped')
      OR resource_id IN (SELECT id FROM members WHERE user_id = (SELECT id FROM users WHERE email = 'dora@example.org'))
      OR workspace_id = (SELECT workspace_id FROM users WHERE email = 'dora@example.org') ORDER BY id`
  )
  const ids = idsOf(readFileSync(file, "utf8"))
  expect(ids.length).toBeGreaterThan(20)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(stored.map(({ id }) => id))
  const { code, output } = await sheaf({ ...env, NODE_ENV: "production" }, "doctor --json")
  expect(JSON.parse(output).data.find(({ check }: any) => check === "audit log")).toMatchObject({ status: "ok" })
  expect(code).toBe(0)
  await program.kill("SIGTERM")
})

it("standard output has a line for each entry, and nothing else", async () => {
  const dataDir = await usedDataDir(join(place, "printed"))
  const program = new Program({ DATA_DIR: dataDir, PORT: "0", AUDIT_LOG: "stdout" })
  const server = await program.server()
  await call(server, "POST", "/api-keys", { name: "printed" })
  await eventually("the entry is printed", () => program.output.includes("printed"))
  expect(program.output).toMatch(
    /^\{"n":1,"prev":"0{64}","workspace_id":"ws_\w+","id":"al_\w+","action":"api_key.created".*\}\n$/
  )
})
