import { Redacted } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import * as Tokens from "../../../services/Tokens.ts"
import { after, startInviting } from "../../support/people/Inviting.ts"
import { mailTo } from "../../support/people/Mail.ts"
import { guest, register, tokenOf, workspaceOf } from "../../support/people/People.ts"
import { Team } from "../../support/people/Team.ts"
import { startApp } from "../../support/TestApp.ts"

const inviting = await startInviting()
const { app, workspace, path, fresh, invite, accept, get, changesOf, page } = inviting
const { owner } = inviting.who
afterAll(() => inviting.app.stop())

describe("POST /invitations/accept", () => {
  it("makes the invitee a member with the role, once, and returns the same result again", async () => {
    const bob = await register(app)
    const invited = await invite({ email: bob.email.toUpperCase(), role: "viewer" })
    const from = (await changesOf()).length
    const answer = await accept(tokenOf(invited), bob)
    const { accept_url: _, ...shown } = invited.body
    expect([answer.status, answer.body]).toEqual([200, { ...shown, status: "accepted" }])
    expect((await accept(tokenOf(invited), bob)).body).toEqual(answer.body)
    expect((await get(shown.id)).body).toEqual(answer.body)
    const changes = await changesOf(from)
    expect(changes).toMatchObject([
      { type: "invitation.accepted", resource_id: shown.id, actor_id: bob.user_id },
      { type: "member.added", actor_id: bob.user_id, data: { user_id: bob.user_id, role: "viewer" } }
    ])
    const inIt = { ...bob.headers, "workspace-id": workspace }
    expect((await app.call("GET", "/notebooks", undefined, inIt)).status).toBe(200)
    expect((await app.call("GET", `/workspaces/${workspace}`, undefined, bob.headers)).body.name).toBe("Team <b>&</b>")
    expect((await accept(tokenOf(invited), await register(app))).body.code).toBe("not_found")
    expect((await app.call("POST", `${path}/${shown.id}/resend`, undefined, owner.headers)).body.code).toBe(
      "invalid_state"
    )
    expect((await invite({ email: bob.email })).body.code).toBe("already_exists")
  })

  it("creates one member for concurrent requests", async () => {
    const carla = await register(app)
    const token = tokenOf(await invite({ email: carla.email }))
    const from = (await changesOf()).length
    const answers = await Promise.all([...Array(4)].map(() => accept(token, carla)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await changesOf(from)).map(({ type }) => type)).toEqual(["invitation.accepted", "member.added"])
  })

  it("succeeds or returns 404 while the invitation is sent again", async () => {
    for (let round = 0; round < 8; round++) {
      const fay = await register(app)
      const invited = await invite({ email: fay.email })
      const [sent, accepted] = await Promise.all([
        app.call("POST", `${path}/${invited.body.id}/resend`, undefined, owner.headers),
        accept(tokenOf(invited), fay)
      ])
      expect([
        [200, 404],
        [409, 200]
      ]).toContainEqual([sent.status, accepted.status])
    }
  })

  it("returns the stored response under an Idempotency-Key", async () => {
    const emil = await register(app)
    const token = tokenOf(await invite({ email: emil.email }))
    const send = () =>
      app.call("POST", "/invitations/accept", { token }, { ...emil.headers, "idempotency-key": "accept" })
    const [first, again] = [await send(), await send()]
    expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([200, 200, "true"])
    expect(again.body).toEqual(first.body)
  })

  it("requires the invited address and a session", async () => {
    const token = tokenOf(await invite({ email: fresh() }))
    const stranger = await register(app)
    expect(await accept(token, stranger)).toMatchObject({ status: 409, body: { code: "invalid_state" } })
    const key = await app.call("POST", "/invitations/accept", { token })
    expect(key).toMatchObject({ status: 403, body: { code: "insufficient_scope" } })
    for (const wrong of [
      "",
      "sfi_",
      token.slice(0, -1),
      `${token.slice(0, -1)}!`,
      Redacted.value(Tokens.make(systemRandomness, "sfi")),
      Redacted.value(Tokens.make(systemRandomness, "sfk")),
      "\u0000"
    ]) {
      expect(await accept(wrong, stranger), wrong).toMatchObject({ status: 404, body: { code: "not_found" } })
    }
    for (const body of [{}, { token: 7 }, { token: null }]) {
      expect((await app.call("POST", "/invitations/accept", body, stranger.headers)).status).toBe(422)
    }
  })

  it("leaves the role of an existing member unchanged", async () => {
    const dana = await register(app)
    const token = tokenOf(await invite({ email: dana.email, role: "admin" }))
    await app.sql(
      "INSERT INTO members (workspace_id, id, user_id, role, created_at) VALUES ($1, 'mb_dana', $2, 'viewer', $3)",
      [workspace, dana.user_id, after(0)]
    )
    expect((await accept(token, dana)).body.status).toBe("accepted")
    expect(
      await app.sql("SELECT role FROM members WHERE workspace_id = $1 AND user_id = $2", [workspace, dana.user_id])
    ).toEqual([{ role: "viewer" }])
  })

  it("returns 404 in a deleted workspace", async () => {
    const frank = await register(app)
    const gone = await workspaceOf(app, owner, "Gone")
    const token = tokenOf(await invite({ email: frank.email }, owner, `/workspaces/${gone}/invitations`))
    await app.call("DELETE", `/workspaces/${gone}`, undefined, owner.headers)
    expect((await accept(token, frank)).body.code).toBe("not_found")
    expect((await page(token)).status).toBe(404)
  })

  it("is part of registration with an invitation token", async () => {
    const email = fresh()
    const token = tokenOf(await invite({ email, role: "admin" }))
    const registered = await app.call("POST", "/auth/register", {
      email,
      password: "correct horse battery",
      invitation_token: token
    })
    expect(registered.status).toBe(201)
    const headers = { authorization: `Bearer ${registered.body.access_token}` }
    const ids = (await app.call("GET", "/workspaces", undefined, headers)).body.data.map(({ id }: any) => id)
    expect(ids.toSorted()).toEqual([registered.body.workspace_id, workspace].toSorted())
  })
})

describe("invitation page", () => {
  it("shows inviter, workspace and role, escaped, and never cached", async () => {
    const email = fresh()
    const { headers, status, text } = await page(tokenOf(await invite({ email })))
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(headers.get("content-security-policy")).toContain("default-src 'none'")
    expect([headers.get("cache-control"), headers.get("referrer-policy"), headers.get("x-robots-tag")]).toEqual([
      "no-store",
      "same-origin",
      "noindex, nofollow"
    ])
    for (const part of [
      "Team &lt;b&gt;&amp;&lt;/b&gt;",
      email,
      owner.email.split("@")[0]!,
      "editor",
      "2026-03-08 12:00 UTC",
      "POST http://sheaf.test/v2/invitations/accept"
    ]) {
      expect(text).toContain(part)
    }
    expect(text).not.toMatch(/<b>|sfi_[0-9A-Za-z]/)
  })

  it("shows nothing without a valid token", async () => {
    const none = await page("")
    for (const wrong of ["", "x", Redacted.value(Tokens.make(systemRandomness, "sfi")), "%00", "%ff", "a&token=b"]) {
      const answer = await page(wrong)
      expect([answer.status, answer.text], wrong).toEqual([404, none.text])
    }
    const bare = await fetch(`${new URL(app.url).origin}/invitations/accept`)
    expect([bare.status, await bare.text()]).toEqual([404, none.text])
    expect(none.headers.get("cache-control")).toBe("no-store")
    expect(none.text).not.toContain("Team")
  })
})

describe("invitation mail", () => {
  it("contains the link, and names that cannot inject content", async () => {
    const mailed = await register(app, { name: "Mallory\r\nBcc: all@sheaf.test" })
    const email = `Jörg.${fresh()}`
    const at = `/workspaces/${mailed.workspace_id}/invitations`
    const invited = await invite({ email, role: "viewer" }, mailed, at)
    const [mail] = await mailTo(app, email)
    expect(mail!.text).toContain(invited.body.accept_url)
    expect(mail!.text).toContain("with the role viewer")
    expect(mail!.headers.get("bcc")).toBe(undefined)
    await app.call("POST", `${at}/${invited.body.id}/resend`, undefined, mailed.headers)
    expect((await mailTo(app, email, 2)).length).toBe(2)
  })
})

describe("invitation of a user who has lost the right to invite", () => {
  it("cannot be accepted by any user", async () => {
    const team = await Team.of(app, owner)
    const second = await team.invited("owner")
    const invitee = await register(app)
    const at = `/workspaces/${team.id}/invitations`
    const invited = await app.call("POST", at, { email: invitee.email, role: "owner" }, second.headers)
    await app.call("PATCH", `${team.members}/${second.member_id}`, { role: "admin" }, owner.headers)
    expect((await accept(tokenOf(invited), invitee)).status).toBe(404)
    await app.call("DELETE", `${team.members}/${second.member_id}`, undefined, owner.headers)
    expect((await accept(tokenOf(invited), invitee)).status).toBe(404)
    expect((await page(tokenOf(invited))).status).toBe(404)
  })
})

describe("invitation mail with SMTP", () => {
  it("is the only place that contains the link", async () => {
    const mailing = await startApp({
      settings: { smtpUrl: Redacted.make("smtp://127.0.0.1:9"), mailFrom: "sheaf@sheaf.test" }
    })
    const kim = await guest(mailing, { elsewhere: true })
    const at = `/workspaces/${kim.workspace_id}/invitations`
    const made = await mailing.call("POST", at, { email: "lee@sheaf.test" }, kim.headers)
    const resent = await mailing.call("POST", `${at}/${made.body.id}/resend`, undefined, kim.headers)
    expect([made.status, resent.status]).toEqual([201, 200])
    expect(made.text + resent.text).not.toContain("sfi_")
    expect(await mailing.sql("SELECT id FROM mails WHERE recipient = 'lee@sheaf.test'")).toHaveLength(2)
    await mailing.stop()
  })

  it("is sent to one address at most ten times an hour", async () => {
    const mailing = await startApp({
      settings: { smtpUrl: Redacted.make("smtp://127.0.0.1:9"), mailFrom: "sheaf@sheaf.test" }
    })
    const kim = await guest(mailing, { elsewhere: true })
    const at = `/workspaces/${kim.workspace_id}/invitations`
    const made = await mailing.call("POST", at, { email: "lee@sheaf.test" }, kim.headers)
    const resend = () => mailing.call("POST", `${at}/${made.body.id}/resend`, undefined, kim.headers)
    for (let n = 1; n < 10; n++) expect((await resend()).status).toBe(200)
    const beyond = await resend()
    expect([beyond.status, beyond.body.code]).toEqual([429, "rate_limited"])
    expect(Number(beyond.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await mailing.call("POST", at, { email: "other@sheaf.test" }, kim.headers)).status).toBe(201)
    await mailing.stop()
  })
})
