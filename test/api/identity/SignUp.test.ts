import { describe, expect, it } from "vitest"
import { policyDefaults } from "../../../services/workspaces/Plans.ts"
import { password, register, personOf, type Person, unsigned } from "../../support/people/People.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const as = (who: Pick<Person, "headers">) => async (method: string, path: string, body?: unknown) =>
  app.call(method, path, body, who.headers)

describe("POST /auth/register", () => {
  it("creates a user with one personal workspace, and signs them in", async () => {
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
    const anna = personOf(answer)
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

  it('names the workspace "Personal" if the user gives no name', async () => {
    const nameless = personOf(await unsigned(app, "/auth/register", { email: "nameless@example.org", password }))
    expect((await as(nameless)("GET", `/workspaces/${nameless.workspace_id}`)).body.name).toBe("Personal")
  })

  it("treats spellings of an address as equal, but look-alikes as different", async () => {
    await register(app, { email: "Grüße@münchen.example" })
    for (const email of [
      "GRÜSSE".toLowerCase() === "grüsse" ? "grüße@MÜNCHEN.example" : "",
      "ｇrüße@xn--mnchen-3ya.example"
    ]) {
      const answer = await unsigned(app, "/auth/register", { email, password })
      expect([answer.status, answer.body.code], email).toEqual([409, "already_exists"])
    }
    // With the Cyrillic letter that looks like e.
    expect((await unsigned(app, "/auth/register", { email: "grüßе@münchen.example", password })).status).toBe(201)
  })

  it("creates one user for concurrent requests with the same address", async () => {
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

  it("rejects an invalid address, password, locale or time zone by field, and creates nothing", async () => {
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
      [{ password: "Letmein1234!!" }, "password", "too_common"],
      [{ password: "aaaaaaaaaa" }, "password", "too_common"],
      [{ password: "Zoë Winter 7", name: "Zoë Winter" }, "password", "too_common"],
      [{ email: "zoe.winter@sheaf.test", password: "zoe.winter@sheaf.test" }, "password", "too_common"],
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

  it("requires an invitation if only invitees may register", async () => {
    const closed = await startApp({
      settings: {
        policies: { ...policyDefaults, signUp: "invite" }
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
