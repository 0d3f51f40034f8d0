import { describe, expect, it } from "vitest"
import { mailTo } from "../../support/people/Mail.ts"
import { logIn, password, register, unsigned } from "../../support/people/People.ts"
import { statementsOf } from "../../support/Statements.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const works = async (token: string) =>
  (await app.call("GET", "/me", undefined, { authorization: `Bearer ${token}` })).status

describe("passwords", () => {
  it("are changed with the current password, which ends all other sessions", async () => {
    const here = await register(app)
    const there = await logIn(app, here.email)
    const change = (body: object) => app.call("POST", "/auth/password", body, here.headers)
    const wrong = await change({ current_password: "not the password", new_password: "another password" })
    expect([wrong.status, wrong.body.code]).toEqual([401, "invalid_credentials"])
    expect((await change({ current_password: password, new_password: "short" })).status).toBe(422)
    expect((await change({ current_password: password, new_password: "1Q2W3E4R5T" })).body.errors[0].code).toBe(
      "too_common"
    )
    const own = await change({ current_password: password, new_password: `${here.email}1!` })
    expect([own.status, own.body.errors]).toMatchObject([422, [{ field: "new_password", code: "too_common" }]])
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

  it("can be reset with the same SQL statements whether or not the account exists", async () => {
    const { email } = await register(app)
    const asked = async (address: string) =>
      (
        await statementsOf(app, /users|password_resets|mails/, () => unsigned(app, "/auth/forgot", { email: address }))
      ).statements.filter((text) => text.includes("password_resets"))
    expect(await asked(email)).toHaveLength(1)
    expect(await asked("nobody@sheaf.test")).toEqual(await asked(email))
  })

  it("can be reset with a response time that does not reveal whether the account exists", async () => {
    const { email } = await register(app)
    for (const address of [email, "nobody@sheaf.test"]) {
      const begun = performance.now()
      await unsigned(app, "/auth/forgot", { email: address })
      // Node's timers may fire up to a millisecond early.
      expect(performance.now() - begun).toBeGreaterThan(48)
    }
  })

  it("are reset once, with the mailed token, within an hour", async () => {
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
    expect((await reset({ token, new_password: email })).body.errors[0].code).toBe("too_common")
    expect((await reset({ token, new_password: "another password" })).body).toEqual({ changed: true })
    expect(await works(access)).toBe(401)
    await logIn(app, email, { password: "another password" })
    const twice = await reset({ token, new_password: "a third password" })
    expect([twice.status, twice.body.code]).toEqual([401, "invalid_token"])
    // The hourly jobs delete expired rows; the next run is due half an hour before the token expires.
    for (let half = 0; half < 2; half++) {
      await app.advance("30 minutes")
      await app.idle()
    }
    await unsigned(app, "/auth/forgot", { email })
    const late = /sfp_\w+/.exec((await mailTo(app, email, 3)).map(({ text }) => text).at(-1)!)![0]
    await app.advance("31 minutes")
    await app.idle()
    await app.advance("29 minutes")
    expect((await reset({ token: late, new_password: "a third password" })).body.code).toBe("token_expired")
    expect(await mailTo(app, "nobody@sheaf.test", 0)).toEqual([])
  })

  it("are reset once by two concurrent requests with the same token", async () => {
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

  it("are stored as scrypt hashes, and tokens as digests", async () => {
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
