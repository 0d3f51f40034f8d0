import { ListObjectsV2Command } from "@aws-sdk/client-s3"
import { generateX25519Identity, identityToRecipient } from "age-encryption"
import { Clock, Effect } from "effect"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { alarmOf } from "../../../services/backup/BackupAlarm.ts"
import { lastBackup, recordFailure } from "../../../services/backup/BackupAttempts.ts"
import { Database } from "../../../services/database/Database.ts"
import { mailTo } from "../../support/people/Mail.ts"
import { type S3Server, s3Server } from "../../support/servers/S3Server.ts"
import { look, metric, readyz } from "../../support/servers/LookingNodes.ts"
import { epoch, startApp, type TestApp } from "../../support/TestApp.ts"

const hour = 3_600_000
const folder = mkdtempSync(join(tmpdir(), "sheaf-schedule-"))
const to = join(folder, "backups")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const outcomes = async (app: TestApp) =>
  (await app.sql(
    "SELECT kind, target, bytes::int, error FROM backups WHERE ended_at IS NOT NULL ORDER BY started_at"
  )) as ReadonlyArray<{ kind: string; target: string; bytes: number | null; error: string | null }>

/** Lets nodes look until a condition holds, at most for as many minutes as given. */
const until = async (apps: ReadonlyArray<TestApp>, holds: () => Promise<boolean>, minutes = 70) => {
  for (let looks = 0; looks < 2 * minutes && !(await holds()); looks++) await look(apps)
}

describe("scheduled backups", () => {
  let app: TestApp
  let nodes: ReadonlyArray<TestApp> = []
  beforeAll(async () => {
    mkdirSync(to)
    const recipient = await identityToRecipient(await generateX25519Identity())
    const settings = { backupTo: to, backupEvery: hour, backupKeep: 1, backupRecipients: [recipient] }
    app = await startApp({ settings })
    nodes = [app, await startApp({ settings, databaseOf: app })]
    await app.sql("UPDATE users SET email_proven = true")
  })
  afterAll(async () => {
    for (const node of nodes.toReversed()) await node.stop()
  })
  const advance = (duration: `${number} minutes`) => Promise.all(nodes.map((node) => node.advance(duration)))
  const later = (holds: () => Promise<boolean>) => until(nodes, holds)
  const laterReady = (line: string) => later(async () => (await readyz(app))[1] === line)
  const newest = async () => (await outcomes(app)).at(-1)?.target
  const now = () => app.run(Clock.currentTimeMillis)

  it("are made by one of the nodes in each interval, and replace the oldest of them, but no other file", async () => {
    const foreign = ["notes.txt", "sheaf-2020-01-01T00-00-00Z.tar.zst.age"]
    for (const name of foreign) writeFileSync(join(to, name), "")
    const made: Array<string | undefined> = []
    for (let count = 0; count < 2; count++) {
      const before = await newest()
      await later(async () => (await newest()) !== before)
      made.push(await newest())
      await advance("55 minutes")
    }
    const kept = made[1]!.slice(to.length + 1)
    expect(kept).toMatch(/^sheaf-2026-03-01T1\d-\d\d-\d\dZ\.tar\.zst\.age$/)
    expect(readdirSync(to).toSorted()).toEqual([...foreign, kept].toSorted())
    expect(await outcomes(app)).toMatchObject([{ kind: "scheduled", target: made[1], error: null }])
    expect(await app.run(lastBackup)).toMatchObject({ target: made[1], error: null })
    await nodes[1]!.stop()
    nodes = [app]
  })

  it("report a failure by one mail a day, to the operators, until a backup succeeds", async () => {
    rmSync(to, { recursive: true })
    await laterReady("ready, the last backup failed")
    expect(await readyz(app)).toEqual([200, "ready, the last backup failed"])
    // Like the commands: the file first.
    expect((await outcomes(app)).at(-1)!.error).toMatch(/^\/\S+\.part: [^\n]*no such file or directory/)
    expect(await metric(app, "sheaf_backups_up")).toBe(0)
    // Nodes look for alarms each minute.
    await advance("2 minutes")
    const [letter] = await mailTo(app, "owner@sheaf.test")
    expect(letter!.headers.get("subject")).toBe("The last backup failed")
    expect(letter!.text).toMatch(/backup of http:\/\/sheaf\.test failed:\s+\/[\s\S]+is from 2026-03-01 1/)
    const failures = (await outcomes(app)).length
    await later(async () => (await outcomes(app)).length > failures)
    expect((await outcomes(app)).length).toBeGreaterThan(failures)

    mkdirSync(to)
    await laterReady("ready")
    expect(await readyz(app)).toEqual([200, "ready"])
    expect((await outcomes(app)).at(-1)!.error).toBe(null)
    expect(await metric(app, "sheaf_backups_up")).toBe(1)
    expect(await metric(app, "sheaf_backup_last_success_timestamp_seconds")).toBeGreaterThan(epoch / 1000 + 2 * 3600)
  })

  it("continue after a process was killed, whose half of a backup is removed", async () => {
    const target = join(to, "sheaf-killed.tar.zst.age")
    writeFileSync(`${target}.part`, "half")
    await app.sql(
      `INSERT INTO backups (id, kind, target, encrypted, started_at) VALUES ('bk_killed', 'scheduled', $1, true, $2)`,
      [target, new Date(await now()).toISOString()]
    )
    await advance("55 minutes")
    await later(async () => !existsSync(`${target}.part`))
    expect((await outcomes(app)).slice(-2)).toMatchObject([
      { target, bytes: null, error: "It was interrupted" },
      { kind: "scheduled", error: null }
    ])
    expect(existsSync(`${target}.part`)).toBe(false)
    expect(await readyz(app)).toEqual([200, "ready"])
  })

  it("are not made while another backup runs or after a manual one in the same place, and are overdue after a time", async () => {
    const last = await newest()
    await app.run(
      Effect.gen(function* () {
        const { write } = yield* Database
        const connection = yield* write.reserve
        yield* connection.execute("SELECT pg_advisory_lock(x'5e4f0003'::int, 1)", [], undefined)
        yield* Effect.promise(async () => {
          await advance("80 minutes")
          expect(await readyz(app)).toEqual([200, "ready"])
          await laterReady("ready, a backup is overdue")
          expect(await readyz(app)).toEqual([200, "ready, a backup is overdue"])
          expect(await newest()).toBe(last)
          await app.sql(
            `INSERT INTO backups (id, kind, target, encrypted, started_at, ended_at, bytes)
            VALUES ('bk_manual', 'manual', $1, false, $2, $2, 1)`,
            [`${to}/mine.tar.zst`, new Date(await now()).toISOString()]
          )
        })
        yield* connection.execute("SELECT pg_advisory_unlock(x'5e4f0003'::int, 1)", [], undefined)
      }).pipe(Effect.scoped)
    )
    await laterReady("ready")
    expect(await readyz(app)).toEqual([200, "ready"])
    await advance("10 minutes")
    expect(await newest()).toBe(`${to}/mine.tar.zst`)
  })

  it("record a failure that their thread could not record, once, and keep the newest 100 failures", async () => {
    const startedAt = await now()
    const at = new Date(startedAt).toISOString()
    const attempt = { kind: "scheduled" as const, target: `${to}/`, encrypted: true, startedAt }
    const found = () => app.sql("SELECT target, error FROM backups WHERE kind = 'scheduled' AND started_at = $1", [at])
    for (let times = 0; times < 2; times++) await app.run(recordFailure(attempt, startedAt + 5, "out of\nmemory"))
    expect(await found()).toEqual([{ target: `${to}/`, error: "out of memory" }])
    await app.sql(
      "UPDATE backups SET target = $1, ended_at = NULL, error = NULL WHERE started_at = $2 AND kind = 'scheduled'",
      [`${to}/half`, at]
    )
    await app.sql(
      `INSERT INTO backups (id, kind, target, encrypted, started_at, ended_at, error)
      SELECT 'bk_' || n, 'manual', '/nowhere', false, '2026-01-01', '2026-01-01', 'none' FROM generate_series(1, 200) n`
    )
    await app.run(recordFailure(attempt, startedAt + 5, "the thread has ended"))
    expect(await found()).toEqual([{ target: `${to}/half`, error: "the thread has ended" }])
    const kept = await app.sql("SELECT count(*)::int AS n FROM backups WHERE kind = 'manual' OR error IS NOT NULL")
    expect(kept).toEqual([{ n: 100 }])
  })
})

it("a backup is overdue on a node that has just started only after the node had time to make it", () => {
  const state = { succeededAt: 0, firstAt: 0, unsuccessful: undefined, isRunning: false, isBusy: false }
  const alarmAfter = (minutes: number, every = 4 * hour) =>
    alarmOf(state, every, 100 * hour + minutes * 60_000, 100 * hour)
  expect(alarmAfter(59)).toBe(undefined)
  expect(alarmAfter(61)).toEqual({ error: undefined, succeededAt: 0 })
  expect(alarmAfter(31, hour)).toEqual({ error: undefined, succeededAt: 0 })
})

const s3 = await s3Server()
const missing = "missing" in s3 ? ` (skipped: ${s3.missing})` : ""

it.skipIf(missing !== "")(`scheduled backups go to a bucket, also if files are in one${missing}`, async () => {
  const { client, ...place } = s3 as S3Server
  const settings = {
    s3: place,
    s3Access: place,
    backupTo: `s3://${place.bucket}/backups`,
    backupEvery: hour,
    backupKeep: 1
  }
  const app = await startApp({ settings })
  const names = async () =>
    (await client.send(new ListObjectsV2Command({ Bucket: place.bucket, Prefix: "backups/" }))).Contents?.map(
      ({ Key }) => Key
    )
  try {
    await look([app])
    expect(await names()).toEqual(["backups/sheaf-2026-03-01T12-00-30Z.tar.zst"])
    await app.advance("55 minutes")
    await until([app], async () => !(await names())?.join().includes("T12-"))
    expect(await names()).toEqual([expect.stringMatching(/^backups\/sheaf-2026-03-01T13-\d\d-\d\dZ\.tar\.zst$/)])
    expect(await outcomes(app)).toMatchObject([{ error: null }])
  } finally {
    await app.stop()
    client.destroy()
  }
})
