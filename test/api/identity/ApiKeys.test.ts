import { describe, expect, it } from "vitest"
import { guest, register } from "../../support/people/People.ts"
import { EventStream } from "../../support/EventStream.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const create = async (input: object = {}, headers?: Record<string, string>) => {
  const answer = await app.call("POST", "/api-keys", { name: "Robot", ...input }, headers)
  expect(answer.status).toBe(201)
  return answer.body
}
const works = async (secret: string, path = "/notebooks") =>
  (await app.call("GET", path, undefined, bearer(secret))).status

describe("POST /api-keys", () => {
  it("is repeated with its secret under an Idempotency-Key, which is stored encrypted", async () => {
    const headers = { "idempotency-key": "one-key" }
    const first = await create({ name: "Once" }, headers)
    expect(await create({ name: "Once" }, headers)).toEqual(first)
    const kept = JSON.stringify(await app.sql("SELECT * FROM idempotency_keys"))
    expect([kept.includes(first.secret), kept.includes(first.id)]).toEqual([false, true])
  })

  it("shows the secret once, and stores only a digest of it", async () => {
    const before = await app.seq()
    const answer = await app.call("POST", "/api-keys", { name: "Robot", scopes: ["notes:read"] })
    expect(answer.headers.get("cache-control")).toBe("no-store")
    const { id, secret, ...shown } = answer.body
    expect(id).toMatch(/^ak_/)
    expect(secret).toMatch(/^sfk_[0-9A-Za-z]{36}$/)
    expect(shown).toEqual({
      name: "Robot",
      prefix: secret.slice(0, 12),
      scopes: ["notes:read"],
      last_used_at: null,
      expires_at: null,
      notebooks: null,
      previous_secret_expires_at: null,
      created_at: "2026-03-01T12:00:00.000Z"
    })
    expect((await app.call("GET", `/api-keys/${id}`)).body).toEqual({ id, ...shown })
    const changes = await app.changesAfter(before)
    expect(changes.map(({ resource_id, type }) => [type, resource_id])).toEqual([["api_key.created", id]])
    const stored = JSON.stringify(
      [await app.sql("SELECT * FROM api_keys"), await app.sql("SELECT seq::float8, data FROM changes")],
      (_, value) => (typeof value === "bigint" ? Number(value) : value)
    )
    expect(stored).not.toContain(secret)
    expect(await works(secret)).toBe(200)
  })

  it("grants the caller's scopes by default, and never more", async () => {
    const narrow = await create({ scopes: ["notes:write", "keys:write"] })
    const all = await create({}, bearer(narrow.secret))
    expect(all.scopes.toSorted()).toEqual(["keys:read", "keys:write", "notes:read", "notes:write"])
    const beyond = await app.call("POST", "/api-keys", { name: "x", scopes: ["audit"] }, bearer(narrow.secret))
    expect(beyond).toMatchObject({
      status: 403,
      body: { code: "scope_not_grantable", required_scopes: ["audit:read"] }
    })
    const reader = await create({ scopes: ["notes:read"] }, bearer(narrow.secret))
    expect((await app.call("POST", "/tags", { name: "t" }, bearer(reader.secret))).body.code).toBe("insufficient_scope")
  })

  it.each([
    [{ name: "" }, "name", "blank"],
    [{}, "name", "required"],
    [{ name: "x", scopes: ["notes:fly"] }, "scopes.0", "unknown_scope"],
    [{ name: "x", scopes: [] }, "scopes", "required"],
    [{ name: "x", expires_at: "tomorrow" }, "expires_at", "invalid_timestamp"],
    [{ name: "x", expires_at: "2026-03-01T11:00:00Z" }, "expires_at", "out_of_range"]
  ])("refuses %j", async (input, field, code) => {
    const answer = await app.call("POST", "/api-keys", input)
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toMatchObject([{ field, code }])
  })

  it("creates a key that expires at the given time", async () => {
    const { secret } = await create({ expires_at: "2026-03-01T14:30:00+02:00" })
    expect(await works(secret)).toBe(200)
    await app.advance("31 minutes")
    const answer = await app.call("GET", "/notebooks", undefined, bearer(secret))
    expect(answer).toMatchObject({ status: 401, body: { code: "token_expired" } })
    expect(answer.headers.get("www-authenticate")).toContain("invalid_token")
  })
})

describe("GET /api-keys", () => {
  it("returns when a key was last used successfully", async () => {
    const { id, secret } = await create({ scopes: ["notes:read"] })
    const lastUsed = async () => (await app.call("GET", `/api-keys/${id}`)).body.last_used_at
    await app.call("POST", "/tags", { name: "no" }, bearer(secret))
    await app.call("GET", "/notes/nt_missing", undefined, bearer(secret))
    expect(await lastUsed()).toBe(null)
    await works(secret)
    const first = await lastUsed()
    expect(first).not.toBe(null)
    await app.advance("10 seconds")
    expect(await lastUsed()).toBe(first)
    await works(secret)
    expect(Date.parse(await lastUsed()) - Date.parse(first)).toBe(10_000)
    expect(
      (await app.call("GET", "/api-keys?sort=-last_used_at&limit=100")).body.data.map((key: any) => key.id)
    ).toContain(id)
  })

  it("shows editors their own keys, owners all keys, and viewers none", async () => {
    const editor = await guest(app)
    const own = await create({}, editor.headers)
    const ids = async (headers?: Record<string, string>) =>
      (await app.call("GET", "/api-keys?limit=100", undefined, headers)).body.data.map((key: any) => key.id)
    expect((await ids(editor.headers)).toSorted()).toEqual([editor.key_id, own.id].toSorted())
    expect(await ids()).toEqual(expect.arrayContaining([editor.key_id, own.id]))
    const [other] = (await ids()).filter((id: string) => id !== own.id && id !== editor.key_id)
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/rotate"]
    ] as const) {
      expect((await app.call(method, `/api-keys/${other}${path}`, undefined, editor.headers)).status).toBe(404)
    }
    const viewer = await guest(app, { role: "viewer" })
    expect((await app.call("GET", "/api-keys", undefined, viewer.headers)).body.code).toBe("insufficient_role")
  })

  it("returns 404 for keys of another workspace", async () => {
    const { id } = await create()
    const stranger = await guest(app, { elsewhere: true })
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/rotate"]
    ] as const) {
      expect((await app.call(method, `/api-keys/${id}${path}`, undefined, stranger.headers)).status).toBe(404)
    }
  })
})

describe("POST /api-keys/{id}/rotate", () => {
  it("accepts in If-Match the ETag of the response that shows a secret", async () => {
    const made = await app.call("POST", "/api-keys", { name: "Guarded" })
    const rotate = (etag: string) =>
      app.call("POST", `/api-keys/${made.body.id}/rotate`, undefined, { "if-match": etag })
    const rotated = await rotate(made.headers.get("etag")!)
    expect(rotated.status).toBe(200)
    expect((await rotate(made.headers.get("etag")!)).status).toBe(412)
    expect((await rotate(rotated.headers.get("etag")!)).status).toBe(200)
  })

  it("keeps the previous secret for 24 hours, and revokes the one before it", async () => {
    const before = await app.seq()
    const { id, secret: first } = await create()
    const { body: rotated } = await app.call("POST", `/api-keys/${id}/rotate`)
    expect(rotated).toMatchObject({ id, prefix: rotated.secret.slice(0, 12) })
    expect(rotated.secret).not.toBe(first)
    expect([await works(first), await works(rotated.secret)]).toEqual([200, 200])
    const { body: again } = await app.call("POST", `/api-keys/${id}/rotate`)
    expect([await works(first), await works(rotated.secret), await works(again.secret)]).toEqual([401, 200, 200])
    await app.advance("24 hours")
    await app.advance("1 second")
    expect([await works(rotated.secret), await works(again.secret)]).toEqual([401, 200])
    expect((await app.changesAfter(before)).map(({ type }) => type)).toEqual([
      "api_key.created",
      "api_key.rotated",
      "api_key.rotated"
    ])
  })
})

describe("DELETE /api-keys/{id}", () => {
  it("revokes the key and closes its streams at once, on this node and on another", async () => {
    const { id, secret } = await create()
    // The clock of this node does not move: its cached credential ends only by the message from the first node.
    const other = await startApp({ databaseOf: app })
    const onOther = async () => (await other.call("GET", "/notebooks", undefined, bearer(secret))).status
    expect(await onOther()).toBe(200)
    const stream = await EventStream.open(app, { headers: bearer(secret) })
    await stream.until(() => stream.events.length > 0)
    expect((await app.call("DELETE", `/api-keys/${id}`)).body).toEqual({ deleted: true, id })
    expect(await works(secret)).toBe(401)
    await stream.until(() => stream.events.at(-1)?.event === "bye")
    expect(stream.events.at(-1)?.data).toEqual({ reason: "revoked" })
    await expect.poll(onOther).toBe(401)
    expect((await app.call("DELETE", `/api-keys/${id}`)).status).toBe(404)
    await other.stop()
  })

  it("rejects the key of a user who left the workspace", async () => {
    const editor = await guest(app)
    const { secret } = await create({}, editor.headers)
    expect(await works(secret)).toBe(200)
    await app.sql("DELETE FROM members WHERE user_id = $1 AND workspace_id = $2", [editor.user_id, app.workspace_id])
    // Deleted directly in the database, so that no message is sent.
    await app.advance("1 minute")
    expect(await works(secret)).toBe(401)
  })
})

describe("limits of a key's rights", () => {
  const rotate = async (id: string, secret: string, headers: Record<string, string> = {}) => {
    const { body, status } = await app.call("POST", `/api-keys/${id}/rotate`, undefined, {
      ...bearer(secret),
      ...headers
    })
    return { status, body, code: [status, body.code] }
  }

  it("lets only the user who created a key rotate it, whatever the caller's role", async () => {
    const admin = await guest(app, { role: "admin" })
    const editor = await guest(app)
    const theirs = await create({}, editor.headers)
    const owners = await create({})
    for (const [id, key] of [
      [owners.id, admin.key],
      [theirs.id, admin.key],
      [theirs.id, app.key]
    ]) {
      expect((await rotate(id, key)).code).toEqual([403, "insufficient_role"])
    }
    expect(await works(theirs.secret)).toBe(200)
    expect((await rotate(theirs.id, editor.key)).status).toBe(200)
    // An admin may still delete the key, because that does not reveal it.
    expect((await app.call("DELETE", `/api-keys/${theirs.id}`, undefined, admin.headers)).status).toBe(200)
  })

  it("does not rotate a key with more scopes than the caller's", async () => {
    const narrow = await create({ scopes: ["keys:write"] })
    const wide = await create({})
    expect((await rotate(wide.id, narrow.secret)).code).toEqual([403, "scope_not_grantable"])
    expect(await works(wide.secret)).toBe(200)
  })

  it("rejects rotation and deletion with a replaced secret, and gives keys created with it the same expiry", async () => {
    const key = await create({})
    const other = await create({})
    const { secret } = (await rotate(key.id, key.secret)).body
    for (const { id } of [key, other]) {
      expect((await rotate(id, key.secret)).code).toEqual([403, "forbidden"])
      const deleted = await app.call("DELETE", `/api-keys/${id}`, undefined, bearer(key.secret))
      expect([deleted.status, deleted.body.code]).toEqual([403, "forbidden"])
    }
    expect([await works(secret), await works(other.secret)]).toEqual([200, 200])
    const made = await create({}, bearer(key.secret))
    expect(made.expires_at).toBe((await app.call("GET", `/api-keys/${key.id}`)).body.previous_secret_expires_at)
    expect((await rotate(made.id, key.secret)).code).toEqual([403, "forbidden"])
    const later = new Date(Date.parse(made.expires_at) + 1).toISOString()
    const refused = await app.call("POST", "/api-keys", { name: "Longer", expires_at: later }, bearer(key.secret))
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, "expires_at"])
    expect((await rotate(key.id, secret)).status).toBe(200)
  })

  it("rejects a replaced secret on another node, before and after that node receives the rotation", async () => {
    const other = await startApp({ databaseOf: app })
    const key = await create({})
    const onOther = async (secret: string, method: string, path: string) =>
      (await other.call(method, path, undefined, bearer(secret))).status
    expect(await onOther(key.secret, "GET", "/notebooks")).toBe(200)
    const second = (await rotate(key.id, key.secret)).body
    expect(await onOther(key.secret, "POST", `/api-keys/${key.id}/rotate`)).toBe(403)
    const third = (await rotate(key.id, second.secret)).body
    await expect.poll(() => onOther(key.secret, "GET", "/notebooks")).toBe(401)
    for (const { secret } of [second, third]) expect(await onOther(secret, "GET", "/notebooks")).toBe(200)
    expect((await other.call("GET", `/api-keys/${key.id}`)).body.previous_secret_expires_at).toBe(
      third.previous_secret_expires_at
    )
    await other.stop()
  })

  it("returns the stored response of a rotation to the secret that requested it", async () => {
    const key = await create({})
    const header = { "idempotency-key": "rotation" }
    const first = await rotate(key.id, key.secret, header)
    expect((await rotate(key.id, key.secret, header)).body.secret).toBe(first.body.secret)
    expect(await works(first.body.secret)).toBe(200)
  })

  it("does not let an expiring key rotate a key that expires later", async () => {
    const now = Date.parse((await create({})).created_at)
    const at = (hours: number) => new Date(now + hours * 3600_000).toISOString()
    const [ending, longer, lasting] = [
      await create({ expires_at: at(2) }),
      await create({ expires_at: at(3) }),
      await create({})
    ]
    const shorter = await create({ expires_at: at(1) })
    expect((await rotate(lasting.id, ending.secret)).code).toEqual([403, "scope_not_grantable"])
    expect((await rotate(longer.id, ending.secret)).code).toEqual([403, "scope_not_grantable"])
    expect((await rotate(shorter.id, ending.secret)).status).toBe(200)
    expect((await rotate(ending.id, ending.secret)).body.expires_at).toBe(at(2))
  })

  it("rejects a write with a credential that was deleted directly in the database", async () => {
    const key = await create({})
    const person = await register(app)
    for (const [by, end] of [
      [bearer(key.secret), `DELETE FROM api_keys WHERE id = '${key.id}'`],
      [person.headers, `DELETE FROM sessions WHERE id = '${person.session_id}'`]
    ] as const) {
      expect((await app.call("GET", "/notebooks", undefined, by)).status).toBe(200)
      // Deleted directly in the database, so that no message is sent.
      await app.sql(end)
      const answer = await app.call("POST", "/api-keys", { name: "After its end" }, by)
      expect([answer.status, answer.body.code]).toEqual([401, "invalid_token"])
    }
  })

  it("gives keys created with an expiring key the same expiry", async () => {
    const expires_at = new Date(Date.parse((await create({})).created_at) + 3600_000).toISOString()
    const parent = await create({ expires_at })
    const by = { authorization: `Bearer ${parent.secret}` }
    expect((await create({}, by)).expires_at).toBe(expires_at)
    const later = new Date(Date.parse(expires_at) + 1).toISOString()
    const refused = await app.call("POST", "/api-keys", { name: "Longer", expires_at: later }, by)
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, "expires_at"])
  })

  it("closes streams when the secret that opened them is revoked", async () => {
    const key = await create({})
    const rotate = () => app.call("POST", `/api-keys/${key.id}/rotate`)
    const stream = await EventStream.open(app, { headers: { authorization: `Bearer ${key.secret}` } })
    await stream.until(() => stream.events.length > 0)
    await rotate()
    await rotate()
    await stream.ended()
    expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "revoked" } })
  })
})
