import { Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import { policyDefaults } from "../../../services/workspaces/Plans.ts"
import * as Tokens from "../../../services/Tokens.ts"
import { expectLinkToConsole, expectSafe, linksIn, Visitor } from "../../support/people/FormPages.ts"
import { confirmationsTo, isConfirmation } from "../../support/people/Mail.ts"
import { logIn, password, register, type Person, unsigned, workspaceOf } from "../../support/people/People.ts"
import { raw, request } from "../../support/RawHttp.ts"
import { SmtpSink } from "../../support/servers/SmtpSink.ts"
import { statementsOf } from "../../support/Statements.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"

let sink: SmtpSink
let app: TestApp

beforeAll(async () => {
  sink = await SmtpSink.start()
  app = await startApp({
    settings: {
      smtpUrl: Redacted.make(`smtp://127.0.0.1:${sink.port}`),
      mailFrom: "sheaf@sheaf.test",
      trustedProxies: ["127.0.0.1"],
      policies: { ...policyDefaults, signUp: "open", ownedWorkspaces: 0 }
    }
  })
})
afterAll(async () => {
  await app.stop()
  await sink.stop()
})

let made = 0
const fresh = (): string => `visitor-${++made}@sheaf.test`

type Kind = "invitation" | "reset" | "confirmation"
const path = { invitation: "/invitations/accept", reset: "/password/reset", confirmation: "/email/confirm" }

/** Returns the links of one kind that were mailed to an address, oldest first. */
const linksTo = (kind: Kind, email: string): ReadonlyArray<string> =>
  sink.received
    .filter(({ to }) => to.includes(email))
    .flatMap(linksIn)
    .filter((link) => link.includes(`${path[kind]}?token=`))

const linkTo = async (kind: Kind, email: string, count = 1): Promise<string> => {
  await sink.until(`${kind} to ${email}`, () => linksTo(kind, email).length >= count)
  return linksTo(kind, email)[count - 1]!
}

const isProven = async ({ user_id }: Pick<Person, "user_id">): Promise<boolean> =>
  (await app.sql("SELECT email_proven FROM users WHERE id = $1", [user_id]))[0].email_proven

const workspacesOf = async (person: Person): Promise<ReadonlyArray<string>> =>
  (await app.call("GET", "/workspaces", undefined, person.headers)).body.data.map(({ id }: any) => id)

const unknown = (kind: "sfi" | "sfp" | "sfc"): string => Redacted.value(Tokens.make(systemRandomness, kind))

describe("invitation page", () => {
  let owner: Person
  let workspace: string

  beforeAll(async () => {
    owner = await register(app, { name: "Olga <i>" })
    await app.sql("UPDATE users SET email_proven = true WHERE id = $1", [owner.user_id])
    workspace = await workspaceOf(app, owner, "Team <b>&</b>")
  })

  const invite = async (email: string, more: object = {}): Promise<{ readonly id: string; readonly link: string }> => {
    const { body } = await app.call("POST", `/workspaces/${workspace}/invitations`, { email, ...more }, owner.headers)
    return { id: body.id, link: await linkTo("invitation", email) }
  }

  it("shows inviter, workspace and role, and both forms, whether or not the address has an account", async () => {
    const person = await register(app)
    const stranger = fresh()
    const pages = []
    for (const email of [person.email, stranger]) {
      const page = await new Visitor(app).open((await invite(email, { role: "viewer" })).link)
      expect(page.status).toBe(200)
      expectSafe(page)
      for (const part of ["Olga <i>", "Team <b>&</b>", email, "role viewer", "2026-03-08 12:00 UTC"]) {
        expect(page.text).toContain(part)
      }
      expect(page.html).not.toMatch(/<b>|<i>/)
      expect(page.forms.map(({ fields }) => fields)).toEqual([
        { way: "register", email, name: "", password: "" },
        { way: "sign-in", email, password: "" }
      ])
      pages.push(page.html.replaceAll(email, "…"))
    }
    expect(pages[0]).toBe(pages[1])
  })

  it("creates a member account with a proven address and without a session", async () => {
    const email = fresh()
    const { id, link } = await invite(email, { role: "viewer" })
    const visitor = new Visitor(app)
    const done = await visitor.submit(await visitor.open(link), { name: "Nina", password: "a password of nina" })
    expect([done.status, done.forms]).toEqual([200, []])
    expectSafe(done)
    expect(done.text).toContain("You have joined Team <b>&</b>")
    expectLinkToConsole(done, workspace)
    const [user] = await app.sql("SELECT id, name, email_proven FROM users WHERE email = $1", [email])
    expect(user).toMatchObject({ name: "Nina", email_proven: true })
    expect(await app.sql("SELECT id FROM sessions WHERE user_id = $1", [user.id])).toEqual([])
    expect(await app.sql("SELECT id FROM devices WHERE user_id = $1", [user.id])).toEqual([])
    const nina = await logIn(app, email, { password: "a password of nina" })
    expect(await workspacesOf(nina)).toContain(workspace)
    const invitation = await app.call("GET", `/workspaces/${workspace}/invitations/${id}`, undefined, owner.headers)
    expect(invitation.body.status).toBe("accepted")
    expect(sink.received.filter((mail) => isConfirmation(mail) && mail.to.includes(email))).toEqual([])
    // From now on the link shows the same page, also when a form is sent again.
    for (const page of [await visitor.open(link), await visitor.post(link, "way=register&password=another+password")]) {
      expect([page.status, page.forms, page.text]).toEqual([200, [], done.text])
    }
    expect((await unsigned(app, "/auth/login", { email, password: "another password" })).status).toBe(401)
  })

  it("accepts the invitation with the password of an existing account, without starting a session", async () => {
    const person = await register(app)
    const { link } = await invite(person.email)
    const visitor = new Visitor(app)
    const page = await visitor.open(link)
    const wrong = await visitor.submit(page, { password: "not the password" }, 1)
    expect(wrong.status).toBe(401)
    expectSafe(wrong)
    expect(wrong.text).toContain("The password is wrong, or there is no account with this address yet.")
    expect(wrong.html).toMatch(
      /<input type="password" id="sign-in-password"[^>]* aria-describedby="sign-in-wrong" autofocus>/
    )
    expect(wrong.html).not.toContain("not the password")
    const done = await visitor.submit(wrong, { password }, 1)
    expect([done.status, done.text]).toEqual([200, expect.stringContaining("You have joined")])
    expect(await workspacesOf(person)).toContain(workspace)
    expect(await app.sql("SELECT id FROM sessions WHERE user_id = $1", [person.user_id])).toHaveLength(1)
    expect(await isProven(person)).toBe(true)
  })

  it("shows the same error for a wrong password whether or not the address has an account", async () => {
    const person = await register(app)
    const refusals = []
    for (const email of [person.email, fresh()]) {
      const visitor = new Visitor(app)
      const page = await visitor.open((await invite(email)).link)
      const { html, status } = await visitor.submit(page, { password: "not the password" }, 1)
      refusals.push([status, html.replaceAll(email, "…")])
    }
    expect(refusals[0]).toEqual(refusals[1])
  })

  it("shows what is wrong with a new account, and keeps the typed name but never the password", async () => {
    const email = fresh()
    const visitor = new Visitor(app)
    const page = await visitor.open((await invite(email)).link)
    const short = await visitor.submit(page, { name: 'Eve "<x>', password: "kurz" })
    expect(short.status).toBe(422)
    expectSafe(short)
    expect(short.text).toContain("The password must be at least 10 characters.")
    expect(short.forms[0]!.fields).toMatchObject({ name: 'Eve "<x>', password: "" })
    expect(short.html).toMatch(
      /id="register-password"[^>]* aria-describedby="register-password-hint register-password-wrong" aria-invalid="true" autofocus>/
    )
    for (const [typed, shown] of [
      [{ password: "1q2w3e4r5t" }, "The password is easily guessed."],
      [{ name: "x".repeat(101), password }, "The name must be at most 100 characters."],
      [{ name: "a\0b", password }, "The name must not contain NUL"]
    ] as const) {
      const refused = await visitor.submit(page, typed)
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(shown)])
    }
    const broken = await visitor.post(page.url, "way=register&password=%ff%fe%fd%fc%fb%fa%f9%f8%f7%f6")
    expect([broken.status, broken.text]).toEqual([400, expect.stringContaining("Send the form in UTF-8.")])
    expect(await app.sql("SELECT id FROM users WHERE email = $1", [email])).toEqual([])
    // The rejected forms changed nothing.
    expect((await visitor.submit(page, { password })).text).toContain("You have joined")
  })

  it("points a user with an existing account to the log-in form", async () => {
    const person = await register(app)
    const visitor = new Visitor(app)
    const page = await visitor.open((await invite(person.email)).link)
    const taken = await visitor.submit(page, { password: "another password" })
    expect([taken.status, taken.text]).toEqual([
      409,
      expect.stringContaining("There is an account with this address already: enter its password")
    ])
    await logIn(app, person.email)
  })

  it("accepts the invitation once when two forms are sent at once", async () => {
    const visitor = new Visitor(app)
    const email = fresh()
    const page = await visitor.open((await invite(email)).link)
    const both = await Promise.all([visitor.submit(page, { password }), visitor.submit(page, { password })])
    for (const { status } of both) expect([200, 409]).toContain(status)
    const members = `SELECT m.id FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = $1 AND email = $2`
    expect(await app.sql(members, [workspace, email])).toHaveLength(1)
  })

  it("returns 404 for a deleted, replaced or unknown invitation and for an incomplete link", async () => {
    const [deleted, resent] = [await invite(fresh()), await invite(fresh())]
    const visitor = new Visitor(app)
    const page = await visitor.open(deleted.link)
    const at = `/workspaces/${workspace}/invitations`
    await app.call("DELETE", `${at}/${deleted.id}`, undefined, owner.headers)
    await app.call("POST", `${at}/${resent.id}/resend`, undefined, owner.headers)
    const gone = [
      await visitor.open(deleted.link),
      await visitor.submit(page, { password }),
      await visitor.open(resent.link),
      await visitor.open(`http://sheaf.test/invitations/accept?token=${unknown("sfi")}`),
      await visitor.open("http://sheaf.test/invitations/accept?token=sfi_x"),
      await visitor.post("http://sheaf.test/invitations/accept", "way=register&password=correct+horse+battery")
    ]
    for (const each of gone) {
      expect([each.status, each.forms]).toEqual([404, []])
      expect(each.text).toContain("This invitation is no longer valid")
      expectSafe(each)
    }
  })

  it("returns 415 for a form of another media type, and 413 for a body that is too large", async () => {
    const visitor = new Visitor(app)
    const { link } = await invite(fresh())
    expect((await visitor.post(link, "{}", "application/json")).status).toBe(415)
    expect((await visitor.post(link, `password=${"x".repeat(70_000)}`)).status).toBe(413)
  })

  it("throttles wrong passwords as the log-in does", async () => {
    const person = await register(app)
    const visitor = new Visitor(app)
    const page = await visitor.open((await invite(person.email)).link)
    for (let n = 0; n < 10; n++) expect((await visitor.submit(page, { password: "a wrong one" }, 1)).status).toBe(401)
    const refused = await visitor.submit(page, { password }, 1)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "900"])
    expect(refused.text).toContain("Too many log-ins failed for this e-mail address. Try again in 15 minutes.")
    expect((await new Visitor(app).submit(page, { password }, 1)).text).toContain("You have joined")
  })
})

describe("password reset page", () => {
  it("shows the same page for every address, and mails a link only to an address with an account", async () => {
    const { email } = await register(app)
    const visitor = new Visitor(app)
    const page = await visitor.open("http://sheaf.test/password/reset")
    expect(page.status).toBe(200)
    expectSafe(page)
    const [known, nobody] = [
      await visitor.submit(page, { email: ` ${email} ` }),
      await visitor.submit(page, { email: "nobody@sheaf.test" })
    ]
    expectSafe(known)
    expect(known.text).toContain(`You entered ${email}`)
    expect(known.html.replaceAll(email, "nobody@sheaf.test")).toBe(nobody.html)
    await linkTo("reset", email)
    const blank = await visitor.submit(page, { email: " " })
    expect([blank.status, blank.text]).toEqual([422, expect.stringContaining("The e-mail address must not be blank.")])
  })

  it("changes the password once, as POST /auth/reset does; opening the page does not use up the link", async () => {
    const person = await register(app)
    await unsigned(app, "/auth/forgot", { email: person.email })
    const link = await linkTo("reset", person.email)
    const visitor = new Visitor(app)
    for (const method of ["HEAD", "GET", "GET"]) {
      const origin = new URL(app.url).origin
      expect((await fetch(link.replace("http://sheaf.test", origin), { method })).status).toBe(200)
    }
    const page = await visitor.open(link)
    expectSafe(page)
    expect(page.forms[0]!.fields).toEqual({ email: person.email, new_password: "" })
    expect(page.html).toMatch(/name="email" autocomplete="username"[^>]* readonly/)
    expect(page.html).toMatch(/name="new_password" autocomplete="new-password"/)
    for (const [new_password, shown] of [
      ["short", "The new password must be at least 10 characters."],
      ["basketball", "The new password is easily guessed."],
      ["x".repeat(201), "The new password must be at most 200 characters."]
    ] as const) {
      const refused = await visitor.submit(page, { new_password })
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(shown)])
      expect(refused.html).not.toContain(`"${new_password}"`)
    }
    const done = await visitor.submit(page, { new_password: "another password" })
    expect([done.status, done.forms]).toEqual([200, []])
    expect(done.text).toContain("Your password has been changed")
    expectLinkToConsole(done)
    expectSafe(done)
    expect((await app.call("GET", "/me", undefined, person.headers)).status).toBe(401)
    await logIn(app, person.email, { password: "another password" })
    expect(await isProven(person)).toBe(true)
    for (const again of [await visitor.open(link), await visitor.submit(page, { new_password: "a third password" })]) {
      expect([again.status, again.text]).toEqual([404, expect.stringContaining("This link does not work")])
      expectSafe(again)
      // The page offers to request another mail.
      expect(again.forms).toEqual([{ action: "http://sheaf.test/password/reset", fields: { email: "" } }])
    }
    await logIn(app, person.email, { password: "another password" })
  })

  it("counts requests with invalid tokens, and never refuses a valid token", async () => {
    const { email } = await register(app)
    await unsigned(app, "/auth/forgot", { email })
    const visitor = new Visitor(app)
    const statuses = []
    for (let n = 0; n < 21; n++)
      statuses.push((await visitor.open(`http://sheaf.test/password/reset?token=${unknown("sfp")}`)).status)
    expect(statuses).toEqual([...Array(20).fill(404), 429])
    expect((await visitor.open(await linkTo("reset", email))).status).toBe(200)
  })

  it("counts invalid tokens of invitations too", async () => {
    const visitor = new Visitor(app)
    const open = async () => (await visitor.open(`http://sheaf.test/invitations/accept?token=${unknown("sfi")}`)).status
    const statuses = []
    for (let n = 0; n < 21; n++) statuses.push(await open())
    expect(statuses).toEqual([...Array(20).fill(404), 429])
  })
})

describe("email confirmation", () => {
  it("is mailed at registration; the address is proven only when the button on the page is pressed", async () => {
    const person = await register(app)
    const link = await linkTo("confirmation", person.email)
    const visitor = new Visitor(app)
    const page = await visitor.open(link)
    expect(page.status).toBe(200)
    expectSafe(page)
    expect(page.text).toContain(person.email)
    expect(await isProven(person)).toBe(false)
    const { answer: done, statements } = await statementsOf(app, /email_confirmations|password/, () =>
      visitor.submit(page)
    )
    expect([done.status, done.forms]).toEqual([200, []])
    expect(done.text).toContain("Your address is confirmed")
    expectLinkToConsole(done)
    expect(statements.length).toBeGreaterThan(0)
    expect(await isProven(person)).toBe(true)
    const audited = `SELECT actor_id, ip FROM audit_entries WHERE workspace_id = $1 AND action = 'auth.email_confirmed'`
    expect(await app.sql(audited, [person.workspace_id])).toHaveLength(1)
    // Repeating the confirmation shows the same page and changes nothing.
    for (const again of [await visitor.open(link), await visitor.submit(page)]) {
      expect([again.status, again.text]).toEqual([200, done.text])
    }
    expect(await app.sql(audited, [person.workspace_id])).toHaveLength(1)
  })

  it("stores only a digest of the token", async () => {
    const person = await register(app)
    const token = new URL(await linkTo("confirmation", person.email)).searchParams.get("token")!
    const rows = await app.sql("SELECT * FROM email_confirmations WHERE user_id = $1", [person.user_id])
    expect(rows).toMatchObject([{ hash: Tokens.digestOf(token), expires_at: "2026-03-08T12:00:00.000Z" }])
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it("mails a link to a new address; links to an earlier address stay void, even when that address returns", async () => {
    const person = await register(app)
    const first = await linkTo("confirmation", person.email)
    const email = fresh()
    const change = (address: string) =>
      app.call("PATCH", "/me", { email: address, current_password: password }, person.headers)
    expect((await change(email)).status).toBe(200)
    const second = await linkTo("confirmation", email)
    const visitor = new Visitor(app)
    expect((await visitor.open(first)).status).toBe(404)
    expect((await visitor.post(first, "")).status).toBe(404)
    await visitor.submit(await visitor.open(second))
    expect(await isProven(person)).toBe(true)
    await change(person.email)
    expect(await isProven(person)).toBe(false)
    for (const old of [first, second]) expect((await visitor.post(old, "")).status).toBe(404)
    expect(await isProven(person)).toBe(false)
    await visitor.submit(await visitor.open(await linkTo("confirmation", person.email, 2)))
    expect(await isProven(person)).toBe(true)
  })

  it("mails another link only to an unconfirmed address, and shows the same page for every address", async () => {
    const person = await register(app)
    await linkTo("confirmation", person.email)
    const confirmed = await register(app)
    const visitor = new Visitor(app)
    await visitor.submit(await visitor.open(await linkTo("confirmation", confirmed.email)))
    const page = await visitor.open("http://sheaf.test/email/confirm")
    expectSafe(page)
    const answers = []
    for (const email of [confirmed.email, "nobody@sheaf.test", person.email]) {
      answers.push((await visitor.submit(page, { email })).html.replaceAll(email, "…"))
    }
    expect(new Set(answers).size).toBe(1)
    const statements = async (email: string) =>
      (
        await statementsOf(app, /users|email_confirmations|mails/, () => visitor.submit(page, { email }))
      ).statements.filter((text) => text.includes("email_proven"))
    expect(await statements("nobody@sheaf.test")).toEqual(await statements(confirmed.email))
    await visitor.submit(await visitor.open(await linkTo("confirmation", person.email, 2)))
    expect(await isProven(person)).toBe(true)
    expect(linksTo("confirmation", confirmed.email)).toHaveLength(1)
  })

  it("offers to request another mail when a link does not work", async () => {
    const visitor = new Visitor(app)
    for (const token of [unknown("sfc"), unknown("sfp"), "x", ""]) {
      const page = await visitor.open(`http://sheaf.test/email/confirm?token=${token}`)
      expect([page.status, page.forms]).toEqual([
        404,
        [{ action: "http://sheaf.test/email/confirm", fields: { email: "" } }]
      ])
      expectSafe(page)
    }
  })

  it("sends at most five mails an hour to one address, from whatever client", async () => {
    const person = await register(app)
    const page = await new Visitor(app).open("http://sheaf.test/email/confirm")
    for (let n = 0; n < 8; n++) {
      const { status, text } = await new Visitor(app).submit(page, { email: person.email })
      expect([status, text]).toEqual([200, expect.stringContaining("Check your inbox")])
    }
    expect(await linkTo("confirmation", person.email, 5)).toBeDefined()
    const other = await register(app)
    const from = new Visitor(app)
    for (let n = 0; n < 21; n++) await from.submit(page, { email: "nobody@sheaf.test" })
    // This network has reached its limit of requests.
    await from.submit(page, { email: other.email })
    await new Visitor(app).submit(page, { email: other.email })
    await linkTo("confirmation", other.email, 2)
    expect([linksTo("confirmation", person.email).length, linksTo("confirmation", other.email).length]).toEqual([5, 2])
  })

  it("rejects a repeated change to the same address with 429, and sends no mail", async () => {
    const person = await register(app)
    const [one, two] = [fresh(), fresh()]
    const change = (email: string) =>
      app.call(
        "PATCH",
        "/me",
        { email, current_password: password },
        { ...person.headers, "x-forwarded-for": "192.0.2.77" }
      )
    for (let n = 0; n < 5; n++) for (const email of [one, two]) expect((await change(email)).status).toBe(200)
    const refused = await change(one)
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"])
    expect((await app.call("GET", "/me", undefined, person.headers)).body.email).toBe(two)
  })
})

describe("expired links", () => {
  it("show an error, and offer to request another mail where possible", async () => {
    const owner = await register(app)
    const inviter = await register(app)
    await app.sql("UPDATE users SET email_proven = true WHERE id = $1", [inviter.user_id])
    const email = fresh()
    await unsigned(app, "/auth/forgot", { email: owner.email })
    await app.call("POST", `/workspaces/${inviter.workspace_id}/invitations`, { email }, inviter.headers)
    const visitor = new Visitor(app)
    const reset = await linkTo("reset", owner.email)
    const [invitation, confirmation] = [await linkTo("invitation", email), await linkTo("confirmation", owner.email)]
    const asked = await visitor.open(confirmation)
    // The hourly jobs delete expired rows; the next run is due after the links expire.
    const pass = async (minutes: number) => {
      await app.advance(`${minutes} minutes`)
      await app.idle()
    }
    await pass(30)
    await app.advance("30 minutes")
    const late = await visitor.open(reset)
    expect([late.status, late.text]).toEqual([410, expect.stringContaining("This link has expired")])
    expect(late.forms).toEqual([{ action: "http://sheaf.test/password/reset", fields: { email: "" } }])
    expectSafe(late)
    await app.idle()
    expect((await visitor.open(confirmation)).status).toBe(200)
    await pass(7 * 24 * 60 - 61)
    await app.advance("1 minute")
    for (const page of [await visitor.open(confirmation), await visitor.submit(asked)]) {
      expect([page.status, page.text]).toEqual([410, expect.stringContaining("This link has expired")])
      expect(page.forms).toEqual([{ action: "http://sheaf.test/email/confirm", fields: { email: "" } }])
    }
    expect(await isProven(owner)).toBe(false)
    const over = await visitor.open(invitation)
    expect([over.status, over.text]).toEqual([410, expect.stringContaining("The invitation has expired")])
    expectSafe(over)
    await pass(60)
    expect(await app.sql("SELECT user_id FROM email_confirmations")).toEqual([])
    expect((await visitor.open(confirmation)).status).toBe(404)
  })
})

describe("registration by invitation only, without outgoing mail", () => {
  let closed: TestApp
  let owner: Person

  beforeAll(async () => {
    closed = await startApp({
      settings: {
        policies: { ...policyDefaults, signUp: "invite", ownedWorkspaces: 1 },
        bootstrapPassword: Redacted.make(password)
      }
    })
    owner = await logIn(closed, "owner@sheaf.test")
  })
  afterAll(() => closed.stop())

  const invite = async (email: string, role: string): Promise<string> =>
    (await closed.call("POST", `/workspaces/${owner.workspace_id}/invitations`, { email, role }, owner.headers)).body
      .accept_url

  it("creates an account from the link that the inviter received, and confirms its address by mail", async () => {
    const email = fresh()
    const visitor = new Visitor(closed)
    const done = await visitor.submit(await visitor.open(await invite(email, "editor")), { password })
    expect([done.status, done.text]).toEqual([200, expect.stringContaining("You have joined")])
    const person = await logIn(closed, email)
    const proven = async () => (await closed.sql("SELECT email_proven FROM users WHERE id = $1", [person.user_id]))[0]
    expect(await proven()).toEqual({ email_proven: false })
    const [mail] = await confirmationsTo(closed, email)
    await visitor.submit(await visitor.open(linksIn(mail!)[0]!))
    expect(await proven()).toEqual({ email_proven: true })
  })

  it("reports when the account was created but the invitation could not be accepted", async () => {
    const email = fresh()
    const visitor = new Visitor(closed)
    const page = await visitor.open(await invite(email, "owner"))
    const made = await visitor.submit(page, { password })
    expect([made.status, made.forms]).toEqual([200, []])
    expect(made.text).toContain("Your account is ready")
    expectLinkToConsole(made)
    expect(made.text).toContain("A user owns at most 1 workspaces.")
    expectSafe(made)
    await logIn(closed, email)
    const refused = await visitor.submit(page, { password }, 1)
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("A user owns at most 1 workspaces.")])
  })
})

describe("PUBLIC_URL with a path, and a Host header of another site", () => {
  it("keeps links and forms below PUBLIC_URL", async () => {
    const settings = {
      publicUrl: "http://sheaf.test/notes",
      smtpUrl: Redacted.make(`smtp://127.0.0.1:${sink.port}`),
      mailFrom: "sheaf@sheaf.test"
    }
    const below = await startApp({ databaseOf: app, settings })
    const page = await raw(
      below.url,
      request("GET /password/reset?token=x", { host: "evil.test", "x-forwarded-host": "evil.test" })
    )
    expect(page.body.toString()).toContain('action="/notes/password/reset"')
    expect(page.body.toString()).not.toContain("evil")
    const { email } = await register(below)
    expect(await linkTo("confirmation", email)).toMatch(/^http:\/\/sheaf\.test\/notes\/email\/confirm\?token=sfc_/)
    await below.stop()
  })
})
