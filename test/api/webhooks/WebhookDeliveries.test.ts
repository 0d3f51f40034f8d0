import { Effect } from "effect"
import type { ServerResponse } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import { permits, requested } from "../../../services/webhooks/Permits.ts"
import { eventually } from "../../support/flows/eventually.ts"
import { guest } from "../../support/people/People.ts"
import { type HookResponse, HookSink, verified } from "../../support/servers/HookSink.ts"
import { rounds } from "../../support/Slow.ts"
import { Team } from "../../support/people/Team.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp({ settings: { webhookAllow: ["127.0.0.1"] } })
let sink: HookSink
beforeAll(async () => {
  sink = await HookSink.start()
})
afterAll(() => sink.stop())

type Headers = Record<string, string>
let paths = 0
/** Starts a team with a webhook at a separate path. */
const hooked = async (events: ReadonlyArray<string> = ["tag.*"]) => {
  const { id, owner } = await Team.start(app)
  // An access token would expire before the clock reaches the end of the test.
  const made = await app.call("POST", "/api-keys", { name: "key" }, owner.headers)
  const headers = { authorization: `Bearer ${made.body.secret}` }
  const does = (method: string) => async (path: string, body?: object) => {
    const answer = await app.call(method, path, body, headers)
    if (answer.status >= 300) throw new Error(answer.text)
    return answer.body
  }
  const team = { id, owner, post: does("POST"), patch: does("PATCH") }
  const path = `/${++paths}`
  const hook = await team.post("/webhooks", { url: sink.url(path), events })
  return { team, path, hook, headers }
}
const deliveriesOf = async (id: string, headers: Headers): Promise<ReadonlyArray<any>> => {
  const { body } = await app.call("GET", `/webhooks/${id}/deliveries?limit=100&sort=created_at`, undefined, headers)
  // The test's clock does not move, so attempts of an event have equal times.
  return body.data.toSorted((one: any, other: any) =>
    one.created_at === other.created_at && one.event_id === other.event_id ? one.attempt - other.attempt : 0
  )
}
const hookOf = async (id: string, headers: Headers) =>
  (await app.call("GET", `/webhooks/${id}`, undefined, headers)).body

/** Repeats a request until its result is as expected, because results are stored a moment later. */
const until = async <A>(ask: () => Promise<A>, is: (found: A) => boolean): Promise<A> => {
  const { found } = await eventually("the expected result", async () => {
    const found = await ask()
    return is(found) && { found }
  })
  return found
}
const retry = (hook: string, id: string, headers: Headers) =>
  app.call("POST", `/webhooks/${hook}/deliveries/${id}/retry`, undefined, headers)
const settled = (id: string, headers: Headers, count: number) =>
  until(
    () => deliveriesOf(id, headers),
    (all) => all.filter(({ status }: any) => status !== "pending").length >= count
  )

describe("event", () => {
  it("is sent to each subscribed webhook, signed, with its record", async () => {
    const { headers, hook, path, team } = await hooked(["note.*"])
    const tags = await team.post("/webhooks", { url: sink.url(`${path}/tags`), events: ["tag.created"] })
    const notebook = await team.post("/notebooks", { name: "Inbox" })
    const note = await team.post("/notes", { notebook_id: notebook.id, title: "Größe 🎉", body: "text", tags: ["new"] })
    await team.patch(`/notes/${note.id}`, { title: "Changed" })
    await app.call("DELETE", `/notes/${note.id}`, undefined, headers)
    await sink.until("three events", () => sink.on(path).length === 3 && sink.on(`${path}/tags`).length === 1)

    const [created, updated, deleted] = sink.on(path).toSorted((one, other) => one.id.localeCompare(other.id))
    for (const each of sink.on(path)) expect(verified(hook.secret, each)).toEqual(each.body)
    expect(verified(tags.secret, sink.on(`${path}/tags`)[0]!)).toMatchObject({ type: "tag.created" })
    expect(created!.body).toEqual({
      type: "note.created",
      timestamp: expect.stringMatching(/Z$/),
      data: {
        id: created!.id,
        workspace_id: team.id,
        resource_type: "note",
        resource_id: note.id,
        actor_id: team.owner.user_id,
        resource: note
      }
    })
    expect(updated!.body).toMatchObject({ type: "note.updated", data: { resource: { title: "Changed", version: 2 } } })
    expect(deleted!.body).toMatchObject({ type: "note.deleted", data: { resource: null } })
    const all = (await settled(hook.id, headers, 3)).toSorted((one: any, other: any) =>
      one.event_id.localeCompare(other.event_id)
    )
    expect(all.map((each: any) => [each.event_type, each.status, each.attempt, each.status_code])).toEqual([
      ["note.created", "succeeded", 1, 204],
      ["note.updated", "succeeded", 1, 204],
      ["note.deleted", "succeeded", 1, 204]
    ])
    expect((await hookOf(hook.id, headers)).last_used_at).toEqual(expect.any(String))
  })

  it("is sent to each subscribed webhook, even when many are large", async () => {
    const { path, team } = await hooked(["note.updated"])
    await team.post("/webhooks", { url: sink.url(`${path}/all`), events: ["note.*", "tag.*"] })
    const notebook = await team.post("/notebooks", { name: "Inbox" })
    const tag = await team.post("/tags", { name: "before" })
    const ids: Array<string> = []
    for (let index = 0; index < 12; index++) {
      const body = `${index} `.repeat(50_000)
      ids.push((await team.post("/notes", { notebook_id: notebook.id, title: "T", body, tags: ["before"] })).id)
    }
    await team.patch(`/tags/${tag.id}`, { name: "after" })
    const updated = (at: string) => sink.on(at).filter(({ body }) => body.type === "note.updated")
    await sink.until("all events", () => updated(path).length === 12 && updated(`${path}/all`).length === 12)
    for (const at of [path, `${path}/all`]) {
      const texts = new Map(updated(at).map(({ body }) => [body.data.resource_id, body.data.resource.body.slice(0, 3)]))
      expect(ids.map((id) => texts.get(id))).toEqual(ids.map((_, index) => `${index} ${index}`.slice(0, 3)))
    }
  })

  it("is not sent if it happened before the webhook was created or while it was inactive", async () => {
    const team = await Team.start(app)
    await team.post("/tags", { name: "before" })
    const path = `/${++paths}`
    const hook = await team.post("/webhooks", { url: sink.url(path), events: ["tag.*"] })
    await team.post("/tags", { name: "one" })
    await sink.until("one", () => sink.on(path).length === 1)
    await team.patch(`/webhooks/${hook.id}`, { active: false })
    await team.post("/tags", { name: "off" })
    await team.patch(`/webhooks/${hook.id}`, { active: true })
    await team.post("/tags", { name: "two" })
    await sink.until("two", () => sink.on(path).length === 2)
    expect(sink.on(path).map(({ body }) => body.data.resource.name)).toEqual(["one", "two"])
  })

  it("is sent at once whenever the webhook is switched off and on", async () => {
    const { hook, path, team } = await hooked()
    for (let round = 1; round <= rounds(5, 500); round++) {
      await team.patch(`/webhooks/${hook.id}`, { active: false })
      await team.patch(`/webhooks/${hook.id}`, { active: true })
      await team.post("/tags", { name: `tag-${round}` })
      await sink.until(`tag ${round}`, () => sink.on(path).length === round)
    }
  })

  it("is sent with what the creator of the webhook may read", async () => {
    const narrow = await guest(app, { role: "admin", scopes: ["webhooks:write", "members:read", "notes:write"] })
    const other = await guest(app, { role: "admin", scopes: ["webhooks:write", "members:read"] })
    const both = [`/${++paths}`, `/${++paths}`] as const
    const make = (path: string, headers: Headers) =>
      app.call("POST", "/webhooks", { url: sink.url(path), events: ["*"] }, headers)
    const [wide, blind] = [(await make(both[0], narrow.headers)).body, (await make(both[1], other.headers)).body]
    await app.call("POST", "/tags", { name: "seen" })
    const changed = await app.call("PATCH", `/webhooks/${blind.id}`, { events: ["*", "webhook.*"] }, other.headers)
    expect(changed.status).toBe(200)
    await sink.until("both", () => sink.on(both[0]).length >= 3 && sink.on(both[1]).length >= 1)
    expect(
      sink
        .on(both[0])
        .map(({ body }) => body.type)
        .toSorted()
    ).toEqual(["tag.created", "webhook.created", "webhook.updated"])
    expect(sink.on(both[1]).map(({ body }) => body.type)).toEqual(["webhook.updated"])
    for (const { id } of [wide, blind]) await app.call("DELETE", `/webhooks/${id}`)
  })

  it("of an erased note is sent without the note, also when repeated and in the list", async () => {
    const { headers, hook, path, team } = await hooked(["note.*", "comment.*", "reminder.*", "attachment.*"])
    const echo: HookResponse = ({ raw }, response) => response.writeHead(500).end(raw)
    sink.responses.set(path, echo)
    const notebook = await team.post("/notebooks", { name: "Inbox" })
    const note = await team.post("/notes", { notebook_id: notebook.id, title: "Secret plan" })
    await team.patch(`/notes/${note.id}`, { body: `Secret plan, changed ${"x".repeat(20_000)}` })
    await team.post(`/notes/${note.id}/comments`, { body: "Secret plan, said" })
    await team.post("/reminders", { note_id: note.id, remind_at: "2031-05-01T08:00:00Z" })
    await team.post("/attachments", { note_id: note.id, filename: "Secret plan.txt" })
    const types = ["note.created", "note.updated", "comment.created", "reminder.created", "attachment.created"]
    const failed = async () =>
      (await settled(hook.id, headers, 5)).filter((each) => each.status === "failed" && types.includes(each.event_type))
    expect((await failed()).map(({ event_type }) => event_type).toSorted()).toEqual(types.toSorted())
    const first = sink.on(path).slice()
    await app.move("2 seconds")
    await app.call("DELETE", `/notes/${note.id}?permanent=true`, undefined, headers)

    const erased = new Map(
      first.map(({ body }) => [body.data.id, { ...body, data: { ...body.data, resource: null } }] as const)
    )
    const isSecret = /Secret plan|remind_at/
    const listed = await app.call("GET", `/webhooks/${hook.id}/deliveries?limit=100`, undefined, headers)
    expect(listed.text).not.toMatch(isSecret)
    expect((await app.call("GET", "/events?limit=100", undefined, headers)).text).not.toMatch(isSecret)
    const rows = await app.sql("SELECT d::text FROM webhook_deliveries d WHERE webhook_id = $1", [hook.id])
    expect(JSON.stringify(rows)).not.toMatch(isSecret)
    for (const each of await failed()) {
      expect(JSON.parse(each.request.body)).toEqual(erased.get(each.event_id))
      expect(each.response.body).toBeNull()
    }

    sink.responses.set(path, 204)
    await app.move("7 seconds")
    const again = () => sink.on(path).slice(first.length)
    const sent = (id: string) => again().filter((each) => each.id === id)
    await sink.until("second tries", () => [...erased.keys()].every((id) => sent(id).length === 1))
    for (const [id, body] of erased) expect(sent(id)[0]!.body).toEqual(body)
    await until(
      () => deliveriesOf(hook.id, headers),
      (all) => all.every(({ status }) => status !== "pending")
    )
    for (const each of await failed()) await retry(hook.id, each.id, headers)
    for (const [id, body] of erased) expect(sent(id)[1]!.body).toEqual(body)
    expect((await app.call("GET", `/webhooks/${hook.id}/deliveries?limit=100`, undefined, headers)).text).not.toMatch(
      isSecret
    )
  })
})

describe("delivery", () => {
  it("is listed a moment later while it is sent or waits", async () => {
    const { headers, hook, path, team } = await hooked()
    sink.responses.set(path, () => {})
    for (const name of ["one", "two", "three"]) await team.post("/tags", { name })
    const all = await until(
      () => deliveriesOf(hook.id, headers),
      ({ length }) => length === 3
    )
    for (const each of all) expect(each).toMatchObject({ status: "pending", attempt: 1, request: null, response: null })
  })

  it("of a note erased during the attempt stores nothing of the note", async () => {
    const { headers, hook, path, team } = await hooked(["note.*"])
    sink.responses.set(path, () => {})
    const notebook = await team.post("/notebooks", { name: "Inbox" })
    const note = await team.post("/notes", { notebook_id: notebook.id, title: "Secret plan" })
    await sink.until("it is on its way", () => sink.on(path).length === 1)
    await app.call("DELETE", `/notes/${note.id}?permanent=true`, undefined, headers)
    const rows = await until(
      () => app.sql("SELECT event_type, body FROM webhook_deliveries WHERE webhook_id = $1", [hook.id]),
      ({ length }) => length === 2
    )
    const withoutNote = expect.stringContaining(
      `"resource_id":"${note.id}","actor_id":"${team.owner.user_id}","resource":null`
    )
    expect(rows).toContainEqual({ event_type: "note.created", body: withoutNote })
    expect(rows).toContainEqual({ event_type: "note.purged", body: withoutNote })
  })

  it("of a note erased before the first attempt is sent without the note", async () => {
    const { headers, hook, path, team } = await hooked(["note.created"])
    const held: Array<ServerResponse> = []
    sink.responses.set(path, (_, response) => void held.push(response))
    const notebook = await team.post("/notebooks", { name: "Inbox" })
    const ids: Array<string> = []
    for (let n = 0; n < 5; n++) {
      ids.push((await team.post("/notes", { notebook_id: notebook.id, title: "Secret plan" })).id)
    }
    // The endpoint receives two requests at a time. A waiting delivery is listed after one second.
    await until(
      () => deliveriesOf(hook.id, headers),
      ({ length }) => length === ids.length
    )
    const before = sink.on(path).length
    for (const id of ids) await app.call("DELETE", `/notes/${id}?permanent=true`, undefined, headers)
    sink.responses.set(path, 204)
    for (const response of held) response.writeHead(204).end()
    await sink.until("all", () => sink.on(path).length === ids.length)
    const later = sink.on(path).slice(before)
    expect(later.length).toBeGreaterThan(0)
    for (const { body } of later)
      expect([body.data.resource, ids.includes(body.data.resource_id)]).toEqual([null, true])
  })

  it("whose result is stored while its note is erased stores nothing of the note", async () => {
    const { headers, hook, path, team } = await hooked(["note.created"])
    let respond = () => {}
    sink.responses.set(path, (_, response) => {
      respond = () => response.writeHead(204).end()
    })
    const notebook = await team.post("/notebooks", { name: "Inbox" })
    const note = await team.post("/notes", { notebook_id: notebook.id, title: "Secret plan" })
    await sink.until("it is on its way", () => sink.on(path).length === 1)
    const erasing = Effect.flatMap(Effect.service(Database), ({ write }) =>
      write.withTransaction(
        Effect.gen(function* () {
          yield* write.unsafe("DELETE FROM notes WHERE workspace_id = $1 AND id = $2", [team.id, note.id])
          respond()
          yield* Effect.promise(() => settled(hook.id, headers, 1))
        })
      )
    )
    await app.run(erasing)
    const rows = await app.sql("SELECT body FROM webhook_deliveries WHERE webhook_id = $1", [hook.id])
    expect(rows).toEqual([{ body: expect.stringContaining('"resource":null') }])
  })
})

describe("failed delivery", () => {
  it("is retried with the same large body after its note has changed", async () => {
    const { headers, hook, path, team } = await hooked(["note.created"])
    sink.responses.set(path, 500)
    const notebook = await team.post("/notebooks", { name: "Inbox" })
    const text = "large ".repeat(20_000)
    const note = await team.post("/notes", { notebook_id: notebook.id, title: "First", body: text })
    const [first] = await settled(hook.id, headers, 1)
    await team.patch(`/notes/${note.id}`, { title: "Second", body: "small" })
    await retry(hook.id, first.id, headers)
    const waiting = (await deliveriesOf(hook.id, headers)).find(({ status }) => status === "pending")
    await app.move(Date.parse(waiting.next_attempt_at) - Date.parse(waiting.created_at) + 1_000)
    await sink.until("a second attempt", () => sink.on(path).length >= 2)
    const bodies = sink.on(path).map(({ body }) => body)
    expect(bodies[0].data.resource).toMatchObject({ title: "First", body: text })
    for (const body of bodies) expect(body).toEqual(bodies[0])
  })

  it("is retried ten times in 75 hours, with the same id and body", async () => {
    const { headers, hook, path, team } = await hooked()
    sink.responses.set(path, 500)
    await team.post("/tags", { name: "never" })
    const waits = [
      "7 seconds",
      "7 minutes",
      "37 minutes",
      "145 minutes",
      "361 minutes",
      "721 minutes",
      "1009 minutes",
      "1441 minutes",
      "1729 minutes"
    ] as const
    for (const [index, wait] of [...waits, undefined].entries()) {
      await sink.until(`try ${index + 1}`, () => sink.on(path).length === index + 1)
      const all = await until(
        () => deliveriesOf(hook.id, headers),
        (found) => found[index]?.status === "failed"
      )
      const made = Array.from({ length: index + 1 }, (_, at) => [at + 1, "failed", 500, false])
      const next = wait === undefined ? [] : [[index + 2, "pending", null, true]]
      expect(
        all.map((each: any) => [each.attempt, each.status, each.status_code, each.next_attempt_at !== null])
      ).toEqual([...made, ...next])
      expect(new Set(all.map((each: any) => each.id)).size).toBe(all.length)
      expect(new Set(all.map((each: any) => each.event_id)).size).toBe(1)
      if (wait !== undefined) await app.move(wait)
    }
    const tries = sink.on(path)
    expect(new Set(tries.map(({ id, raw }) => `${id} ${raw}`)).size).toBe(1)
    for (const each of tries) expect(verified(hook.secret, each)).toEqual(each.body)
    await app.move("5 days")
    expect(sink.on(path)).toHaveLength(10)
    expect((await hookOf(hook.id, headers)).active).toBe(true)
  })

  it("is retried on time while another event is still being sent", async () => {
    const { headers, hook, path, team } = await hooked()
    const hanging = new Set<string>()
    sink.responses.set(path, ({ body: { data }, id }, response) => {
      if (data.resource.name === "hangs") hanging.add(id)
      else response.writeHead(500).end()
    })
    await team.post("/tags", { name: "hangs" })
    await sink.until("it is on its way", () => hanging.size === 1)
    await team.post("/tags", { name: "fails" })
    await settled(hook.id, headers, 1)
    await app.move("7 seconds")
    const sent = () => sink.on(path).filter(({ id }) => !hanging.has(id))
    await sink.until("the second try", () => sent().length === 2)
    const all = await deliveriesOf(hook.id, headers)
    expect(all.filter(({ event_id }) => hanging.has(event_id))).toMatchObject([{ status: "pending" }])
  })

  it("waits as long as the endpoint requires in Retry-After", async () => {
    const { headers, hook, path, team } = await hooked()
    sink.responses.set(path, (_, response) => response.writeHead(429, { "retry-after": "3600" }).end())
    await team.post("/tags", { name: "later" })
    const [, next] = await until(
      () => deliveriesOf(hook.id, headers),
      (all) => all.length === 2
    )
    const asked = Date.parse(next.next_attempt_at) - Date.parse(next.created_at)
    expect(asked).toBeGreaterThanOrEqual(3600_000)
    sink.responses.set(path, 200)
    await app.move("61 minutes")
    await sink.until("the second", () => sink.on(path).length === 2)
    expect(await settled(hook.id, headers, 2)).toMatchObject([
      { status: "failed", attempt: 1, status_code: 429, response: { headers: { "retry-after": "3600" } } },
      { status: "succeeded", attempt: 2, status_code: 200, error: null, next_attempt_at: null }
    ])
  })

  it("is retried at once after the machine was suspended", async () => {
    const { headers, hook, path, team } = await hooked()
    sink.responses.set(path, 500)
    await team.post("/tags", { name: "asleep" })
    await until(
      () => deliveriesOf(hook.id, headers),
      (all) => all.length === 2
    )
    sink.responses.set(path, 200)
    await app.run(
      Effect.flatMap(Database, ({ write }) =>
        write.withTransaction(
          Effect.gen(function* () {
            // The claim of the webhook is renewed late, and has expired again by then.
            yield* write.unsafe("SELECT 1 FROM webhook_cursors WHERE webhook_id = $1 FOR UPDATE", [hook.id])
            yield* Effect.promise(() => app.move("61 minutes"))
          })
        )
      )
    )
    await sink.until("the second", () => sink.on(path).length === 2)
    expect(await settled(hook.id, headers, 2)).toMatchObject([{ attempt: 1 }, { status: "succeeded", attempt: 2 }])
  })

  it("does not follow a redirect", async () => {
    const { headers, hook, path, team } = await hooked()
    const headersOfAnswer = { location: sink.url("/elsewhere"), "x-large": "h".repeat(3_000) }
    sink.responses.set(path, (_, response) => response.writeHead(307, headersOfAnswer).end("b".repeat(20_000)))
    await team.post("/tags", { name: "moved" })
    const [delivery] = await until(
      () => deliveriesOf(hook.id, headers),
      (all) => all.length === 2
    )
    expect(delivery).toMatchObject({ status: "failed", status_code: 307, error: "the endpoint responded with 307" })
    // Only a part of the response is stored, because the endpoint decides its size.
    expect(delivery.response.headers).not.toHaveProperty("x-large")
    expect(delivery.response.body).toBe("b".repeat(2_048))
    expect(sink.on("/elsewhere")).toEqual([])
  })

  it("is sent once for a test or retry repeated with its Idempotency-Key", async () => {
    const { headers, hook, path } = await hooked()
    for (const action of ["test", "retry"]) {
      const target = action === "test" ? "test" : `deliveries/${(await deliveriesOf(hook.id, headers))[0].id}/retry`
      const keyed = { ...headers, "idempotency-key": action }
      const first = await app.call("POST", `/webhooks/${hook.id}/${target}`, undefined, keyed)
      const sent = sink.on(path).length
      const again = await app.call("POST", `/webhooks/${hook.id}/${target}`, undefined, keyed)
      expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"])
      expect(first.body.status).toBe("succeeded")
      expect(sink.on(path).length).toBe(sent)
    }
    expect(await deliveriesOf(hook.id, headers)).toHaveLength(2)
  })

  it("is sent at once by the waiting attempt when a retry is requested", async () => {
    const { headers, hook, path, team } = await hooked()
    sink.responses.set(path, (_, response) => response.writeHead(500).end("not now"))
    await team.post("/tags", { name: "again" })
    const [first, second] = await until(
      () => deliveriesOf(hook.id, headers),
      (all) => all.length === 2
    )
    sink.responses.set(path, 200)
    const { body, status } = await retry(hook.id, first.id, headers)
    expect([status, body.id, body.attempt]).toEqual([200, second.id, 2])
    await sink.until("the second", () => sink.on(path).length === 2)
    const all = await settled(hook.id, headers, 2)
    expect(all).toMatchObject([
      { status: "failed", attempt: 1, status_code: 500, error: "the endpoint responded with 500" },
      { status: "succeeded", attempt: 2, status_code: 200, error: null, event_id: first.event_id }
    ])
    expect(all[0]).toEqual(first)
    expect(all[0].response.body).toBe("not now")
  })
})

describe("attempt in progress", () => {
  it("is returned for a retry, and not sent twice", async () => {
    const { headers, hook, path, team } = await hooked()
    let respond = () => {}
    sink.responses.set(path, (_, response) => {
      respond = () => response.writeHead(204).end()
    })
    await team.post("/tags", { name: "slow" })
    const [first] = await until(
      () => deliveriesOf(hook.id, headers),
      ({ length }) => length === 1
    )
    const { body, status } = await retry(hook.id, first.id, headers)
    expect([status, body.id, body.attempt, body.status]).toEqual([200, first.id, 1, "pending"])
    respond()
    expect(await settled(hook.id, headers, 1)).toMatchObject([{ id: first.id, status: "succeeded" }])
    // A later retry is a second attempt.
    sink.responses.set(path, 204)
    expect((await retry(hook.id, first.id, headers)).body).toMatchObject({ attempt: 2, status: "succeeded" })
    expect(sink.on(path)).toHaveLength(2)
  })
})

describe("finished attempt", () => {
  it("is repeated as a new attempt, and stays unchanged", async () => {
    const { headers, hook, path, team } = await hooked()
    await team.post("/tags", { name: "twice" })
    const [first] = await settled(hook.id, headers, 1)
    sink.responses.set(path, 503)
    const second = (await retry(hook.id, first.id, headers)).body
    expect(second).toMatchObject({ attempt: 2, status: "failed", status_code: 503, event_id: first.event_id })
    sink.responses.set(path, 200)
    const third = (await retry(hook.id, first.id, headers)).body
    expect(third).toMatchObject({ attempt: 3, status: "succeeded", status_code: 200, next_attempt_at: null })
    expect(await deliveriesOf(hook.id, headers)).toEqual([first, second, third])
    expect(new Set(sink.on(path).map(({ id, raw }) => `${id} ${raw}`)).size).toBe(1)

    const list = async (query: string) =>
      (await app.call("GET", `/webhooks/${hook.id}/deliveries?${query}`, undefined, headers)).body.data
    expect(await list("filter=status_code=503")).toEqual([second])
    expect(await list("filter=attempt>=2 AND status=succeeded")).toEqual([third])
    expect(await list(`filter=event_id=${first.event_id}`)).toHaveLength(3)
  })

  it("is repeated once for two concurrent retries", async () => {
    const { headers, hook, path, team } = await hooked()
    await team.post("/tags", { name: "once" })
    const [first] = await settled(hook.id, headers, 1)
    const held: Array<() => void> = []
    sink.responses.set(path, (_, response) => void held.push(() => response.writeHead(200).end()))
    const asked = [retry(hook.id, first.id, headers), retry(hook.id, first.id, headers)]
    const refused = await Promise.race(asked)
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
      409,
      "invalid_state",
      "15"
    ])
    await sink.until("the second", () => held.length === 1)
    held[0]!()
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 409])
    expect(await deliveriesOf(hook.id, headers)).toHaveLength(2)
  })

  it("is repeated after a process ended during a retry", async () => {
    const { headers, hook, team } = await hooked()
    await team.post("/tags", { name: "cut" })
    const [first] = await settled(hook.id, headers, 1)
    await app.sql(
      `INSERT INTO webhook_deliveries
        (workspace_id, id, webhook_id, event_id, event_type, resource_id, status, attempt, created_at, body)
      SELECT workspace_id, 'dl_cut-off-by-a-crash', webhook_id, event_id, event_type, resource_id, 'pending', 2,
        created_at, body
      FROM webhook_deliveries WHERE id = $1`,
      [first.id]
    )
    expect((await retry(hook.id, first.id, headers)).status).toBe(409)
    await app.move("61 seconds")
    expect((await retry(hook.id, first.id, headers)).body).toMatchObject({ attempt: 3, status: "succeeded" })
    expect((await deliveriesOf(hook.id, headers))[1]).toMatchObject({
      id: "dl_cut-off-by-a-crash",
      status: "failed",
      error: "the attempt was interrupted"
    })
  })
})

describe("failing webhook", () => {
  it("is disabled at once by 410, and receives later events once it is enabled", async () => {
    const { headers, hook, path, team } = await hooked(["tag.*", "webhook.*"])
    sink.responses.set(path, 410)
    await team.post("/tags", { name: "gone" })
    const off = await until(
      () => hookOf(hook.id, headers),
      ({ active }) => !active
    )
    expect(off).toMatchObject({ active: false, disabled_reason: "gone" })
    expect(await settled(hook.id, headers, 1)).toMatchObject([{ status: "failed", status_code: 410, attempt: 1 }])
    const events = (await app.call("GET", "/events?filter=type=webhook.disabled", undefined, headers)).body.data
    expect(events).toMatchObject([{ resource_id: hook.id, actor_id: null, data: { reason: "gone" } }])
    const audit = (await app.call("GET", "/audit-log?filter=action=webhook.disabled", undefined, headers)).body.data
    expect(audit).toMatchObject([{ resource_id: hook.id }])

    await team.post("/tags", { name: "meanwhile" })
    sink.responses.set(path, 200)
    const on = await team.patch(`/webhooks/${hook.id}`, { active: true })
    expect(on).toMatchObject({ active: true, disabled_reason: null })
    await team.post("/tags", { name: "later" })
    await sink.until("the next", () => sink.on(path).length === 2)
    expect(sink.on(path)[1]!.body.data.resource.name).toBe("later")
  })

  it("restarts the period of failure after a successful test", async () => {
    const { headers, hook, path, team } = await hooked()
    const failing = async (name: string) => {
      sink.responses.set(path, 503)
      await team.post("/tags", { name })
      await until(
        () => deliveriesOf(hook.id, headers),
        (all) => all.some((each: any) => each.status === "failed" && each.request.body.includes(`"${name}"`))
      )
    }
    await failing("first")
    await app.move("4 days")
    sink.responses.set(path, 200)
    expect((await app.call("POST", `/webhooks/${hook.id}/test`, undefined, headers)).body.status).toBe("succeeded")
    await app.move("2 days")
    await failing("second")
    expect((await hookOf(hook.id, headers)).active).toBe(true)
  })

  it("is disabled after five days without success", async () => {
    const { headers, hook, path, team } = await hooked()
    sink.responses.set(path, 503)
    const fails = async (name: string) => {
      const sent = () => sink.on(path).find(({ body }) => body.data.resource.name === name)
      await team.post("/tags", { name })
      // A retry of an earlier event may arrive first.
      await sink.until(name, () => sent() !== undefined)
      const { id } = sent()!
      await until(
        () => deliveriesOf(hook.id, headers),
        (all) => all.some((each: any) => each.event_id === id && each.status === "failed")
      )
    }
    await fails("first")
    await app.move("4 days")
    sink.responses.set(path, 200)
    await team.post("/tags", { name: "taken" })
    await until(
      () => deliveriesOf(hook.id, headers),
      (all) => all.some(({ status }: any) => status === "succeeded")
    )
    sink.responses.set(path, 503)
    await app.move("2 days")
    // The days count from the first failure after the last success.
    await fails("second")
    expect((await hookOf(hook.id, headers)).active).toBe(true)
    await app.move("121 hours")
    await team.post("/tags", { name: "last" })
    const off = await until(
      () => hookOf(hook.id, headers),
      ({ active }) => !active
    )
    expect(off).toMatchObject({ active: false, disabled_reason: "failing" })
    const all = await until(
      () => deliveriesOf(hook.id, headers),
      (found) => found.every(({ status }: any) => status !== "pending")
    )
    expect(all.every(({ status }: any) => status !== "pending")).toBe(true)
  })
})

describe("results stored together", () => {
  it("count in the order of their ends: a failure after a success starts the period", async () => {
    const { headers, hook, path, team } = await hooked()
    sink.responses.set(path, 503)
    await team.post("/tags", { name: "first" })
    await settled(hook.id, headers, 1)
    // The retry of the first event and the second event are in progress at the same time.
    const open = new Map<string, ServerResponse>()
    sink.responses.set(path, ({ body }, response) => void open.set(body.data.resource.name, response))
    await app.move("1 minute")
    await sink.until("the retry", () => open.has("first"))
    await team.post("/tags", { name: "second" })
    await sink.until("the second event", () => open.has("second"))
    open.get("first")!.writeHead(200).end()
    open.get("second")!.writeHead(503).end()
    await settled(hook.id, headers, 3)
    sink.responses.set(path, 503)
    await app.move("121 hours")
    const off = await until(
      () => hookOf(hook.id, headers),
      ({ active }) => !active
    )
    expect(off).toMatchObject({ active: false, disabled_reason: "failing" })
  })
})

describe("endpoint that does not respond", () => {
  it("delays no other endpoint", async () => {
    const { headers, path, team } = await hooked()
    sink.responses.set(path, () => {})
    const good = await team.post("/webhooks", { url: sink.url(`${path}/good`), events: ["tag.*"] })
    for (let index = 0; index < 20; index++) await team.post("/tags", { name: `tag-${index}` })
    await sink.until("all at the good one", () => sink.on(`${path}/good`).length === 20)
    expect(await settled(good.id, headers, 20)).toHaveLength(20)
    expect(sink.on(path).length).toBeLessThan(20)
  })

  it("uses at most 16 connections of a workspace, and does not delay other workspaces", async () => {
    const { path, team } = await hooked()
    const hanging: Array<ServerResponse> = []
    sink.responses.set(path, (_, response) => void hanging.push(response))
    const crowd = Array.from({ length: 30 }, () => team.post("/webhooks", { url: sink.url(path), events: ["tag.*"] }))
    const hooks = await Promise.all(crowd)
    for (let index = 0; index < 6; index++) await team.post("/tags", { name: `tag-${index}` })
    await sink.until("the lane of slow endpoints is full", () => hanging.length === permits.slow.permitsPerKey)

    const other = await hooked()
    for (let index = 0; index < 6; index++) await other.team.post("/tags", { name: `tag-${index}` })
    await sink.until("all of the other workspace", () => sink.on(other.path).length === 6)

    // Tests, for which a caller waits, use separate connections, and wait when all of these are in use.
    const tests = hooks.slice(0, 5).map(({ id }: any) => team.post(`/webhooks/${id}/test`))
    const pings = () => sink.on(path).filter(({ body }) => body.type === "ping").length
    await sink.until("tests", () => pings() === requested.permitsPerKey)
    expect(hanging).toHaveLength(permits.slow.permitsPerKey + requested.permitsPerKey)
    sink.responses.set(path, 204)
    for (const response of hanging) response.writeHead(204).end()
    for (const { status } of await Promise.all(tests)) expect(status).toBe("succeeded")
    await sink.until("all", () => sink.on(path).length === 31 * 6 + 5)
  })
})
