import { Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { emailKey, isEmail } from "../../services/Email.ts"
import { expectPeopleInOrder } from "../support/people/PeopleTruth.ts"
import { mailTo } from "../support/people/Mail.ts"
import { logIn, password, register } from "../support/people/People.ts"
import { SmtpSink } from "../support/servers/SmtpSink.ts"
import { startApp, type TestApp } from "../support/TestApp.ts"
import { type Ask, asking } from "../support/hostile/asking.ts"
import { BadInput, missing } from "../support/hostile/BadInput.ts"
import { each } from "../support/hostile/Sound.ts"
import { sampled } from "../support/Slow.ts"

let app: TestApp
let sink: SmtpSink
/** An App that sends mails by SMTP; the other App writes them into its outbox. */
let mailing: TestApp
let ask: Ask

beforeAll(async () => {
  sink = await SmtpSink.start()
  const settings = { trustedProxies: ["127.0.0.1"] }
  app = await startApp({ settings })
  mailing = await startApp({ settings: { ...settings, smtpUrl: Redacted.make(`smtp://127.0.0.1:${sink.port}`) } })
  ask = asking(app)
})
afterAll(async () => {
  await Promise.all([app.stop(), mailing.stop()])
  await sink.stop()
})

describe("e-mail addresses", () => {
  const alike: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
    ["Zoë@Example.org", "zoe\u0308@example.org", "ZOË@EXAMPLE.ORG", "ｚｏë@ｅｘａｍｐｌｅ.org"],
    ["x@bücher.example", "x@xn--bcher-kva.example", "X@BÜCHER.EXAMPLE", "x@bu\u0308cher.example"],
    ["office@example.org", "oﬃce@example.org", "OFFICE@example.org"],
    ["kelvin@example.org", "\u212aelvin@example.org"],
    ["用户@例子.广告", "用户@xn--fsqu00a.xn--4rr70v", "用户@例子。广告"],
    ["पता@उदाहरण.example", "पता@XN--p1b6ci4b4b3a.example"]
  ]
  const different = [
    "paypal@example.org",
    "pаypal@example.org",
    "paypa1@example.org",
    "paypaI@example.com",
    "paypal@exаmple.org",
    "user+tag@example.org",
    "user@example.org",
    "us.er@example.org",
    "user@example.co",
    "ı@example.org",
    "i@example.org",
    "strasse@example.org",
    "straße@example.org",
    "x@fass.example",
    "x@faß.example",
    "o@example.org",
    "ο@example.org",
    "0@example.org"
  ]

  it.each(alike)("are equal if the documented rule says so: %s", async (first, ...spellings) => {
    expect((await ask("POST", "/auth/register", { email: first, password })).status).toBe(201)
    const { user_id } = await logIn(app, first)
    for (const email of spellings) {
      expect((await ask("POST", "/auth/register", { email, password })).body.code, email).toBe("already_exists")
      expect((await logIn(app, email)).user_id, email).toBe(user_id)
    }
  })

  it("are different if they only look alike", async () => {
    const ids = new Set<string>()
    for (const email of different) {
      const { body, status } = await ask("POST", "/auth/register", { email, password })
      expect(status, email).toBe(201)
      ids.add(body.user.id)
    }
    expect(ids.size).toBe(different.length)
  })

  it("have a key that is idempotent for all letters", () => {
    const wrong: Array<string> = []
    for (let point = 33; point < 0x20000; point++) {
      const email = `a${String.fromCodePoint(point)}b@example.org`
      if (!isEmail(email)) continue
      const key = emailKey(email)
      if (emailKey(key) !== key) wrong.push(`U+${point.toString(16)}`)
    }
    expect(wrong).toEqual([])
  })

  it.each([
    // Quoted names, literals, and more or less than one address.
    `"quoted"@example.org`,
    `"a@b"@example.org`,
    "a@[127.0.0.1]",
    "a@[IPv6:::1]",
    "a@[::1]",
    "a@b@example.org",
    "@example.org",
    "a@",
    "<a@example.org>",
    "A <a@example.org>",
    "a@example.org,b@example.org",
    "a;b@example.org",
    // Dots, hyphens and lengths.
    "a@.example.org",
    "a@example..org",
    "a@-example.org",
    "a@example-.org",
    ".a@example.org",
    "a.@example.org",
    "a..b@example.org",
    `${"a".repeat(65)}@example.org`,
    `a@${"b".repeat(64)}.org`,
    `a@${"b.".repeat(126)}org`,
    // White space, line breaks, and invisible characters.
    "a b@example.org",
    "a@exa mple.org",
    "a\t@example.org",
    "a\nb@example.org",
    "a@example.org\r\nBcc: victim@example.org",
    "a@example.org\0",
    "a\0@example.org",
    "a@\u200bexample.org",
    "a\u202e@example.org",
    "a\u034f@example.org",
    "a\u3164@example.org",
    "a\ufe0f@example.org",
    "a@exa\u00admple.org",
    "a@exa\u034fmple.org",
    "\ud800@example.org",
    "a@\ud800.org",
    // Characters that a URL parser would interpret as another host.
    "a@exa_mple.org",
    "a@example.org/x",
    "a@example.org?x",
    "a@example.org#x",
    "a@example.org\\x",
    "a@exa%6Dple.org",
    "a@example.org:25",
    "a@1.2.3.4",
    "a@1.2.3.4.5@",
    "a@0x7f.1",
    "a@2130706433"
  ])("register no user when they are invalid: %j", async (email) => {
    const { body, status } = await ask("POST", "/auth/register", { email, password })
    expect([status, body.errors?.[0].field]).toEqual([422, "email"])
    expect((await ask("POST", "/auth/login", { email, password })).status).toBeGreaterThanOrEqual(401)
    expect([200, 422]).toContain((await ask("POST", "/auth/forgot", { email })).status)
  })

  it.skipIf(missing !== "")(`made of naughty strings are stored unchanged, or refused${missing}`, async () => {
    const strings = [...BadInput.naughty, ...BadInput.unicode.map(({ s }) => s), "\0", "a\0b", "\ud800", "__proto__"]
    await each(sampled(strings, 50), async (text) => {
      for (const email of [text, `${text}@example.org`, `a@${text}`]) {
        const made = await ask("POST", "/auth/register", { email, password, name: text, device: { name: text } })
        if (made.status === 201) {
          expect(made.body.user.email).toBe(email)
          const back = await ask("POST", "/auth/login", { email, password })
          expect(back.body.user?.id, JSON.stringify(email)).toBe(made.body.user.id)
        } else expect([409, 422], JSON.stringify(email)).toContain(made.status)
      }
      await ask("POST", "/auth/login", { email: text, password: text })
      await ask("POST", "/auth/forgot", { email: text })
      await ask("POST", "/auth/refresh", { refresh_token: text })
      await ask("POST", "/auth/reset", { token: text, new_password: password })
    })
  })
})

describe("user and workspace names in mails", () => {
  const hostile = [
    "Eve\r\nBcc: victim@example.org",
    "Eve\nTo: victim@example.org",
    "Eve\r\n\r\nA body of my own",
    "Eve\rSubject: x",
    "Eve\u2028Bcc: victim@example.org",
    "=?utf-8?q?Eve=0D=0ABcc:_victim@example.org?=",
    `Eve" <victim@example.org>`,
    "\u202eevE",
    "Eve\u0085Bcc: victim@example.org",
    "Eve\r\n.\r\nMAIL FROM:<eve@example.org>"
  ]

  /** A user with this name sends an invitation to a workspace with this name. */
  const invite = async (at: TestApp, name: string, email: string) => {
    const owner = await register(at, { name })
    await at.sql("UPDATE users SET email_proven = true WHERE id = $1", [owner.user_id])
    const { body } = await asking(at)("POST", "/workspaces", { name }, owner.headers)
    const sent = await asking(at)("POST", `/workspaces/${body.id}/invitations`, { email }, owner.headers)
    expect(sent.status, name).toBe(201)
  }

  const fields = (raw: string) =>
    raw
      .slice(0, raw.indexOf("\r\n\r\n"))
      .replaceAll(/\r\n(?=[ \t])/g, "")
      .split("\r\n")
      .map((line) => line.split(":", 1)[0])
      .toSorted()

  /** Checks that the headers are the same as in any other mail. */
  const expectPlain = (raw: string, email: string, plain: string) => {
    expect(fields(raw)).toEqual(fields(plain))
    expect(raw.match(/^To: .*$/gm)).toEqual([`To: ${email}`])
    // Quoted-printable breaks long lines anywhere.
    expect(raw.replaceAll("=\r\n", "")).not.toMatch(/^(Bcc|MAIL FROM)/im)
  }

  it("inject nothing into mails in the outbox", async () => {
    await invite(app, "Eve", "plain@example.org")
    const [plain] = await mailTo(app, "plain@example.org")
    for (const [index, name] of hostile.entries()) {
      const email = `outbox-${index}@example.org`
      await invite(app, name, email)
      const mails = await mailTo(app, email)
      expect(mails).toHaveLength(1)
      expectPlain(mails[0]!.raw, email, plain!.raw)
      expect(mails[0]!.text.match(/sfi_\w+/g)).toHaveLength(1)
    }
    expect(await mailTo(app, "victim@example.org", 0)).toEqual([])
  })

  it("inject nothing into mails sent by SMTP, and add no recipient", async () => {
    const [plain, ...emails] = ["plain@example.org", ...hostile.map((_, index) => `smtp-${index}@example.org`)] as const
    await invite(mailing, "Eve", plain!)
    for (const [index, name] of hostile.entries()) await invite(mailing, name, emails[index]!)
    const of = (email: string) => sink.received.filter(({ to }) => to.includes(email))
    await sink.until("one mail to each address", () => [plain!, ...emails].every((email) => of(email).length > 0))
    for (const email of emails) {
      expect(of(email).map(({ to }) => to)).toEqual([[email]])
      expectPlain(of(email)[0]!.raw, email, of(plain!)[0]!.raw)
    }
    expect(sink.tried.filter((address) => address.includes("victim"))).toEqual([])
  })
})

it("leaves users and workspaces consistent", async () => {
  for (const each of [app, mailing]) await expectPeopleInOrder(each)
})

describe("white space around an e-mail address", () => {
  it.each([" ", "\t", "\r\n", "\u00a0", "\u3000", "\u2003", "\ufeff", " \u0085\u2028 "])(
    "is removed: %j",
    async (blank) => {
      const name = `blank-${blank.codePointAt(0)}-${blank.length}@example.org`
      const around = `${blank}${name}${blank}`
      const registered = await app.call("POST", "/auth/register", { email: around, password }, { authorization: "" })
      expect([registered.status, registered.body.user?.email]).toEqual([201, name])
      const loggedIn = await app.call("POST", "/auth/login", { email: around, password }, { authorization: "" })
      expect(loggedIn.status).toBe(200)
      expect((await app.call("POST", "/auth/forgot", { email: around }, { authorization: "" })).status).toBe(200)
      const path = `/workspaces/${app.workspace_id}/invitations`
      const invited = await app.call("POST", path, { email: `${blank}invited-${name}${blank}` })
      expect([invited.status, invited.body.email]).toEqual([201, `invited-${name}`])
      const headers = { authorization: `Bearer ${loggedIn.body.access_token}` }
      const moved = { email: `${blank}moved-${name}`, current_password: password }
      expect((await app.call("PATCH", "/me", moved, headers)).body.email).toBe(`moved-${name}`)
    }
  )

  it("is no valid address, and is not allowed within one", async () => {
    for (const email of [
      " ",
      "\u3000",
      "a @example.org",
      "a@ example.org",
      "a\u00a0b@example.org",
      "-f@b.example",
      "a%0d%0A@b.example"
    ]) {
      const { status } = await app.call("POST", "/auth/register", { email, password }, { authorization: "" })
      expect([email, status]).toEqual([email, 422])
    }
  })
})
