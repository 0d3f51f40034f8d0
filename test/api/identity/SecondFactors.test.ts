import { describe, expect, it } from "vitest"
import { addPasskey, addTotp, codeAt, enterBy, proofOf } from "../../support/factors/Factors.ts"
import { SoftPasskey } from "../../support/factors/SoftPasskey.ts"
import { mailTo } from "../../support/people/Mail.ts"
import {
  join,
  logIn,
  password,
  type Person,
  personOf,
  register,
  unsigned,
  workspaceOf
} from "../../support/people/People.ts"
import { epoch } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const origin = "https://notes.example"
const { app } = useApp({ settings: { publicUrl: `${origin}/sheaf` } })

/** The time of the App. Each test moves it to another time step. */
let now = epoch
const next = async (seconds = 30) => {
  await app.advance(`${seconds} seconds`)
  now += seconds * 1000
}

const enter = (email: string, more: object = {}) => unsigned(app, "/auth/login", { email, password, ...more })
/** The session of a person, as it is listed. */
const sessionOf = async ({ headers }: Person) => {
  const { body } = await app.call("GET", "/me/sessions", undefined, headers)
  return body.data.find(({ current }: { readonly current: boolean }) => current)
}
const actionsOf = async ({ workspace_id }: Person) =>
  (
    await app.sql("SELECT action FROM audit_entries WHERE workspace_id = $1 ORDER BY occurred_at, id", [workspace_id])
  ).map(({ action }) => action)

describe("an authenticator app", () => {
  it("is asked for at a sign-in by password, and comes with ten recovery codes", async () => {
    const person = await register(app)
    const { added, secret } = await addTotp(app, person, now)
    expect(added).toMatchObject({ status: 201, body: { kind: "totp", name: "Authenticator app", rp_id: null } })
    expect(new Set(added.body.recovery_codes).size).toBe(10)
    expect(await enter(person.email)).toMatchObject({
      status: 401,
      body: { code: "second_factor_required", factors: ["totp", "recovery_code"] }
    })
    // The code that has added it is used.
    expect(await enter(person.email, { code: codeAt(secret, now) })).toMatchObject({
      status: 401,
      body: { code: "invalid_code" }
    })
    await next()
    const code = codeAt(secret, now)
    const entered = personOf(await enter(person.email, { code: `${code.slice(0, 3)} ${code.slice(3)}` }))
    expect(await sessionOf(entered)).toMatchObject({ signed_in_by: "password", second_factor: "totp" })
    expect(await actionsOf(person)).toEqual(
      expect.arrayContaining(["auth.factor_added", "auth.second_factor_failed", "auth.logged_in"])
    )
  })

  it("gives one of two simultaneous sign-ins its code", async () => {
    const person = await register(app)
    const { secret } = await addTotp(app, person, now)
    await next()
    const code = codeAt(secret, now)
    const both = await Promise.all([enter(person.email, { code }), enter(person.email, { code })])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401])
  })

  it("is not added without its code, by an old offer, or by an offer for another user", async () => {
    const person = await register(app)
    const offer = async () => (await app.call("POST", "/me/factors/offers", { kind: "totp" }, person.headers)).body
    const add = (body: object, by = person) => app.call("POST", "/me/factors", body, by.headers)
    const { secret, token } = await offer()
    expect(await add({ token })).toMatchObject({ status: 422, body: { errors: [{ field: "code" }] } })
    expect(await add({ token, code: "000000" })).toMatchObject({ status: 422, body: { errors: [{ field: "code" }] } })
    expect(await add({ token: "x", code: "000000" })).toMatchObject({ status: 409 })
    expect(await add({ token, code: codeAt(secret, now) }, await register(app))).toMatchObject({ status: 409 })
    await next(601)
    expect(await add({ token, code: codeAt(secret, now) })).toMatchObject({ status: 409 })
    const fresh = await app.call(
      "POST",
      "/me/factors/offers",
      { kind: "totp", current_password: password },
      person.headers
    )
    const used = { token: fresh.body.token, code: codeAt(fresh.body.secret, now) }
    expect((await add(used)).status).toBe(201)
    expect(await add(used)).toMatchObject({ status: 409 })
    expect((await enter(person.email)).status).toBe(401)
  })

  it("is guessed at most ten times from one network, and the third time is mailed", async () => {
    const person = await register(app)
    await app.sql("UPDATE users SET email_proven = true WHERE id = $1", [person.user_id])
    await addTotp(app, person, now)
    const guesses = []
    for (let guess = 0; guess < 11; guess++) guesses.push((await enter(person.email, { code: "000000" })).body.code)
    expect(guesses).toEqual([...Array(10).fill("invalid_code"), "login_throttled"])
    const mails = await mailTo(app, person.email, 2)
    expect(mails.map(({ headers }) => headers.get("subject")).toSorted()).toEqual([
      "A new second factor",
      "Wrong codes for your account"
    ])
  })
})

describe("a recovery code", () => {
  it("completes one sign-in, and ends with the last factor or by new ones", async () => {
    const person = await register(app)
    const { added } = await addTotp(app, person, now)
    const [code, other, third] = added.body.recovery_codes as ReadonlyArray<string>
    const entered = personOf(await enter(person.email, { code: code!.toLowerCase().replaceAll("-", " ") }))
    expect(await sessionOf(entered)).toMatchObject({ second_factor: "recovery_code" })
    expect(await enter(person.email, { code })).toMatchObject({ status: 401, body: { code: "invalid_code" } })
    const left = () => app.call("GET", "/me/recovery-codes", undefined, person.headers)
    expect((await left()).body).toEqual({ left: 9 })
    const made = await app.call("POST", "/me/recovery-codes", undefined, person.headers)
    expect(made.body.recovery_codes).toHaveLength(10)
    expect(await enter(person.email, { code: other })).toMatchObject({ status: 401 })
    const stranger = await register(app)
    await addTotp(app, stranger, now)
    expect(await enter(stranger.email, { code: made.body.recovery_codes[0] })).toMatchObject({ status: 401 })
    expect((await app.call("DELETE", `/me/factors/${added.body.id}`, undefined, person.headers)).status).toBe(200)
    expect((await left()).body).toEqual({ left: 0 })
    expect(await enter(person.email, { code: third })).toMatchObject({ status: 200 })
    expect(await app.call("POST", "/me/recovery-codes", undefined, person.headers)).toMatchObject({ status: 409 })
  })
})

describe("a passkey", () => {
  it("signs in alone, and is two factors at once", async () => {
    const person = await register(app)
    const passkey = new SoftPasskey(origin)
    expect(await addPasskey(app, person, passkey)).toMatchObject({
      status: 201,
      body: { kind: "passkey", rp_id: "notes.example" }
    })
    expect(await enter(person.email)).toMatchObject({ status: 401, body: { factors: ["passkey", "recovery_code"] } })
    passkey.counter = 5
    const entered = personOf(await enterBy(app, passkey))
    expect(entered.user_id).toBe(person.user_id)
    expect(await sessionOf(entered)).toMatchObject({ signed_in_by: "passkey", second_factor: null })
    // A clone of the authenticator has counted less.
    passkey.counter = 4
    expect(await enterBy(app, passkey)).toMatchObject({ status: 401, body: { code: "invalid_passkey" } })
  })

  it.each([
    ["of another address", { origin: "https://notes.example.evil.test" }],
    ["of the apex domain", { origin: "https://example" }],
    ["without user verification", { isVerifying: false }]
  ])("%s is neither added nor accepted", async (_, wrong) => {
    const person = await register(app)
    expect(await addPasskey(app, person, Object.assign(new SoftPasskey(origin), wrong))).toMatchObject({ status: 422 })
    const passkey = new SoftPasskey(origin)
    await addPasskey(app, person, passkey)
    Object.assign(passkey, wrong)
    expect(await enterBy(app, passkey)).toMatchObject({ status: 401, body: { code: "invalid_passkey" } })
  })

  it("is accepted once for each offer, and within ten minutes", async () => {
    const person = await register(app)
    const passkey = new SoftPasskey(origin)
    await addPasskey(app, person, passkey)
    const proof = await proofOf(app, passkey)
    const enterBoth = await Promise.all([1, 2].map(() => unsigned(app, "/auth/passkey", proof)))
    expect(enterBoth.map(({ status }) => status).toSorted()).toEqual([200, 401])
    const old = await proofOf(app, passkey)
    await next(601)
    expect((await unsigned(app, "/auth/passkey", old)).status).toBe(401)
  })

  it("belongs to one account", async () => {
    const [one, other] = [await register(app), await register(app)]
    const passkey = new SoftPasskey(origin)
    await addPasskey(app, one, passkey)
    expect(await addPasskey(app, other, passkey)).toMatchObject({ status: 409, body: { code: "already_exists" } })
    expect(
      await app.call("POST", "/auth/confirm", { passkey: await proofOf(app, passkey) }, other.headers)
    ).toMatchObject({
      status: 401
    })
  })

  it("does not open a suspended account, nor one that has removed it", async () => {
    const person = await register(app)
    const passkey = new SoftPasskey(origin)
    const added = await addPasskey(app, person, passkey)
    await app.sql("UPDATE users SET suspended_at = $2 WHERE id = $1", [person.user_id, new Date(now).toISOString()])
    expect(await enterBy(app, passkey)).toMatchObject({ status: 403, body: { code: "account_suspended" } })
    await app.sql("UPDATE users SET suspended_at = NULL WHERE id = $1", [person.user_id])
    const { headers } = personOf(await enterBy(app, passkey))
    expect((await app.call("DELETE", `/me/factors/${added.body.id}`, undefined, headers)).status).toBe(200)
    expect(await enterBy(app, passkey)).toMatchObject({ status: 401 })
    expect((await enter(person.email)).status).toBe(200)
  })

  it("is refused with random members", async () => {
    const { body } = await unsigned(app, "/auth/passkey/options", undefined)
    for (const credential of [{}, { id: 1 }, { id: "a\0" }, { id: "x", response: null }, { id: "é".repeat(3000) }]) {
      expect(await unsigned(app, "/auth/passkey", { token: body.token, credential })).toMatchObject({ status: 401 })
    }
    const long = { id: "x", more: "x".repeat(40_000) }
    expect(await unsigned(app, "/auth/passkey", { token: body.token, credential: long })).toMatchObject({ status: 422 })
  })
})

describe("a confirmation", () => {
  it("by any factor is a recent sign-in", async () => {
    const person = await register(app)
    const { added, secret } = await addTotp(app, person, now)
    const passkey = new SoftPasskey(origin)
    await addPasskey(app, person, passkey)
    const guarded = () => app.call("POST", "/me/factors/offers", { kind: "totp" }, person.headers)
    const proofs: ReadonlyArray<() => object | Promise<object>> = [
      () => ({ current_password: password }),
      () => ({ code: codeAt(secret, now) }),
      () => ({ code: added.body.recovery_codes[0] }),
      async () => ({ passkey: await proofOf(app, passkey) })
    ]
    for (const proof of proofs) {
      await next(901)
      // Access tokens are valid for an hour.
      if (proof === proofs[3]) {
        const { body } = await unsigned(app, "/auth/refresh", { refresh_token: person.refresh })
        person.headers["authorization"] = `Bearer ${body.access_token}`
      }
      expect(await guarded()).toMatchObject({ status: 403, body: { code: "reauthentication_required" } })
      expect((await app.call("POST", "/auth/confirm", await proof(), person.headers)).body).toEqual({ confirmed: true })
      expect((await guarded()).status).toBe(200)
    }
    expect(await app.call("POST", "/auth/confirm", {}, person.headers)).toMatchObject({ status: 422 })
    expect(await app.call("POST", "/auth/confirm", { current_password: "wrong" }, person.headers)).toMatchObject({
      status: 401
    })
  })
})

describe("a session that began with a password alone", () => {
  it("changes no way in to an account with a factor until it has confirmed with one", async () => {
    const person = await register(app)
    const weak = await logIn(app, person.email)
    const { added, secret } = await addTotp(app, person, now)
    const by = (method: string, path: string, body?: object) => app.call(method, path, body, weak.headers)
    const { token, ...offered } = (await by("POST", "/me/factors/offers", { kind: "totp" })).body
    const changes = () => [
      by("POST", "/me/factors", { token, code: codeAt(offered.secret, now) }),
      by("POST", "/me/recovery-codes"),
      by("PATCH", "/me", { email: `other-${person.email}`, current_password: password }),
      by("DELETE", `/me/factors/${added.body.id}`)
    ]
    for (const change of changes()) {
      expect(await change).toMatchObject({ status: 403, body: { code: "two_factors_required" } })
    }
    expect((await app.call("GET", "/me/factors", undefined, person.headers)).body.data).toHaveLength(1)
    await next()
    expect((await by("POST", "/auth/confirm", { code: codeAt(secret, now) })).status).toBe(200)
    expect((await by("POST", "/me/recovery-codes")).status).toBe(200)
    expect((await by("DELETE", `/me/factors/${added.body.id}`)).status).toBe(200)
  })
})

describe("a workspace that needs two factors", () => {
  it("is closed to sessions with a password alone from that time on, and not to accounts", async () => {
    const [owner, member] = [await register(app), await register(app)]
    const workspace = await workspaceOf(app, owner)
    await join(app, owner, workspace, member, "admin")
    const there = (person: Person) => ({ ...person.headers, "workspace-id": workspace })
    const set = (second_factor_from: string | null, by: Person) =>
      app.call("PATCH", `/workspaces/${workspace}`, { second_factor_from }, by.headers)
    const from = new Date(now + 1800_000).toISOString()
    expect(await set(from, member)).toMatchObject({ status: 403, body: { code: "insufficient_role" } })
    expect((await set(from, owner)).body).toMatchObject({ second_factor_from: from })
    const key = await app.call("POST", "/api-keys", { name: "Key" }, there(owner))
    const notes = (headers: Record<string, string>) => app.call("GET", "/notes", undefined, headers)
    expect((await notes(there(member))).status).toBe(200)
    await next(1800)
    expect(await notes(there(member))).toMatchObject({ status: 403, body: { code: "two_factors_required" } })
    expect((await notes(member.headers)).status).toBe(200)
    expect((await notes({ authorization: `Bearer ${key.body.secret}` })).status).toBe(200)
    expect((await app.call("GET", "/me", undefined, there(member))).status).toBe(200)
    const { secret } = await addTotp(app, member, now, { current_password: password })
    expect((await notes(there(member))).status).toBe(200)
    await next()
    const again = personOf(await enter(member.email, { code: codeAt(secret, now) }))
    expect((await notes(there(again))).status).toBe(200)
    expect(await notes(there(owner))).toMatchObject({ status: 403 })
    const passkey = new SoftPasskey(origin)
    await app.call("POST", "/auth/confirm", { current_password: password }, owner.headers)
    await addPasskey(app, owner, passkey)
    expect((await set(null, owner)).status).toBe(200)
  })
})
