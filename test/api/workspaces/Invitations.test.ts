import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { Invitations } from "../../../services/workspaces/Invitations.ts"
import { after, startInviting } from "../../support/people/Inviting.ts"
import { guest, join, logIn, register, type Person, tokenOf, workspaceOf } from "../../support/people/People.ts"

const day = 24 * 3600_000

const inviting = await startInviting()
const { app, workspace, path, fresh, invite, accept, get, changesOf, page } = inviting
let { owner } = inviting.who
afterAll(() => inviting.app.stop())

describe("POST invitations", () => {
  it("creates an invitation of an editor for seven days, shows the link once, stores only a digest, and sends a mail", async () => {
    const from = (await changesOf()).length
    const email = fresh()
    const answer = await invite({ email, status: "accepted" })
    expect(answer.status).toBe(201)
    expect(answer.headers.get("cache-control")).toBe("no-store")
    const { accept_url, ...shown } = answer.body
    expect(shown).toEqual({
      id: expect.stringMatching(/^iv_/),
      email,
      role: "editor",
      status: "pending",
      expires_at: after(7 * day),
      created_at: after(0),
      invited_by: owner.user_id
    })
    expect(accept_url).toMatch(/^http:\/\/sheaf\.test\/invitations\/accept\?token=sfi_[0-9A-Za-z]{36}$/)
    expect((await get(shown.id)).body).toEqual(shown)
    const listed = (await app.call("GET", path, undefined, owner.headers)).body.data
    expect(listed.find(({ id }: any) => id === shown.id)).toEqual(shown)
    expect(await changesOf(from)).toEqual([
      {
        type: "invitation.created",
        resource_id: shown.id,
        actor_id: owner.user_id,
        data: { email, role: "editor", expires_at: after(7 * day) }
      }
    ])
    const rows = JSON.stringify([
      await app.sql("SELECT * FROM invitations"),
      await app.sql("SELECT data FROM changes"),
      await app.sql("SELECT * FROM audit_entries"),
      await app.sql("SELECT * FROM mails")
    ])
    expect(rows).not.toContain(tokenOf(answer))
  })

  it("accepts an expiry in any offset, at most 30 days ahead", async () => {
    expect((await invite({ email: fresh(), expires_at: "2026-03-02T14:00:00+02:00" })).body.expires_at).toBe(after(day))
    expect((await invite({ email: fresh(), expires_at: after(30 * day) })).status).toBe(201)
    expect((await invite({ email: fresh(), expires_at: null })).body.expires_at).toBe(after(7 * day))
    for (const [expires_at, code] of [
      [after(30 * day + 1), "out_of_range"],
      [after(0), "out_of_range"],
      ["soon", "invalid_timestamp"]
    ]) {
      const answer = await invite({ email: fresh(), expires_at })
      expect([answer.status, answer.body.errors], expires_at).toMatchObject([422, [{ field: "expires_at", code }]])
    }
    for (const input of [
      {},
      { email: "nobody" },
      { email: 7 },
      { email: fresh(), role: "king" },
      { email: fresh(), role: null }
    ]) {
      expect((await invite(input)).status, JSON.stringify(input)).toBe(422)
    }
  })

  it("rejects an address that is a member or already invited, in any spelling", async () => {
    const email = `Zoë.${fresh()}`
    await invite({ email })
    for (const same of [
      email,
      email.toUpperCase(),
      email.normalize("NFD"),
      email.replace("sheaf.test", "ＳＨＥＡＦ.test")
    ]) {
      expect((await invite({ email: same })).body, same).toMatchObject({
        status: 409,
        code: "already_exists",
        existing_id: expect.stringMatching(/^iv_/)
      })
    }
    expect((await invite({ email: owner.email.toUpperCase() })).body.code).toBe("already_exists")
    expect((await invite({ email: owner.email })).body.existing_id).toMatch(/^mb_/)
    const [one, two] = [fresh(), fresh().replace("@", "+x@")]
    expect([(await invite({ email: one })).status, (await invite({ email: two })).status]).toEqual([201, 201])
    const other = await workspaceOf(app, owner)
    expect((await invite({ email }, owner, `/workspaces/${other}/invitations`)).status).toBe(201)
  })

  it("creates one invitation for concurrent requests with spellings of the same address", async () => {
    const email = fresh()
    const many = await Promise.all(
      [email, email.toUpperCase(), email, `I${email.slice(1)}`].map((each) => invite({ email: each }))
    )
    expect(many.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
  })

  it("requires an admin, and a role that is not above the caller's", async () => {
    const people: Partial<Record<string, Person>> = {}
    for (const role of ["admin", "editor", "viewer"] as const)
      await join(app, owner, workspace, (people[role] = await register(app)), role)
    const allowed = async (who: Person) => {
      const roles: Array<string> = []
      for (const role of ["owner", "admin", "editor", "viewer"]) {
        const { body, status } = await invite({ email: fresh(), role }, who)
        if (status === 201) roles.push(role)
        else expect(body.code).toBe("insufficient_role")
      }
      return roles.join(" ")
    }
    expect(await allowed(owner)).toBe("owner admin editor viewer")
    expect(await allowed(people["admin"]!)).toBe("admin editor viewer")
    expect([await allowed(people["editor"]!), await allowed(people["viewer"]!)]).toEqual(["", ""])
    const { id } = (await invite({ email: fresh(), role: "owner" })).body
    for (const [method, at] of [
      ["GET", ""],
      ["GET", `/${id}`],
      ["DELETE", `/${id}`],
      ["POST", `/${id}/resend`]
    ] as const) {
      expect((await app.call(method, path + at, undefined, people["editor"]!.headers)).body.code).toBe(
        "insufficient_role"
      )
      expect((await app.call(method, path + at, undefined, (await register(app)).headers)).body.code).toBe("not_found")
    }
    expect((await app.call("POST", `${path}/${id}/resend`, undefined, people["admin"]!.headers)).body.code).toBe(
      "insufficient_role"
    )
    expect((await app.call("DELETE", `${path}/${id}`, undefined, people["admin"]!.headers)).body.code).toBe(
      "insufficient_role"
    )
    const reader = await guest(app, { role: "admin", scopes: ["members:read"] })
    const refused = await app.call(
      "POST",
      `/workspaces/${app.workspace_id}/invitations`,
      { email: fresh() },
      reader.headers
    )
    expect(refused.body.code).toBe("insufficient_scope")
  })

  it("allows at most 100 pending invitations per workspace, also when concurrent and sent again", async () => {
    const other = await workspaceOf(app, owner)
    const at = `/workspaces/${other}/invitations`
    await app.sql(
      `INSERT INTO invitations (workspace_id, id, email, email_key, role, token_hash, open, expires_at, invited_by, created_at, is_mailed)
      SELECT $1, 'iv_filled' || lpad(n::text, 16, '0'), n || '@sheaf.test', n || '@sheaf.test', 'viewer', 'hash' || n, true,
        CASE WHEN n > 2 THEN $2 ELSE $3 END, $4, $3, false FROM generate_series(1, 99) n`,
      [other, after(day), after(-day), owner.user_id]
    )
    const answers = await Promise.all(Array.from({ length: 6 }, () => invite({ email: fresh() }, owner, at)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 403, 403, 403])
    expect(answers.find(({ status }) => status === 403)!.body).toMatchObject({
      code: "quota_exceeded",
      quota: "invitations",
      limit: 100,
      used: 100
    })
    const filled = (n: number) => `iv_filled${String(n).padStart(16, "0")}`
    const resend = (id: string) => app.call("POST", `${at}/${id}/resend`, undefined, owner.headers)
    // Sending a pending invitation again adds none; sending an expired one again would add one.
    expect([(await resend(filled(3))).status, (await resend(filled(1))).body.code]).toEqual([200, "quota_exceeded"])
    expect((await app.call("DELETE", `${at}/${filled(3)}`, undefined, owner.headers)).status).toBe(200)
    expect((await resend(filled(1))).status).toBe(200)
  })

  it("invites once under an Idempotency-Key, and returns the same link", async () => {
    const headers = { ...owner.headers, "idempotency-key": "invite-once" }
    const email = fresh()
    const send = () => app.call("POST", path, { email }, headers)
    const [first, again] = [await send(), await send()]
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(again.headers.get("idempotent-replayed")).toBe("true")
  })
})

describe("POST resend", () => {
  it("sends a new link that is valid for seven days, and voids the earlier one", async () => {
    const gina = await register(app)
    const invited = await invite({ email: gina.email, expires_at: after(day) })
    const { id } = invited.body
    const from = (await changesOf()).length
    const resend = (input?: object, headers: object = {}) =>
      app.call("POST", `${path}/${id}/resend`, input, { ...owner.headers, ...headers })
    const sent = await resend()
    expect([sent.status, sent.body]).toMatchObject([
      200,
      { id, status: "pending", expires_at: after(7 * day), email: gina.email }
    ])
    expect(tokenOf(sent)).not.toBe(tokenOf(invited))
    expect((await accept(tokenOf(invited), gina)).body.code).toBe("not_found")
    expect((await changesOf(from)).map(({ type }) => type)).toEqual(["invitation.resent"])
    const own = await resend({ expires_at: after(2 * day), email: 5, role: "owner", status: {} })
    expect(own.body).toMatchObject({ expires_at: after(2 * day), role: "editor", email: gina.email })
    expect((await resend({ expires_at: after(31 * day) })).status).toBe(422)
    const current = (await get(id)).headers.get("etag")!
    expect((await resend(undefined, { "if-match": '"old"' })).body).toMatchObject({
      code: "precondition_failed",
      current_version: current
    })
    const next = await resend(undefined, { "if-match": current })
    // The ETag of the response covers the link too, which If-Match ignores.
    const last = await resend(undefined, { "if-match": next.headers.get("etag")! })
    expect(last.status).toBe(200)
    expect((await accept(tokenOf(own), gina)).status).toBe(404)
    expect((await accept(tokenOf(last), gina)).status).toBe(200)
    expect((await app.call("POST", `${path}/iv_none/resend`, undefined, owner.headers)).status).toBe(404)
  })
})

describe("DELETE an invitation", () => {
  it("voids the link of a pending invitation, and keeps members who accepted", async () => {
    const hugo = await register(app)
    const invited = await invite({ email: hugo.email })
    const { id } = invited.body
    const remove = (which: string) => app.call("DELETE", `${path}/${which}`, undefined, owner.headers)
    expect((await remove(id)).body).toEqual({ deleted: true, id })
    expect([(await remove(id)).status, (await get(id)).status, (await accept(tokenOf(invited), hugo)).status]).toEqual([
      404, 404, 404
    ])
    const again = await invite({ email: hugo.email })
    expect((await accept(tokenOf(again), hugo)).status).toBe(200)
    expect((await remove(again.body.id)).status).toBe(200)
    expect((await app.call("GET", `/workspaces/${workspace}`, undefined, hugo.headers)).status).toBe(200)
    expect((await changesOf()).at(-1)).toMatchObject({ type: "invitation.deleted", resource_id: again.body.id })
  })
})

describe("expiry of invitations", () => {
  it("sets the status, voids the link, and allows sending again or a new invitation", async () => {
    const now = Date.parse((await invite({ email: fresh() })).body.created_at)
    const [ida, jan] = [await register(app), await register(app)]
    const [first, second] = [
      await invite({ email: ida.email, expires_at: new Date(now + day).toISOString() }),
      await invite({ email: jan.email, expires_at: new Date(now + day).toISOString() })
    ]
    const list = async (query: string) =>
      (await app.call("GET", `${path}?limit=100&${query}`, undefined, owner.headers)).body.data as ReadonlyArray<any>
    expect((await list("filter=status=expired")).length).toBe(0)
    await app.advance(day - 1)
    owner = inviting.who.owner = await logIn(app, owner.email)
    const { headers } = await logIn(app, ida.email)
    expect((await get(first.body.id)).body.status).toBe("pending")
    await app.advance(1)
    expect((await get(first.body.id)).body.status).toBe("expired")
    expect((await list("filter=status=expired")).map(({ id }) => id)).toEqual(
      expect.arrayContaining([first.body.id, second.body.id])
    )
    expect((await list("filter=status=pending")).map(({ id }) => id)).not.toContain(first.body.id)
    const statuses = (await list("sort=status")).map(({ status }) => status)
    expect(statuses).toEqual(statuses.toSorted())
    expect(await accept(tokenOf(first), { ...ida, headers })).toMatchObject({
      status: 410,
      body: { code: "invitation_expired" }
    })
    expect((await page(tokenOf(first))).status).toBe(410)
    expect((await page(tokenOf(first))).text).not.toContain(ida.email)
    await expect(
      app.run(Effect.flatMap(Effect.service(Invitations), (invitations) => invitations.find(tokenOf(first))))
    ).rejects.toMatchObject({ code: "invitation_expired" })

    const resent = await app.call("POST", `${path}/${first.body.id}/resend`, undefined, owner.headers)
    expect(resent.body).toMatchObject({ status: "pending", expires_at: new Date(now + 8 * day).toISOString() })
    expect((await accept(tokenOf(resent), { ...ida, headers })).status).toBe(200)

    const another = await invite({ email: jan.email })
    expect(another.status).toBe(201)
    expect((await get(second.body.id)).body.status).toBe("expired")
    const both = await app.call("POST", `${path}/${second.body.id}/resend`, undefined, owner.headers)
    expect(both.body).toMatchObject({ status: 409, code: "already_exists" })
  })
})
