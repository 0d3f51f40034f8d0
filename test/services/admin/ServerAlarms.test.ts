import { Effect, Redacted } from "effect"
import { createHmac } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Alarm, type Alarms, mail } from "../../../services/admin/OperatorMails.ts"
import { DiskSpace } from "../../../services/files/DiskSpace.ts"
import { diskIsLow, versionReleased } from "../../../services/mail/OperatorLetters.ts"
import { mailTo } from "../../support/people/Mail.ts"
import { register } from "../../support/people/People.ts"
import { certificateFor } from "../../support/servers/Certificate.ts"
import { HttpServer } from "../../support/servers/HttpServer.ts"
import { epoch, startApp, type TestApp } from "../../support/TestApp.ts"

const hour = 3_600_000
const iso = (millis: number) => new Date(millis).toISOString()

describe("alarms", () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp()
    const changes: ReadonlyArray<readonly [name: string, change: string]> = [
      ["second", "is_operator = true, email_proven = true"],
      ["suspended", `is_operator = true, email_proven = true, suspended_at = '${iso(epoch)}'`],
      ["unconfirmed", "is_operator = true, email_proven = false"],
      ["user", "is_operator = false, email_proven = true"]
    ]
    for (const [name, change] of changes) {
      const email = `${name}@sheaf.test`
      await register(app, { email })
      await app.sql(`UPDATE users SET ${change} WHERE email = $1`, [email])
    }
  })
  afterAll(() => app.stop())

  const subjects = async (address: string) =>
    (await mailTo(app, address, 0)).map(({ headers }) => headers.get("subject")).toSorted()

  it("are in one mail a day to each operator with a confirmed address", async () => {
    await app.sql(
      `INSERT INTO failed_mails (workspace_id, id, recipient, sealed, attempts, error, created_at, failed_at)
      VALUES ($1, 'm1', 'a@sheaf.test', 'x', 1, '550', $2, $2)`,
      [app.workspace_id, iso(epoch)]
    )
    await app.sql(
      `INSERT INTO check_runs (id, started_at, seen_at, ended_at, results) VALUES ('cr_1', $1, $1, $1, $2::json)`,
      [
        iso(epoch),
        JSON.stringify([
          { check: "files", status: "faulty" },
          { check: "log", status: "ok" },
          { check: "counters", status: "faulty" }
        ])
      ]
    )
    await app.advance("2 minutes")
    const expected = ["Mails could not be sent (+1)"]
    for (const address of ["owner@sheaf.test", "second@sheaf.test"]) expect(await subjects(address)).toEqual(expected)
    for (const name of ["suspended", "unconfirmed", "user"]) expect(await subjects(`${name}@sheaf.test`)).toEqual([])
    const letter = (await mailTo(app, "second@sheaf.test", 1))[0]!
    expect(letter.text).toContain(
      "A check has found faults: the last check of http://sheaf.test has found faults: files, counters."
    )
    expect(letter.text).toContain(
      "Mails could not be sent: one mail of http://sheaf.test could not be sent within the last day."
    )
    expect(letter.text).toContain(
      "    http://sheaf.test/console/server/mails\n    http://sheaf.test/console/server/checks\n"
    )

    await app.advance("3 hours")
    expect(await subjects("second@sheaf.test")).toEqual(expected)
  })

  it("report nodes of several versions after the time of an upgrade", async () => {
    const other = async (started: number) => {
      const now = (await app.sql("SELECT max(seen_at) AS at FROM nodes"))[0].at
      await app.sql(
        `INSERT INTO nodes (id, host, address, version, memory_bytes, started_at, seen_at)
        VALUES ('other', 'b', 'b:4000', '0.0.9', 1, $1, $2)
        ON CONFLICT (id) DO UPDATE SET started_at = excluded.started_at, seen_at = excluded.seen_at`,
        [iso(Date.parse(now) + started), iso(Date.parse(now) + hour)]
      )
      await app.advance("2 minutes")
      const letters = await mailTo(app, "second@sheaf.test", 0)
      return letters.filter(({ text }) => text.includes("The nodes have several versions: "))
    }
    expect(await other(0)).toEqual([])
    expect(await other(-2 * hour)).toHaveLength(1)
  })

  it("are mailed once if two nodes look at the same time, and all together a day later", async () => {
    const publicUrl = "http://sheaf.test"
    const low: Alarm = { kind: "disk", notice: diskIsLow({ free: 1, size: 9, host: "b", publicUrl }) }
    const old: Alarm = {
      kind: "release 9.0.0",
      notice: versionReleased({ released: "9.0.0", running: "1", publicUrl })
    }
    const look = (...alarms: ReadonlyArray<Alarm>) => mail(publicUrl, alarms as unknown as Alarms)
    await app.run(Effect.forEach([0, 1, 2], () => look(low), { concurrency: 3 }))
    await app.idle()
    const count = async (text: string) =>
      (await mailTo(app, "second@sheaf.test", 0)).filter((letter) => letter.text.includes(text)).length
    expect(await count("are free on the disk")).toBe(1)
    await app.advance("12 hours")
    await app.run(look(low, old))
    // The new alarm takes the known one along, which then counts from here.
    expect([await count("are free on the disk"), await count("version 9.0.0 has been released")]).toEqual([2, 1])
    await app.advance("13 hours")
    await app.run(look(low, old))
    expect(await count("are free on the disk")).toBe(2)
    await app.advance("12 hours")
    await app.run(look(old))
    expect(await count("version 9.0.0 has been released")).toBe(1)
    await app.run(look(low, old))
    expect(await count("are free on the disk")).toBe(3)
  })
})

describe("ALARM_WEBHOOK", () => {
  it("gets the alarms once, signed, and again after a failure", async () => {
    const key = Buffer.alloc(32, 5)
    const received: Array<{ readonly headers: IncomingHttpHeaders; readonly body: string }> = []
    const receiver = await HttpServer.start(async (request, response) => {
      const body = await text(request)
      received.push({ headers: request.headers, body })
      response.writeHead(received.length === 1 ? 500 : 204).end()
    })
    const webhook = {
      url: `http://127.0.0.1:${receiver.port}/hook`,
      secret: Redacted.make(`whsec_${key.toString("base64")}`)
    }
    const app = await startApp({ settings: { alarms: { webhook, releases: undefined } } })
    try {
      await app.sql(
        `INSERT INTO webhooks (workspace_id, id, url, events, scopes, secret, active, disabled_reason, created_at, updated_at)
        SELECT $1, 'wh_' || name, 'https://hooks.example', '{note.created}', '{}', 'x', false, reason, $2, $2
        FROM unnest('{a,b,c}'::text[], '{gone,failing,key_ended}'::text[]) AS x (name, reason)`,
        [app.workspace_id, iso(epoch)]
      )
      await app.advance("1 minute")
      expect(received).toHaveLength(1)
      await app.advance("1 minute")
      expect(received).toHaveLength(2)
      await app.advance("20 hours")
      expect(received).toHaveLength(2)
      const [, { body, headers }] = received as [unknown, (typeof received)[number]]
      expect(JSON.parse(body)).toMatchObject({
        type: "server.alarms",
        data: { url: "http://sheaf.test", kinds: ["webhooks"] },
        text: expect.stringContaining("2 webhooks of http://sheaf.test were disabled within the last day")
      })
      const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
      expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`)
    } finally {
      await app.stop()
      await receiver.stop()
    }
  })
})

describe("once a day, alarms", () => {
  const gigabyte = 1024 ** 3
  const measure = Effect.succeed({ free: 40 * gigabyte, size: 100 * gigabyte })

  it("report a disk that is full soon, a certificate that ends, and a later release", async () => {
    const certificate = certificateFor(["127.0.0.1"], epoch + 9 * 24 * hour)
    const proxy = await HttpServer.start((_, response) => void response.end(), certificate)
    const list = [
      { tag_name: "v99.1.0-rc.1" },
      { tag_name: "v99.2.0", draft: true },
      { tag_name: "v0.0.1" },
      { tag_name: "v99.0.2" },
      { tag_name: "v99.0.10" }
    ]
    const releases = await HttpServer.start((_, response) => void response.end(JSON.stringify(list)))
    const publicUrl = `https://127.0.0.1:${proxy.port}`
    const app = await startApp({
      settings: { publicUrl, alarms: { webhook: undefined, releases: `http://127.0.0.1:${releases.port}/` } },
      layers: DiskSpace.layer({ directory: "", reserve: false, measure })
    })
    try {
      const stored = (days: number, files: number) =>
        app.sql(
          `INSERT INTO series_points (resolution, at, file_bytes, database_bytes, latency)
          VALUES ('hour', $1, $2, 0, '{}')`,
          [iso(epoch - days * 24 * hour), files * gigabyte]
        )
      await stored(9, 0)
      await stored(5, 10)
      // The server measures this hour too, before or after it looks for alarms: the peak counts.
      await stored(0, 34)
      await app.advance("2 minutes")
      const { headers, text } = (await mailTo(app, "owner@sheaf.test", 1))[0]!
      expect(headers.get("subject")).toBe("The disk is full in 8 days (+2)")
      expect(text).toContain("is full in 8 days: 40.0 of 100.0 GiB are free.")
      expect(text).toContain(`the certificate of ${publicUrl} is valid until`)
      expect(text).toContain("and version 99.0.10 has been released.")
    } finally {
      await app.stop()
      await proxy.stop()
      await releases.stop()
    }
  })

  it("report nothing of addresses that do not respond as they should", async () => {
    const wrong = await HttpServer.start((_, response) => void response.end("<html>"))
    const app = await startApp({
      settings: {
        publicUrl: `https://127.0.0.1:${wrong.port}`,
        alarms: { webhook: undefined, releases: `http://127.0.0.1:${wrong.port}/` }
      }
    })
    try {
      await app.advance("2 minutes")
      expect(await mailTo(app, "owner@sheaf.test", 0)).toEqual([])
    } finally {
      await app.stop()
      await wrong.stop()
    }
  })
})
