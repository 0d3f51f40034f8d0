import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import type { Grantable } from "../../../services/identity/Scopes.ts"
import { Operator } from "../../../services/identity/operators/Operator.ts"
import { OperatorKeys } from "../../../services/identity/operators/OperatorKeys.ts"
import { guest, type Guest } from "../../support/people/People.ts"
import { epoch } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const layer = OperatorKeys.layer.pipe(Layer.provideMerge(Operator.layer))

const operator = <A, E>(use: (operator: Operator["Service"]) => Effect.Effect<A, E>): Promise<A> =>
  app.run(Effect.provide(Effect.flatMap(Operator, use), layer))
const keys = <A, E>(use: (keys: OperatorKeys["Service"]) => Effect.Effect<A, E>): Promise<A> =>
  app.run(Effect.provide(Effect.flatMap(OperatorKeys, use), layer))

const refusal = (attempt: Promise<unknown>): Promise<any> =>
  attempt.then(
    (value) => ({ value }),
    (error) => ({ code: error.code, detail: error.detail })
  )

const statusOf = async (key: string) => {
  const { status } = await app.call("GET", "/notebooks", undefined, { authorization: `Bearer ${key}` })
  return status
}
const emailOf = async ({ user_id }: Guest) =>
  (await app.sql("SELECT email FROM users WHERE id = $1", [user_id]))[0].email
const audit = (workspace_id: string) =>
  app.sql("SELECT action, actor_id, metadata FROM audit_entries WHERE workspace_id = $1 ORDER BY id", [workspace_id])
const join = (workspace_id: string, user: Guest, role: string) =>
  app.sql("INSERT INTO members (workspace_id, id, user_id, role, created_at) VALUES ($1, $2, $3, $4, $5)", [
    workspace_id,
    `mb_${user.user_id}`,
    user.user_id,
    role,
    new Date(epoch).toISOString()
  ])

const logIn = (email: string, password: string) => app.call("POST", "/auth/login", { email, password })

it("adds a user with a personal workspace, and refuses an address that has an account", async () => {
  const added = await operator((operator) =>
    operator.addUser({ email: "anna@example.org", name: undefined, password: "correct horse", plan: "plus" })
  )
  expect(added).toMatchObject({ email: "anna@example.org", name: "anna" })
  const { body, status } = await logIn("ANNA@example.org", "correct horse")
  expect({ status, workspace_id: body.workspace_id }).toEqual({ status: 200, workspace_id: added.workspace_id })
  expect(
    await app.sql("SELECT name, plan, seats FROM workspaces WHERE workspace_id = $1", [added.workspace_id])
  ).toEqual([{ name: "Personal", plan: "plus", seats: 1 }])
  expect(
    await refusal(
      operator((operator) =>
        operator.addUser({ email: "Anna@Example.org", name: "Other", password: "correct horse", plan: "free" })
      )
    )
  ).toMatchObject({ code: "already_exists" })
})

it("ends the sessions and the old password of a user when the operator sets a password", async () => {
  const user = await operator((operator) =>
    operator.addUser({ email: "ben@example.org", name: "Ben", password: "first password", plan: "free" })
  )
  const { body: session } = await logIn(user.email, "first password")
  expect(await statusOf(session.access_token)).toBe(200)
  await operator((operator) => operator.setPassword(user.email, "second password"))
  expect(await statusOf(session.access_token)).toBe(401)
  expect((await app.call("POST", "/auth/refresh", { refresh_token: session.refresh_token })).status).toBe(401)
  expect((await logIn(user.email, "first password")).status).toBe(401)
  expect((await logIn(user.email, "second password")).status).toBe(200)
  expect(await audit(user.workspace_id)).toContainEqual({
    action: "auth.password_changed",
    actor_id: null,
    metadata: { by: "operator" }
  })
  expect(
    await refusal(operator((operator) => operator.setPassword("nobody@example.org", "second password")))
  ).toMatchObject({ code: "not_found", detail: expect.stringContaining("nobody@example.org") })
})

it("refuses a password that is the user's name or address, also from the operator", async () => {
  const refused = { code: "validation_failed", detail: expect.stringContaining("too similar to the name") }
  const add = (password: string) =>
    operator((operator) => operator.addUser({ email: "cleo@example.org", name: "Cleo Summer", password, plan: "free" }))
  expect(await refusal(add("cleosummer1"))).toMatchObject(refused)
  const { email } = await add("first password")
  expect(await refusal(operator((operator) => operator.setPassword(email, email)))).toMatchObject(refused)
})

it("deletes a user with keys, sessions and memberships, and frees the address", async () => {
  const user = await guest(app, { role: "editor" })
  const email = await emailOf(user)
  await operator((operator) => operator.setPassword(email, "some password"))
  const { body: session } = await logIn(email, "some password")
  expect([await statusOf(user.key), await statusOf(session.access_token)]).toEqual([200, 200])

  const { deleted, left } = await operator((operator) => operator.deleteUser(email))
  expect(deleted.map(({ workspace_id }) => workspace_id)).toEqual([session.workspace_id])
  expect(left.map(({ workspace_id }) => workspace_id)).toEqual([app.workspace_id])
  expect([await statusOf(user.key), await statusOf(session.access_token)]).toEqual([401, 401])
  for (const table of ["members", "api_keys", "sessions"]) {
    expect(await app.sql(`SELECT 1 FROM ${table} WHERE user_id = $1`, [user.user_id])).toEqual([])
  }
  expect(await audit(app.workspace_id)).toEqual(
    expect.arrayContaining([
      { action: "api_key.deleted", actor_id: null, metadata: expect.objectContaining({ by: "operator" }) },
      {
        action: "member.removed",
        actor_id: null,
        metadata: {
          user_id: user.user_id,
          email: `${user.user_id}@erased.invalid`,
          role: "editor",
          by: "operator"
        }
      }
    ])
  )
  expect(await audit(session.workspace_id)).toEqual(
    expect.arrayContaining([
      { action: "session.revoked", actor_id: null, metadata: expect.objectContaining({ reason: "user_deleted" }) },
      { action: "workspace.deleted", actor_id: null, metadata: expect.objectContaining({ by: "operator" }) }
    ])
  )
  expect((await logIn(email, "some password")).status).toBe(401)
  await operator((operator) => operator.addUser({ email, name: undefined, password: "some password", plan: "free" }))
  const missing = await refusal(operator((operator) => operator.deleteUser("nobody@example.org")))
  expect(missing).toMatchObject({ code: "not_found" })
})

it("refuses to delete the last owner of a workspace with other members, until another member is an owner", async () => {
  const owner = await guest(app, { elsewhere: true })
  const other = await guest(app, { elsewhere: true })
  const email = await emailOf(owner)
  await join(owner.workspace_id, other, "admin")
  const [{ slug }] = await app.sql("SELECT slug FROM workspaces WHERE workspace_id = $1", [owner.workspace_id])
  const refused = await refusal(operator((operator) => operator.deleteUser(email)))
  expect(refused).toMatchObject({ code: "last_owner", detail: expect.stringContaining(slug) })
  expect(await statusOf(owner.key)).toBe(200)

  await operator((operator) =>
    Effect.flatMap(operator.workspace(slug), (id) =>
      Effect.flatMap(
        Effect.promise(() => emailOf(other)),
        (next) => operator.makeOwner(id, next)
      )
    )
  )
  const { deleted, left } = await operator((operator) => operator.deleteUser(email))
  expect({ deleted, left: left.map(({ slug }) => slug) }).toEqual({ deleted: [], left: [slug] })
  expect(await app.sql("SELECT user_id, role FROM members WHERE workspace_id = $1", [owner.workspace_id])).toEqual([
    { user_id: other.user_id, role: "owner" }
  ])
  expect(await app.sql("SELECT deleted_at FROM workspaces WHERE workspace_id = $1", [owner.workspace_id])).toEqual([
    { deleted_at: null }
  ])
})

it("keeps one of two owners that are deleted at the same time, while the workspace has other members", async () => {
  const guests = await Promise.all([1, 2, 3].map(() => guest(app, { elsewhere: true })))
  const [one, two, third] = guests as [Guest, Guest, Guest]
  await join(one.workspace_id, two, "owner")
  await join(one.workspace_id, third, "viewer")
  const emails = await Promise.all([one, two].map(emailOf))
  const outcomes = await Promise.all(emails.map((email) => refusal(operator((operator) => operator.deleteUser(email)))))
  expect(outcomes.filter(({ code }) => code === "last_owner")).toHaveLength(1)
  const left = await app.sql("SELECT role FROM members WHERE workspace_id = $1 ORDER BY role", [one.workspace_id])
  expect(left).toEqual([{ role: "owner" }, { role: "viewer" }])
})

it("makes a user the owner of a workspace without members", async () => {
  const owner = await guest(app, { elsewhere: true })
  const heir = await guest(app, { elsewhere: true })
  const email = await emailOf(owner)
  await operator((operator) => operator.deleteUser(email))
  const heirEmail = await emailOf(heir)
  await operator((operator) => operator.makeOwner(owner.workspace_id, heirEmail))
  expect(await app.sql("SELECT user_id, role FROM members WHERE workspace_id = $1", [owner.workspace_id])).toEqual([
    { user_id: heir.user_id, role: "owner" }
  ])
  expect(await refusal(operator((operator) => operator.workspace("no-such")))).toMatchObject({ code: "not_found" })
})

it("creates a key that works in a workspace of its user, with its scopes, until it is revoked", async () => {
  const user = await guest(app, { role: "viewer" })
  const email = await emailOf(user)
  const add = (
    workspace: string | undefined,
    scopes: ReadonlyArray<Grantable> | undefined,
    expires_at: string | null = null
  ) => keys((keys) => keys.add({ email, workspace, name: "of the operator", scopes, expires_at }))
  const own = await add(undefined, undefined)
  expect(own.workspace_id).not.toBe(app.workspace_id)
  expect(own.scopes).toContain("members:write")
  const here = await add("personal", ["notes:read"])
  expect(here.workspace_id).toBe(app.workspace_id)
  expect([await statusOf(own.secret), await statusOf(here.secret)]).toEqual([200, 200])
  const write = { authorization: `Bearer ${here.secret}` }
  expect((await app.call("POST", "/notebooks", { name: "no" }, write)).body.code).toBe("insufficient_scope")
  const elsewhere = await guest(app, { elsewhere: true })
  expect(await refusal(add(elsewhere.workspace_id, undefined))).toMatchObject({ code: "not_found" })
  expect(await refusal(add(undefined, undefined, "2026-03-01T11:59:59.000Z"))).toMatchObject({
    code: "validation_failed"
  })

  const listed = await keys((keys) => keys.all("", email))
  expect(listed.map(({ id }) => id)).toEqual([user.key_id, own.id, here.id].sort())
  expect(await keys((keys) => keys.all(listed.at(-1)!.id, email))).toEqual([])
  expect(JSON.stringify(listed)).not.toContain(own.secret)

  await keys((keys) => keys.revoke(here.id))
  expect([await statusOf(own.secret), await statusOf(here.secret)]).toEqual([200, 401])
  expect(await refusal(keys((keys) => keys.revoke(here.id)))).toMatchObject({ code: "not_found" })
  expect((await audit(app.workspace_id)).filter(({ metadata }) => metadata.name === "of the operator")).toEqual(
    ["api_key.created", "api_key.deleted"].map((action) => ({
      action,
      actor_id: null,
      metadata: {
        name: "of the operator",
        prefix: here.prefix,
        scopes: ["notes:read"],
        by: "operator",
        ...(action === "api_key.created" ? { notebooks: null } : {})
      }
    }))
  )
})

it("leaves the last operator, also without a running server", async () => {
  const last = await guest(app)
  const email = await emailOf(last)
  const others = await app.sql("UPDATE users SET is_operator = false WHERE is_operator RETURNING id")
  await operator((operator) => operator.updateUser(email, { operator: true }))
  const kept = { code: "invalid_state", detail: expect.stringContaining("last operator") }
  expect(await refusal(operator((operator) => operator.updateUser(email, { operator: false })))).toEqual(kept)
  expect(await refusal(operator((operator) => operator.updateUser(email, { suspended: true })))).toEqual(kept)
  expect(await refusal(operator((operator) => operator.deleteUser(email)))).toEqual(kept)
  await operator((operator) => operator.updateUser(email, { name: "Last" }))
  // A suspended operator does not count.
  const other = await emailOf(await guest(app))
  await operator((operator) => operator.updateUser(other, { operator: true, suspended: true }))
  expect(await refusal(operator((operator) => operator.updateUser(email, { operator: false })))).toEqual(kept)
  await operator((operator) => operator.updateUser(other, { suspended: false }))
  await operator((operator) => operator.updateUser(email, { operator: false }))
  await app.sql("UPDATE users SET is_operator = true WHERE id = ANY($1)", [others.map(({ id }) => id)])
})
