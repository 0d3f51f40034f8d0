import { describe, expect, it } from "vitest"
import { join, logIn, password, register, unsigned, workspaceOf } from "../../support/people/People.ts"
import type { ApiResponse } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp({ settings: { webhookAllow: ["127.0.0.1"] } })

/** Returns a session of an owner of a workspace with another member. */
const start = async () => {
  const owner = await register(app)
  const workspace = await workspaceOf(app, owner)
  const other = await register(app)
  const member = await join(app, owner, workspace, other, "editor")
  const there: Record<string, string> = { ...owner.headers, "workspace-id": workspace }
  const { body: notebook } = await app.call("POST", "/notebooks", { name: "Notebook" }, there)
  const notebooks = [{ id: notebook.id, access: "read", include_subnotebooks: false }]
  const { body: key } = await app.call("POST", "/api-keys", { name: "Limited", notebooks }, there)
  return { owner, workspace, member, there, limited: key.id as string }
}
type Place = Awaited<ReturnType<typeof start>>

/** Makes a request whose body is extended with `more`. */
type Ask = (place: Place, more?: object) => Promise<ApiResponse>

let invited = 0
const makeKey: Ask = ({ there }, more) => app.call("POST", "/api-keys", { name: "Key", ...more }, there)

const guarded: Readonly<Record<string, Ask>> = {
  "POST /api-keys": makeKey,
  "POST /api-keys/{id}/rotate": async ({ owner, there, workspace }, more) => {
    const [key] = await app.sql(
      "SELECT id FROM api_keys WHERE workspace_id = $1 AND user_id = $2 AND notebooks IS NULL",
      [workspace, owner.user_id]
    )
    return app.call("POST", `/api-keys/${key.id}/rotate`, more, there)
  },
  "PATCH /api-keys/{id}, more notebooks": ({ limited, there }, more) =>
    app.call("PATCH", `/api-keys/${limited}`, { notebooks: null, ...more }, there),
  "POST /webhooks": ({ there }, more) =>
    app.call("POST", "/webhooks", { url: "http://127.0.0.1:4000/", events: ["*"], ...more }, there),
  "PATCH member, role owner": ({ member, there, workspace }, more) =>
    app.call("PATCH", `/workspaces/${workspace}/members/${member}`, { role: "owner", ...more }, there),
  "POST invitations, role owner": ({ there, workspace }, more) =>
    app.call(
      "POST",
      `/workspaces/${workspace}/invitations`,
      { email: `invited-${++invited}@sheaf.test`, role: "owner", ...more },
      there
    ),
  "POST /exports, scope workspace": ({ there }, more) =>
    app.call("POST", "/exports", { scope: "workspace", ...more }, there),
  "DELETE /workspaces/{id}": ({ there, workspace }, more) => app.call("DELETE", `/workspaces/${workspace}`, more, there)
}

const required = [403, "reauthentication_required"]
const outcome = ({ body, status }: ApiResponse) => (status < 300 ? [status] : [status, body.code])

describe("session older than 15 minutes", () => {
  it.each(Object.entries(guarded))(
    "requires the password for %s, and changes nothing without it",
    async (name, ask) => {
      const place = await start()
      if (name.includes("rotate")) await makeKey(place)
      await app.advance("15 minutes")
      await app.advance("1 second")
      const [{ seq }] = await app.sql("SELECT seq::float8 AS seq FROM heads WHERE workspace_id = $1", [place.workspace])
      expect(outcome(await ask(place))).toEqual(required)
      expect(outcome(await ask(place, { current_password: "not the password" }))).toEqual([401, "invalid_credentials"])
      // A wrong password does not count for the next request.
      expect(outcome(await ask(place))).toEqual(required)
      expect(await app.sql("SELECT seq::float8 AS seq FROM heads WHERE workspace_id = $1", [place.workspace])).toEqual([
        { seq }
      ])
      expect((await ask(place, { current_password: password })).status).toBeLessThan(300)
    }
  )

  it("requires no password for other operations", async () => {
    const { member, there, workspace } = await start()
    const { body: notebook } = await app.call("POST", "/notebooks", { name: "Plans" }, there)
    await app.advance("16 minutes")
    const calls = [
      ["PATCH", `/workspaces/${workspace}/members/${member}`, { role: "admin" }, 200],
      ["POST", `/workspaces/${workspace}/invitations`, { email: "editor@sheaf.test" }, 201],
      ["POST", "/exports", { scope: "notebook", notebook_id: notebook.id }, 201],
      ["POST", "/workspaces", { name: "Another" }, 201],
      ["PATCH", "/me", { name: "Other" }, 200]
    ] as const
    for (const [method, path, body, status] of calls) {
      expect((await app.call(method, path, body, there)).status, path).toBe(status)
    }
  })

  it("is confirmed for another 15 minutes by any request with the right password", async () => {
    const ways: ReadonlyArray<Ask> = [
      makeKey,
      ({ owner }) =>
        app.call("PATCH", "/me", { email: `new-${owner.email}`, current_password: password }, owner.headers),
      ({ owner }) => app.call("PATCH", "/me", { current_password: password }, owner.headers),
      ({ owner }) =>
        app.call("POST", "/auth/password", { current_password: password, new_password: password }, owner.headers)
    ]
    for (const way of ways) {
      const place = await start()
      const elsewhere = await logIn(app, place.owner.email)
      await app.advance("16 minutes")
      expect(outcome(await makeKey(place))).toEqual(required)
      expect((await way(place, { current_password: password })).status).toBeLessThan(300)
      await app.advance("15 minutes")
      expect(outcome(await makeKey(place))).toEqual([201])
      await app.advance("1 second")
      expect(outcome(await makeKey(place))).toEqual(required)
      // Only this session is confirmed. A change of the password has ended the other one.
      const other = outcome(await app.call("POST", "/api-keys", { name: "Key" }, elsewhere.headers))
      expect([required, [401, "invalid_token"]]).toContainEqual(other)
    }
  })

  it("is not confirmed by refreshed tokens", async () => {
    const place = await start()
    await app.advance("16 minutes")
    const { body } = await unsigned(app, "/auth/refresh", { refresh_token: place.owner.refresh })
    const there = { ...place.there, authorization: `Bearer ${body.access_token}` }
    expect(outcome(await makeKey({ ...place, there }))).toEqual(required)
    const again = await logIn(app, place.owner.email)
    expect(outcome(await makeKey({ ...place, there: { ...place.there, ...again.headers } }))).toEqual([201])
  })

  it("is throttled like a log-in", async () => {
    const place = await start()
    await app.advance("16 minutes")
    for (let time = 0; time < 10; time++) {
      expect((await makeKey(place, { current_password: `wrong password ${time}` })).status).toBe(401)
    }
    expect(outcome(await makeKey(place, { current_password: password }))).toEqual([429, "login_throttled"])
  })

  it("creates one key under an Idempotency-Key, repeated with the password or without", async () => {
    const place = await start()
    const keyed = { ...place, there: { ...place.there, "idempotency-key": "once" } }
    await app.advance("16 minutes")
    expect(outcome(await makeKey(keyed))).toEqual(required)
    const made = await makeKey(keyed, { current_password: password })
    const again = await makeKey(keyed)
    expect([made.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([201, 201, "true"])
    expect(again.body).toEqual(made.body)
    const hashes = await app.sql("SELECT fingerprint FROM idempotency_keys WHERE workspace_id = $1", [place.workspace])
    expect(hashes).toHaveLength(1)
  })
})

it("an API key requires no password, and ignores one", async () => {
  const place = await start()
  const { body } = await makeKey(place)
  await app.advance("1 hour")
  let secret = body.secret
  for (const [name, ask] of Object.entries(guarded)) {
    const there = { authorization: `Bearer ${secret}` }
    const answer = await ask({ ...place, there }, { current_password: "not the password" })
    expect(answer.status, name).toBeLessThan(300)
    // The replaced secret may not call the remaining operations.
    if (name.includes("rotate") && answer.body.id === body.id) secret = answer.body.secret
  }
})
