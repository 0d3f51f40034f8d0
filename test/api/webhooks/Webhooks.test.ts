import { Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { acceptKey } from "../../support/acceptKey.ts"
import { guest } from "../../support/people/People.ts"
import { HookSink, verified } from "../../support/servers/HookSink.ts"
import { Team } from "../../support/people/Team.ts"
import { epoch, startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { act, app } = useApp({ settings: { webhookAllow: ["127.0.0.1"] } })
let sink: HookSink
beforeAll(async () => {
  sink = await HookSink.start()
})
afterAll(() => sink.stop())

type Headers = Record<string, string>
const url = "https://hooks.example.com/in?token=t0ken"
const make = async (input: object = {}, headers: Headers = {}) =>
  (await app.call("POST", "/webhooks", { url, events: ["note.*"], active: false, ...input }, headers)).body
const get = (id: string, headers: Headers = {}) => app.call("GET", `/webhooks/${id}`, undefined, headers)
const patch = (id: string, body: object, headers: Headers = {}) => app.call("PATCH", `/webhooks/${id}`, body, headers)
const bytes = (count: number) => `whsec_${Buffer.alloc(count, 7).toString("base64")}`

describe("webhook", () => {
  it("is created with a secret that only this response contains", async () => {
    const seq = await app.seq()
    const answer = await app.call("POST", "/webhooks", { url, events: ["note.created", "note.created", "tag.*"] })
    expect(answer.status).toBe(201)
    expect(answer.headers.get("cache-control")).toBe("no-store")
    const { id, secret } = answer.body
    const { body: me } = await app.call("GET", "/me")
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^wh_/),
      url,
      events: ["note.created", "tag.*"],
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      active: true,
      disabled_reason: null,
      previous_secret_expires_at: null,
      expires_at: null,
      created_by: me.id,
      updated_by: me.id,
      last_used_at: null,
      created_at: new Date(epoch).toISOString(),
      updated_at: new Date(epoch).toISOString()
    })
    expect((await get(id)).body).toEqual({ ...answer.body, secret: null })
    const { data } = (await app.call("GET", "/webhooks")).body
    expect(data.find((each: any) => each.id === id)).toEqual({ ...answer.body, secret: null })
    const stored = JSON.stringify(await app.sql("SELECT * FROM webhooks WHERE id = $1", [id]))
    expect(stored).not.toContain(secret.slice("whsec_".length, 30))
    // The path and the query of the endpoint may be secret.
    expect(await app.changesAfter(seq)).toMatchObject([
      {
        type: "webhook.created",
        resource_id: id,
        data: { host: "hooks.example.com", events: ["note.created", "tag.*"] }
      }
    ])
    expect(JSON.stringify(await app.changesAfter(seq))).not.toContain("t0ken")
  })

  it("accepts a secret from the client", async () => {
    for (const secret of [bytes(24), bytes(64)]) expect((await make({ secret })).secret).toBe(secret)
    expect((await make({ secret: null })).secret).toMatch(/^whsec_/)
  })

  it.each<[string, string, object]>([
    ["no URL", "/url", { url: undefined }],
    ["an invalid URL", "/url", { url: "hooks.example.com" }],
    ["a URL without TLS", "/url", { url: "http://hooks.example.com/" }],
    ["a URL in a private network", "/url", { url: "https://10.0.0.1/" }],
    ["a URL that is a number", "/url", { url: 7 }],
    ["a URL with NUL", "/url", { url: `${url}\0` }],
    ["a URL that is too long", "/url", { url: `${url}${"a".repeat(2048)}` }],
    ["a URL with a password", "/url", { url: "https://a:b@hooks.example.com/" }],
    ["no events", "/events", { events: undefined }],
    ["an empty list of events", "/events", { events: [] }],
    ["events that are not a list", "/events", { events: "note.created" }],
    ["an unknown event", "/events/1", { events: ["note.created", "note.exploded"] }],
    ["an unknown resource", "/events/0", { events: ["nothing.*"] }],
    ["a pattern in the middle", "/events/0", { events: ["*.created"] }],
    ["an event that is null", "/events/0", { events: [null] }],
    ["too many events", "/events", { events: Array.from({ length: 201 }, () => "*") }],
    ["a secret without its prefix", "/secret", { secret: bytes(32).slice(6) }],
    ["an empty secret", "/secret", { secret: "" }],
    ["a secret with only its prefix", "/secret", { secret: "whsec_" }],
    ["a short secret", "/secret", { secret: bytes(23) }],
    ["a long secret", "/secret", { secret: bytes(65) }],
    ["a secret that is not base64", "/secret", { secret: `whsec_${"-".repeat(44)}` }],
    ["a secret with blanks", "/secret", { secret: `${bytes(32)} ` }],
    ["a secret that is a number", "/secret", { secret: 7 }],
    ["active that is a string", "/active", { active: "yes" }]
  ])("is rejected with %s", async (_, pointer, wrong) => {
    const { id } = await make()
    const answers = [
      await act("POST", "/webhooks", { url, events: ["*"], ...wrong }),
      ...(Object.values(wrong)[0] === undefined ? [] : [await act("PATCH", `/webhooks/${id}`, wrong)])
    ]
    for (const { body, changes, status } of answers) {
      expect([status, body.errors?.[0]?.pointer, changes]).toEqual([422, pointer, []])
    }
  })

  it("changes only supplied fields, and appends no change if nothing differs", async () => {
    const made = await make()
    const seq = await app.seq()
    const same = await patch(made.id, { url, events: ["note.*"], secret: null, active: false })
    expect([same.status, same.body]).toEqual([200, { ...made, secret: null }])
    expect(await app.seq()).toBe(seq)
    const changed = await patch(made.id, { url: "https://other.example.com/", events: ["*"] })
    expect(changed.body).toMatchObject({ url: "https://other.example.com/", events: ["*"], secret: null })
    expect(await app.changesAfter(seq)).toMatchObject([
      { type: "webhook.updated", data: { host: "other.example.com", changed: ["url", "events"] } }
    ])
  })

  it("honours If-Match and If-None-Match", async () => {
    const { id } = await make()
    const etag = (await get(id)).headers.get("etag")!
    expect((await get(id, { "if-none-match": etag })).status).toBe(304)
    expect((await patch(id, { events: ["tag.*"] }, { "if-match": etag })).status).toBe(200)
    expect((await patch(id, { events: ["note.*"] }, { "if-match": etag })).status).toBe(412)
    expect((await app.call("DELETE", `/webhooks/${id}`, undefined, { "if-match": etag })).status).toBe(412)
    expect((await app.call("DELETE", `/webhooks/${id}`)).body).toEqual({ deleted: true, id })
    expect((await get(id)).status).toBe(404)
  })

  it("accepts in If-Match the ETag of the response that shows its secret", async () => {
    const made = await app.call("POST", "/webhooks", { url, events: ["*"] })
    const path = `/webhooks/${made.body.id}`
    const rotated = await app.call("PATCH", path, { rotate_secret: true }, { "if-match": made.headers.get("etag")! })
    expect([rotated.status, typeof rotated.body.secret]).toEqual([200, "string"])
    const last = await app.call("PATCH", path, { events: ["tag.*"] }, { "if-match": rotated.headers.get("etag")! })
    expect(last.status).toBe(200)
    expect((await app.call("GET", path)).body).toEqual(last.body)
  })

  it("is created once under an Idempotency-Key, which returns its secret again", async () => {
    const headers = { "idempotency-key": "one-hook" }
    const first = await app.call("POST", "/webhooks", { url, events: ["*"] }, headers)
    const again = await app.call("POST", "/webhooks", { url, events: ["*"] }, headers)
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(again.body).toEqual(first.body)
    const kept = JSON.stringify(await app.sql("SELECT * FROM idempotency_keys"))
    expect(kept).not.toContain(first.body.secret.slice(6, 30))
  })

  it("is limited to 200 per workspace", async () => {
    const team = await Team.start(app)
    for (let at = 0; at < 200; at += 20) {
      await Promise.all(Array.from({ length: 20 }, () => make({}, team.owner.headers)))
    }
    const answer = await app.call("POST", "/webhooks", { url, events: ["*"] }, team.owner.headers)
    expect([answer.status, answer.body]).toMatchObject([
      403,
      { code: "quota_exceeded", quota: "webhooks", limit: 200, used: 200 }
    ])
    const { data } = (await app.call("GET", "/webhooks?limit=1", undefined, team.owner.headers)).body
    await app.call("DELETE", `/webhooks/${data[0].id}`, undefined, team.owner.headers)
    expect((await make({}, team.owner.headers)).id).toMatch(/^wh_/)
  })

  it("is listed with filters and sorting, in pages", async () => {
    const { headers } = await guest(app, { role: "owner", elsewhere: true })
    const ids: Array<string> = []
    for (const name of ["c", "a", "b"]) {
      await app.advance("1 second")
      ids.push((await make({ url: `https://${name}.example.com/`, active: name === "a" }, headers)).id)
    }
    const list = async (query: string) =>
      (await app.call("GET", `/webhooks?${query}`, undefined, headers)).body.data.map(({ url }: any) => url[8])
    expect(await list("")).toEqual(["b", "a", "c"])
    expect(await list("sort=name")).toEqual(["a", "b", "c"])
    expect(await list("sort=-url&limit=2")).toEqual(["c", "b"])
    expect(await list("filter=active=true")).toEqual(["a"])
    expect(await list(`filter=id=${ids[2]}`)).toEqual(["b"])
    expect(await list("filter=url:c.example")).toEqual(["c"])
    expect(await list("sort=last_used_at")).toHaveLength(3)
  })

  it("requires the scopes of its event types", async () => {
    const narrow = await guest(app, { role: "admin", scopes: ["webhooks:write", "members:read"] })
    const refusal = await app.call(
      "POST",
      "/webhooks",
      { url, events: ["member.added", "note.created"] },
      narrow.headers
    )
    expect([refusal.status, refusal.body]).toMatchObject([
      403,
      { code: "insufficient_scope", required_scopes: ["notes:read"] }
    ])
    const made = await app.call(
      "POST",
      "/webhooks",
      { url, events: ["member.*", "*", "webhook.updated"] },
      narrow.headers
    )
    expect(made.status).toBe(201)
  })
})

describe("secret of a webhook", () => {
  const tested = async (id: string) => {
    const from = sink.received.length
    await app.call("POST", `/webhooks/${id}/test`)
    return sink.received[from]!
  }

  it("signs together with a new secret for 24 hours after its rotation", async () => {
    const made = await make({ url: sink.url("/rotated") })
    const rotated = await patch(made.id, { rotate_secret: true })
    expect(rotated.headers.get("cache-control")).toBe("no-store")
    expect(rotated.body).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
      previous_secret_expires_at: new Date(Date.parse(rotated.body.updated_at) + 24 * 3600_000).toISOString()
    })
    const { secret } = rotated.body
    expect(secret).not.toBe(made.secret)
    const both = await tested(made.id)
    expect(both.headers["webhook-signature"]!.split(" ")).toHaveLength(2)
    for (const each of [made.secret, secret]) expect(verified(each, both)).toEqual(both.body)

    const third = (await patch(made.id, { secret: bytes(40) })).body.secret
    const next = await tested(made.id)
    for (const each of [secret, third]) expect(verified(each, next)).toEqual(next.body)
    expect(() => verified(made.secret, next)).toThrow()

    await app.advance("25 hours")
    const last = await tested(made.id)
    expect(verified(third, last)).toEqual(last.body)
    expect(() => verified(secret, last)).toThrow()
    expect((await get(made.id)).body.previous_secret_expires_at).toBeNull()
  })

  it("cannot sign after SECRET_KEY is lost, but a new secret can", async () => {
    const made = await make({ url: sink.url("/lost") })
    const secretKey = Redacted.make(new Uint8Array(32).fill(9))
    await acceptKey(app, secretKey)
    const next = await startApp({
      databaseOf: app,
      settings: { secretKey, webhookAllow: ["127.0.0.1"], logLevel: "error" }
    })
    const test = async () => (await next.call("POST", `/webhooks/${made.id}/test`)).body
    expect(await test()).toMatchObject({ status: "failed", error: expect.stringContaining("another SECRET_KEY") })
    const { secret } = (await next.call("PATCH", `/webhooks/${made.id}`, { rotate_secret: true })).body
    expect(await test()).toMatchObject({ status: "succeeded" })
    const sent = sink.received.at(-1)!
    expect(verified(secret, sent)).toEqual(sent.body)
    await next.stop()
  })
})

describe("test of a webhook", () => {
  it("sends a signed ping, and returns the result, even if the webhook is not active", async () => {
    const { id, secret } = await make({ url: sink.url("/tested") })
    const seq = await app.seq()
    const { body, status } = await app.call("POST", `/webhooks/${id}/test`)
    expect(status).toBe(200)
    const [received] = sink.on("/tested")
    expect(verified(secret, received!)).toEqual(received!.body)
    expect(received!.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": body.event_id,
      "user-agent": expect.stringMatching(/^Sheaf/)
    })
    const [event] = await app.changesAfter(seq)
    expect(event).toMatchObject({ type: "ping", resource: "webhook", resource_id: id })
    const { secret: _, ...shown } = (await get(id)).body
    expect(received!.body).toEqual({
      type: "ping",
      timestamp: expect.stringMatching(/Z$/),
      data: {
        id: body.event_id,
        workspace_id: app.workspace_id,
        resource_type: "webhook",
        resource_id: id,
        actor_id: expect.stringMatching(/^us_/),
        resource: { ...shown, secret: null }
      }
    })
    expect((await app.call("GET", `/events/${body.event_id}`)).body).toMatchObject({ type: "ping", resource_id: id })
    expect(body).toEqual({
      id: expect.stringMatching(/^dl_/),
      webhook_id: id,
      event_id: received!.id,
      event_type: "ping",
      attempt: 1,
      status: "succeeded",
      status_code: 204,
      latency_ms: expect.any(Number),
      error: null,
      request: {
        url: sink.url("/tested"),
        headers: {
          "content-type": "application/json",
          "user-agent": received!.headers["user-agent"],
          "webhook-id": body.event_id,
          "webhook-timestamp": received!.headers["webhook-timestamp"]
        },
        body: received!.raw
      },
      response: { headers: expect.any(Object), body: "" },
      next_attempt_at: null,
      created_at: expect.any(String)
    })
  })

  it("returns a failure with the response of the endpoint, without secret headers", async () => {
    const { id } = await make({ url: sink.url("/broken") })
    sink.responses.set("/broken", (_, response) => {
      response.writeHead(500, { "set-cookie": "session=secret", "x-why": "because" }).end("x".repeat(20_000))
    })
    const { body, status } = await app.call("POST", `/webhooks/${id}/test`)
    expect([status, body]).toMatchObject([
      200,
      {
        status: "failed",
        status_code: 500,
        error: "the endpoint responded with 500",
        next_attempt_at: null,
        response: { headers: { "x-why": "because" } }
      }
    ])
    expect(body.response.body).toBe("x".repeat(2_048))
    expect(body.response.headers).not.toHaveProperty("set-cookie")
    sink.responses.set("/broken", (_, response) => response.destroy())
    const cut = (await app.call("POST", `/webhooks/${id}/test`)).body
    expect(cut).toMatchObject({
      status: "failed",
      status_code: null,
      response: null,
      error: "the connection was lost"
    })
    const blocked = await make({ url: "https://unknown.example.com/" })
    expect((await app.call("POST", `/webhooks/${blocked.id}/test`)).body).toMatchObject({
      status: "failed",
      error: "the name of the host has no address"
    })
  })
})

describe("deliveries", () => {
  it("are listed newest first, filtered, in pages bound to their webhook", async () => {
    const { id } = await make({ url: sink.url("/listed") })
    const other = await make({ url: sink.url("/listed") })
    const made: Array<string> = []
    for (const status of [200, 503, 202]) {
      sink.responses.set("/listed", status)
      await app.advance("1 second")
      made.unshift((await app.call("POST", `/webhooks/${id}/test`)).body.id)
    }
    const list = async (query: string) => (await app.call("GET", `/webhooks/${id}/deliveries?${query}`)).body
    const ids = ({ data }: any) => data.map((each: any) => each.id)
    expect(ids(await list(""))).toEqual(made)
    expect(ids(await list("filter=status=failed"))).toEqual([made[1]])
    expect(ids(await list("filter=status_code<300 AND attempt=1"))).toEqual([made[0], made[2]])
    expect(ids(await list("filter=event_type=ping&sort=created_at"))).toEqual(made.toReversed())
    const first = await list("limit=2")
    expect(first).toMatchObject({ has_more: true })
    expect(ids(await list(`limit=2&cursor=${first.next_cursor}`))).toEqual([made[2]])
    const foreign = await app.call("GET", `/webhooks/${other.id}/deliveries?cursor=${first.next_cursor}`)
    expect([foreign.status, foreign.body.code]).toEqual([400, "cursor_mismatch"])
    expect((await app.call("GET", "/webhooks/wh_there-is-no-such-hook/deliveries")).status).toBe(404)
  })

  it("are sent again with the same id and body, as a further attempt", async () => {
    const { id, secret } = await make({ url: sink.url("/again") })
    sink.responses.set("/again", 500)
    const failed = (await app.call("POST", `/webhooks/${id}/test`)).body
    sink.responses.set("/again", 200)
    const { body, status } = await app.call("POST", `/webhooks/${id}/deliveries/${failed.id}/retry`)
    expect([status, body]).toMatchObject([200, { attempt: 2, status: "succeeded", error: null }])
    expect(body.id).not.toBe(failed.id)
    const [first, second] = sink.on("/again")
    expect(second).toMatchObject({ id: first!.id, raw: first!.raw })
    expect(verified(secret, second!)).toEqual(first!.body)
    for (const path of [
      `/webhooks/${id}/deliveries/dl_nothing/retry`,
      `/webhooks/wh_nothing/deliveries/${failed.id}/retry`
    ]) {
      expect((await app.call("POST", path)).status).toBe(404)
    }
  })
})
