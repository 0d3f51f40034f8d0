import { Effect, Redacted } from "effect"
import { isIP } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Operator } from "../../services/identity/operators/Operator.ts"
import { mailTo } from "../support/people/Mail.ts"
import { logIn, password, register, type Person } from "../support/people/People.ts"
import { Team } from "../support/people/Team.ts"
import { EventStream } from "../support/EventStream.ts"
import { expectPeopleInOrder } from "../support/people/PeopleTruth.ts"
import { type ApiResponse, startApp, type TestApp } from "../support/TestApp.ts"
import { sampled } from "../support/Slow.ts"
import { type Ask, asking } from "../support/hostile/asking.ts"
import { BadInput, missing } from "../support/hostile/BadInput.ts"
import { each } from "../support/hostile/Sound.ts"

let app: TestApp
/** An App of another operator, with another database and secret key. */
let other: TestApp
let ask: Ask

beforeAll(async () => {
  const settings = { trustedProxies: ["127.0.0.1"] }
  app = await startApp({ settings })
  other = await startApp({ settings: { ...settings, secretKey: Redacted.make(new Uint8Array(32).fill(8)) } })
  ask = asking(app)
})
afterAll(async () => {
  await Promise.all([app.stop(), other.stop()])
})

describe("locales and time zones", () => {
  const long = `en-x-${"abcdefgh-".repeat(5000)}a`
  const noTypes = [7, null, ["en"], {}]
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<unknown>]> = [
    [
      "locale",
      ["en", "de-AT", "zh-Hant-TW", "sr-Latn-RS", "en-US-u-hc-h12", "EN-us"],
      [
        "",
        " ",
        "C.UTF-8",
        "de_AT",
        "en-",
        "e",
        "-",
        "en--us",
        "i-klingon",
        "en\0",
        "en-US\r\n",
        "../en",
        "日本",
        long,
        ...noTypes
      ]
    ],
    [
      "timezone",
      ["UTC", "Europe/Vienna", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "asia/tokyo"],
      [
        "",
        " ",
        "+02:00",
        "-00",
        "Mars/Olympus",
        "Europe/Wien",
        "../../etc/passwd",
        "UTC\n",
        "localtime",
        "Europe/Vienna ",
        "UTC\0",
        "utc+1",
        "x".repeat(100_000),
        ...noTypes
      ]
    ]
  ]

  it.each(cases)("of %s are accepted if the runtime supports them", async (field, good, bad) => {
    const person = await register(app)
    for (const value of good) {
      const { body, status } = await ask("PATCH", "/me", { [field]: value }, person.headers)
      expect([status, typeof body[field]], String(value)).toEqual([200, "string"])
    }
    const before = (await ask("GET", "/me", undefined, person.headers)).body
    for (const value of [...bad, ...BadInput.naughty.filter((text) => !/^[A-Za-z]+$/.test(text))]) {
      const { body, status } = await ask("PATCH", "/me", { [field]: value }, person.headers)
      expect([status, body.errors?.[0].field], String(value).slice(0, 50)).toEqual([422, field])
    }
    expect((await ask("GET", "/me", undefined, person.headers)).body).toEqual(before)
  })
})

describe("tokens", () => {
  let person: Person
  /** A token of each kind. */
  let kinds: Readonly<Record<string, string>>

  beforeAll(async () => {
    const team = await Team.start(app)
    person = await register(app)
    const invited = await ask("POST", `/workspaces/${team.id}/invitations`, { email: person.email }, team.owner.headers)
    await ask("POST", "/auth/forgot", { email: person.email })
    const mails = await mailTo(app, person.email, 2)
    const key = await ask("POST", "/api-keys", { name: "kinds" }, person.headers)
    for (const name of ["one", "two"]) await ask("POST", "/notebooks", { name }, person.headers)
    kinds = {
      access: person.access,
      refresh: person.refresh,
      key: key.body.secret,
      invitation: new URL(invited.body.accept_url).searchParams.get("token")!,
      reset: mails.flatMap(({ text }) => /sfp_\w+/.exec(text) ?? [])[0]!,
      cursor: (await ask("GET", "/sync/cursor", undefined, person.headers)).body.cursor,
      page: (await ask("GET", "/notebooks?limit=1", undefined, person.headers)).body.next_cursor
    }
  })

  /** The operations that accept each kind of token, on our App or on another one, with its key. */
  const places: Readonly<Record<string, (token: string, at?: TestApp) => Promise<ApiResponse>>> = {
    access: (token, at = app) => asking(at)("GET", "/me", undefined, { authorization: `Bearer ${token}` }),
    invitation: (token, at) => signed(at)("POST", "/invitations/accept", { token }),
    register: (invitation_token, at = app) =>
      asking(at)("POST", "/auth/register", { email: `t${++made}@example.org`, password, invitation_token }),
    reset: (token, at = app) => asking(at)("POST", "/auth/reset", { token, new_password: password }),
    refresh: (refresh_token, at = app) => asking(at)("POST", "/auth/refresh", { refresh_token }),
    cursor: (cursor, at) => signed(at)("POST", "/sync/pull", { cursor }),
    page: (cursor, at) => signed(at)("GET", `/notebooks?${new URLSearchParams({ limit: "1", cursor })}`)
  }
  let made = 0
  /** Sends a request with a valid credential. */
  const signed = (at: TestApp | undefined) => (method: string, path: string, body?: unknown) =>
    asking(at ?? app)(method, path, body, at === undefined ? person.headers : { authorization: `Bearer ${at.key}` })
  const statusAt = async (place: string, token: string, at?: TestApp) => (await places[place]!(token, at)).status

  /** Whether an operation accepts a kind of token. */
  const belongs = (kind: string, place: string) => kind === place || (kind === "key" && place === "access")

  it("are accepted only for their own purpose", async () => {
    for (const [kind, token] of Object.entries(kinds)) {
      for (const place of Object.keys(places)) {
        if (belongs(kind, place)) continue
        // An invitation is for one address, which differs from the one that registers here.
        expect([400, 401, 403, 404, 409], `${kind} as ${place}`).toContain(await statusAt(place, token))
      }
      if (kind === "cursor") continue
      const stream = await EventStream.open(app, { last: token, headers: person.headers })
      await stream.ended()
      expect(stream.status, kind).toBe(400)
    }
  })

  it("are refused by another server", async () => {
    for (const [kind, token] of Object.entries(kinds)) {
      for (const place of Object.keys(places)) {
        expect([400, 401, 403, 404], `${kind} as ${place}`).toContain(await statusAt(place, token, other))
      }
    }
  })

  it("are refused when a character is missing, added or changed", async () => {
    for (const [kind, token] of Object.entries(kinds)) {
      const middle = Math.floor(token.length / 2)
      const changed = token[middle] === "a" ? "b" : "a"
      const turned = (text: string) => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase())
      const bad = [
        token.slice(0, -1),
        token.slice(1),
        token.slice(0, 4),
        token.slice(4),
        `${token}a`,
        `${token}${token}`,
        token.slice(0, middle) + changed + token.slice(middle + 1),
        turned(token),
        `${token}%00`,
        `${token},${token}`
      ]
      for (const place of Object.keys(places)) {
        if (!belongs(kind, place)) continue
        for (const text of bad) {
          expect([400, 401, 404, 422], `${text} as ${place}`).toContain(await statusAt(place, text))
        }
      }
    }
  })

  it.skipIf(missing !== "")(`are refused when they are naughty strings${missing}`, async () => {
    await each(
      BadInput.naughty.filter((text) => /^[\x21-\x7e]+$/.test(text)),
      async (text) => {
        for (const authorization of [`Bearer ${text}`, text]) {
          expect((await ask("GET", "/me", undefined, { authorization })).status, text).toBe(401)
        }
      }
    )
    await each(sampled([...BadInput.naughty, ...BadInput.unicode.map(({ s }) => s)], 50), async (token) => {
      for (const body of [{ token }, { token: [token] }, { token: { token } }]) {
        expect([404, 422]).toContain((await ask("POST", "/invitations/accept", body, person.headers)).status)
      }
    })
  })

  it("still work afterwards for their own purpose, once each", async () => {
    expect(await statusAt("access", kinds["access"]!)).toBe(200)
    expect(await statusAt("access", kinds["key"]!)).toBe(200)
    expect(await statusAt("cursor", kinds["cursor"]!)).toBe(201)
    expect(await statusAt("page", kinds["page"]!)).toBe(200)
    expect(await statusAt("invitation", kinds["invitation"]!)).toBe(200)
    expect(await statusAt("refresh", kinds["refresh"]!)).toBe(200)
    expect(await statusAt("reset", kinds["reset"]!)).toBe(200)
    expect(await statusAt("reset", kinds["reset"]!)).toBe(401)
    expect(await statusAt("access", kinds["access"]!)).toBe(401)
  })

  it("of a deleted user are refused", async () => {
    const team = await Team.start(app)
    const gone = await team.key("editor")
    const session = await logIn(app, gone.email)
    await ask("POST", "/auth/forgot", { email: gone.email })
    const [mail] = await mailTo(app, gone.email)
    const stream = await EventStream.open(app, { headers: gone.headers })
    await stream.until(() => stream.events.length > 0)
    const deletion = Effect.flatMap(Effect.service(Operator), (operator) => operator.deleteUser(gone.email))
    await app.run(Effect.provide(deletion, Operator.layer))
    await stream.ended()
    for (const { headers } of [gone, session]) expect((await ask("GET", "/me", undefined, headers)).status).toBe(401)
    expect(await statusAt("refresh", session.refresh)).toBe(401)
    expect(await statusAt("reset", /sfp_\w+/.exec(mail!.text)![0])).toBe(401)
    expect((await ask("POST", "/auth/login", { email: gone.email, password })).body.code).toBe("invalid_credentials")
    const again = await register(app, { email: gone.email })
    expect(again.user_id).not.toBe(gone.user_id)
    expect((await ask("GET", "/notes", undefined, { ...again.headers, "workspace-id": team.id })).status).toBe(404)
  })
})

describe("identity headers", () => {
  const absurd = [
    "",
    " ",
    ",",
    "unknown",
    "nonsense",
    "' OR 1=1 --",
    "../../ws_",
    "ws_",
    "null",
    "undefined",
    "0",
    "-1",
    "[]",
    "{}",
    "%00",
    "x".repeat(8000),
    "ws_\u00e9",
    "sy_",
    `sy_${"0".repeat(15)}`,
    `sy_${"0".repeat(41)}`,
    "sy_ 0000000000000000",
    ...BadInput.naughty.filter((text) => /^[\x20-\x7e]{1,500}$/.test(text))
  ]

  it("give access only to a workspace of the caller", async () => {
    const person = await register(app)
    const key = { authorization: `Bearer ${app.key}` }
    await each(absurd, async (text) => {
      const { status } = await ask("GET", "/notes", undefined, { ...person.headers, "workspace-id": text })
      expect(status, text).toBe(404)
      const byKey = await ask("GET", "/notes", undefined, { ...key, "workspace-id": text })
      expect(byKey.body.code, text).toBe("workspace_mismatch")
    })
  })

  it("are refused when the device id is invalid", async () => {
    const key = { authorization: `Bearer ${app.key}` }
    await each(absurd, async (text) => {
      const { body, status } = await ask("POST", "/sync/pull", {}, { ...key, "device-id": text })
      expect([status, body.code], text).toEqual([400, "invalid_header"])
    })
  })

  it("set the client address only when sent by a trusted proxy", async () => {
    const forged = [
      "1.2.3.4",
      "",
      ",",
      "unknown",
      "_hidden",
      "999.1.1.1",
      "1.2.3.4.5",
      "::1%eth0",
      "[::1]:99999",
      "1.2.3.4\t",
      "'; DROP TABLE users",
      "for=1.2.3.4",
      "2001:db8::1",
      "1.2.3.4, 127.0.0.1",
      `${"9.9.9.9, ".repeat(2000)}1.1.1.1`,
      "0x7f000001",
      "2130706433"
    ]
    const names = ["x-forwarded-for", "forwarded", "x-real-ip", "client-ip", "true-client-ip", "cf-connecting-ip"]
    const { email } = await register(app)
    /** The client address of a log-in, according to the server. */
    const seenFrom = async (at: TestApp, header: Record<string, string>) => {
      const entry = await asking(at)("POST", "/auth/login", { email, password }, { "x-forwarded-for": "", ...header })
      const authorization = `Bearer ${entry.body.access_token}`
      const { body } = await asking(at)("GET", "/me/sessions?limit=100", undefined, { authorization })
      return body.data.find(({ current }: any) => current).ip
    }
    const direct = await startApp({ databaseOf: app, settings: { trustedProxies: ["10.0.0.0/8"] } })
    try {
      for (const value of forged) {
        // All at once, unless they would be longer than headers may be.
        const requests = value.length > 1_000 ? names.map((name) => [name]) : [names]
        for (const sent of requests) {
          const header = Object.fromEntries(sent.map((name) => [name, value]))
          expect(await seenFrom(direct, header), `${sent.join()}: ${value}`).toBe("127.0.0.1")
        }
        expect(isIP(await seenFrom(app, { "x-forwarded-for": value })), value).toBeGreaterThan(0)
      }
      expect(await seenFrom(app, { "x-forwarded-for": "9.9.9.9, 1.2.3.4" })).toBe("1.2.3.4")
    } finally {
      await direct.stop()
    }
  })
})

describe("scopes", () => {
  it.each([
    "notes:*",
    "*",
    "",
    " ",
    "NOTES:READ",
    "notes:read ",
    "notes",
    "notes:admin",
    "admin",
    "owner",
    "__proto__",
    "notes:read\0",
    "notes:read notes:write",
    7,
    null,
    {},
    ["notes:read"]
  ])("create no key when they are unknown: %j", async (scope) => {
    const headers = { authorization: `Bearer ${app.key}` }
    const { body, status } = await ask("POST", "/api-keys", { name: "x", scopes: ["notes:read", scope] }, headers)
    expect([status, body.errors?.[0].field]).toEqual([422, "scopes.1"])
  })

  it("create no key when there are too many, and are deduplicated", async () => {
    const headers = { authorization: `Bearer ${app.key}` }
    const many = await ask("POST", "/api-keys", { name: "x", scopes: Array(10_000).fill("notes:read") }, headers)
    expect(many.status).toBe(422)
    const twice = await ask("POST", "/api-keys", { name: "x", scopes: ["notes:read", "notes:read"] }, headers)
    expect(twice.body.scopes).toEqual(["notes:read"])
    const none = await ask("POST", "/api-keys", { name: "x", scopes: [] }, headers)
    expect([none.status, none.body.errors[0].field]).toEqual([422, "scopes"])
  })
})

it("leaves users and workspaces consistent", async () => {
  for (const each of [app, other]) await expectPeopleInOrder(each)
})
