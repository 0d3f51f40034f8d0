import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Alarm, mail } from "../../../services/admin/OperatorMails.ts"
import { mailTo } from "../../support/people/Mail.ts"
import { register } from "../../support/people/People.ts"
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

  it("are mailed to each operator with a confirmed address, once a day for each kind", async () => {
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
    const expected = ["A check has found faults", "Mails could not be sent"]
    for (const address of ["owner@sheaf.test", "second@sheaf.test"]) expect(await subjects(address)).toEqual(expected)
    for (const name of ["suspended", "unconfirmed", "user"]) expect(await subjects(`${name}@sheaf.test`)).toEqual([])
    const letters = await mailTo(app, "second@sheaf.test", 2)
    const texts = letters.map(({ text }) => text).join("\n")
    expect(texts).toContain("the last check of http://sheaf.test has found faults: files, counters.")
    expect(texts).toContain("one mail of http://sheaf.test could not be sent within the last day.")
    expect(texts).toContain("http://sheaf.test/console/server/checks")

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
      return (await subjects("second@sheaf.test")).filter((subject) => subject === "The nodes have several versions")
    }
    expect(await other(0)).toEqual([])
    expect(await other(-2 * hour)).toHaveLength(1)
  })

  it("are mailed once if two nodes look at the same time", async () => {
    const subject = "The disk is nearly full"
    const alarm: Alarm = { kind: "disk", letter: () => ({ subject, text: "x\n" }) }
    await app.run(Effect.forEach([alarm, alarm, alarm], mail, { concurrency: 3 }))
    await app.idle()
    const disk = async () => (await subjects("second@sheaf.test")).filter((each) => each === subject)
    expect(await disk()).toHaveLength(1)
    await app.advance("25 hours")
    await app.run(mail(alarm))
    expect(await disk()).toHaveLength(2)
  })
})
