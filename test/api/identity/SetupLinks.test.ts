import { Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import * as Tokens from "../../../services/Tokens.ts"
import { expectSafe, type Shown, Visitor } from "../../support/people/FormPages.ts"
import { logIn, password, register } from "../../support/people/People.ts"
import { freshLink, offered } from "../../support/people/SetupLink.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp({ settings: { trustedProxies: ["127.0.0.1"] } })

let made = 0
const fresh = (): string => `first-${++made}@sheaf.test`

const keyIn = ({ html }: Shown): string => /sfk_\w{36}/.exec(html)![0]

const setupKeys = () => app.sql("SELECT secret_hash FROM api_keys WHERE name = 'Setup key'")

const withKey = (key: string) => ({ authorization: `Bearer ${key}` })

/** All that a use of a link changes. */
const state = async () => ({
  seq: await app.seq(),
  users: await app.sql("SELECT * FROM users ORDER BY id"),
  links: await app.sql("SELECT * FROM setup_links ORDER BY hash"),
  keys: await setupKeys(),
  audit: await app.sql("SELECT id FROM audit_entries WHERE action <> 'auth.login_failed' ORDER BY id")
})

const expectBroken = (page: Shown, status = 404) => {
  expect([page.status, page.forms]).toEqual([status, []])
  expect(page.text).toContain(status === 410 ? "This link has expired" : "This link does not work")
  expect(page.html).not.toContain("sfk_")
  expectSafe(page)
}

describe("a link for the first account", () => {
  it("gives the first user an address, a password and a further API key, once", async () => {
    const link = await freshLink(app)
    const other = (await offered(app))!
    const email = fresh()
    const visitor = new Visitor(app)
    const origin = new URL(app.url).origin
    expect((await fetch(link.replace("http://sheaf.test", origin), { method: "HEAD" })).status).toBe(200)
    const page = await visitor.open(link)
    expect([page.status, page.forms.map(({ fields }) => fields)]).toEqual([
      200,
      [{ email: "", name: "", password: "" }]
    ])
    expect(page.html).toMatch(/name="password" autocomplete="new-password"/)
    expectSafe(page)
    const [first] = await app.sql("SELECT id FROM users ORDER BY created_at, id LIMIT 1")
    const done = await visitor.submit(page, { email: ` ${email} `, name: " Ada ", password })
    expect([done.status, done.forms]).toEqual([200, []])
    expect(done.text).toContain(`Sign in with ${email}`)
    expect(done.html).toContain(
      `<a class="button main" href="/console/start#email=${encodeURIComponent(email)}">Continue</a>`
    )
    expectSafe(done)
    const me = await app.call("GET", "/me", undefined, withKey(keyIn(done)))
    expect(me.body).toMatchObject({ id: first.id, email, name: "Ada" })
    expect(await logIn(app, email)).toMatchObject({ user_id: first.id, workspace_id: app.workspace_id })
    expect((await app.call("GET", "/me")).body).toEqual(me.body)
    expect(await app.sql("SELECT email_proven FROM users WHERE id = $1", [first.id])).toEqual([{ email_proven: true }])
    const entries = await app.sql("SELECT action, metadata FROM audit_entries WHERE metadata->>'by' = 'setup_link'")
    expect(entries.map(({ action }) => action).toSorted()).toEqual(["auth.email_changed", "auth.password_changed"])
    for (const used of [link, other]) expectBroken(await visitor.open(used))
    expectBroken(await visitor.post(other, new URLSearchParams({ email: fresh(), password }).toString()))
    expect(await offered(app)).toBeUndefined()
  })

  it("names the first user by the address if the form has no name", async () => {
    const visitor = new Visitor(app)
    const page = await visitor.open(await freshLink(app))
    for (const [field, value] of [
      ["name", "x".repeat(101)],
      ["name", "A\0"]
    ] as const) {
      const refused = await visitor.submit(page, { email: fresh(), password, [field]: value })
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("The name must")])
      expect(refused.forms[0]!.fields["name"]).toBe(value)
    }
    const email = fresh()
    const done = await visitor.submit(page, { email, name: " ", password })
    const me = await app.call("GET", "/me", undefined, withKey(keyIn(done)))
    expect(me.body).toMatchObject({ email, name: email.split("@")[0] })
  })

  it("gives the same key to the same form again, and nothing to any other form", async () => {
    const link = await freshLink(app)
    const visitor = new Visitor(app)
    const page = await visitor.open(link)
    const email = fresh()
    const done = await visitor.submit(page, { email, password })
    const before = await state()
    expect((await visitor.submit(page, { email, password })).html).toBe(done.html)
    expect((await new Visitor(app).submit(page, { email: email.toUpperCase(), name: "Other", password })).status).toBe(
      200
    )
    expectBroken(await visitor.submit(page, { email, password: "another password" }))
    expectBroken(await visitor.submit(page, { email: fresh(), password }))
    expect(await state()).toEqual(before)
    const keys = (await app.call("GET", "/api-keys")).body.data
    const { id } = keys.find(({ prefix }: any) => keyIn(done).startsWith(prefix))
    expect((await app.call("DELETE", `/api-keys/${id}`)).status).toBe(200)
    expectBroken(await visitor.submit(page, { email, password }))
  })

  it("limits guesses of the password that it has set as the log-in does", async () => {
    const visitor = new Visitor(app)
    const page = await visitor.open(await freshLink(app))
    const email = fresh()
    await visitor.submit(page, { email, password })
    for (let n = 0; n < 10; n++) {
      expect((await visitor.submit(page, { email, password: "a wrong password" })).status).toBe(404)
    }
    const refused = await visitor.submit(page, { email, password })
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "900"])
    expect(refused.html).not.toContain("sfk_")
  })

  it("is used by one of two simultaneous forms, and gives one key to two equal ones", async () => {
    for (const isEqual of [false, true]) {
      const link = await freshLink(app)
      const before = (await setupKeys()).length
      const emails = isEqual ? Array(4).fill(fresh()) : Array.from({ length: 4 }, fresh)
      const forms = await Promise.all(emails.map(() => new Visitor(app).open(link)))
      const pages = await Promise.all(
        forms.map((form, index) => new Visitor(app).submit(form, { email: emails[index]!, password }))
      )
      const shown = pages.filter(({ status }) => status === 200)
      expect(shown).toHaveLength(isEqual ? 4 : 1)
      expect(new Set(shown.map(keyIn)).size).toBe(1)
      for (const page of pages) if (page.status !== 200) expectBroken(page)
      expect(await setupKeys()).toHaveLength(before + 1)
      expect((await app.call("GET", "/me", undefined, withKey(keyIn(shown[0]!)))).body.email).toBe(
        emails[pages.indexOf(shown[0]!)]
      )
    }
  })

  it("is used by one of two simultaneous forms on two nodes", async () => {
    const second = await startApp({ databaseOf: app, settings: { trustedProxies: ["127.0.0.1"] } })
    const [own, foreign] = [await freshLink(app), (await offered(second))!]
    const before = (await setupKeys()).length
    const [visitor, other] = [new Visitor(app), new Visitor(second)]
    const [form, otherForm] = [await visitor.open(foreign), await other.open(own)]
    const pages = await Promise.all([
      visitor.submit(form, { email: fresh(), password }),
      other.submit(otherForm, { email: fresh(), password })
    ])
    await second.stop()
    expect(pages.map(({ status }) => status).toSorted()).toEqual([200, 404])
    expect(await setupKeys()).toHaveLength(before + 1)
  })

  it("expires after an hour, whatever the clock of the server does, and is deleted", async () => {
    const link = await freshLink(app)
    const visitor = new Visitor(app)
    const page = await visitor.open(link)
    // The hourly jobs delete expired rows; the next run is due a minute after the link expires.
    await app.advance("30 minutes")
    await app.idle()
    await app.advance("29 minutes")
    expect((await visitor.open(link)).status).toBe(200)
    await app.advance("1 minute")
    expectBroken(await visitor.open(link), 410)
    expectBroken(await visitor.submit(page, { email: fresh(), password }), 410)
    await app.advance("30 minutes")
    await app.idle()
    expect(await app.sql("SELECT hash FROM setup_links")).toEqual([])
    expectBroken(await visitor.open(link))
    const late = await freshLink(app)
    // A clock that was a day ahead when the link was made.
    await app.sql("UPDATE setup_links SET expires_at = '2026-03-09T12:00:00.000Z'")
    expectBroken(await visitor.open(late), 410)
    expectBroken(
      await visitor.submit({ ...page, forms: [{ action: late, fields: {} }] }, { email: fresh(), password }),
      410
    )
  })

  it("ends when any account gets a password", async () => {
    const link = await freshLink(app)
    const visitor = new Visitor(app)
    const page = await visitor.open(link)
    await register(app)
    const before = await state()
    expectBroken(await visitor.open(link))
    expectBroken(await visitor.submit(page, { email: fresh(), password }))
    expect(await state()).toEqual(before)
    expect(await offered(app)).toBeUndefined()
  })

  it("stays usable when its write fails, which changes nothing", async () => {
    const visitor = new Visitor(app)
    const page = await visitor.open(await freshLink(app))
    const email = fresh()
    const before = await state()
    await app.sql("ALTER TABLE api_keys ADD CONSTRAINT refused CHECK (name <> 'Setup key') NOT VALID")
    expect((await visitor.submit(page, { email, password })).status).toBe(500)
    await app.sql("ALTER TABLE api_keys DROP CONSTRAINT refused")
    expect(await state()).toEqual(before)
    expect((await visitor.submit(page, { email, password })).status).toBe(200)
  })

  it("shows what is wrong with a form, keeps the typed address but never the password, and changes nothing", async () => {
    await app.advance("1 second")
    const taken = await register(app)
    const link = await freshLink(app)
    const visitor = new Visitor(app)
    const page = await visitor.open(link)
    const before = await state()
    const email = fresh()
    for (const [typed, status, shown] of [
      [{ email, password: "kurz" }, 422, "The password must be at least 10 characters."],
      [{ email, password: "1q2w3e4r5t" }, 422, "The password is easily guessed."],
      [{ email, password: "x".repeat(201) }, 422, "The password must be at most 200 characters."],
      [{ email, password: "a password\0" }, 422, "The password must not contain NUL"],
      [{ email, password: email }, 422, "The password is too similar to the name or the e-mail address."],
      [{ email: "", password }, 422, "The e-mail address must"],
      [{ email: "anna", password }, 422, "The e-mail address must"],
      [{ email: 'a"<x>@sheaf.test', password }, 422, "The e-mail address must"],
      [{ email: "anna@sheaf.test\0", password }, 422, "The e-mail address must"],
      [{ email: `${"x".repeat(400)}@sheaf.test`, password }, 422, "The e-mail address must"],
      [{ email: taken.email, password }, 409, "An account with this e-mail address exists already."]
    ] as const) {
      const refused = await visitor.submit(page, typed)
      expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(shown)])
      expect(refused.forms[0]!.fields["password"]).toBe("")
      expectSafe(refused)
    }
    const kept = await visitor.submit(page, { email: 'Anna "<x>', password })
    expect(kept.forms[0]!.fields["email"]).toBe('Anna "<x>')
    expect(kept.html).toMatch(
      /id="setup-email"[^>]* aria-describedby="setup-email-wrong" aria-invalid="true" autofocus>/
    )
    const sent = [
      await visitor.post(link, "email=%ff%fe&password=%ff%fe%fd%fc%fb%fa%f9%f8%f7%f6"),
      await visitor.post(link, "{}", "application/json"),
      await visitor.post(link, `password=${"x".repeat(70_000)}`),
      await visitor.post(link, "")
    ]
    expect(sent.map(({ status }) => status)).toEqual([400, 415, 413, 422])
    expect(await state()).toEqual(before)
  })

  it("cannot be guessed: other tokens get 404, and many of them 429", async () => {
    await freshLink(app)
    const before = await state()
    const at = "http://sheaf.test/setup"
    const unknown = Redacted.value(Tokens.make(systemRandomness, "sfs"))
    const form = new URLSearchParams({ email: fresh(), password }).toString()
    for (const query of [
      "",
      "?token=",
      "?token=sfs_x",
      "?token=%00",
      `?token=${unknown}`,
      `?token=${"x".repeat(5_000)}`
    ]) {
      const visitor = new Visitor(app)
      expectBroken(await visitor.open(at + query))
      expectBroken(await visitor.post(at + query, form))
    }
    const visitor = new Visitor(app)
    for (let n = 0; n < 20; n++) expect((await visitor.open(`${at}?token=${unknown}`)).status).toBe(404)
    const refused = await visitor.open(`${at}?token=${unknown}`)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"])
    expect((await visitor.post(`${at}?token=${unknown}`, form)).status).toBe(429)
    expect(await state()).toEqual(before)
  })
})
