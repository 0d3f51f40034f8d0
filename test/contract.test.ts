import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventTypes } from "../services/EventTypes.ts"
import { type ReceivedResponse, Contract, contract } from "./support/Contract.ts"
import { readPath, sendForm, someRequest } from "./support/oauth/OAuthFlow.ts"
import { Team } from "./support/people/Team.ts"
import { sendEach } from "./support/rights/EachOperation.ts"
import { HookSink, verified } from "./support/servers/HookSink.ts"
import { useApp } from "./support/useApp.ts"

/** TestApp checks every response of every test against the contract. These tests check its coverage and its errors. */

const { app } = useApp({ settings: { webhookAllow: ["127.0.0.1"] } })

/** Advances the test clock until a condition is true. */
const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await app.advance("1 second")
}

const post = async (path: string, body: unknown) => (await app.call("POST", path, body)).body

describe("real responses", () => {
  let sink: HookSink
  let team: Team
  /** A webhook of all events of the team. */
  let hook: any
  beforeAll(async () => {
    // Other files of this process have seen others.
    contract.seen.clear()
    sink = await HookSink.start()
    team = await Team.start(app)
    hook = await team.post("/webhooks", { url: sink.url("/all"), events: ["*"] })
  })
  afterAll(() => sink.stop())

  it("match the contract for every operation", async () => {
    await sendEach(app, team)
    await app.call("GET", "/openapi.json")
    await app.call("GET", "/errors/not_found")
    for (const name of ["authorization-server", "protected-resource"]) await readPath(app, `/.well-known/oauth-${name}`)
    await readPath(app, `/oauth/authorize?${await someRequest(app)}`)
    await sendForm(app, "/oauth/revoke", { token: "sfr_none" })

    // Records with all optional members, which are listed, changed, pushed and deleted.
    const outer = await post("/notebooks", { name: "Outer", color: "#abc", icon: "book" })
    const inner = await post("/notebooks", { name: "Inner", parent_id: outer.id })
    const note = await post("/notes", {
      notebook_id: inner.id,
      title: "A note",
      body: "some words",
      tags: ["one", "two"]
    })
    await app.call("GET", "/notes?limit=1&sort=title")
    await app.call("PATCH", `/notes/${note.id}`, { title: "Another" })
    const copy = await post(`/notes/${note.id}/duplicate`, undefined)
    await post(`/notebooks/${inner.id}/move`, { parent_id: null })
    const three = await post("/tags", { name: "three", color: "#123456" })
    await app.call("PATCH", `/tags/${three.id}`, { name: "renamed" })
    await post("/tags/merge", { sources: ["two"], target: "renamed" })
    const template = await post("/templates", { name: "Daily", body: "{{date}} {{what}}" })
    await app.call("GET", "/templates")
    await app.call("GET", `/templates/${template.id}`)
    await app.call("PATCH", `/templates/${template.id}`, { name: "Weekly" })
    await post(`/templates/${template.id}/apply`, undefined)
    await app.call("DELETE", `/templates/${template.id}`)
    await post("/search", { query: "words" })
    await app.call("GET", "/search/suggest?q=re")
    const { device_id } = await post("/sync/pull", { device: { name: "Phone", platform: "ios" } })
    const pushed = await post("/sync/push", {
      device: { id: device_id },
      changes: [
        { type: "note", op: "upsert", mutation_id: "m-1", data: { notebook_id: outer.id, title: "Pushed" } },
        { type: "note", op: "upsert", id: note.id, revision: 1, data: { title: "Too late" } },
        { type: "note", op: "upsert", data: { title: 7 } }
      ]
    })
    expect(pushed.results.map((each: any) => each.status)).toEqual(["applied", "conflict", "rejected"])
    await post("/api-keys", { name: "Backup", scopes: ["notes:read"] })
    for (const list of ["/notebooks", "/tags", "/sync/devices", "/events", "/audit-log", "/api-keys"]) {
      await app.call("GET", list)
    }
    const comment = await post(`/notes/${note.id}/comments`, { body: "Settled?" })
    await app.call("PATCH", `/notes/${note.id}/comments/${comment.id}`, { resolved: true })
    const due = await post("/reminders", { note_id: note.id, remind_at: "2026-01-01T00:00:00Z" })
    await until(async () => (await app.call("GET", `/reminders/${due.id}`)).body.done)
    await app.call("DELETE", `/notes/${note.id}`)
    await app.call("DELETE", `/notes/${copy.id}?permanent=true`)
    await app.call("DELETE", `/notebooks/${outer.id}`)
    // This app has no place for backups, no provider and no passkeys, and a stream does not end by itself: other tests use them.
    expect(contract.operations.filter((id) => !contract.seen.has(id))).toEqual([
      "adminBeginBackup",
      "adminBeginDrill",
      "addFactor",
      "makeRecoveryCodes",
      "connectUserIdentity",
      "confirmUserIdentity",
      "streamChanges",
      "offerPasskey",
      "logInByPasskey"
    ])
    // The requests have raised exactly the event types of the OpenAPI document.
    const happened = await app.sql("SELECT DISTINCT type FROM changes")
    expect(happened.map(({ type }) => type).sort()).toEqual(
      // No single request raises these: see test/api/webhooks/WebhookDeliveries.test.ts and services/writer/Restores.test.ts.
      eventTypes
        .filter((type) => !["webhook.disabled", "export.failed", "workspace.restored"].includes(type))
        .toSorted()
    )
  })

  it("have events, which are sent once each to the webhook, with their actor, as in the event log", async () => {
    const logged = await app.sql(
      `SELECT id, type, resource, resource_id, actor_id, occurred_at FROM changes WHERE workspace_id = $1
        AND seq > (SELECT seq FROM changes WHERE workspace_id = $1 AND type = 'webhook.created' AND resource_id = $2)
        AND type <> 'ping'`,
      [team.id, hook.id]
    )
    await sink.until("all events", () => sink.on("/all").length >= logged.length)
    const came = sink.on("/all").toSorted((one, other) => (one.id < other.id ? -1 : 1))
    expect(
      came.map(({ body: { data, timestamp, type } }) => ({
        id: data.id,
        type,
        resource: data.resource_type,
        resource_id: data.resource_id,
        actor_id: data.actor_id,
        occurred_at: timestamp
      }))
    ).toEqual(logged.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
    for (const each of came) {
      expect(verified(hook.secret, each)).toEqual(each.body)
      expect(each.body.data.workspace_id).toBe(team.id)
      const { resource, resource_id } = each.body.data
      if (resource !== null) expect(resource.id).toBe(resource_id)
    }
    expect(new Set(came.map(({ body }) => body.type)).size).toBeGreaterThan(30)
  })

  it("match the contract for errors", async () => {
    const statuses: Array<number> = []
    for (const [method, path, body, headers] of [
      ["GET", "/notes?limit=0"],
      ["GET", "/notes", undefined, { authorization: "" }],
      ["GET", "/notes/nt_none"],
      ["POST", "/tags", { name: "twice" }],
      ["POST", "/tags", { name: "TWICE" }],
      ["POST", "/notes", { title: 7 }],
      ["POST", "/notes", "{", {}],
      ["POST", "/notes", "{}", { "content-type": "text/plain" }],
      ["DELETE", "/notebooks/nb_none", undefined, { "if-match": '"x"' }]
    ] as ReadonlyArray<[string, string, unknown?, Record<string, string>?]>) {
      statuses.push((await app.call(method, path, body, headers)).status)
    }
    expect(statuses).toEqual([400, 401, 404, 201, 409, 422, 400, 415, 404])
  })
})

describe("the check of a response", () => {
  const checker = new Contract()
  const note = {
    id: "nt_0123456789abcdef",
    notebook_id: "nb_0123456789abcdef",
    title: "x",
    body: "",
    tags: [],
    pinned: false,
    archived: false,
    version: 1,
    word_count: 0,
    created_at: "2026-03-01T12:00:00.000Z",
    updated_at: "2026-03-01T12:00:00.000Z"
  }
  const check = (
    body: unknown,
    { headers = {}, status = 200 }: { status?: number; headers?: Record<string, string> } = {}
  ) => {
    const answered: ReceivedResponse = {
      status,
      headers: new Headers({ "content-type": "application/json", "request-id": "req_1", etag: '"1"', ...headers }),
      body,
      text: JSON.stringify(body)
    }
    return () => checker.check({ method: "GET", path: "/notes/nt_0123456789abcdef?x=1" }, answered)
  }
  const problem = {
    type: "http://sheaf.test/v2/errors/not_found",
    title: "Not found",
    status: 404,
    detail: "No such note",
    instance: "/v2/notes/nt_0",
    code: "not_found",
    request_id: "req_1"
  }
  const asProblem = { status: 404, headers: { "content-type": "application/problem+json" } }

  it("refuses a missing or unknown member, and a member of another type or format", () => {
    expect(check(note)).not.toThrow()
    const { title: _, ...less } = note
    expect(check(less)).toThrow(/getNote.*'title'/s)
    expect(check({ ...note, secret: 1 })).toThrow(/secret/)
    expect(check({ ...note, version: "1" })).toThrow(/version must be integer/)
    expect(check({ ...note, id: "nb_0123456789abcdef" })).toThrow(/pattern/)
    expect(check({ ...note, updated_at: "yesterday" })).toThrow(/date-time/)
  })

  it("refuses another status or media type, and a missing header", () => {
    expect(check(note, { status: 201 })).toThrow(/documented are 200/)
    expect(check(note, { headers: { "content-type": "text/plain" } })).toThrow(/not text\/plain/)
    const without = {
      status: 200,
      headers: new Headers({ "content-type": "application/json", "request-id": "r" }),
      body: note,
      text: ""
    }
    expect(() => checker.check({ method: "GET", path: "/notes/nt_x" }, without)).toThrow(/ETag is missing/)
  })

  it("refuses a problem with another code, and with missing or unknown members", () => {
    expect(check(problem, asProblem)).not.toThrow()
    expect(check({ ...problem, code: "already_exists" }, asProblem)).toThrow(/documented codes/)
    const { request_id: _, ...less } = problem
    expect(check(less, asProblem)).toThrow(/request_id is missing/)
    expect(check({ ...problem, stack: "at" }, asProblem)).toThrow(/stack/)
    expect(check({ ...problem, code: "no_such_code" }, asProblem)).toThrow(/allowed values/)
  })

  it("refuses a change whose data do not match its type, and an unknown event of the stream", () => {
    const change = {
      type: "note",
      id: note.id,
      op: "upsert",
      revision: 1,
      data: note,
      changed_at: note.created_at,
      actor_id: null,
      device_id: null
    }
    const event = (event: string, data: unknown) => () => checker.checkEvent({ id: "c", event, data })
    expect(event("change", change)).not.toThrow()
    expect(event("change", { ...change, op: "delete", data: null })).not.toThrow()
    expect(event("change", { ...change, op: "delete" })).toThrow(/data must be equal to constant/)
    expect(event("change", { ...change, type: "tag" })).toThrow()
    expect(event("change", { ...change, data: { ...note, note_count: 1 } })).toThrow(/note_count/)
    expect(event("ready", { cursor: "c" })).not.toThrow()
    expect(() => checker.checkEvent({ event: "bye", data: { reason: "slow" } })).not.toThrow()
    expect(() => checker.checkEvent({ event: "bye", data: { reason: "bored" } })).toThrow(/reason must be equal/)
    expect(event("reminder", {})).toThrow(/event/)
  })
})
