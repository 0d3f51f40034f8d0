import { describe, expect, it } from "vitest"
import { EventStream } from "../support/EventStream.ts"
import { logIn, mailTo, password, register, type SignedIn, signedIn, unsigned } from "../support/SignIn.ts"
import { statementsOf } from "../support/Statements.ts"
import { startApp } from "../support/TestApp.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()

const as = (who: Pick<SignedIn, "headers">) => async (method: string, path: string, body?: unknown) =>
  app.call(method, path, body, who.headers)

const works = async (token: string) =>
  (await app.call("GET", "/me", undefined, { authorization: `Bearer ${token}` })).status

const refresh = (token: string) => unsigned(app, "/auth/refresh", { refresh_token: token })

const actions = async (workspace_id: string): Promise<ReadonlyArray<string>> =>
  (await app.sql("SELECT action FROM audit_entries WHERE workspace_id = $1 ORDER BY id", [workspace_id])).map(
    ({ action }) => action
  )

describe("POST /auth/register", () => {
  it("makes a user with one personal workspace and signs them in", async () => {
    const answer = await unsigned(app, "/auth/register", {
      email: "Anna.Österreich@Bücher.example",
      password,
      name: "Anna",
      locale: "de-AT",
      timezone: "Europe/Vienna",
      device: { name: "Anna's phone", platform: "ios" }
    })
    expect(answer.status).toBe(201)
    expect(answer.headers.get("cache-control")).toBe("no-store")
    expect(answer.body).toMatchObject({
      token_type: "Bearer",
      expires_in: 3600,
      refresh_expires_in: 90 * 86_400,
      user: { email: "Anna.Österreich@Bücher.example", name: "Anna", locale: "de-AT", timezone: "Europe/Vienna" }
    })
    expect(answer.body.access_token).toMatch(/^sfa_[0-9A-Za-z]{36}$/)
    expect(answer.body.refresh_token).toMatch(/^sfr_[0-9A-Za-z]{36}$/)
    expect(answer.body.scope.split(" ")).toContain("notes:write")
    const anna = signedIn(answer)
    const call = as(anna)
    expect((await call("GET", "/notebooks")).body.data).toMatchObject([{ name: "Inbox", parent_id: null }])
    expect((await call("GET", `/workspaces/${anna.workspace_id}`)).body).toMatchObject({ name: "Anna", plan: "free" })
    const notebook = (await call("POST", "/notebooks", { name: "Mine" })).body
    expect((await call("POST", "/notes", { notebook_id: notebook.id, title: "Mine" })).status).toBe(201)
    expect(await app.sql("SELECT plan FROM workspaces WHERE workspace_id = $1", [anna.workspace_id])).toEqual([
      { plan: "free" }
    ])
    expect(await app.sql("SELECT workspace_id, role FROM members WHERE user_id = $1", [anna.user_id])).toEqual([
      { workspace_id: anna.workspace_id, role: "owner" }
    ])
  })

  it('names the workspace of who gives no name "Personal"', async () => {
    const nameless = signedIn(await unsigned(app, "/auth/register", { email: "nameless@example.org", password }))
    expect((await as(nameless)("GET", `/workspaces/${nameless.workspace_id}`)).body.name).toBe("Personal")
  })

  it("takes all spellings of an address for one, and look-alikes for others", async () => {
    await register(app, { email: "Grüße@münchen.example" })
    for (const email of [
      "GRÜSSE".toLowerCase() === "grüsse" ? "grüße@MÜNCHEN.example" : "",
      "ｇrüße@xn--mnchen-3ya.example"
    ]) {
      const answer = await unsigned(app, "/auth/register", { email, password })
      expect([answer.status, answer.body.code], email).toEqual([409, "already_exists"])
    }
    // The Cyrillic letter that looks like e.
    expect((await unsigned(app, "/auth/register", { email: "grüßе@münchen.example", password })).status).toBe(201)
  })

  it("of one address twice at once makes one user", async () => {
    const answers = await Promise.all(
      ["twice@sheaf.test", "TWICE@sheaf.test", "twice@SHEAF.test"].map((email) =>
        unsigned(app, "/auth/register", { email, password })
      )
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    const made = await app.sql("SELECT workspace_id FROM users WHERE email_key = 'twice@sheaf.test'")
    expect(made).toHaveLength(1)
    expect(
      await app.sql(
        "SELECT count(*)::int AS n FROM heads h WHERE NOT EXISTS (SELECT FROM workspaces w WHERE w.workspace_id = h.workspace_id)"
      )
    ).toEqual([{ n: 0 }])
  })

  it("refuses what is no address, no password, no locale and no zone, each by its field, and makes nothing", async () => {
    const bad: ReadonlyArray<readonly [object, string, string]> = [
      [{ email: "no address" }, "email", "invalid_email"],
      [{ email: `"quoted name"@sheaf.test` }, "email", "invalid_email"],
      [{ email: "a@[127.0.0.1]" }, "email", "invalid_email"],
      [{ email: "a..b@sheaf.test" }, "email", "invalid_email"],
      [{ email: "a@b@sheaf.test" }, "email", "invalid_email"],
      [{ email: "a@sheaf..test" }, "email", "invalid_email"],
      [{ email: "a@-sheaf.test" }, "email", "invalid_email"],
      [{ email: "a\r\nBcc: b@sheaf.test" }, "email", "invalid_email"],
      [{ email: `${"x".repeat(65)}@sheaf.test` }, "email", "invalid_email"],
      [{ email: `a@${"x.".repeat(130)}test` }, "email", "invalid_email"],
      [{ email: 7 }, "email", "invalid_type"],
      [{ password: "123456789" }, "password", "too_short"],
      [{ password: "x".repeat(201) }, "password", "too_long"],
      [{ password: "qwertyuiop" }, "password", "too_common"],
      [{ password: "Ｐassword123" }, "password", "too_common"],
      [{ password: "\ud800".repeat(12) }, "password", "invalid_characters"],
      [{ locale: "de_AT!" }, "locale", "invalid_locale"],
      [{ locale: "" }, "locale", "invalid_locale"],
      [{ timezone: "Europe/Atlantis" }, "timezone", "invalid_timezone"],
      [{ timezone: "+02:00" }, "timezone", "invalid_timezone"],
      [{ name: " \n " }, "name", "blank"]
    ]
    const [before] = await app.sql("SELECT count(*)::int AS n FROM users")
    for (const [input, field, code] of bad) {
      const answer = await unsigned(app, "/auth/register", { email: "fine@sheaf.test", password, ...input })
      expect(
        [answer.status, answer.body.errors?.map((each: any) => [each.field, each.code])],
        JSON.stringify(input)
      ).toEqual([422, [[field, code]]])
    }
    expect(await app.sql("SELECT count(*)::int AS n FROM users")).toEqual([before])
  })

  it("is closed to whoever was not invited, where only invitees may register", async () => {
    const closed = await startApp({
      settings: {
        policies: { ...(await import("../../services/workspaces/Plans.ts")).policyDefaults, signUp: "invite" }
      }
    })
    try {
      for (const invitation_token of [undefined, "sfi_none"]) {
        const answer = await unsigned(closed, "/auth/register", {
          email: "stranger@sheaf.test",
          password,
          invitation_token
        })
        expect([answer.status, answer.body.code]).toEqual([403, "sign_up_closed"])
      }
    } finally {
      await closed.stop()
    }
  })
})

describe("POST /auth/login", () => {
  it("signs in by the password, whatever the case of the address, and tells the audit log", async () => {
    const known = await register(app)
    const again = await logIn(app, known.email.toUpperCase(), { device: { name: "Desk", platform: "linux" } })
    expect(again.user_id).toBe(known.user_id)
    expect(again.workspace_id).toBe(known.workspace_id)
    expect(again.session_id).not.toBe(known.session_id)
    expect(await works(again.access)).toBe(200)
    expect(await works(known.access)).toBe(200)
    expect((await actions(known.workspace_id)).slice(-3)).toEqual([
      "device.registered",
      "session.created",
      "auth.logged_in"
    ])
  })

  it("takes the same password in another form of Unicode", async () => {
    const { email } = await register(app, { password: "passwörter sind gut" })
    expect(
      (await unsigned(app, "/auth/login", { email, password: "passwörter sind gut".normalize("NFD") })).status
    ).toBe(200)
  })

  it("goes on on a device that it knows, and refuses another user's", async () => {
    const known = await register(app, { device: { name: "Phone", platform: "ios" } })
    const again = await logIn(app, known.email, { device: { id: known.device_id } })
    expect(again.device_id).toBe(known.device_id)
    const { body } = await app.call("GET", "/sync/devices", undefined, again.headers)
    expect(body.data).toMatchObject([{ id: known.device_id, name: "Phone", platform: "ios", current: true }])
    const nonsense = await unsigned(app, "/auth/login", { email: known.email, password, device: { id: "phone" } })
    expect([nonsense.status, nonsense.body.errors[0].field]).toEqual([422, "device.id"])
  })

  it("answers a wrong password and an unknown address alike, after the same statements", async () => {
    const { email, workspace_id } = await register(app)
    const tried = (address: string) =>
      statementsOf(app, /users|audit/, () =>
        unsigned(app, "/auth/login", { email: address, password: "not the password" })
      )
    const wrong = await tried(email)
    const unknown = await tried("nobody@sheaf.test")
    expect(wrong.statements.length).toBeGreaterThan(1)
    expect(unknown.statements).toEqual(wrong.statements)
    for (const { answer } of [wrong, unknown]) {
      expect(answer.status).toBe(401)
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer /)
    }
    const { request_id: _, ...first } = wrong.answer.body
    const { request_id: __, ...second } = unknown.answer.body
    expect(first).toEqual(second)
    expect(first.code).toBe("invalid_credentials")
    const [entry] = await app.sql(
      "SELECT action, actor_id, ip FROM audit_entries WHERE workspace_id = $1 ORDER BY id DESC LIMIT 1",
      [workspace_id]
    )
    expect(entry).toEqual({ action: "auth.login_failed", actor_id: null, ip: "127.0.0.1" })
  })

  it("keeps at most a hundred sessions of a user: the one that was idle for longest makes room", async () => {
    const { email, session_id, workspace_id } = await register(app)
    await app.sql(
      `INSERT INTO sessions SELECT workspace_id, id || n, user_id, device_id, device_name, platform, access_hash || n,
        access_expires_at, NULL, NULL, user_agent, ip, '2026-03-02', created_at, expires_at
      FROM sessions, generate_series(1, 99) n WHERE workspace_id = $1`,
      [workspace_id]
    )
    await logIn(app, email)
    const left = await app.sql("SELECT id FROM sessions WHERE workspace_id = $1", [workspace_id])
    expect(left).toHaveLength(100)
    expect(left.map(({ id }) => id)).not.toContain(session_id)
  })
})

describe("POST /auth/refresh", () => {
  it("gives new tokens; the access token before stays good for its hour", async () => {
    const before = await register(app)
    await app.advance("10 minutes")
    const answer = await refresh(before.refresh)
    expect(answer.status).toBe(200)
    const after = signedIn(answer)
    expect(after).toMatchObject({ session_id: before.session_id, device_id: before.device_id, user_id: before.user_id })
    expect([after.access, after.refresh]).not.toContain(before.access)
    expect(await works(after.access)).toBe(200)
    expect(await works(before.access)).toBe(200)
    await app.advance("50 minutes")
    const late = await app.call("GET", "/me", undefined, before.headers)
    expect([late.status, late.body.code]).toEqual([401, "token_expired"])
    expect(await works(after.access)).toBe(200)
  })

  it("repeated within a minute, for an answer that was lost, gives the same tokens", async () => {
    const { refresh: token } = await register(app)
    const first = await refresh(token)
    await app.advance("59 seconds")
    const second = await refresh(token)
    expect(second.body).toEqual({ ...first.body, expires_in: 3541, refresh_expires_in: 90 * 86_400 - 59 })
  })

  it("from two requests at once gives both the same tokens", async () => {
    const { refresh: token } = await register(app)
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(token)))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
    expect(await works(answers[5]!.body.access_token)).toBe(200)
  })

  it("keeps no more tokens the more often it is done", async () => {
    const person = await register(app)
    let token = person.refresh
    const kept = async () =>
      (
        await app.sql("SELECT used_at IS NULL AS fresh FROM refresh_tokens WHERE session_id = $1 ORDER BY used_at", [
          person.session_id
        ])
      ).map(({ fresh }) => fresh)
    for (let time = 0; time < 30; time++) token = (await refresh(token)).body.refresh_token
    expect(await kept()).toEqual([false, true])
    // The one before the last may still be sent again.
    const last = await refresh(token)
    expect((await refresh(token)).body.refresh_token).toBe(last.body.refresh_token)
  })

  it("goes on from a token that was issued before families were kept, and knows it when it comes again", async () => {
    const person = await register(app)
    const first = await refresh(person.refresh)
    await app.sql("UPDATE refresh_tokens SET family = NULL WHERE session_id = $1", [person.session_id])
    const second = await refresh(first.body.refresh_token)
    const third = await refresh(second.body.refresh_token)
    const fourth = await refresh(third.body.refresh_token)
    expect([second.status, third.status, fourth.status]).toEqual([200, 200, 200])
    expect((await refresh(person.refresh)).body.code).toBe("token_reused")
    expect(await works(fourth.body.access_token)).toBe(401)
  })

  it.each([
    [
      "after a minute",
      async (token: string) => {
        await refresh(token)
        await app.advance("61 seconds")
      }
    ],
    [
      "once its successor was used",
      async (token: string) => {
        await refresh((await refresh(token)).body.refresh_token)
      }
    ],
    [
      "once it is no longer kept",
      async (token: string) => {
        let next = token
        for (let time = 0; time < 5; time++) next = (await refresh(next)).body.refresh_token
      }
    ]
  ])("repeated %s ends the session with all its tokens and streams, and tells the audit log", async (_, use) => {
    const stolen = await register(app)
    const stream = await EventStream.open(app, { headers: stolen.headers })
    await stream.until(() => stream.events.length > 0)
    await use(stolen.refresh)
    const reused = await refresh(stolen.refresh)
    expect([reused.status, reused.body.code]).toEqual([401, "token_reused"])
    expect(await works(stolen.access)).toBe(401)
    await stream.ended()
    expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "revoked" } })
    expect((await actions(stolen.workspace_id)).slice(-2)).toEqual(["session.revoked", "auth.token_reused"])
    const again = await refresh(stolen.refresh)
    expect([again.status, again.body.code]).toEqual([401, "invalid_token"])
  })

  it("refuses tokens that are truncated, of another kind, of another server, or too old", async () => {
    const { access, refresh: token } = await register(app)
    for (const wrong of [token.slice(0, -1), access, app.key, "sfr_", "", `${token} `, token.toUpperCase()]) {
      const answer = await refresh(wrong)
      expect([401, 422], wrong).toContain(answer.status)
    }
    expect(await works(token)).toBe(401)
    const other = await startApp()
    try {
      expect((await unsigned(other, "/auth/refresh", { refresh_token: token })).body.code).toBe("invalid_token")
    } finally {
      await other.stop()
    }
    await app.advance("90 days")
    expect(["token_expired", "invalid_token"]).toContain((await refresh(token)).body.code)
  })
})

describe("the end of a session", () => {
  it("by log-out: tokens and streams are out at once, other sessions stay", async () => {
    const here = await register(app)
    const there = await logIn(app, here.email)
    const stream = await EventStream.open(app, { headers: here.headers })
    await stream.until(() => stream.events.length > 0)
    const answer = await app.call("POST", "/auth/logout", undefined, here.headers)
    expect([answer.status, answer.body]).toEqual([200, { deleted: true, id: here.session_id }])
    expect(await works(here.access)).toBe(401)
    expect((await refresh(here.refresh)).status).toBe(401)
    await stream.ended()
    expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "revoked" } })
    expect(await works(there.access)).toBe(200)
  })

  it("by the list: shown with device and last activity, ended by id, and only one's own", async () => {
    const here = await register(app, { device: { name: "Desk", platform: "linux" } })
    const there = await logIn(app, here.email, { device: { name: "Phone", platform: "ios" } })
    const list = await app.call("GET", "/me/sessions?sort=name", undefined, here.headers)
    expect(list.body.data).toMatchObject([
      { id: here.session_id, device: { name: "Desk", platform: "linux" }, current: true, ip: "127.0.0.1" },
      { id: there.session_id, device: { id: there.device_id, name: "Phone" }, current: false }
    ])
    const stranger = await register(app)
    expect((await app.call("DELETE", `/me/sessions/${there.session_id}`, undefined, stranger.headers)).status).toBe(404)
    expect((await app.call("DELETE", `/me/sessions/${there.session_id}`, undefined, here.headers)).body).toEqual({
      deleted: true,
      id: there.session_id
    })
    expect(await works(there.access)).toBe(401)
    expect((await app.call("DELETE", `/me/sessions/${there.session_id}`, undefined, here.headers)).status).toBe(404)
  })

  it("by its device: removing it ends its tokens", async () => {
    const here = await register(app)
    const there = await logIn(app, here.email)
    expect((await app.call("DELETE", `/sync/devices/${there.device_id}`, undefined, here.headers)).status).toBe(200)
    expect(await works(there.access)).toBe(401)
    expect((await refresh(there.refresh)).status).toBe(401)
    expect(await works(here.access)).toBe(200)
  })

  it("by time: a stream ends with its token", async () => {
    const here = await register(app)
    const stream = await EventStream.open(app, { headers: here.headers })
    await stream.until(() => stream.events.length > 0)
    await app.advance("61 minutes")
    await stream.ended()
    expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "token_expired" } })
  })

  it("on one process is known on another by the news of it", async () => {
    // Its clock stands: what it knows does not grow old there.
    const beside = await startApp({ beside: app })
    try {
      const { access, headers } = await register(app)
      const there = async () =>
        (await beside.call("GET", "/me", undefined, { authorization: `Bearer ${access}` })).status
      expect(await there()).toBe(200)
      await app.call("POST", "/auth/logout", undefined, headers)
      await expect.poll(there).toBe(401)
    } finally {
      await beside.stop()
    }
  })
})

describe("passwords", () => {
  it("are changed by who knows the present one; all other sessions end", async () => {
    const here = await register(app)
    const there = await logIn(app, here.email)
    const change = (body: object) => app.call("POST", "/auth/password", body, here.headers)
    const wrong = await change({ current_password: "not the password", new_password: "another password" })
    expect([wrong.status, wrong.body.code]).toEqual([401, "invalid_credentials"])
    expect((await change({ current_password: password, new_password: "short" })).status).toBe(422)
    expect((await change({ current_password: password, new_password: "1Q2W3E4R5T" })).body.errors[0].code).toBe(
      "too_common"
    )
    expect((await change({ current_password: password, new_password: "another password" })).body).toEqual({
      changed: true
    })
    expect(await works(here.access)).toBe(200)
    expect(await works(there.access)).toBe(401)
    expect((await unsigned(app, "/auth/login", { email: here.email, password })).status).toBe(401)
    await logIn(app, here.email, { password: "another password" })
    const byKey = await app.call("POST", "/auth/password", {
      current_password: password,
      new_password: "another password"
    })
    expect(byKey.status).toBe(403)
  })

  it("are asked to be reset by the same statements, whether there is an account or not", async () => {
    const { email } = await register(app)
    const asked = async (address: string) =>
      (
        await statementsOf(app, /users|password_resets|mails/, () => unsigned(app, "/auth/forgot", { email: address }))
      ).statements.filter((text) => text.includes("password_resets"))
    expect(await asked(email)).toHaveLength(1)
    expect(await asked("nobody@sheaf.test")).toEqual(await asked(email))
  })

  it("that are forgotten are reset once, by the token that was mailed, within an hour", async () => {
    const { access, email } = await register(app)
    const forgot = await unsigned(app, "/auth/forgot", { email: email.toUpperCase() })
    const unknown = await unsigned(app, "/auth/forgot", { email: "nobody@sheaf.test" })
    expect([forgot.status, forgot.body]).toEqual([200, { accepted: true }])
    expect([unknown.status, unknown.body]).toEqual([200, { accepted: true }])
    const [mail] = await mailTo(app, email)
    const [token] = /sfp_\w+/.exec(mail!.text)!
    const reset = (body: object) => unsigned(app, "/auth/reset", body)
    expect(
      (
        await reset({
          token: `${token.slice(0, -1)}${token.endsWith("x") ? "y" : "x"}`,
          new_password: "another password"
        })
      ).status
    ).toBe(401)
    expect((await reset({ token, new_password: "basketball" })).body.errors[0].code).toBe("too_common")
    expect((await reset({ token, new_password: "another password" })).body).toEqual({ changed: true })
    expect(await works(access)).toBe(401)
    await logIn(app, email, { password: "another password" })
    const twice = await reset({ token, new_password: "a third password" })
    expect([twice.status, twice.body.code]).toEqual([401, "invalid_token"])
    await unsigned(app, "/auth/forgot", { email })
    const late = /sfp_\w+/.exec((await mailTo(app, email, 2))[1]!.text)![0]
    await app.advance("61 minutes")
    expect((await reset({ token: late, new_password: "a third password" })).body.code).toBe("token_expired")
    expect(await mailTo(app, "nobody@sheaf.test", 0)).toEqual([])
  })

  it("reset twice at once by one token are reset once", async () => {
    const { email } = await register(app)
    await unsigned(app, "/auth/forgot", { email })
    const [token] = /sfp_\w+/.exec((await mailTo(app, email))[0]!.text)!
    const answers = await Promise.all(
      ["the first password", "the second password"].map((new_password) =>
        unsigned(app, "/auth/reset", { token, new_password })
      )
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401])
  })

  it("are stored as scrypt, tokens as digests", async () => {
    const { access, refresh: token, user_id, workspace_id } = await register(app)
    const [user] = await app.sql("SELECT * FROM users WHERE id = $1", [user_id])
    expect(user.password_hash).toMatch(/^\$scrypt\$ln=\d+,r=8,p=3\$/)
    const all = JSON.stringify([
      user,
      await app.sql("SELECT * FROM sessions WHERE workspace_id = $1", [workspace_id]),
      await app.sql("SELECT * FROM refresh_tokens WHERE workspace_id = $1", [workspace_id]),
      await app.sql("SELECT data FROM changes WHERE workspace_id = $1", [workspace_id]),
      await app.sql("SELECT * FROM audit_entries WHERE workspace_id = $1", [workspace_id])
    ])
    for (const secret of [access, token, password]) expect(all).not.toContain(secret)
  })
})

describe("/me", () => {
  it("shows the user, and changes what is supplied", async () => {
    const me = await register(app, { name: "Before" })
    const call = as(me)
    const shown = await call("GET", "/me?limit=1")
    expect(shown.body).toMatchObject({ id: me.user_id, email: me.email, name: "Before", locale: "en", timezone: "UTC" })
    const etag = shown.headers.get("etag")!
    const changed = await call("PATCH", "/me", { name: "After", timezone: "Asia/Tokyo", locale: "ja", id: "us_other" })
    expect(changed.body).toEqual({ ...shown.body, name: "After", timezone: "Asia/Tokyo", locale: "ja" })
    const stale = await app.call("PATCH", "/me", { name: "Lost" }, { ...me.headers, "if-match": etag })
    expect([stale.status, stale.body.code]).toEqual([412, "precondition_failed"])
    expect((await call("GET", "/me")).body.name).toBe("After")
  })

  it("changes of different fields at once are both kept", async () => {
    const me = await register(app)
    await Promise.all([
      app.call("PATCH", "/me", { name: "Both" }, me.headers),
      app.call("PATCH", "/me", { locale: "fr" }, me.headers)
    ])
    expect((await app.call("GET", "/me", undefined, me.headers)).body).toMatchObject({ name: "Both", locale: "fr" })
  })

  it("takes another e-mail address with the password, tells the old one, and refuses a taken one", async () => {
    const me = await register(app)
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
    const [told] = await mailTo(app, me.email)
    expect(told!.text).toContain("n…@sheaf.test")
    await logIn(app, "new@sheaf.test")
    expect((await unsigned(app, "/auth/login", { email: me.email, password })).status).toBe(401)
    expect(await actions(me.workspace_id)).toContain("auth.email_changed")
  })

  it("keeps the address of who has reset the password meanwhile", async () => {
    const me = await register(app)
    await unsigned(app, "/auth/forgot", { email: me.email })
    const [token] = /sfp_\w+/.exec((await mailTo(app, me.email))[0]!.text)!
    const [reset] = await Promise.all([
      unsigned(app, "/auth/reset", { token, new_password: "another password" }),
      ...Array.from({ length: 5 }, (_, n) =>
        app.call("PATCH", "/me", { email: `thief-${n}-${me.email}`, current_password: password }, me.headers)
      )
    ])
    expect(reset!.status).toBe(200)
    const after = (await app.sql("SELECT password_hash, email FROM users WHERE id = $1", [me.user_id]))[0]
    const late = await app.call("PATCH", "/me", { email: "late@sheaf.test", current_password: password }, me.headers)
    expect(late.status).toBe(401)
    expect((await app.sql("SELECT email FROM users WHERE id = $1", [me.user_id]))[0].email).toBe(after.email)
  })

  it("lets an API key change the name, not the address", async () => {
    const owner = (await app.call("GET", "/me")).body
    expect((await app.call("PATCH", "/me", { name: owner.name })).status).toBe(200)
    const refused = await app.call("PATCH", "/me", { email: "key@sheaf.test", current_password: password })
    expect([refused.status, refused.body.code]).toEqual([403, "insufficient_scope"])
  })
})

describe("Workspace-Id", () => {
  it("leads a user's token to a workspace of theirs, and to no other: 404 as for one that never was", async () => {
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
