import { Redacted } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { planDefaults, policyDefaults } from "../../../services/workspaces/Plans.ts"
import { type Guest, guest, password, register, tokenOf, unsigned } from "../../support/people/People.ts"
import { EventStream } from "../../support/EventStream.ts"
import { startApp, type ApiResponse, type TestApp, type TestAppOptions } from "../../support/TestApp.ts"

const apps: Array<TestApp> = []
afterEach(async () => {
  for (const app of apps.splice(0)) await app.stop()
})

const start = async (settings: TestAppOptions["settings"] = {}): Promise<TestApp> => {
  const app = await startApp({ settings })
  apps.push(app)
  return app
}

const names = ["ratelimit-policy", "ratelimit", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]

/** Returns the rate limit headers in one line. */
const limitHeaders = ({ headers }: Pick<ApiResponse, "headers">) => names.map((name) => headers.get(name)).join(" | ")

/** Returns the expected headers of a credential; `together` is the remainder of its workspace. */
const expected = (limit: number, remaining: number, reset: number, together = 4 * limit + remaining) =>
  [
    `"default";q=${limit};w=60, "workspace";q=${5 * limit};w=60`,
    `"default";r=${remaining};t=${reset}, "workspace";r=${together};t=${reset}`,
    ...(together < remaining ? [5 * limit, together, reset] : [limit, remaining, reset])
  ].join(" | ")

const none = names.map(() => "").join(" | ")

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
/** A well-formed key that does not exist, so that the database is queried. */
const wrong = bearer("sfk_000000000000000000000000000000000000")

describe("rate limit", () => {
  it("is returned in both generations of headers, counts down, and resets after a minute", async () => {
    const app = await start({ rateLimit: 5 })
    expect(limitHeaders(await app.call("GET", "/notebooks"))).toBe(expected(5, 4, 60))
    await app.advance("17500 millis")
    expect(limitHeaders(await app.call("GET", "/notebooks"))).toBe(expected(5, 3, 43))
    await app.advance("42 seconds")
    expect(limitHeaders(await app.call("GET", "/notebooks"))).toBe(expected(5, 2, 1))
    await app.advance("500 millis")
    expect(limitHeaders(await app.call("GET", "/notebooks"))).toBe(expected(5, 4, 60))
  })

  it("rejects further requests until the window ends, as announced in Retry-After", async () => {
    const app = await start({ rateLimit: 3 })
    for (let time = 0; time < 3; time++) expect((await app.call("GET", "/tags")).status).toBe(200)
    await app.advance("20 seconds")
    for (const path of ["/tags", "/notes/nt_missing"]) {
      const refused = await app.call("GET", path)
      expect(refused.status).toBe(429)
      expect(refused.body).toMatchObject({ code: "rate_limited", status: 429 })
      expect(refused.headers.get("retry-after")).toBe("40")
      expect(limitHeaders(refused)).toBe(expected(3, 0, 40))
    }
    expect((await app.call("POST", "/tags", { name: "refused" })).status).toBe(429)
    await app.advance("39 seconds")
    expect((await app.call("GET", "/tags")).headers.get("retry-after")).toBe("1")
    await app.advance("1 second")
    const after = await app.call("GET", "/tags")
    expect(after.body.data).toEqual([])
    expect(limitHeaders(after)).toBe(expected(3, 2, 60))
  })

  it("is in every response to a credential, whatever its status", async () => {
    const app = await start({ rateLimit: 100 })
    const reader = await guest(app, { role: "viewer", scopes: ["notes:read"] })
    const tag = await app.call("POST", "/tags", { name: "there" })
    const answers: ReadonlyArray<readonly [status: number, answer: ApiResponse]> = [
      [201, tag],
      [200, await app.call("HEAD", `/tags/${tag.body.id}`)],
      [304, await app.call("GET", `/tags/${tag.body.id}`, undefined, { "if-none-match": tag.headers.get("etag")! })],
      [400, await app.call("GET", "/tags?limit=0")],
      [400, await app.call("POST", "/tags", "{")],
      [404, await app.call("GET", "/tags/tg_missing")],
      [409, await app.call("POST", "/tags", { name: "there" })],
      [412, await app.call("DELETE", `/tags/${tag.body.id}`, undefined, { "if-match": `"other"` })],
      [415, await app.call("POST", "/tags", "x", { "content-type": "text/plain" })],
      [422, await app.call("POST", "/tags", {})]
    ]
    for (const [index, [status, answer]] of answers.entries()) {
      expect(answer.status).toBe(status)
      expect(limitHeaders(answer)).toBe(expected(100, 99 - index, 60))
    }
    const forbidden = await app.call("POST", "/tags", { name: "mine" }, reader.headers)
    expect(forbidden.status).toBe(403)
    expect(limitHeaders(forbidden)).toBe(expected(100, 99, 60, 489))
    const stream = await EventStream.open(app)
    expect(limitHeaders({ headers: new Headers(stream.headers as Record<string, string>) })).toBe(
      expected(100, 89, 60, 488)
    )
    await stream.close()
  })

  it("is not returned to unauthenticated requests", async () => {
    const app = await start({ rateLimit: 1 })
    for (const headers of [{ authorization: "" }, wrong]) {
      const answer = await app.call("GET", "/tags", undefined, headers)
      expect(answer.status).toBe(401)
      expect(limitHeaders(answer)).toBe(none)
    }
    for (let time = 0; time < 3; time++) {
      const answer = await app.call("GET", "/openapi.json", undefined, { authorization: "" })
      expect(answer.status).toBe(200)
      expect(limitHeaders(answer)).toBe(none)
    }
    expect((await app.call("GET", "/tags")).status).toBe(200)
  })

  it("can be read by scripts of other origins", async () => {
    const app = await start({ rateLimit: 10 })
    const { headers } = await app.call("GET", "/tags", undefined, { origin: "https://app.test" })
    const exposed = headers.get("access-control-expose-headers")!.toLowerCase().split(", ")
    expect(exposed).toEqual(expect.arrayContaining([...names, "retry-after"]))
    expect(limitHeaders({ headers })).toBe(expected(10, 9, 60))
  })

  it("is separate for each credential", async () => {
    const app = await start({ rateLimit: 2 })
    const other = await guest(app)
    for (let time = 0; time < 2; time++) await app.call("GET", "/tags")
    expect((await app.call("GET", "/tags")).status).toBe(429)
    expect(limitHeaders(await app.call("GET", "/tags", undefined, other.headers))).toBe(expected(2, 1, 60, 7))
  })

  it("is five times higher for all credentials of a workspace together, not counting refused requests", async () => {
    const app = await start({ rateLimit: 2 })
    const elsewhere = await guest(app, { elsewhere: true })
    const others = await Promise.all(Array.from({ length: 5 }, () => guest(app)))
    for (let time = 0; time < 20; time++) await app.call("GET", "/tags")
    for (const { headers } of others.slice(0, 4)) {
      for (let time = 0; time < 2; time++) expect((await app.call("GET", "/tags", undefined, headers)).status).toBe(200)
    }
    const refused = await app.call("GET", "/tags", undefined, others[4]!.headers)
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([429, "rate_limited", "60"])
    expect(refused.body.detail).toBe(
      "At most 10 requests a minute can be sent with all credentials of this workspace together"
    )
    expect(limitHeaders(refused)).toBe(expected(2, 1, 60, 0))
    expect((await app.call("GET", "/tags")).body.detail).toContain("with this credential")
    // A request for a workspace of which the caller is not a member does not count there.
    expect((await app.call("GET", "/tags", undefined, elsewhere.headers)).status).toBe(200)
    await app.advance("1 minute")
    const stranger = await register(app)
    const strange = await app.call("GET", "/tags", undefined, { ...stranger.headers, "workspace-id": app.workspace_id })
    expect(strange.status).toBe(404)
    expect(limitHeaders(await app.call("GET", "/tags"))).toBe(expected(2, 1, 60))
  })

  it("is that of the plan if the operator sets none", async () => {
    const app = await start({ rateLimit: undefined })
    const free = await guest(app, { elsewhere: true })
    expect(limitHeaders(await app.call("GET", "/tags"))).toBe(expected(6000, 5999, 60))
    expect(limitHeaders(await app.call("GET", "/tags", undefined, free.headers))).toBe(expected(1000, 999, 60))
  })

  it("is off with 0, except for invalid credentials", async () => {
    const app = await start({ rateLimit: 0 })
    expect(limitHeaders(await app.call("GET", "/tags"))).toBe(none)
    for (let time = 0; time < 20; time++) expect((await app.call("GET", "/tags", undefined, wrong)).status).toBe(401)
    const refused = await app.call("GET", "/tags", undefined, wrong)
    expect({ status: refused.status, code: refused.body.code, after: refused.headers.get("retry-after") }).toEqual({
      status: 429,
      code: "rate_limited",
      after: "60"
    })
  })
})

describe("invalid credentials", () => {
  it("block their address for a minute, except for valid credentials", async () => {
    const app = await start()
    for (let time = 0; time < 20; time++) await app.call("GET", "/tags", undefined, wrong)
    expect((await app.call("GET", "/tags", undefined, wrong)).status).toBe(429)
    expect((await app.call("GET", "/tags", undefined, bearer("nonsense"))).status).toBe(429)
    expect((await app.call("GET", "/tags")).status).toBe(200)
    expect((await app.call("GET", "/tags", undefined, { authorization: "" })).status).toBe(401)
    await app.advance("1 minute")
    expect((await app.call("GET", "/tags", undefined, wrong)).status).toBe(401)
  })

  it("are counted by the real address, whatever headers the client sends", async () => {
    const app = await start()
    const send = (time: number) =>
      app.call("GET", "/tags", undefined, {
        ...wrong,
        "x-forwarded-for": `198.51.100.${time}`,
        forwarded: `for=198.51.100.${time}`
      })
    for (let time = 0; time < 20; time++) expect((await send(time)).status).toBe(401)
    expect((await send(99)).status).toBe(429)
  })

  it("are counted for the client address from a trusted proxy, by /64 for IPv6", async () => {
    const app = await start({ trustedProxies: ["127.0.0.0/8"] })
    const send = (client: string) => app.call("GET", "/tags", undefined, { ...wrong, "x-forwarded-for": client })
    for (let time = 0; time < 20; time++) expect((await send(`2001:db8:0:1::${time}`)).status).toBe(401)
    expect((await send("2001:db8:0:1:2:3:4:5")).status).toBe(429)
    expect((await send("198.51.100.9, 2001:db8:0:1:2:3:4:6")).status).toBe(429)
    expect((await send("2001:db8:0:2::1")).status).toBe(401)
    expect((await send("2001:db8:0:1::1, 198.51.100.9")).status).toBe(401)
  })
})

describe("log-ins", () => {
  const mary = { email: "mary@sheaf.test", password: "correct horse battery" }

  const withMary = async () => {
    const app = await start({ trustedProxies: ["127.0.0.0/8"] })
    expect((await app.call("POST", "/auth/register", mary, { authorization: "" })).status).toBe(201)
    const logIn = async (password: string, client: string) => {
      const headers = { authorization: "", "x-forwarded-for": client }
      const answer = await app.call("POST", "/auth/login", { email: mary.email, password }, headers)
      return { status: answer.status, code: answer.body.code, after: answer.headers.get("retry-after") }
    }
    return { app, logIn }
  }

  it("are refused after ten wrong passwords from an address, even the right one, but not from other addresses", async () => {
    const { app, logIn } = await withMary()
    const throttled = { status: 429, code: "login_throttled", after: "900" }
    for (let time = 0; time < 10; time++) {
      const answer = await logIn("a wrong password", `2001:db8::${time}`)
      expect(answer).toMatchObject({ status: 401, code: "invalid_credentials" })
    }
    expect(await logIn("a wrong password", "2001:db8::ffff")).toEqual(throttled)
    expect(await logIn(mary.password, "2001:db8::ffff")).toEqual(throttled)
    expect((await logIn(mary.password, "2001:db8:0:1::1")).status).toBe(200)
    await app.advance("15 minutes")
    expect((await logIn(mary.password, "2001:db8::ffff")).status).toBe(200)
  })

  it("are never throttled with the right password, even concurrent ones", async () => {
    const { logIn } = await withMary()
    const answers = await Promise.all(Array.from({ length: 30 }, () => logIn(mary.password, "198.51.100.1")))
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200))
  })

  it("are throttled the same way when concurrent", async () => {
    const { logIn } = await withMary()
    const answers = await Promise.all(Array.from({ length: 30 }, () => logIn("a wrong password", "198.51.100.1")))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10)
    expect(answers.filter(({ code }) => code === "login_throttled")).toHaveLength(20)
  })
})

describe("invitations", () => {
  it("are limited by the hour and by the day per user, and per network if mail is sent; refused ones do not count", async () => {
    const few = { invitations_per_hour: 4, invitations_per_day: 20 }
    const limits = { ...planDefaults, free: { ...planDefaults.free, ...few } }
    const policies = { ...policyDefaults, signUp: "open" as const, limits }
    const smtpUrl = Redacted.make("smtp://127.0.0.1:9")
    const app = await start({
      rateLimit: 0,
      trustedProxies: ["127.0.0.1"],
      policies,
      smtpUrl,
      mailFrom: "sheaf@sheaf.test"
    })
    let sent = 0
    const invite = (who: Guest, ip: string, email = `invitee-${++sent}@sheaf.test`) =>
      app.call(
        "POST",
        `/workspaces/${who.workspace_id}/invitations`,
        { email },
        { ...who.headers, "x-forwarded-for": ip }
      )
    const [one, two] = [await guest(app, { elsewhere: true }), await guest(app, { elsewhere: true })]
    const times = async (count: number, who: Guest, ip: string) => {
      const answers = await Promise.all(Array.from({ length: count }, () => invite(who, ip)))
      return answers.filter(({ status }) => status === 201).length
    }
    expect(await times(3, one, "192.0.2.1")).toBe(3)
    for (let time = 0; time < 2; time++)
      expect((await invite(one, "192.0.2.1", "invitee-1@sheaf.test")).body.code).toBe("already_exists")
    // Also when concurrent, and from another network.
    expect(await times(3, one, "192.0.2.2")).toBe(1)
    const refused = await invite(one, "192.0.2.3")
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
      429,
      "rate_limited",
      "3600"
    ])
    // Another user of the network that has sent three invitations.
    expect(await times(3, two, "192.0.2.1")).toBe(1)
    expect(await times(1, two, "192.0.2.4")).toBe(1)
    const ids = [(await invite(two, "192.0.2.4")).body.id, (await invite(two, "192.0.2.4")).body.id]
    for (let hour = 0; hour < 4; hour++) {
      await app.advance("1 hour")
      expect(await times(5, one, "192.0.2.2")).toBe(4)
    }
    await app.advance("1 hour")
    expect(await times(1, one, "192.0.2.2")).toBe(0)
    // Sending an invitation again counts too.
    const resend = (id: string) =>
      app.call("POST", `/workspaces/${two.workspace_id}/invitations/${id}/resend`, undefined, {
        ...two.headers,
        "x-forwarded-for": "192.0.2.5"
      })
    for (let time = 0; time < 2; time++) for (const id of ids) expect((await resend(id)).status).toBe(200)
    expect((await invite(two, "192.0.2.5")).body.code).toBe("rate_limited")
    await app.advance("19 hours")
    await app.sql("DELETE FROM invitations WHERE workspace_id = $1", [one.workspace_id])
    expect(await times(1, one, "192.0.2.2")).toBe(1)
  })

  it("are not counted by network if no mail is sent", async () => {
    const app = await start({ rateLimit: 0, policies: { ...policyDefaults, signUp: "open" } })
    for (let user = 0; user < 2; user++) {
      const { headers, workspace_id } = await guest(app, { elsewhere: true })
      const path = `/workspaces/${workspace_id}/invitations`
      const statuses: Array<number> = []
      for (let time = 0; time < 21; time++) {
        statuses.push((await app.call("POST", path, { email: `invitee-${time}@sheaf.test` }, headers)).status)
      }
      expect(statuses).toEqual([...Array<number>(20).fill(201), 429])
    }
  })
})

describe("unauthenticated requests", () => {
  const at = (ip: string) => ({ "x-forwarded-for": ip })
  const settings = { rateLimit: 1000, trustedProxies: ["127.0.0.1"] }
  let names = 0
  const attempt = (app: TestApp, ip: string, input: object = {}) =>
    unsigned(app, "/auth/register", { email: `new-${++names}@sheaf.test`, password, ...input }, at(ip))

  it("can register 20 times an hour per network: refused requests count, invited users do not", async () => {
    const app = await start(settings)
    const token = tokenOf(
      await app.call("POST", `/workspaces/${app.workspace_id}/invitations`, { email: "invited@sheaf.test" })
    )
    expect((await attempt(app, "2001:db8::1", { email: "invited@sheaf.test", invitation_token: token })).status).toBe(
      201
    )
    for (let time = 0; time < 10; time++) expect((await attempt(app, "2001:db8::1")).status).toBe(201)
    for (let time = 0; time < 9; time++) {
      expect((await attempt(app, "2001:db8::2", { email: "invited@sheaf.test" })).status).toBe(409)
    }
    expect((await attempt(app, "2001:db8::3", { invitation_token: token })).body.code).not.toBe("rate_limited")
    const refused = await attempt(app, "2001:db8::4")
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
      429,
      "rate_limited",
      "3600"
    ])
    expect((await attempt(app, "2001:db8:0:1::1")).status).toBe(201)
    await app.advance("1 hour")
    expect((await attempt(app, "2001:db8::1")).status).toBe(201)
  })

  it("may refresh the tokens of a session 10 times a minute", async () => {
    const app = await start(settings)
    let token = (await register(app)).refresh
    const refresh = () => unsigned(app, "/auth/refresh", { refresh_token: token })
    for (let time = 0; time < 10; time++) token = (await refresh()).body.refresh_token
    const refused = await refresh()
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([429, "rate_limited", "60"])
    await app.advance("1 minute")
    expect((await refresh()).status).toBe(200)
  })

  it("are not limited if RATE_LIMIT is 0", async () => {
    const app = await start({ ...settings, rateLimit: 0 })
    let token = (await register(app)).refresh
    for (let time = 0; time < 25; time++) {
      expect((await attempt(app, "192.0.2.1")).status).toBe(201)
      const answer = await unsigned(app, "/auth/refresh", { refresh_token: token })
      expect(answer.status).toBe(200)
      token = answer.body.refresh_token
    }
  })
})
