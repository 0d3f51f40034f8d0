import { Redacted } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { policyDefaults } from "../../services/workspaces/Plans.ts"
import { EventStream } from "../support/EventStream.ts"
import { RedisServer, whyNoRedis } from "../support/servers/RedisServer.ts"
import { logIn, password, personOf, unsigned } from "../support/people/People.ts"
import { SmtpSink } from "../support/servers/SmtpSink.ts"
import { startApp, type TestApp } from "../support/TestApp.ts"

const noRedis = whyNoRedis()

const from = { owner: "203.0.113.1", guest: "198.51.100.7" }

let sink: SmtpSink
beforeAll(async () => {
  sink = await SmtpSink.start()
})
afterAll(() => sink.stop())

describe("the life of an invited user", () => {
  const cleanUp: Array<() => Promise<void>> = []
  afterEach(async () => {
    for (const each of cleanUp.splice(0).reverse()) await each()
  })

  /**
   * Two nodes on one database, whose clocks do not move by themselves: each learns of changes of the other by
   * notifications only.
   */
  const nodes = async (redis: RedisServer | undefined): Promise<readonly [TestApp, TestApp]> => {
    const settings = {
      smtpUrl: Redacted.make(`smtp://127.0.0.1:${sink.port}`),
      policies: { ...policyDefaults, signUp: "invite" as const },
      bootstrapPassword: Redacted.make(password),
      trustedProxies: ["127.0.0.1"],
      redisUrl: redis === undefined ? undefined : Redacted.make(redis.url)
    }
    const one = await startApp({ settings })
    cleanUp.push(one.stop)
    const two = await startApp({ settings, databaseOf: one })
    cleanUp.push(two.stop)
    return [one, two]
  }

  const run = async ([one, two]: readonly [TestApp, TestApp], email: string) => {
    const workspace = one.workspace_id
    const there = { "workspace-id": workspace }
    const members = `/workspaces/${workspace}/members`
    const host = await logIn(one, "owner@sheaf.test")
    const owner = { ...host.headers, ...there, "x-forwarded-for": from.owner }
    const { body: notebook } = await one.call("POST", "/notebooks", { name: "Plans" }, owner)
    const { body: note } = await one.call("POST", "/notes", { notebook_id: notebook.id, title: "Draft" }, owner)
    const notePath = `/notes/${note.id}`
    /** Separates the times of audit entries. */
    const later = () => Promise.all([one, two].map((app) => app.advance("1 second")))

    // The guest is invited by mail.
    await later()
    const invited = await one.call("POST", `/workspaces/${workspace}/invitations`, { email, role: "editor" }, owner)
    expect([invited.status, "accept_url" in invited.body]).toEqual([201, false])
    await sink.until(`mail to ${email}`, () => sink.received.some(({ to }) => to.includes(email)))
    const letter = sink.received.find(({ to }) => to.includes(email))!
    const [invitation_token] = /sfi_\w+/.exec(letter.text)!

    // The guest needs the token to register, on the other node.
    const entry = { email, password }
    const closed = await unsigned(two, "/auth/register", entry)
    expect([closed.status, closed.body.code]).toEqual([403, "sign_up_closed"])
    const others = await unsigned(two, "/auth/register", { email: `not-${email}`, password, invitation_token })
    expect([others.status, others.body.code]).toEqual([403, "sign_up_closed"])
    const here = { "x-forwarded-for": from.guest }
    await later()
    const answer = await unsigned(two, "/auth/register", { ...entry, invitation_token }, here)
    expect(answer.status).toBe(201)
    const guest = personOf(answer)
    const home = { ...guest.headers, ...here }
    const session = { ...home, ...there }
    expect(
      (await one.call("GET", "/workspaces", undefined, home)).body.data.map(({ id }: any) => id).toSorted()
    ).toEqual([guest.workspace_id, workspace].toSorted())
    const list = await one.call("GET", `${members}?filter=user_id=${guest.user_id}`, undefined, owner)
    const [member] = list.body.data
    expect(member).toMatchObject({ email, role: "editor" })

    // The guest edits, listens, and creates a key.
    const write = async (app: TestApp, headers: Record<string, string>, title: string) => {
      const { body, status } = await app.call("PATCH", notePath, { title }, headers)
      return [status, body.code]
    }
    const read = async (app: TestApp, headers: Record<string, string>) =>
      (await app.call("GET", notePath, undefined, headers)).status
    expect(await write(two, session, "Edited")).toEqual([200, undefined])
    const { body: versions } = await one.call("GET", `${notePath}/versions`, undefined, owner)
    expect(versions.data[0]).toMatchObject({ title: "Edited", author_id: guest.user_id })
    await later()
    const made = await one.call("POST", "/api-keys", { name: "robot" }, session)
    expect(made.status).toBe(201)
    const key = { authorization: `Bearer ${made.body.secret}`, ...here }
    for (const app of [one, two]) expect(await write(app, key, `By key at ${app.url}`)).toEqual([200, undefined])
    const streams = await Promise.all(
      [one, two].flatMap((app) => [session, key].map((headers) => EventStream.open(app, { headers })))
    )
    cleanUp.push(async () => streams.forEach((stream) => stream.close()))
    await Promise.all(streams.map((stream) => stream.until(() => stream.events.length > 0)))

    // The guest is demoted meanwhile: no more writes, but reads and streams continue.
    await later()
    const demoted = await one.call("PATCH", `${members}/${member.id}`, { role: "viewer" }, owner)
    expect(demoted.body.role).toBe("viewer")
    for (const headers of [session, key]) {
      expect(await write(one, headers, "no")).toEqual([403, "insufficient_role"])
      expect((await one.call("POST", "/sync/push", { changes: [] }, headers)).body.code).toBe("insufficient_role")
      await expect.poll(() => write(two, headers, note.title)).toEqual([403, "insufficient_role"])
      for (const app of [one, two]) expect(await read(app, headers)).toBe(200)
    }
    const counts = streams.map(({ changes }) => changes.length)
    expect(await write(one, owner, "Read on")).toEqual([200, undefined])
    await Promise.all(streams.map((stream, index) => stream.until(() => stream.changes.length > counts[index]!)))
    for (const stream of streams) expect(stream.changes.at(-1)!.data.data.title).toBe("Read on")

    // The guest is removed during long polls: everything ends at once.
    await later()
    const { body: head } = await two.call("GET", "/sync/cursor", undefined, session)
    const polls = [one, two].flatMap((app) =>
      [session, key].map((headers) => app.call("POST", "/sync/pull", { cursor: head.cursor, wait: 20 }, headers))
    )
    // The long polls wait once later requests have got their responses.
    await Promise.all([one, two].flatMap((app) => [session, key].map((headers) => read(app, headers))))
    expect((await one.call("DELETE", `${members}/${member.id}`, undefined, owner)).status).toBe(200)
    // This node applies the removal at once: the guest does not receive the next change.
    const { body: next } = await one.call("POST", "/notes", { notebook_id: notebook.id, title: "After the end" }, owner)
    expect(await read(one, session)).toBe(404)
    expect(await read(one, key)).toBe(401)
    await expect.poll(() => read(two, session)).toBe(404)
    await expect.poll(() => read(two, key)).toBe(401)
    await Promise.all(streams.map((stream) => stream.ended()))
    for (const stream of streams) {
      expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "revoked" } })
    }
    for (const stream of streams.slice(0, 2)) expect(stream.changes.map(({ data }) => data.id)).not.toContain(next.id)
    for (const [index, poll] of (await Promise.all(polls)).entries()) {
      // The other node may have sent the change before it was notified.
      if (index > 1 && poll.status === 201) continue
      expect([poll.status, poll.body.code]).toEqual([401, "invalid_token"])
    }

    // The guest's own workspace and session remain.
    for (const app of [one, two]) {
      expect((await app.call("GET", "/me", undefined, home)).body.email).toBe(email)
      expect((await app.call("POST", "/notebooks", { name: "Mine" }, home)).status).toBe(201)
      expect((await app.call("GET", "/workspaces", undefined, home)).body.data.map(({ id }: any) => id)).toEqual([
        guest.workspace_id
      ])
    }

    // The audit log contains all of it, with times and addresses.
    const { body: log } = await two.call("GET", "/audit-log?limit=100", undefined, owner)
    const entries = log.data
      .toReversed()
      // The entries of the first start, which created the workspace, have no address.
      .filter(({ action, ip }: any) => ip !== null && /^(invitation|member|api_key)\./.test(action))
    expect(entries.map(({ action, actor_id, ip }: any) => [action, actor_id, ip])).toEqual([
      ["invitation.created", host.user_id, from.owner],
      ["invitation.accepted", guest.user_id, from.guest],
      ["member.added", guest.user_id, from.guest],
      ["api_key.created", guest.user_id, from.guest],
      ["member.role_changed", host.user_id, from.owner],
      ["api_key.deleted", host.user_id, from.owner],
      ["member.removed", host.user_id, from.owner]
    ])
    const times = log.data.map(({ occurred_at }: any) => occurred_at)
    expect(times).toEqual(times.toSorted().reverse())
    const { body: own } = await one.call("GET", "/audit-log?limit=100", undefined, home)
    expect(own.data.map(({ action }: any) => action)).toContain("session.created")
    expect(JSON.stringify(own)).not.toContain(workspace)
  }

  it("is the same on two nodes without Redis", async () => {
    await run(await nodes(undefined), "guest-one@example.org")
  })

  it.skipIf(noRedis !== "")(`is the same on two nodes with Redis${noRedis}`, async () => {
    const redis = await RedisServer.start()
    cleanUp.push(() => redis.stop())
    await run(await nodes(redis), "guest-two@example.org")
  })

  it.skipIf(noRedis !== "")(`is the same on two nodes whose Redis has died${noRedis}`, async () => {
    const redis = await RedisServer.start()
    cleanUp.push(() => redis.stop())
    const both = await nodes(redis)
    await redis.kill()
    await run(both, "guest-three@example.org")
  })
})
