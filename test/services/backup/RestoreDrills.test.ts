import { generateX25519Identity, identityToRecipient } from "age-encryption"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as zlib from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import { upload } from "../../support/flows/Uploading.ts"
import { mailTo } from "../../support/people/Mail.ts"
import { type Member, Team } from "../../support/people/Team.ts"
import { sqlOn } from "../../support/servers/Databases.ts"
import { type S3Server, s3Server } from "../../support/servers/S3Server.ts"
import { look, metric, readyz } from "../../support/servers/LookingNodes.ts"
import { epoch, startApp, type TestApp } from "../../support/TestApp.ts"

const hour = 3_600_000
const every = 6 * hour
const folder = mkdtempSync(join(tmpdir(), "sheaf-drills-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const newFolder = (name: string): string => {
  const to = join(folder, name)
  mkdirSync(to)
  return to
}

const drills = (app: TestApp) =>
  app.sql("SELECT target, error FROM restore_drills WHERE ended_at IS NOT NULL ORDER BY started_at")

/** Makes a backup by the API, and returns its path. */
const backUp = async (app: TestApp, operator: Member): Promise<string> => {
  expect((await app.call("POST", "/admin/backups", undefined, operator.headers)).status).toBe(202)
  await app.idle()
  const [made] = await app.sql("SELECT target, error FROM backups ORDER BY started_at DESC LIMIT 1")
  expect(made).toMatchObject({ error: null })
  return made!["target"] as string
}

const scratchName = async (app: TestApp): Promise<string> =>
  (await app.sql("SELECT 'sheaf_drill_' || oid AS name FROM pg_database WHERE datname = current_database()"))[0]!.name
const scratch = async (app: TestApp) =>
  app.sql("SELECT datname FROM pg_database WHERE datname = $1", [await scratchName(app)])

/** Everything that a restore would change. */
const served = async (app: TestApp) => ({
  heads: await app.sql("SELECT workspace_id, epoch, least_revision, seq::int FROM heads ORDER BY 1"),
  restores: await app.sql("SELECT * FROM restores"),
  blobs: await app.sql("SELECT * FROM blobs ORDER BY sha256")
})

/** A server with a note and a file, whose operator makes drills. */
const start = async (name: string, more: object = {}) => {
  const to = newFolder(name)
  const app = await startApp({ settings: { backupTo: to, backupVerifyEvery: every, ...more } })
  const team = await Team.start(app)
  const operator = await team.operator("session")
  const note = await team.note()
  const hash = await upload({ url: app.url, key: app.key }, await noteOf(app), Buffer.from("a file of the note"))
  return { app, hash, note, operator, to }
}

const noteOf = async (app: TestApp): Promise<string> => {
  const { body } = await app.call("GET", "/notebooks")
  return (await app.call("POST", "/notes", { notebook_id: body.data[0].id, title: "With a file" })).body.id
}

describe("drills", () => {
  let app: TestApp
  let operator: Member
  let to: string
  let nodes: ReadonlyArray<TestApp> = []
  beforeAll(async () => {
    ;({ app, operator, to } = await start("scheduled"))
    nodes = [app, await startApp({ settings: { backupTo: to, backupVerifyEvery: every }, databaseOf: app })]
    await app.sql("UPDATE users SET email_proven = true WHERE email = 'owner@sheaf.test'")
  })
  afterAll(async () => {
    for (const node of nodes.toReversed()) await node.stop()
  })
  const state = async () => (await app.call("GET", "/admin/server", undefined, operator.headers)).body.backups.drills
  const begin = () => app.call("POST", "/admin/backups/drill", undefined, operator.headers)
  const later = async (hours: number) => {
    await Promise.all(nodes.map((node) => node.advance(hours * hour)))
    await look(nodes)
  }

  it("wait for the first backup, and begin by hand only after it", async () => {
    await look(nodes)
    expect(await drills(app)).toEqual([])
    expect(await begin()).toMatchObject({ status: 409, body: { detail: expect.stringContaining("no backup") } })
    expect(await state()).toEqual({
      every_seconds: 21_600,
      running: false,
      next_at: "1970-01-01T00:00:00.000Z",
      overdue: false,
      last: null
    })
  })

  it("restore the newest backup on one node, and change nothing that is served", async () => {
    const target = await backUp(app, operator)
    const before = await served(app)
    await look(nodes)
    expect(await drills(app)).toEqual([{ target, error: null }])
    expect(await served(app)).toEqual(before)
    expect(await scratch(app)).toEqual([])
    // The lock ends with the connection of the thread.
    await expect.poll(state).toMatchObject({ running: false, overdue: false, last: { target, error: null } })
    expect(Date.parse((await state()).next_at)).toBeGreaterThan(epoch + every)
    await look(nodes)
    expect(await metric(app, "sheaf_backup_drills_up")).toBe(1)
    expect(await metric(app, "sheaf_backup_drill_last_success_timestamp_seconds")).toBeGreaterThan(epoch / 1000)
    expect(await readyz(app)).toEqual([200, "ready"])
    expect(await drills(app)).toHaveLength(1)
  })

  it("begin by hand, one at a time, which the audit log has, and drop what a killed one has left", async () => {
    const name = await scratchName(app)
    await sqlOn("postgres", `CREATE DATABASE ${name}`)
    await app.sql("INSERT INTO restore_drills (id, target, started_at) VALUES ('rd_killed', $1, $2)", [
      `${to}/killed`,
      new Date(epoch).toISOString()
    ])
    expect((await begin()).status).toBe(202)
    expect(await begin()).toMatchObject({ status: 409, body: { code: "invalid_state" } })
    await app.idle()
    expect(await scratch(app)).toEqual([])
    expect((await drills(app)).map(({ error }) => error)).toEqual(["It was interrupted", null, null])
    const { data } = (await app.call("GET", "/admin/audit-log", undefined, operator.headers)).body
    expect(data.filter(({ action }: any) => action === "server.drill_requested")).toHaveLength(1)
  })

  it("neither run during a backup nor let one run meanwhile", async () => {
    for (const lock of [1, 4]) {
      await app.run(
        Effect.gen(function* () {
          const { write } = yield* Database
          const connection = yield* write.reserve
          yield* connection.execute(`SELECT pg_advisory_lock(x'5e4f0003'::int, ${lock})`, [], undefined)
          yield* Effect.promise(async () => {
            expect((await begin()).body.code).toBe("invalid_state")
            expect((await app.call("POST", "/admin/backups", undefined, operator.headers)).body.code).toBe(
              "invalid_state"
            )
          })
          yield* connection.execute(`SELECT pg_advisory_unlock(x'5e4f0003'::int, ${lock})`, [], undefined)
        }).pipe(Effect.scoped)
      )
    }
  })

  it("find a damaged backup, and report it everywhere, until a drill succeeds", async () => {
    const target = await backUp(app, operator)
    await nodes[1]!.stop()
    nodes = [app]
    const whole = readFileSync(target)
    const archive = zlib.zstdDecompressSync(whole)
    archive[archive.indexOf("With a file")]! ^= 1
    writeFileSync(target, zlib.zstdCompressSync(archive))
    await later(6)
    await look(nodes)
    const last = (await drills(app)).at(-1)
    expect(last).toMatchObject({
      target,
      error: expect.stringMatching(/^The backup is damaged: tables\/\w+ does not match its hash/)
    })
    expect(await scratch(app)).toEqual([])
    expect(await readyz(app)).toEqual([200, "ready, the last restore drill failed"])
    expect(await metric(app, "sheaf_backup_drills_up")).toBe(0)
    await Promise.all(nodes.map((node) => node.advance("2 minutes")))
    const letters = (await mailTo(app, "owner@sheaf.test")).filter(
      ({ headers }) => headers.get("subject") === "The last restore drill failed"
    )
    expect(letters).toHaveLength(1)
    expect(letters[0]!.text).toContain("http://sheaf.test/console/server/backups")

    writeFileSync(target, whole)
    await later(1)
    await look(nodes)
    expect((await drills(app)).at(-1)).toEqual({ target, error: null })
    expect(await readyz(app)).toEqual([200, "ready"])
  })
})

it("a start drops what a killed drill has left", async () => {
  const { app, to } = await start("killed")
  try {
    await sqlOn("postgres", `CREATE DATABASE ${await scratchName(app)}`)
    const node = await startApp({ settings: { backupTo: to }, databaseOf: app })
    await node.idle()
    await node.stop()
    expect(await scratch(app)).toEqual([])
  } finally {
    await app.stop()
  }
})

it("a drill of an encrypted backup reports that it needs the identity", async () => {
  const recipient = await identityToRecipient(await generateX25519Identity())
  const { app, operator } = await start("encrypted", { backupRecipients: [recipient] })
  try {
    const target = await backUp(app, operator)
    await look([app])
    await look([app])
    expect(await drills(app)).toEqual([
      { target, error: expect.stringContaining(`run sheaf restore ${target} --drill where the identity`) }
    ])
    expect(await readyz(app)).toEqual([200, "ready, the last restore drill failed"])
  } finally {
    await app.stop()
  }
})

const s3 = await s3Server()
const missing = "missing" in s3 ? ` (skipped: ${s3.missing})` : ""

it.skipIf(missing !== "")(`a backup in a bucket is restored by a drill${missing}`, async () => {
  const { client, ...place } = s3 as S3Server
  const backupTo = `s3://${place.bucket}/backups`
  const { app, operator } = await start("bucket", { s3: place, s3Access: place, backupTo })
  try {
    const target = await backUp(app, operator)
    await look([app])
    expect(await drills(app)).toEqual([{ target, error: null }])
  } finally {
    await app.stop()
    client.destroy()
  }
})
