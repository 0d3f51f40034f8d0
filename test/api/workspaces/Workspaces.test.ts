import { beforeAll, describe, expect, it } from "vitest"
import { planDefaults, type Policies } from "../../../services/workspaces/Plans.ts"
import { guest, join, register, type Person, workspaceOf } from "../../support/people/People.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const policies: Policies = { signUp: "open", planChanges: "owner", ownedWorkspaces: 10, limits: planDefaults }

const { app } = useApp({ settings: { policies: { ...policies, ownedWorkspaces: 0 } } })
let anna: Person

beforeAll(async () => {
  anna = await register(app)
})

const create = (input: object, who = anna) => app.call("POST", "/workspaces", input, who.headers)
const changesOf = (workspace: string) =>
  app.sql("SELECT type, resource_id, actor_id, data FROM changes WHERE workspace_id = $1 ORDER BY seq", [workspace])
const auditOf = (workspace: string) =>
  app.sql("SELECT action, actor_id, metadata FROM audit_entries WHERE workspace_id = $1 ORDER BY id", [workspace])

describe("POST /workspaces", () => {
  it("creates a workspace with the caller as owner, and logs it", async () => {
    const { body, headers, status } = await create({ name: "Café Größe", plan: "plus", seats: 5 })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^ws_/),
      name: "Café Größe",
      slug: "cafe-grosse",
      plan: "plus",
      seats: 5,
      second_factor_from: null,
      created_at: "2026-03-01T12:00:00.000Z"
    })
    const shown = await app.call("GET", `/workspaces/${body.id}`, undefined, anna.headers)
    expect([shown.body, shown.headers.get("etag")]).toEqual([body, headers.get("etag")])
    const { data } = (await app.call("GET", `/workspaces/${body.id}/members`, undefined, anna.headers)).body
    expect(data).toMatchObject([{ user_id: anna.user_id, role: "owner", email: anna.email }])
    expect(await changesOf(body.id)).toMatchObject([
      { type: "workspace.created", resource_id: body.id, actor_id: anna.user_id },
      { type: "member.added", resource_id: data[0].id, actor_id: anna.user_id },
      { type: "notebook.created", actor_id: anna.user_id }
    ])
    const notebooks = await app.call("GET", "/notebooks", undefined, { ...anna.headers, "workspace-id": body.id })
    expect(notebooks.body.data).toMatchObject([{ name: "Inbox" }])
    const note = await app.call("POST", "/notebooks", { name: "First" }, { ...anna.headers, "workspace-id": body.id })
    expect(note.status).toBe(201)
  })

  it("defaults to the free plan with one seat and a unique slug", async () => {
    const [first, second] = [(await create({ name: "Same" })).body, (await create({ name: "Same" })).body]
    expect(first).toMatchObject({ slug: "same", plan: "free", seats: 1 })
    expect(second.slug).toMatch(/^same-[a-z0-9]{8}$/)
    expect((await create({ name: "日本" })).body.slug).toMatch(/^workspace/)
    const long = (await create({ name: "x".repeat(100) })).body.slug
    expect((await create({ name: "x".repeat(100) })).body.slug).toMatch(
      new RegExp(`^${long.slice(0, 54)}-[a-z0-9]{8}$`)
    )
  })

  it("rejects a slug in use, also when concurrent", async () => {
    const many = await Promise.all([...Array(5)].map(() => create({ name: "Race", slug: "the-race" })))
    expect(many.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409])
    expect((await create({ name: "Race", slug: "the-race" })).body.code).toBe("already_exists")
    const made = await Promise.all([...Array(4)].map(() => create({ name: "Unnamed" })))
    expect(new Set(made.map(({ body }) => body.slug)).size).toBe(4)
  })

  it.each([
    [{}, "name", "required"],
    [{ name: " " }, "name", "blank"],
    [{ name: "x".repeat(101) }, "name", "too_long"],
    [{ name: "x", slug: "Upper" }, "slug", "invalid_slug"],
    [{ name: "x", slug: "-a" }, "slug", "invalid_slug"],
    [{ name: "x", slug: "a".repeat(64) }, "slug", "invalid_slug"],
    [{ name: "x", plan: "gold" }, "plan", "unknown_plan"],
    [{ name: "x", seats: 0 }, "seats", "out_of_range"],
    [{ name: "x", seats: 1.5 }, "seats", "out_of_range"],
    [{ name: "x", seats: 100_001 }, "seats", "out_of_range"]
  ])("refuses %j", async (input, field, code) => {
    const answer = await create(input)
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toMatchObject([{ field, code }])
  })

  it("requires members:write of an API key", async () => {
    const key = await guest(app, { scopes: ["members:write"], role: "viewer" })
    const made = await app.call("POST", "/workspaces", { name: "By key" }, key.headers)
    expect(made.status).toBe(201)
    expect((await app.call("GET", `/workspaces/${made.body.id}`, undefined, key.headers)).status).toBe(404)
    const reader = await guest(app, { scopes: ["members:read"] })
    const refused = await app.call("POST", "/workspaces", { name: "No" }, reader.headers)
    expect(refused).toMatchObject({ status: 403, body: { code: "insufficient_scope" } })
  })

  it("creates one workspace per Idempotency-Key, also when the response was lost in a crash", async () => {
    const headers = { ...anna.headers, "idempotency-key": "make-one" }
    const send = () => app.call("POST", "/workspaces", { name: "Once" }, headers)
    const first = await send()
    const again = await send()
    expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"])
    // As if the server had crashed between the commit and storing the response.
    await app.sql(
      "UPDATE idempotency_keys SET answer = NULL, claimed_at = '2026-01-01T00:00:00.000Z' WHERE workspace_id = $1",
      [anna.workspace_id]
    )
    const crashed = await send()
    expect([crashed.status, crashed.body, crashed.headers.get("idempotent-replayed")]).toEqual([
      201,
      first.body,
      "true"
    ])
    const other = await app.call("POST", "/workspaces", { name: "Once" }, { ...headers, "idempotency-key": "make-two" })
    expect(other.body.id).not.toBe(first.body.id)
  })

  it("is limited per user, also when concurrent, without deleted workspaces", async () => {
    const bounded = await startApp({ settings: { policies } })
    const rich = await register(bounded)
    const make = (name: string) => bounded.call("POST", "/workspaces", { name }, rich.headers)
    // Opens the maximum number of connections first, so that the requests do run at the same time.
    const crowd: Array<Person> = []
    for (let one = 0; one < 12; one++) crowd.push(await register(bounded))
    await Promise.all(crowd.map((each) => workspaceOf(bounded, each)))
    const answers = await Promise.all([...Array(12)].map((_, n) => make(`N ${n}`)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(9)
    const refused = answers.find(({ status }) => status === 403)!
    expect(refused.body).toMatchObject({ code: "quota_exceeded", quota: "workspaces", limit: 10, used: 10 })
    const { id } = answers.find(({ status }) => status === 201)!.body
    await bounded.call("DELETE", `/workspaces/${id}`, undefined, rich.headers)
    expect((await make("In its place")).status).toBe(201)
    const other = await register(bounded)
    const theirs = await workspaceOf(bounded, other)
    const member = await join(bounded, other, theirs, rich, "admin")
    const promoted = await bounded.call(
      "PATCH",
      `/workspaces/${theirs}/members/${member}`,
      { role: "owner" },
      other.headers
    )
    expect(promoted).toMatchObject({ status: 403, body: { code: "quota_exceeded", used: 10 } })
    const another = await workspaceOf(bounded, other)
    await expect(join(bounded, other, another, rich, "owner")).rejects.toThrow("quota_exceeded")
    await bounded.stop()
  })
})

describe("GET /workspaces", () => {
  it("lists memberships, in pages, sorted and filtered", async () => {
    const bob = await register(app)
    const ids = [bob.workspace_id]
    for (const name of ["Alpha", "Beta", "Gamma"]) ids.push(await workspaceOf(app, bob, name))
    const list = async (query: string) => (await app.call("GET", `/workspaces${query}`, undefined, bob.headers)).body
    expect((await list("")).data.map(({ id }: any) => id).toSorted()).toEqual(ids.toSorted())
    const first = await list("?limit=2&sort=-name")
    expect(first.data.map(({ name }: any) => name)).toEqual(["Personal", "Gamma"])
    const second = await list(`?limit=2&sort=-name&cursor=${first.next_cursor}`)
    expect([second.data.map(({ name }: any) => name), second.has_more]).toEqual([["Beta", "Alpha"], false])
    expect((await list("?filter=name=A*")).data).toMatchObject([{ id: ids[1], name: "Alpha" }])
    expect((await list("?filter=plan=team")).data).toEqual([])
    expect((await list(`?filter=id=${ids[2]}`)).data).toMatchObject([{ name: "Beta" }])
    const foreign = await app.call(
      "GET",
      `/workspaces?limit=2&sort=-name&cursor=${first.next_cursor}`,
      undefined,
      anna.headers
    )
    expect(foreign.body.code).toBe("cursor_mismatch")
  })

  it("returns only the workspace of an API key", async () => {
    const { data } = (await app.call("GET", "/workspaces")).body
    expect(data).toMatchObject([{ id: app.workspace_id, name: "Personal", plan: "team" }])
    const id = await workspaceOf(app, anna)
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const answer = await app.call(method, `/workspaces/${id}`, method === "PATCH" ? { name: "Mine" } : undefined)
      expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } })
    }
  })

  it("returns 404 for workspaces of other users and invalid ids", async () => {
    const stranger = await register(app)
    const id = await workspaceOf(app, anna)
    for (const path of [id, "ws_0000000000000000", "x", "%00", "%F0%9F%92%A5", "..%2Fnotes"]) {
      const answer = await app.call("GET", `/workspaces/${path}`, undefined, stranger.headers)
      expect([answer.status, answer.body.code], path).toEqual([404, "not_found"])
    }
  })
})

describe("PATCH /workspaces/{id}", () => {
  it("changes supplied fields, and logs a change once, with a separate audit entry for the plan", async () => {
    const id = await workspaceOf(app, anna)
    const patch = (input: object, headers: object = {}) =>
      app.call("PATCH", `/workspaces/${id}`, input, { ...anna.headers, ...headers })
    const { body, headers } = await patch({
      name: "New",
      slug: "new-slug",
      plan: "team",
      seats: 3,
      id: "ws_other",
      created_at: null
    })
    expect(body).toMatchObject({ id, name: "New", slug: "new-slug", plan: "team", seats: 3 })
    expect((await patch({ name: "New", plan: "team" })).body).toEqual(body)
    expect((await patch({})).body).toEqual(body)
    expect((await changesOf(id)).map(({ type }) => type)).toEqual([
      "workspace.created",
      "member.added",
      "notebook.created",
      "workspace.updated"
    ])
    const audit = await auditOf(id)
    expect(audit.map(({ action }) => action)).toEqual([
      "workspace.created",
      "member.added",
      "workspace.updated",
      "plan.changed"
    ])
    expect(audit.at(-1)).toMatchObject({ actor_id: anna.user_id, metadata: { from: "free", to: "team" } })
    expect((await patch({ name: "Newer" }, { "if-match": '"no"' })).body).toMatchObject({
      code: "precondition_failed",
      current_version: headers.get("etag")
    })
    expect((await patch({ name: "Newer" }, { "if-match": headers.get("etag")! })).status).toBe(200)
    const other = await create({ name: "Other" })
    expect((await patch({ slug: other.body.slug })).body.code).toBe("already_exists")
    for (const bad of [{ name: null }, { slug: null }, { plan: null }, { seats: "3" }])
      expect((await patch(bad)).status).toBe(422)
  })

  it("rejects fewer seats than members", async () => {
    const id = await workspaceOf(app, anna)
    const patch = (input: object) => app.call("PATCH", `/workspaces/${id}`, input, anna.headers)
    for (const role of ["editor", "viewer"] as const) await join(app, anna, id, await register(app), role)
    expect(await patch({ seats: 2 })).toMatchObject({
      status: 422,
      body: { errors: [{ field: "seats", code: "out_of_range", message: "must be at least 3, the number of members" }] }
    })
    // Members joined beyond the only seat: this number may stay.
    expect((await patch({ name: "Still one", seats: 1 })).body).toMatchObject({ name: "Still one", seats: 1 })
    expect((await patch({ seats: 3 })).body.seats).toBe(3)
  })

  it("lets admins change the name, owners everything, and others nothing", async () => {
    const id = await workspaceOf(app, anna)
    const people: Record<string, Person> = {}
    for (const role of ["admin", "editor", "viewer"] as const) {
      people[role] = await register(app)
      await join(app, anna, id, people[role], role)
    }
    const allowed: Record<string, ReadonlyArray<number>> = {}
    for (const [role, { headers }] of Object.entries({ ...people, owner: anna })) {
      const statuses: Array<number> = []
      for (const input of [{ name: `of ${role}` }, { slug: `of-${role}` }, { plan: "plus" }, { seats: 7 }]) {
        statuses.push((await app.call("PATCH", `/workspaces/${id}`, input, headers)).status)
      }
      allowed[role] = statuses
    }
    expect(allowed).toEqual({
      admin: [200, 403, 403, 403],
      editor: [403, 403, 403, 403],
      viewer: [403, 403, 403, 403],
      owner: [200, 200, 200, 200]
    })
    for (const { headers } of Object.values(people)) {
      expect((await app.call("DELETE", `/workspaces/${id}`, undefined, headers)).body.code).toBe("insufficient_role")
    }
    const { workspace_id: _, ...same } = (
      await app.sql("SELECT workspace_id, plan, seats FROM workspaces WHERE workspace_id = $1", [id])
    )[0]
    expect((await app.call("PATCH", `/workspaces/${id}`, same, people["admin"]!.headers)).status).toBe(200)
  })
})
