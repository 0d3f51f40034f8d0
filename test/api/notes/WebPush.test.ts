import { Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { NoResponse } from "../../../services/outgoing/OutgoingResponse.ts"
import { Outgoing } from "../../../services/outgoing/Outgoing.ts"
import { permits } from "../../../services/webpush/PushEndpoints.ts"
import { type PushMessage, WebPush } from "../../../services/webpush/WebPush.ts"
import { acceptKey } from "../../support/acceptKey.ts"
import { eventually } from "../../support/flows/eventually.ts"
import { join, logIn, register, workspaceOf } from "../../support/people/People.ts"
import { certificateFor } from "../../support/servers/Certificate.ts"
import { type PushFault, PushSink } from "../../support/servers/PushSink.ts"
import { epoch, startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const certificate = certificateFor(["push.example"])
/** Subscriptions whose requests time out when the promise resolves, instead of by the clock. */
const timeouts = new Map<string, Promise<void>>()
const controlledTimeouts = Layer.effect(
  Outgoing,
  Effect.map(Outgoing, ({ request, ...rest }) =>
    Outgoing.of({
      ...rest,
      request: (each) => {
        const timeout = timeouts.get(each.url.split("/push/")[1] ?? "")
        if (timeout === undefined) return request(each)
        const message = `there was no complete response within ${each.timeout! / 1000} s`
        const late = new NoResponse({ code: "timeout", message, begun: undefined })
        return Effect.raceFirst(
          request({ ...each, timeout: 600_000 }),
          Effect.andThen(
            Effect.promise(() => timeout),
            late
          )
        )
      }
    })
  )
)
const { app } = useApp({
  layers: controlledTimeouts.pipe(
    Layer.provide(
      Outgoing.layer({
        allow: ["127.0.0.0/8"],
        ca: [certificate.cert],
        resolve: async (name) => (name === "push.example" ? ["127.0.0.1"] : ["10.0.0.1"])
      })
    )
  )
})
let sink: PushSink
beforeAll(async () => {
  sink = await PushSink.start(certificate, () => epoch)
})
afterAll(() => sink.stop())

type Headers = Record<string, string>
const at = (device_id: string) => `/sync/devices/${device_id}/push`
const get = (device_id: string, headers: Headers) => app.call("GET", at(device_id), undefined, headers)
const put = (device_id: string, body: unknown, headers: Headers) => app.call("PUT", at(device_id), body, headers)
const remove = (device_id: string, headers: Headers) => app.call("DELETE", at(device_id), undefined, headers)

/** Subscribes a device as its browser does. */
const subscribe = async (device_id: string, headers: Headers, fault?: PushFault) => {
  const { public_key } = (await get(device_id, headers)).body
  const { id, subscription } = sink.subscribe(public_key)
  if (fault !== undefined) sink.faults.set(id, fault)
  expect((await put(device_id, subscription, headers)).status).toBe(200)
  return { id, subscription }
}

const send = (user_id: string, more: Partial<PushMessage> = {}) =>
  app.run(Effect.flatMap(WebPush, (push) => push.send({ user_id, ttl: 60, payload: { hello: "Ümläut" }, ...more })))

const device = async (headers: Headers, name: string) =>
  (await app.call("POST", "/sync/pull", { device: { name, platform: "web" } }, headers)).body.device_id as string

describe("push subscription", () => {
  it("belongs to a device, and can be read, created, replaced and deleted", async () => {
    const { device_id, headers } = await register(app)
    const seq = await app.seq()
    const before = await get(device_id, headers)
    expect(before.body).toEqual({ public_key: expect.stringMatching(/^B[\w-]{86}$/), endpoint: null })
    const { public_key } = before.body
    expect((await remove(device_id, headers)).status).toBe(404)

    const first = sink.subscribe(public_key).subscription
    const made = await put(device_id, first, headers)
    expect([made.status, made.body]).toEqual([200, { public_key, endpoint: first.endpoint }])
    const second = sink.subscribe(public_key).subscription
    await put(device_id, second, headers)
    await put(device_id, second, headers)
    expect((await get(device_id, headers)).body).toEqual({ public_key, endpoint: second.endpoint })

    expect((await remove(device_id, headers)).body).toEqual({ deleted: true, id: device_id })
    expect((await get(device_id, headers)).body).toEqual({ public_key, endpoint: null })
    expect(await app.seq()).toBe(seq)
    // Sending the same subscription again adds no entry.
    const audited = await app.call("GET", `/audit-log?filter=resource_id=${device_id}`, undefined, headers)
    // Entries with equal times have no order.
    expect(audited.body.data.map((entry: any) => entry.action).toSorted()).toEqual([
      "device.push_subscribed",
      "device.push_subscribed",
      "device.push_unsubscribed",
      "device.registered"
    ])
  })

  it("returns 404 for another user's device and for an unknown one", async () => {
    const owner = await register(app)
    const { headers } = await register(app)
    const { subscription } = await subscribe(owner.device_id, owner.headers)
    for (const id of [owner.device_id, "sy_there-is-no-such-device", "%00"]) {
      expect((await get(id, headers)).status).toBe(404)
      expect((await put(id, subscription, headers)).status).toBe(404)
      expect((await remove(id, headers)).status).toBe(404)
    }
    expect((await get(owner.device_id, owner.headers)).body.endpoint).toBe(subscription.endpoint)
  })

  const keys = {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg"
  }
  const endpoint = "https://push.example/send/1"
  it.each<[string, string, unknown]>([
    ["no body", "", {}],
    ["no keys", "/keys", { endpoint }],
    ["no endpoint", "/endpoint", { keys }],
    ["an endpoint that is not a string", "/endpoint", { endpoint: 7, keys }],
    ["an endpoint with NUL", "/endpoint", { endpoint: `${endpoint}\0`, keys }],
    ["an endpoint without TLS", "/endpoint", { endpoint: "http://push.example/", keys }],
    ["an endpoint with a password", "/endpoint", { endpoint: "https://a:b@push.example/", keys }],
    ["an endpoint in a private network", "/endpoint", { endpoint: "https://192.168.0.1/", keys }],
    ["an endpoint that is too long", "/endpoint", { endpoint: `${endpoint}${"a".repeat(2048)}`, keys }],
    ["keys that are a list", "/keys", { endpoint, keys: [] }],
    ["an invalid public key", "/keys/p256dh", { endpoint, keys: { ...keys, p256dh: `A${keys.p256dh.slice(1)}` } }],
    ["a public key that is long", "/keys/p256dh", { endpoint, keys: { ...keys, p256dh: "B".repeat(100_000) } }],
    ["a public key that is null", "/keys/p256dh", { endpoint, keys: { ...keys, p256dh: null } }],
    ["a short secret", "/keys/auth", { endpoint, keys: { ...keys, auth: "BTBZMqHH6r4Tts7J" } }],
    ["a missing secret", "/keys/auth", { endpoint, keys: { p256dh: keys.p256dh } }]
  ])("is rejected with %s", async (_, pointer, body) => {
    const { device_id, headers } = await register(app)
    const answer = await put(device_id, body, headers)
    expect(answer.status).toBe(422)
    expect(answer.body.errors.map((each: { pointer: string }) => each.pointer)).toContainEqual(
      pointer === "" ? "/endpoint" : pointer
    )
    expect((await get(device_id, headers)).body.endpoint).toBeNull()
  })

  it("ends with its device, its session or its key", async () => {
    const { device_id, email, headers, user_id } = await register(app)
    const other = await logIn(app, email)
    await subscribe(device_id, headers)
    await subscribe(other.device_id, other.headers)
    const made = await app.call("POST", "/api-keys", { name: "key" }, headers)
    const key = { authorization: `Bearer ${made.body.secret}` }
    const third = await device(key, "Third")
    await subscribe(third, key)
    const reached = async () => (await send(user_id)).map(({ device_id }) => device_id).toSorted()
    expect(await reached()).toEqual([device_id, other.device_id, third].toSorted())

    await app.call("DELETE", `/me/sessions/${other.session_id}`, undefined, headers)
    expect(await reached()).toEqual([device_id, third].toSorted())
    await app.call("DELETE", `/api-keys/${made.body.id}`, undefined, headers)
    expect(await reached()).toEqual([device_id])
    const last = await logIn(app, email)
    await app.call("DELETE", `/sync/devices/${device_id}`, undefined, last.headers)
    expect(await reached()).toEqual([])
    expect(await app.sql("SELECT 1 FROM push_subscriptions WHERE user_id = $1", [user_id])).toEqual([])
  })

  it("stays when its key is rotated, and ends with a secret that was replaced before", async () => {
    const { headers, user_id } = await register(app)
    const { body: made } = await app.call("POST", "/api-keys", { name: "rotated" }, headers)
    const key = { authorization: `Bearer ${made.secret}` }
    const [first, second] = [await device(key, "First"), await device(key, "Second")]
    const rotate = () => app.call("POST", `/api-keys/${made.id}/rotate`, undefined, headers)
    const reached = async () => (await send(user_id)).map(({ device_id }) => device_id).toSorted()
    await subscribe(first, key)
    await rotate()
    await subscribe(second, key)
    expect(await reached()).toEqual([first, second].toSorted())
    await rotate()
    expect(await reached()).toEqual([first])
  })

  it("ends when its session or key expires, and when its user leaves the workspace", async () => {
    const owner = await register(app)
    const team = await workspaceOf(app, owner)
    const member = await register(app)
    const member_id = await join(app, owner, team, member, "editor")
    const there = { ...member.headers, "workspace-id": team }
    await subscribe(await device(there, "In the team"), there)
    expect(await send(member.user_id)).toHaveLength(1)
    await app.call("DELETE", `/workspaces/${team}/members/${member_id}`, undefined, owner.headers)
    expect(await send(member.user_id)).toEqual([])

    const user = await register(app)
    const expires_at = new Date(epoch + 3600_000).toISOString()
    const made = await app.call("POST", "/api-keys", { name: "short", expires_at }, user.headers)
    const key = { authorization: `Bearer ${made.body.secret}` }
    await subscribe(await device(key, "Of a key"), key)
    expect(await send(user.user_id)).toHaveLength(1)
    await app.sql("UPDATE api_keys SET expires_at = $1 WHERE id = $2", [new Date(epoch).toISOString(), made.body.id])
    expect(await send(user.user_id)).toEqual([])
  })
})

describe("push message", () => {
  it("is sent to all devices of a user, encrypted for each and signed by this installation", async () => {
    const { device_id, email, headers, user_id } = await register(app)
    const other = await logIn(app, email)
    const ids = [(await subscribe(device_id, headers)).id, (await subscribe(other.device_id, other.headers)).id]
    const outcomes = await send(user_id, { topic: "rm_a-reminder-with-an-id-that-a-client-has-made", urgency: "high" })
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["sent", "sent"])
    expect(outcomes.map((each) => each.device_id).toSorted()).toEqual([device_id, other.device_id].toSorted())
    const messages = sink.received.filter(({ id }) => ids.includes(id))
    const message = {
      ttl: "60",
      urgency: "high",
      topic: expect.stringMatching(/^[\w-]{32}$/),
      payload: { hello: "Ümläut" }
    }
    expect(messages).toMatchObject([message, message])
    expect(sink.wrong).toEqual([])
    expect((await send(user_id, { devices: [device_id] })).map((each) => each.device_id)).toEqual([device_id])
  })

  it("is sent once to a device that is subscribed in several workspaces", async () => {
    const person = await register(app)
    const team = await workspaceOf(app, person)
    const { id, subscription } = await subscribe(person.device_id, person.headers)
    const there = { ...person.headers, "workspace-id": team }
    await device(there, "ignored")
    expect((await put(person.device_id, subscription, there)).status).toBe(200)
    expect(await send(person.user_id)).toHaveLength(1)
    expect(sink.received.filter((each) => each.id === id)).toHaveLength(1)
  })

  it.each<[PushFault, string]>([
    [404, "gone"],
    [410, "gone"],
    [400, "refused"],
    [403, "refused"],
    [413, "refused"],
    [302, "refused"],
    [429, "failed"],
    [500, "failed"],
    [503, "failed"]
  ])("with the response %i is reported as %s", async (fault, outcome) => {
    const { device_id, headers, user_id } = await register(app)
    await subscribe(device_id, headers, fault)
    const detail = `the push service returned ${fault}`
    expect(await send(user_id)).toEqual([{ device_id, outcome, detail }])
    const { endpoint } = (await get(device_id, headers)).body
    expect(endpoint === null).toBe(outcome === "gone")
    expect(await send(user_id)).toHaveLength(outcome === "gone" ? 0 : 1)
  })

  it("is refused if the host name resolves to a private address", async () => {
    const { device_id, headers, user_id } = await register(app)
    const { subscription } = await subscribe(device_id, headers)
    const outside = { ...subscription, endpoint: "https://elsewhere.example/1" }
    expect((await put(device_id, outside, headers)).status).toBe(200)
    expect(await send(user_id)).toMatchObject([
      { outcome: "refused", detail: "leads to an address that is not public" }
    ])
  })

  it("is sent to no device of an unknown user or a user without devices", async () => {
    expect(await send("us_nobody-at-all-is-this")).toEqual([])
    expect(await send((await register(app)).user_id)).toEqual([])
  })
})

describe("push service that hangs", () => {
  /** Creates a user with this number of devices, whose push service hangs. */
  const hanging = async (count: number) => {
    const { email, headers, user_id } = await register(app)
    const ids: Array<string> = []
    for (let at = 0; at < count; at++) {
      const { device_id } = at === 0 ? { device_id: await device(headers, "First") } : await logIn(app, email)
      const { id } = await subscribe(device_id, headers, "hang")
      timeouts.set(id, new Promise(() => {}))
      ids.push(id)
    }
    return { user_id, ids }
  }
  const hung = (ids: ReadonlyArray<string>) => sink.hung.filter(({ id }) => ids.includes(id)).length
  const push = (user_id: string) =>
    Effect.flatMap(WebPush, (push) => push.send({ user_id, ttl: 60, payload: { hello: "x" } }))

  it("uses few requests, and none of those for push services that respond", async () => {
    const [crowd, good] = [await Promise.all([1, 2, 3, 4].map(() => hanging(6))), await register(app)]
    const known = await subscribe(good.device_id, good.headers)
    await send(good.user_id)
    await app.run(
      Effect.gen(function* () {
        for (const { user_id } of crowd) for (let at = 0; at < 6; at++) yield* Effect.forkScoped(push(user_id))
        const isFull = () => crowd.every(({ ids }) => hung(ids) === permits.slow.permitsPerGroup)
        yield* Effect.promise(() => eventually("each user has the maximum number of requests", isFull))
        // One service that responded before, and a new one.
        expect(yield* push(good.user_id)).toMatchObject([{ outcome: "sent" }])
        const added = yield* Effect.promise(() => logIn(app, good.email))
        const { id } = yield* Effect.promise(() => subscribe(added.device_id, added.headers))
        expect(yield* push(good.user_id)).toMatchObject([{ outcome: "sent" }, { outcome: "sent" }])
        expect(sink.received.filter((each) => each.id === known.id)).toHaveLength(3)
        expect(sink.received.filter((each) => each.id === id)).toHaveLength(1)
        expect(crowd.map(({ ids }) => hung(ids))).toEqual(crowd.map(() => permits.slow.permitsPerGroup))
      }).pipe(Effect.scoped)
    )
  })

  it("times out after five seconds, and is not called for an hour after three time-outs in a row", async () => {
    const { email, headers, user_id } = await register(app)
    const [bad, good] = [await device(headers, "Bad"), await logIn(app, email)]
    const { id } = await subscribe(bad, headers, "hang")
    await subscribe(good.device_id, good.headers)
    const timeout = Promise.withResolvers<void>()
    timeouts.set(id, timeout.promise)
    const outcomeOf = async () => (await send(user_id)).find(({ device_id }) => device_id === bad)
    const late = { device_id: bad, outcome: "failed", detail: "there was no complete response within 5 s" }
    const together = [outcomeOf(), outcomeOf(), outcomeOf()]
    await eventually("all three are in progress", () => hung([id]) === 3)
    timeout.resolve()
    // Concurrent time-outs count as one.
    expect(await Promise.all(together)).toEqual([late, late, late])
    for (let at = 0; at < 2; at++) expect(await outcomeOf()).toEqual(late)
    const rests = { outcome: "failed", detail: "the push service timed out 3 times in a row, and is paused" }
    expect(await outcomeOf()).toMatchObject(rests)
    await app.advance("59 minutes")
    sink.faults.delete(id)
    expect(await outcomeOf()).toMatchObject(rests)
    timeouts.delete(id)
    await app.advance("2 minutes")
    expect(await outcomeOf()).toMatchObject({ outcome: "sent" })
  })
})

describe("key pair of Web Push", () => {
  const keyOf = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))
  const stored = async () => (await app.sql("SELECT public_key, sealed FROM vapid_keys"))[0]

  it("is encrypted again when SECRET_KEY changes, and replaced only when the previous key is lost", async () => {
    const { device_id, headers, user_id } = await register(app)
    await subscribe(device_id, headers)
    const before = await stored()
    expect(before.sealed).not.toContain(before.public_key)

    const next = await startApp({ databaseOf: app, settings: { secretKey: keyOf(8), secretKeyPrevious: keyOf(7) } })
    await next.stop()
    const renewed = await stored()
    expect(renewed.public_key).toBe(before.public_key)
    expect(renewed.sealed).not.toBe(before.sealed)
    // Without the previous key.
    const later = await startApp({ databaseOf: app, settings: { secretKey: keyOf(8) } })
    await later.stop()
    expect(await stored()).toEqual(renewed)
    expect(await app.sql("SELECT user_id FROM push_subscriptions WHERE user_id = $1", [user_id])).toHaveLength(1)

    await acceptKey(app, keyOf(9))
    const lost = await startApp({ databaseOf: app, settings: { secretKey: keyOf(9), logLevel: "error" } })
    await lost.stop()
    expect((await stored()).public_key).not.toBe(before.public_key)
    expect(await app.sql("SELECT 1 FROM push_subscriptions")).toEqual([])
  })
})
