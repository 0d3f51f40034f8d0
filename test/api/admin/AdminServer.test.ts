import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { policyDefaults } from "../../../services/workspaces/Plans.ts"
import { mailTo } from "../../support/people/Mail.ts"
import { type Member, Team } from "../../support/people/Team.ts"
import { notes } from "../../support/Resources.ts"
import { planLimits } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const to = mkdtempSync(join(tmpdir(), "sheaf-operated-"))
afterAll(() => rmSync(to, { recursive: true, force: true }))

const { app } = useApp({
  settings: { backupTo: to, policies: { ...policyDefaults, signUp: "open", limits: planLimits } }
})
let team: Team
let operator: Member

beforeAll(async () => {
  mkdirSync(to, { recursive: true })
  team = await Team.start(app)
  operator = await team.operator("session")
})

const call = (method: string, path: string, body?: unknown) => app.call(method, `/admin${path}`, body, operator.headers)

describe("the server", () => {
  it("shows its state, nodes and settings, without secrets", async () => {
    await team.note()
    const { body: state } = await call("GET", "/server")
    expect(state).toMatchObject({
      nodes: 1,
      notes: 1,
      mail: false,
      mails_failed: 0,
      release_notes: expect.stringContaining("# Changelog"),
      backups: { to, every_seconds: null, encrypted: false, running: false, next_at: null, overdue: false }
    })
    expect((await call("GET", "/nodes")).body.data).toMatchObject([
      { version: state.version, workers: 1, memory_bytes: expect.any(Number) }
    ])
    expect((await call("GET", "/settings")).body).toEqual({ data: [] })
  })

  it("is backed up on demand; the backup is downloaded by operators alone", async () => {
    expect((await call("POST", "/backups")).status).toBe(202)
    expect((await call("POST", "/backups")).body.code).toBe("invalid_state")
    await app.idle()
    const { data } = (await call("GET", "/backups")).body
    expect(data).toMatchObject([{ kind: "manual", encrypted: false, error: null, ended_at: expect.any(String) }])
    const [file] = readdirSync(to)
    expect(data[0].target).toBe(join(to, file!))
    const { url } = (await call("POST", `/backups/${data[0].id}/download`)).body
    const response = await fetch(new URL(url.slice(url.indexOf("/files")), app.url))
    expect(response.headers.get("content-disposition")).toContain(file)
    expect((await response.arrayBuffer()).byteLength).toBe(statSync(join(to, file!)).size)
    expect((await call("GET", "/server")).body.backups.last_success_at).toBe(data[0].started_at)
    await app.sql("UPDATE users SET is_operator = false WHERE id = $1", [operator.user_id])
    const refused = await fetch(new URL(url.slice(url.indexOf("/files")), app.url))
    expect(await refused.json()).toMatchObject({ status: 403, code: "invalid_signature" })
    await app.sql("UPDATE users SET is_operator = true WHERE id = $1", [operator.user_id])
  })

  it("shows a backup whose process was killed as interrupted", async () => {
    await app.sql(
      `INSERT INTO backups (id, kind, target, encrypted, started_at)
      VALUES ('bk_killedkilledkilled', 'scheduled', '/backup/half', false, '2026-02-01T12:00:00.000Z')`
    )
    const { body } = await call("GET", "/backups/bk_killedkilledkilled")
    expect([body.error, body.ended_at, body.bytes]).toEqual(["It was interrupted", null, null])
    await app.sql("DELETE FROM backups WHERE id = 'bk_killedkilledkilled'")
  })

  it("runs its checks, one run at a time", async () => {
    const begun = await call("POST", "/checks")
    expect(begun).toMatchObject({ status: 202, body: { state: "running", results: expect.any(Array) } })
    expect((await call("POST", "/checks", {})).body.code).toBe("invalid_state")
    await app.idle()
    const { body: run } = await call("GET", `/checks/${begun.body.id}`)
    expect(run.state).toBe("ended")
    const results = Object.fromEntries(run.results.map(({ check, status }: any) => [check, status]))
    expect(results).toMatchObject({ counters: "ok", log: "ok", records: "ok", files: "ok", search: "skipped" })
    expect((await call("GET", "/checks")).body.data).toEqual([run])
  })

  it("builds a search index again", async () => {
    const search = async () => (await app.call("POST", "/search", { query: "zephyr" }, team.owner.headers)).body.total
    await team.make(notes, { title: "Zephyr" })
    expect(await search()).toBe(1)
    expect((await call("POST", `/workspaces/${team.id}/reindex`)).body.id).toBe(team.id)
    expect(await search()).toBe(1)
  })

  it("measures itself over the last hour, day, month and year", async () => {
    await app.advance("3 minutes")
    const { body } = await call("GET", "/series")
    expect([body.range, body.step_seconds]).toEqual(["hour", 60])
    const requests = body.series.find(({ name }: any) => name === "requests")
    expect(requests.values.reduce((sum: number, value: number | null) => sum + (value ?? 0), 0)).toBeGreaterThan(5)
    expect((await call("GET", "/series?range=month")).body.step_seconds).toBe(10_800)
    expect((await call("GET", "/series?range=week")).body.code).toBe("invalid_parameter")
  })

  it("lists what operators have done", async () => {
    const { data } = (await call("GET", "/audit-log")).body
    expect(data.map(({ action }: any) => action).toSorted()).toEqual([
      "server.backup_downloaded",
      "server.backup_requested",
      "server.check_requested",
      "server.index_rebuilt"
    ])
    expect(data[0]).toMatchObject({ actor_id: operator.user_id, metadata: { by: "operator" } })
  })
})

describe("an operation on the server whose audit entry cannot be stored", () => {
  it("changes nothing", async () => {
    await app.sql(
      `INSERT INTO failed_mails (workspace_id, id, recipient, sealed, attempts, error, created_at, failed_at)
      VALUES ($1, 'kept', 'to@sheaf.test', '', 7, '550', $2, $2)`,
      [team.id, "2026-03-01T12:00:00.000Z"]
    )
    const before = { backups: (await call("GET", "/backups")).body, checks: (await call("GET", "/checks")).body }
    await app.sql("ALTER TABLE audit_entries ADD CONSTRAINT refused CHECK (resource_type <> 'server') NOT VALID")
    for (const path of ["/backups", "/checks", "/mails/kept/resend"]) {
      expect((await call("POST", path)).status, path).toBeGreaterThanOrEqual(500)
    }
    await app.idle()
    await app.sql("ALTER TABLE audit_entries DROP CONSTRAINT refused")
    expect({ backups: (await call("GET", "/backups")).body, checks: (await call("GET", "/checks")).body }).toEqual(
      before
    )
    expect((await call("GET", "/mails/kept")).body.state).toBe("failed")
    expect((await call("POST", "/backups")).status).toBe(202)
    expect((await call("POST", "/checks")).status).toBe(202)
    await app.idle()
  })
})

describe("the mails of the server", () => {
  it("that were given up are listed without their texts, and wait again", async () => {
    const at = "2026-03-01T12:00:00.000Z"
    await app.sql(
      `INSERT INTO failed_mails (workspace_id, id, recipient, sealed, attempts, error, created_at, failed_at)
      VALUES ($1, 'lost', 'to@sheaf.test', '', 7, '550', $2, $2)`,
      [team.id, at]
    )
    const failed = { id: "lost", recipient: "to@sheaf.test", state: "failed", attempts: 7, next_at: null, error: "550" }
    expect((await call("GET", "/mails?filter=state:failed")).body.data).toContainEqual({ ...failed, created_at: at })
    expect((await call("GET", "/server")).body.mails_failed).toBe(2)
    expect((await call("POST", "/mails/lost/resend")).body).toMatchObject({
      state: "waiting",
      attempts: 0,
      error: null
    })
    expect(await app.sql("SELECT id FROM failed_mails WHERE id = 'lost'")).toEqual([])
    expect((await call("POST", "/mails/never/resend")).status).toBe(404)
  })

  it("are sent again where the process ended between keeping one as failed and ending its tries", async () => {
    const at = "2026-03-01T12:00:00.000Z"
    const row = [team.id, "both", at]
    await app.sql(
      `INSERT INTO mails (workspace_id, id, recipient, sealed, attempts, next_at, created_at)
      VALUES ($1, $2, 'to@sheaf.test', '', 7, '2036-03-01T12:00:00.000Z', $3)`,
      row
    )
    await app.sql(
      `INSERT INTO failed_mails (workspace_id, id, recipient, sealed, attempts, error, created_at, failed_at)
      VALUES ($1, $2, 'to@sheaf.test', '', 7, '550', $3, $3)`,
      row
    )
    expect((await call("POST", "/mails/both/resend")).status).toBe(200)
    expect(await app.sql("SELECT id FROM failed_mails WHERE id = 'both'")).toEqual([])
  })

  it("include a test mail, which is sent at once and recorded", async () => {
    const email = "test@sheaf.test"
    const { body, status } = await call("POST", "/mails/test", { email })
    // Without an SMTP server it is a file in the outbox.
    expect([status, body]).toEqual([200, { recipient: email, sent: false, error: null }])
    const [letter] = await mailTo(app, email)
    expect(letter!.headers.get("subject")).toBe("Test mail")
    expect((await call("GET", "/audit-log")).body.data).toContainEqual(
      expect.objectContaining({
        action: "server.mail_tested",
        metadata: expect.objectContaining({ by: "operator", email })
      })
    )
    expect((await call("POST", "/mails/test", { email: "nobody" })).status).toBe(422)
    expect((await call("POST", "/mails/test")).status).toBe(422)
  })
})
