import { describe, expect, it } from "vitest"
import { addTotp, codeAt } from "../../support/factors/Factors.ts"
import { fromAnywhere } from "../../support/FromAnywhere.ts"
import { linksIn } from "../../support/people/FormPages.ts"
import { mailTo } from "../../support/people/Mail.ts"
import { logIn, password, register, unsigned, workspaceOf } from "../../support/people/People.ts"
import { freshLink } from "../../support/people/SetupLink.ts"
import { epoch } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp({ settings: { trustedProxies: ["127.0.0.1"] } })

let made = 0
const fresh = (): string => `form-${++made}@sheaf.test`

/** What the script of the pages adds to a form in Vienna. */
const vienna = { device_name: "Firefox", device_locale: "de-AT", device_timezone: "Europe/Vienna" }
const own = { "sec-fetch-site": "same-origin" }

/** Sends a form as a browser does. Returns the page, and the session in it. */
const submit = async (link: string, form: Record<string, string>, headers: Record<string, string> = own) => {
  const response = await fetch(link.replace("http://sheaf.test", new URL(app.url).origin), {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { ...fromAnywhere(), ...headers }
  })
  const html = await response.text()
  const [, content] = /<meta name="sheaf-session" content="([^"]*)">/.exec(html) ?? []
  const session = content === undefined ? undefined : JSON.parse(content.replaceAll("&quot;", '"'))
  return { status: response.status, headers: response.headers, html, session }
}

/** Sets up the first user, who has never signed in before. */
const setUp = async (form: Record<string, string> = vienna, headers: Record<string, string> = own) => {
  const email = fresh()
  await app.sql("DELETE FROM sessions")
  await app.sql("DELETE FROM devices")
  await app.sql("UPDATE users SET locale = 'en', timezone = 'UTC'")
  return { email, ...(await submit(await freshLink(app), { email, password, ...form }, headers)) }
}

const me = async ({ access_token }: { readonly access_token: string }) =>
  (await app.call("GET", "/me", undefined, { authorization: `Bearer ${access_token}` })).body

const invite = async (email: string) => {
  const owner = await register(app)
  const workspace = await workspaceOf(app, owner)
  const { body } = await app.call("POST", `/workspaces/${workspace}/invitations`, { email }, owner.headers)
  return { link: body.accept_url as string, workspace }
}

const resetLink = async (email: string) => {
  await unsigned(app, "/auth/forgot", { email })
  return (await mailTo(app, email)).flatMap(linksIn).find((link) => link.includes("/password/reset"))!
}

describe("a page on which a person chooses a password", () => {
  it("signs them in after the set-up, without a mail, with the language and time zone of the browser", async () => {
    const { email, headers, html, session } = await setUp()
    expect(await me(session)).toMatchObject({ email, locale: "de-AT", timezone: "Europe/Vienna" })
    expect(html).toContain("You are signed in as")
    expect(headers.get("cache-control")).toBe("no-store")
    // No address has a token.
    expect(html).not.toMatch(/(?:href|src|action)="[^"]*sf[ar]_/)
    const { body } = await app.call("GET", "/me/sessions", undefined, {
      authorization: `Bearer ${session.access_token}`
    })
    expect(body.data.map(({ current, device }: any) => [current, device.name, device.platform])).toEqual([
      [true, "Firefox", "web"]
    ])
    expect(await mailTo(app, email, 0)).toEqual([])
    await logIn(app, email)
    expect((await mailTo(app, email)).map(({ headers }) => headers.get("subject"))).toEqual([
      "Anmeldung auf einem neuen Gerät"
    ])
  })

  it("signs them in after an invitation, as a new user and with an account", async () => {
    const email = fresh()
    const first = await invite(email)
    const joined = await submit(first.link, { way: "register", password, ...vienna })
    expect(await me(joined.session)).toMatchObject({ email, timezone: "Europe/Vienna" })
    expect(joined.html).toContain(`href="/console/?workspace=${first.workspace}"`)
    const second = await invite(email)
    const again = await submit(second.link, { way: "sign-in", password, ...vienna, device_timezone: "Asia/Tokyo" })
    // It is not the first sign-in.
    expect(await me(again.session)).toMatchObject({ email, timezone: "Europe/Vienna" })
    // The page of an accepted invitation is for everyone who has the link.
    expect((await submit(second.link, { way: "sign-in", password, ...vienna })).session).toBeUndefined()
    const wrong = await invite(email)
    const refused = await submit(wrong.link, { way: "sign-in", password: "not the password", ...vienna })
    expect([refused.status, refused.session]).toEqual([401, undefined])
  })

  it("signs them in after a new password, which ends all other sessions", async () => {
    const person = await register(app)
    const link = await resetLink(person.email)
    const changed = await submit(link, { new_password: "another password", ...vienna })
    expect(await me(changed.session)).toMatchObject({ email: person.email, timezone: "UTC" })
    expect((await app.call("GET", "/me", undefined, person.headers)).status).toBe(401)
    const suspended = await register(app)
    await app.sql("UPDATE users SET suspended_at = $2 WHERE id = $1", [suspended.user_id, "2026-03-01T12:00:00.000Z"])
    const done = await submit(await resetLink(suspended.email), { new_password: "another password", ...vienna })
    expect([done.status, done.session]).toEqual([200, undefined])
    expect(done.html).toContain("Sign in with")
  })

  it("starts no session for a form of another site, and none without the script of the page", async () => {
    const { origin } = new URL(app.url)
    const host = new URL(app.url).host
    for (const [form, headers, isSignedIn] of [
      [vienna, own, true],
      [vienna, { origin }, true],
      [vienna, { origin: "http://sheaf.test" }, true],
      [vienna, { "sec-fetch-site": "cross-site", origin }, false],
      [vienna, { "sec-fetch-site": "same-site" }, false],
      [vienna, { "sec-fetch-site": "none" }, false],
      [vienna, { origin: "http://evil.example" }, false],
      [vienna, { origin: `http://${host}.evil.example` }, false],
      [vienna, { origin: "null" }, false],
      [vienna, {}, false],
      [{}, own, false]
    ] as const) {
      const { email, html, session, status } = await setUp({ ...form }, { ...headers })
      expect([headers, status, session !== undefined]).toEqual([headers, 200, isSignedIn])
      if (isSignedIn) continue
      expect(html).toContain("Sign in with")
      expect(
        await app.sql("SELECT s.id FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = $1", [email])
      ).toEqual([])
    }
  })

  it("ignores a language and a time zone that the server does not know", async () => {
    for (const [device_locale, device_timezone] of [
      ["not a tag", "Mars/Olympus"],
      ["x".repeat(101), "Europe/".repeat(20)],
      ["", "+02:00"],
      ["de\0", "UTC\n"]
    ] as const) {
      const { session } = await setUp({ ...vienna, device_locale, device_timezone })
      expect(await me(session)).toMatchObject({ locale: "en", timezone: "UTC" })
    }
  })
})

describe("the language and the time zone of the device", () => {
  const device = { locale: "de-AT", timezone: "Europe/Vienna" }
  const region = async (headers: Record<string, string>) => {
    const { locale, timezone } = (await app.call("GET", "/me", undefined, headers)).body
    return [locale, timezone]
  }

  it("are those of a new account that asks for no others", async () => {
    expect(await region((await register(app, { device })).headers)).toEqual(["de-AT", "Europe/Vienna"])
    const asked = await register(app, { device, timezone: "UTC", locale: "en" })
    expect(await region(asked.headers)).toEqual(["en", "UTC"])
    const invalid = await register(app, { device: { locale: "?", timezone: "Mars/Olympus" } })
    expect(await region(invalid.headers)).toEqual(["en", "UTC"])
  })

  it("are taken at the first sign-in only, in place of a default", async () => {
    const person = await register(app, { timezone: "Asia/Tokyo" })
    await app.sql("DELETE FROM devices WHERE user_id = $1", [person.user_id])
    expect(await region((await logIn(app, person.email, { device })).headers)).toEqual(["de-AT", "Asia/Tokyo"])
    const chosen = await register(app)
    expect((await app.call("PATCH", "/me", { timezone: "UTC" }, chosen.headers)).status).toBe(200)
    expect(await region((await logIn(app, chosen.email, { device })).headers)).toEqual(["en", "UTC"])
  })
})

describe("an invitation to an account with a second factor", () => {
  it("asks for a code, without which nothing is accepted", async () => {
    const person = await register(app)
    const { secret } = await addTotp(app, person, epoch)
    const { link, workspace } = await invite(person.email)
    const send = (more: object) => submit(link, { way: "sign-in", password, ...vienna, ...more })
    const members = () =>
      app.sql("SELECT 1 FROM members WHERE workspace_id = $1 AND user_id = $2", [workspace, person.user_id])
    const asked = await send({})
    expect(asked).toMatchObject({ status: 401, session: undefined })
    expect(asked.html).toContain('name="code"')
    // The code that has added the app is used.
    expect(await send({ code: codeAt(secret, epoch) })).toMatchObject({ status: 401, session: undefined })
    expect(await send({ device_name: "x".repeat(200) })).toMatchObject({ status: 422 })
    expect(await members()).toEqual([])
    const accepted = await send({ code: codeAt(secret, epoch + 30_000) })
    expect(accepted).toMatchObject({ status: 200, session: { user: { id: person.user_id } } })
    expect(await members()).toHaveLength(1)
  })
})
