import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { ChangeLog } from "../../../services/writer/ChangeLog.ts"
import { policyDefaults } from "../../../services/workspaces/Plans.ts"
import { EventStream } from "../../support/EventStream.ts"
import { mailTo } from "../../support/people/Mail.ts"
import { password, register, unsigned } from "../../support/people/People.ts"
import { type Member, Team } from "../../support/people/Team.ts"
import { planLimits } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp({ settings: { policies: { ...policyDefaults, signUp: "open", limits: planLimits } } })
let team: Team
let operator: Member

beforeAll(async () => {
  team = await Team.start(app)
  operator = await team.operator("session")
})

const call = (method: string, path: string, body?: unknown, more: object = {}) =>
  app.call(method, `/admin${path}`, body, { ...operator.headers, ...more })

const lastAction = async (resource_id: string) =>
  (
    await app.sql(
      "SELECT action, actor_id, metadata FROM audit_entries WHERE resource_id = $1 ORDER BY id DESC LIMIT 1",
      [resource_id]
    )
  )[0]

/** The last action on a resource in the log of the operator's personal workspace, which outlives the resource. */
const operatorAction = async (resource_id: string) =>
  (
    await app.sql(
      "SELECT action FROM audit_entries WHERE workspace_id = $1 AND resource_id = $2 ORDER BY id DESC LIMIT 1",
      [operator.workspace_id, resource_id]
    )
  )[0]?.action

describe("an operator", () => {
  it("is shown as one by /me, and has the scopes of the server", async () => {
    expect((await app.call("GET", "/me", undefined, operator.headers)).body.operator).toBe(true)
    expect((await app.call("GET", "/me", undefined, team.owner.headers)).body.operator).toBe(false)
    const signedIn = await unsigned(app, "/auth/login", { email: operator.email, password })
    expect(signedIn.body.scope.split(" ")).toEqual(expect.arrayContaining(["admin:read", "admin:write"]))
  })

  it("makes keys with the scopes of the server only by naming them", async () => {
    const person = await register(app)
    const own = (body: object, headers = person.headers) => app.call("POST", "/api-keys", body, headers)
    expect((await own({ name: "more", scopes: ["admin:read"] })).body.code).toBe("scope_not_grantable")
    await call("PATCH", `/users/${person.user_id}`, { operator: true })
    expect((await own({ name: "usual" })).body.scopes).not.toContain("admin:read")
    const { secret } = (await own({ name: "monitor", scopes: ["admin:read"] })).body
    const headers = { authorization: `Bearer ${secret}` }
    expect((await app.call("GET", "/admin/users", undefined, headers)).status).toBe(200)
    expect(await lastAction(person.user_id)).toEqual({
      action: "auth.operator_added",
      actor_id: operator.user_id,
      metadata: { by: "operator" }
    })
    await call("PATCH", `/users/${person.user_id}`, { operator: false })
    expect((await app.call("GET", "/admin/users", undefined, headers)).body.code).toBe("insufficient_scope")
  })

  it("cannot suspend, delete or demote themselves", async () => {
    for (const [method, body] of [
      ["PATCH", { suspended: true }],
      ["PATCH", { operator: false }],
      ["DELETE", undefined]
    ] as const) {
      expect((await call(method, `/users/${operator.user_id}`, body)).body.code).toBe("invalid_state")
    }
  })
})

describe("the users of the server", () => {
  it("are listed, searched by words, and filtered", async () => {
    const person = await register(app, { name: "Zebulon" })
    const found = await call("GET", "/users?filter=zebul")
    expect(found.body.data).toMatchObject([
      {
        id: person.user_id,
        email: person.email,
        name: "Zebulon",
        operator: false,
        suspended_at: null,
        sessions: 1,
        workspaces: 1
      }
    ])
    const operators = await call("GET", "/users?filter=operator:true&sort=email")
    expect(operators.body.data.map(({ email }: any) => email)).toContain(operator.email)
    const first = await call("GET", "/users?limit=1")
    const next = await call("GET", `/users?limit=1&cursor=${first.body.next_cursor}`)
    expect([first.body.has_more, next.status]).toEqual([true, 200])
    expect(next.body.data[0].id).not.toBe(first.body.data[0].id)
  })

  it("are suspended at once with all credentials and streams, and resumed with their keys", async () => {
    const person = await register(app)
    const { secret } = (await app.call("POST", "/api-keys", { name: "k" }, person.headers)).body
    const key = { authorization: `Bearer ${secret}` }
    const stream = await EventStream.open(app, { headers: key })
    const suspended = await call("PATCH", `/users/${person.user_id}`, { suspended: true })
    expect(suspended.body).toMatchObject({ suspended_at: expect.any(String), sessions: 0 })
    expect(await lastAction(person.user_id)).toMatchObject({
      action: "auth.account_suspended",
      metadata: { by: "operator" }
    })
    await stream.ended()
    expect((await app.call("GET", "/notes", undefined, person.headers)).status).toBe(401)
    expect((await app.call("GET", "/notes", undefined, key)).body).toMatchObject({
      status: 403,
      code: "account_suspended"
    })
    const signIn = { email: person.email, password }
    expect((await unsigned(app, "/auth/login", signIn)).body.code).toBe("account_suspended")
    expect((await unsigned(app, "/auth/login", { ...signIn, password: "some other word" })).body.code).toBe(
      "invalid_credentials"
    )
    await call("PATCH", `/users/${person.user_id}`, { suspended: false })
    expect((await app.call("GET", "/notes", undefined, key)).status).toBe(200)
    expect((await unsigned(app, "/auth/login", signIn)).status).toBe(200)
  })

  it("lose cached rights before the response, also where their log has no entry of it", async () => {
    const { user_id, workspace_id } = await register(app)
    await call("POST", `/users/${user_id}/end-sessions`)
    const lost: Array<boolean> = []
    const log = await app.run(Effect.service(ChangeLog))
    log.observe((growth) => {
      if (growth.workspace_id === workspace_id) lost.push(growth.changesAccess)
    })
    for (const change of [{ operator: true }, { operator: false }, { suspended: true }, { suspended: false }]) {
      await call("PATCH", `/users/${user_id}`, change)
    }
    expect(lost).toEqual([true, true, true, true])
  })

  it("cannot use signed addresses of files while they are suspended", async () => {
    const person = await register(app)
    const own = async (path: string, body: object) => (await app.call("POST", path, body, person.headers)).body
    const notebook_id = (await own("/notebooks", { name: "Plans" })).id
    const note_id = (await own("/notes", { notebook_id, title: "Plan" })).id
    const { upload_url } = await own("/attachments/uploads", { note_id, filename: "a.txt" })
    const upload = () =>
      fetch(upload_url.replace("http://sheaf.test", new URL(app.url).origin), { method: "PUT", body: "a" })
    await call("PATCH", `/users/${person.user_id}`, { suspended: true })
    expect((await upload()).status).toBe(403)
    await call("PATCH", `/users/${person.user_id}`, { suspended: false })
    expect((await upload()).status).toBe(200)
  })

  it("get a link to set another password, which is also mailed", async () => {
    const person = await register(app)
    const { body } = await call("POST", `/users/${person.user_id}/password-link`)
    const token = new URL(body.url).searchParams.get("token")
    expect((await mailTo(app, person.email)).at(-1)!.text).toContain(token)
    expect((await unsigned(app, "/auth/reset", { token, new_password: "another good word" })).status).toBe(200)
  })

  it("get one link for requests with the same Idempotency-Key, in the first response only", async () => {
    const { email, user_id } = await register(app)
    for (const id of [user_id, operator.user_id]) {
      const once = () => call("POST", `/users/${id}/password-link`, undefined, { "idempotency-key": `link-${id}` })
      expect((await once()).body.url).toContain("token=")
      expect((await once()).body).toMatchObject({ status: 409, code: "invalid_state" })
    }
    expect(await mailTo(app, email)).toHaveLength(1)
    const ended = () => call("POST", `/users/${user_id}/end-sessions`, undefined, { "idempotency-key": "end-once" })
    expect([(await ended()).body, (await ended()).body]).toEqual([{ revoked: 1 }, { revoked: 1 }])
  })

  it("are created, changed under If-Match, signed out and deleted", async () => {
    const made = await call("POST", "/users", { email: "made@sheaf.test", password, name: "Made" })
    expect(made).toMatchObject({ status: 201, body: { name: "Made", email_confirmed: true } })
    const path = `/users/${made.body.id}`
    const begun = await app.sql(
      "SELECT actor_id, metadata FROM audit_entries WHERE action = 'workspace.created' AND workspace_id = $1",
      [made.body.workspace_id]
    )
    expect(begun).toMatchObject([{ actor_id: operator.user_id, metadata: { by: "operator" } }])
    expect((await call("POST", "/users", { email: "made@sheaf.test", password })).body.code).toBe("already_exists")
    await unsigned(app, "/auth/login", { email: "made@sheaf.test", password })
    expect((await call("POST", `${path}/end-sessions`)).body).toEqual({ revoked: 1 })
    const etag = (await call("GET", path)).headers.get("etag")!
    expect((await call("PATCH", path, { name: "One" }, { "if-match": etag })).body.name).toBe("One")
    const byOperator = { by: "operator" }
    const changes = () => app.sql("SELECT action, metadata FROM audit_entries WHERE resource_id = $1", [made.body.id])
    expect(await changes()).toContainEqual({
      action: "auth.name_changed",
      metadata: { from: "Made", to: "One", ...byOperator }
    })
    expect((await call("PATCH", path, { email: "remade@sheaf.test" })).status).toBe(200)
    expect(await changes()).toContainEqual({
      action: "auth.email_changed",
      metadata: { from: "made@sheaf.test", to: "remade@sheaf.test", ...byOperator }
    })
    expect((await call("POST", `${path}/end-sessions`)).body).toEqual({ revoked: 0 })
    expect(await changes()).toContainEqual({
      action: "auth.sessions_ended",
      metadata: { revoked: 0, ...byOperator }
    })
    expect((await call("PATCH", path, { name: "Two" }, { "if-match": etag })).status).toBe(412)
    expect((await call("DELETE", path, undefined, { "if-match": etag })).status).toBe(412)
    expect((await call("DELETE", path)).body).toEqual({ deleted: true, id: made.body.id })
    expect(await operatorAction(made.body.id)).toBe("server.user_deleted")
    expect((await call("GET", path)).status).toBe(404)
  })

  it("leave their workspaces by the operator who deletes them", async () => {
    const member = await team.member("editor")
    expect((await call("DELETE", `/users/${member.user_id}`)).status).toBe(200)
    expect(await lastAction(member.member_id)).toMatchObject({
      action: "member.removed",
      actor_id: operator.user_id,
      metadata: { by: "operator" }
    })
  })
})

describe("the workspaces of the server", () => {
  it("are administered also while the request names one that is gone", async () => {
    const other = await Team.start(app)
    const there = { "workspace-id": other.id }
    expect((await call("DELETE", `/workspaces/${other.id}`, undefined, there)).status).toBe(200)
    expect((await call("GET", `/workspaces/${other.id}`, undefined, there)).body.deleted_at).not.toBeNull()
  })

  it("are listed with what they store, deleted, restored with another owner, and erased", async () => {
    const other = await Team.start(app, "Ledger")
    const path = `/workspaces/${other.id}`
    await other.note()
    const found = await call("GET", "/workspaces?filter=ledger")
    expect(found.body.data).toMatchObject([{ id: other.id, members: 1, notes: 1, personal: false, deleted_at: null }])
    expect((await call("PATCH", path, { plan: "plus", seats: 3 })).body).toMatchObject({ plan: "plus", seats: 3 })
    expect((await call("DELETE", path)).status).toBe(200)
    expect((await call("GET", "/workspaces?filter=deleted:true%20ledger")).body.data).toMatchObject([{ id: other.id }])
    const person = await register(app)
    // Its owner may not have noticed yet.
    const early = await call("POST", `${path}/restore`, { owner: person.email })
    expect(early).toMatchObject({ status: 409, body: { code: "invalid_state" } })
    expect((await call("GET", path)).body).toMatchObject({ deleted_at: expect.any(String), members: 1 })
    await app.sql("UPDATE workspaces SET deleted_at = $2 WHERE workspace_id = $1", [
      other.id,
      "2026-02-27T12:00:00.000Z"
    ])
    const restored = await call("POST", `${path}/restore`, { owner: person.email })
    expect(restored.body).toMatchObject({ deleted_at: null, members: 2 })
    expect((await call("POST", `${path}/purge`)).body).toMatchObject({ purge_at: expect.any(String) })
    expect(await operatorAction(other.id)).toBe("server.workspace_purged")
    expect((await call("POST", `${path}/restore`)).body.code).toBe("restore_window_expired")
    expect((await call("POST", "/workspaces/ws_none/purge")).status).toBe(404)
  })

  it("that are personal end with their users only", async () => {
    const { workspace_id } = (await call("GET", `/users/${operator.user_id}`)).body
    expect((await call("DELETE", `/workspaces/${workspace_id}`)).body.code).toBe("invalid_state")
  })
})

describe("the jobs of the server", () => {
  it("are listed by state, cancelled, and queued again", async () => {
    const { id } = await team.post("/imports", { source: "markdown" })
    expect((await call("GET", "/jobs?filter=state:awaiting_file")).body.data).toMatchObject([
      { id, kind: "import", workspace: team.slug }
    ])
    expect((await call("POST", `/jobs/${id}/cancel`)).body).toMatchObject({
      state: "failed",
      error: "The operator of the server cancelled it"
    })
    expect((await call("POST", `/jobs/${id}/cancel`)).body.code).toBe("invalid_state")
    expect((await call("POST", `/jobs/${id}/retry`)).body.code).toBe("invalid_state")
  })
})
