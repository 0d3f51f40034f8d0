import { Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import * as Tokens from "../../../services/Tokens.ts"
import { EventStream } from "../../support/EventStream.ts"
import { logIn, register, personOf, unsigned } from "../../support/people/People.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const works = async (token: string) =>
  (await app.call("GET", "/me", undefined, { authorization: `Bearer ${token}` })).status

const refresh = (token: string) => unsigned(app, "/auth/refresh", { refresh_token: token })

const actions = async (workspace_id: string): Promise<ReadonlyArray<string>> =>
  (await app.sql("SELECT action FROM audit_entries WHERE workspace_id = $1 ORDER BY id", [workspace_id])).map(
    ({ action }) => action
  )

describe("POST /auth/refresh", () => {
  it("returns new tokens; the previous access token stays valid for its hour", async () => {
    const before = await register(app)
    await app.advance("10 minutes")
    const answer = await refresh(before.refresh)
    expect(answer.status).toBe(200)
    const after = personOf(answer)
    expect(after).toMatchObject({ session_id: before.session_id, device_id: before.device_id, user_id: before.user_id })
    expect([after.access, after.refresh]).not.toContain(before.access)
    expect(await works(after.access)).toBe(200)
    expect(await works(before.access)).toBe(200)
    await app.advance("50 minutes")
    const late = await app.call("GET", "/me", undefined, before.headers)
    expect([late.status, late.body.code]).toEqual([401, "token_expired"])
    expect(await works(after.access)).toBe(200)
  })

  it("returns the same tokens when repeated within a minute, as after a lost response", async () => {
    const { refresh: token } = await register(app)
    const first = await refresh(token)
    await app.advance("59 seconds")
    const second = await refresh(token)
    expect(second.body).toEqual({ ...first.body, expires_in: 3541, refresh_expires_in: 90 * 86_400 - 59 })
  })

  it("returns the same tokens to concurrent requests", async () => {
    const { refresh: token } = await register(app)
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(token)))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
    expect(await works(answers[5]!.body.access_token)).toBe(200)
  })

  it("keeps a constant number of tokens", async () => {
    const person = await register(app)
    let token = person.refresh
    const kept = async () =>
      (
        await app.sql("SELECT used_at IS NULL AS fresh FROM refresh_tokens WHERE session_id = $1 ORDER BY used_at", [
          person.session_id
        ])
      ).map(({ fresh }) => fresh)
    for (let time = 0; time < 30; time++) token = (await refresh(token)).body.refresh_token
    expect(await kept()).toEqual([false, true])
    // The token before the last may still be used again.
    const last = await refresh(token)
    expect((await refresh(token)).body.refresh_token).toBe(last.body.refresh_token)
  })

  it("returns the successor again, even after a change of the secret key", async () => {
    const key = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
    const before = await startApp({ settings: { secretKey: key(1) } })
    const person = await register(before)
    const asked = { refresh_token: person.refresh }
    const lost = await unsigned(before, "/auth/refresh", asked)
    const after = await startApp({ databaseOf: before, settings: { secretKey: key(2), secretKeyPrevious: key(1) } })
    const again = await unsigned(after, "/auth/refresh", asked)
    expect(again).toMatchObject({ status: 200, body: { refresh_token: lost.body.refresh_token } })
    const next = await unsigned(after, "/auth/refresh", { refresh_token: again.body.refresh_token })
    expect(next.status).toBe(200)
    await after.stop()
    await before.stop()
  })

  it("accepts a token issued before token families, and detects its reuse", async () => {
    const person = await register(app)
    const first = await refresh(person.refresh)
    await app.sql("UPDATE refresh_tokens SET family = NULL WHERE session_id = $1", [person.session_id])
    const second = await refresh(first.body.refresh_token)
    const third = await refresh(second.body.refresh_token)
    const fourth = await refresh(third.body.refresh_token)
    expect([second.status, third.status, fourth.status]).toEqual([200, 200, 200])
    expect((await refresh(person.refresh)).body.code).toBe("token_reused")
    expect(await works(fourth.body.access_token)).toBe(401)
  })

  it.each([
    [
      "after a minute",
      async (token: string) => {
        await refresh(token)
        await app.advance("61 seconds")
      }
    ],
    [
      "once its successor was used",
      async (token: string) => {
        await refresh((await refresh(token)).body.refresh_token)
      }
    ],
    [
      "once it is no longer kept",
      async (token: string) => {
        let next = token
        for (let time = 0; time < 5; time++) next = (await refresh(next)).body.refresh_token
      }
    ]
  ])("ends the session with its tokens and streams when a token is reused %s, and audits it", async (_, use) => {
    const stolen = await register(app)
    const stream = await EventStream.open(app, { headers: stolen.headers })
    await stream.until(() => stream.events.length > 0)
    await use(stolen.refresh)
    const reused = await refresh(stolen.refresh)
    expect([reused.status, reused.body.code]).toEqual([401, "token_reused"])
    expect(await works(stolen.access)).toBe(401)
    await stream.ended()
    expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "revoked" } })
    expect((await actions(stolen.workspace_id)).slice(-2)).toEqual(["session.revoked", "auth.token_reused"])
    const again = await refresh(stolen.refresh)
    expect([again.status, again.body.code]).toEqual([401, "invalid_token"])
  })

  it("is limited to 365 days after the sign-in", async () => {
    let person = await register(app)
    for (let days = 0; days < 320; days += 80) {
      await app.advance("80 days")
      person = personOf(await refresh(person.refresh))
    }
    const last = await refresh(person.refresh)
    expect(last.body.refresh_expires_in).toBe(45 * 24 * 3600)
    await app.advance("44 days")
    await app.advance("23 hours")
    person = personOf(last)
    const hour = await refresh(person.refresh)
    expect([hour.body.expires_in, hour.body.refresh_expires_in]).toEqual([3600, 3600])
    await app.advance("1 hour")
    expect(await works(hour.body.access_token)).toBe(401)
    expect((await refresh(hour.body.refresh_token)).status).toBe(401)
  })

  it("rejects forged tokens with a valid prefix, and keeps the session", async () => {
    // The limit of wrong tokens is counted per minute.
    await app.advance("1 minute")
    const person = await register(app)
    const next = await refresh(person.refresh)
    for (let time = 0; time < 12; time++) {
      const forged = Redacted.value(Tokens.of("sfr", randomBytes(32), person.refresh.slice(4, 4 + 14 + time)))
      const answer = await refresh(forged)
      expect([answer.status, answer.body.code]).toEqual([401, "invalid_token"])
    }
    expect(await works(next.body.access_token)).toBe(200)
    // They do not count for the session's limit of refreshes either.
    expect((await refresh(next.body.refresh_token)).status).toBe(200)
  })

  it("rejects tokens that are truncated, of another type, of another server or expired", async () => {
    const { access, refresh: token } = await register(app)
    for (const wrong of [token.slice(0, -1), access, app.key, "sfr_", "", `${token} `, token.toUpperCase()]) {
      const answer = await refresh(wrong)
      expect([401, 422], wrong).toContain(answer.status)
    }
    expect(await works(token)).toBe(401)
    const other = await startApp()
    try {
      expect((await unsigned(other, "/auth/refresh", { refresh_token: token })).body.code).toBe("invalid_token")
    } finally {
      await other.stop()
    }
    await app.advance("90 days")
    expect(["token_expired", "invalid_token"]).toContain((await refresh(token)).body.code)
  })
})

describe("end of a session", () => {
  it("by log-out closes its tokens and streams at once, but no other session", async () => {
    const here = await register(app)
    const there = await logIn(app, here.email)
    const stream = await EventStream.open(app, { headers: here.headers })
    await stream.until(() => stream.events.length > 0)
    const answer = await app.call("POST", "/auth/logout", undefined, here.headers)
    expect([answer.status, answer.body]).toEqual([200, { deleted: true, id: here.session_id }])
    expect(await works(here.access)).toBe(401)
    expect((await refresh(here.refresh)).status).toBe(401)
    await stream.ended()
    expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "revoked" } })
    expect(await works(there.access)).toBe(200)
  })

  it("by id is possible for the user's own sessions, listed with device and last activity", async () => {
    const here = await register(app, { device: { name: "Desk", platform: "linux" } })
    const there = await logIn(app, here.email, { device: { name: "Phone", platform: "ios" } })
    const list = await app.call("GET", "/me/sessions?sort=name", undefined, here.headers)
    expect(list.body.data).toMatchObject([
      { id: here.session_id, device: { name: "Desk", platform: "linux" }, current: true, ip: "127.0.0.1" },
      { id: there.session_id, device: { id: there.device_id, name: "Phone" }, current: false }
    ])
    const stranger = await register(app)
    expect((await app.call("DELETE", `/me/sessions/${there.session_id}`, undefined, stranger.headers)).status).toBe(404)
    const endIf = (tag: string) =>
      app.call("DELETE", `/me/sessions/${there.session_id}`, undefined, { ...here.headers, "if-match": tag })
    const stale = await endIf('"other"')
    expect([stale.status, stale.body.code]).toEqual([412, "precondition_failed"])
    expect(await works(there.access)).toBe(200)
    expect((await endIf(stale.body.current_version)).body).toEqual({
      deleted: true,
      id: there.session_id
    })
    expect(await works(there.access)).toBe(401)
    expect((await app.call("DELETE", `/me/sessions/${there.session_id}`, undefined, here.headers)).status).toBe(404)
  })

  it("by revoke-others ends all other sessions at once", async () => {
    const here = await register(app)
    const others = [await logIn(app, here.email), await logIn(app, here.email)]
    const stranger = await register(app)
    const revoke = () => app.call("POST", "/me/sessions/revoke-others", undefined, here.headers)
    const answer = await revoke()
    expect([answer.status, answer.body]).toEqual([200, { revoked: 2 }])
    for (const { access, refresh: token } of others) {
      expect([await works(access), (await refresh(token)).status]).toEqual([401, 401])
    }
    expect([await works(here.access), await works(stranger.access)]).toEqual([200, 200])
    expect((await revoke()).body).toEqual({ revoked: 0 })
  })

  it("by removal of its device ends its tokens", async () => {
    const here = await register(app)
    const there = await logIn(app, here.email)
    expect((await app.call("DELETE", `/sync/devices/${there.device_id}`, undefined, here.headers)).status).toBe(200)
    expect(await works(there.access)).toBe(401)
    expect((await refresh(there.refresh)).status).toBe(401)
    expect(await works(here.access)).toBe(200)
  })

  it("by expiry closes the stream of its token", async () => {
    const here = await register(app)
    const stream = await EventStream.open(app, { headers: here.headers })
    await stream.until(() => stream.events.length > 0)
    await app.advance("61 minutes")
    await stream.ended()
    expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "token_expired" } })
  })

  it("is reported to other nodes at once", async () => {
    // The clock of this node does not move, so its cache does not expire.
    const other = await startApp({ databaseOf: app })
    try {
      const { access, headers } = await register(app)
      const there = async () =>
        (await other.call("GET", "/me", undefined, { authorization: `Bearer ${access}` })).status
      expect(await there()).toBe(200)
      await app.call("POST", "/auth/logout", undefined, headers)
      await expect.poll(there).toBe(401)
    } finally {
      await other.stop()
    }
  })
})
