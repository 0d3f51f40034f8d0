import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import { mailTo } from "../../support/people/Mail.ts"
import { logIn, password, register, type Person, unsigned } from "../../support/people/People.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const as = (who: Pick<Person, "headers">) => async (method: string, path: string, body?: unknown) =>
  app.call(method, path, body, who.headers)

const actions = async (workspace_id: string): Promise<ReadonlyArray<string>> =>
  (await app.sql("SELECT action FROM audit_entries WHERE workspace_id = $1 ORDER BY id", [workspace_id])).map(
    ({ action }) => action
  )

describe("/me", () => {
  it("returns the user, and updates the supplied fields", async () => {
    const me = await register(app, { name: "Before" })
    const call = as(me)
    const shown = await call("GET", "/me?limit=1")
    expect(shown.body).toMatchObject({ id: me.user_id, email: me.email, name: "Before", has_password: true })
    expect(shown.body).toMatchObject({ locale: "en", timezone: "UTC" })
    const etag = shown.headers.get("etag")!
    const changed = await call("PATCH", "/me", { name: "After", timezone: "Asia/Tokyo", locale: "ja", id: "us_other" })
    expect(changed.body).toEqual({ ...shown.body, name: "After", timezone: "Asia/Tokyo", locale: "ja" })
    const stale = await app.call("PATCH", "/me", { name: "Lost" }, { ...me.headers, "if-match": etag })
    const now = await call("GET", "/me")
    expect([stale.status, stale.body.code]).toEqual([412, "precondition_failed"])
    expect(stale.body.current_version).toBe(now.headers.get("etag"))
    expect(now.body.name).toBe("After")
  })

  it("keeps both of two concurrent changes of different fields", async () => {
    const me = await register(app)
    await Promise.all([
      app.call("PATCH", "/me", { name: "Both" }, me.headers),
      app.call("PATCH", "/me", { locale: "fr" }, me.headers)
    ])
    expect((await app.call("GET", "/me", undefined, me.headers)).body).toMatchObject({ name: "Both", locale: "fr" })
  })

  it("changes the e-mail address with the password, notifies the old address, and rejects a taken one", async () => {
    const me = await register(app)
    await app.sql("UPDATE users SET email_proven = true WHERE id = $1", [me.user_id])
    const other = await register(app)
    const patch = (body: object) => app.call("PATCH", "/me", body, me.headers)
    expect((await patch({ email: "new@sheaf.test" })).body.errors[0]).toMatchObject({
      field: "current_password",
      code: "required"
    })
    expect((await patch({ email: "new@sheaf.test", current_password: "not the password" })).body.code).toBe(
      "invalid_credentials"
    )
    const taken = await patch({ email: other.email.toUpperCase(), current_password: password })
    expect([taken.status, taken.body.code]).toEqual([409, "already_exists"])
    expect((await patch({ email: "new@sheaf.test", current_password: password })).body.email).toBe("new@sheaf.test")
    const [notice] = await mailTo(app, me.email)
    expect(notice!.text).toContain("n…@sheaf.test")
    await logIn(app, "new@sheaf.test")
    expect((await unsigned(app, "/auth/login", { email: me.email, password })).status).toBe(401)
    expect(await actions(me.workspace_id)).toContain("auth.email_changed")
  })

  it("sends at most five mails an hour to a former address", async () => {
    const me = await register(app)
    for (let n = 0; n < 6; n++) {
      await app.sql("UPDATE users SET email = $2, email_key = $2, email_proven = true WHERE id = $1", [
        me.user_id,
        me.email
      ])
      const to = { email: `away-${n}@sheaf.test`, current_password: password }
      expect((await app.call("PATCH", "/me", to, me.headers)).status).toBe(200)
    }
    expect(await mailTo(app, me.email, 5)).toHaveLength(5)
  })

  it("sends no mail to a former address that was not proven", async () => {
    const me = await register(app)
    const change = async (email: string) =>
      expect((await app.call("PATCH", "/me", { email, current_password: password }, me.headers)).body.email).toBe(email)
    await change("unproven@sheaf.test")
    await change(me.email)
    await change("away@sheaf.test")
    expect([await mailTo(app, me.email, 0), await mailTo(app, "unproven@sheaf.test", 0)]).toEqual([[], []])
  })

  it("rejects changes of the address after a password reset, also concurrent ones", async () => {
    const me = await register(app)
    await unsigned(app, "/auth/forgot", { email: me.email })
    const [token] = /sfp_\w+/.exec((await mailTo(app, me.email))[0]!.text)!
    const resetting = await app.run(
      Effect.flatMap(Database, ({ write }) =>
        write.withTransaction(
          Effect.gen(function* () {
            // The reset is first in the queue of writes to its workspace.
            yield* write.unsafe("SELECT 1 FROM heads WHERE workspace_id = $1 FOR UPDATE", [me.workspace_id])
            const reset = unsigned(app, "/auth/reset", { token, new_password: "another password" })
            let waiting = 0
            while (waiting === 0) {
              const found = yield* write.unsafe<{ readonly count: number }>(
                `SELECT count(*)::int AS count FROM pg_locks
                WHERE NOT granted AND transactionid = pg_current_xact_id()::xid`
              )
              waiting = found[0]!.count
            }
            const thieves = Array.from({ length: 5 }, (_, n) =>
              app.call("PATCH", "/me", { email: `thief-${n}-${me.email}`, current_password: password }, me.headers)
            )
            return [reset, ...thieves]
          })
        )
      )
    )
    const [reset] = await Promise.all(resetting)
    expect(reset!.status).toBe(200)
    const after = (await app.sql("SELECT password_hash, email FROM users WHERE id = $1", [me.user_id]))[0]
    const late = await app.call("PATCH", "/me", { email: "late@sheaf.test", current_password: password }, me.headers)
    expect(late.status).toBe(401)
    expect((await app.sql("SELECT email FROM users WHERE id = $1", [me.user_id]))[0].email).toBe(after.email)
  })

  it("lets an API key change the name but not the address", async () => {
    const owner = (await app.call("GET", "/me")).body
    expect((await app.call("PATCH", "/me", { name: owner.name })).status).toBe(200)
    const refused = await app.call("PATCH", "/me", { email: "key@sheaf.test", current_password: password })
    expect([refused.status, refused.body.code]).toEqual([403, "insufficient_scope"])
  })
})

describe("Workspace-Id", () => {
  it("selects a workspace of the user, and returns 404 for others as for unknown ones", async () => {
    const me = await register(app)
    await app.sql("INSERT INTO members VALUES ($1, 'mb_header', $2, 'viewer', '2026-03-01')", [
      app.workspace_id,
      me.user_id
    ])
    const there = { ...me.headers, "workspace-id": app.workspace_id }
    expect((await app.call("GET", "/notebooks", undefined, there)).body.data).toMatchObject([{ name: "Inbox" }])
    const refused = await app.call("POST", "/notebooks", { name: "No" }, there)
    expect([refused.status, refused.body.code]).toEqual([403, "insufficient_role"])
    const stranger = await register(app)
    const answers = await Promise.all(
      [app.workspace_id, "ws_00000000000000000000", "nonsense"].map(async (id) => {
        const { body, status } = await app.call("GET", "/notebooks", undefined, {
          ...stranger.headers,
          "workspace-id": id
        })
        const { request_id: _, ...problem } = body
        return { status, problem }
      })
    )
    expect(answers[0]).toMatchObject({ status: 404, problem: { code: "not_found" } })
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })
})
