import { Clock, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Operator } from "../../services/identity/operators/Operator.ts"
import { scopes } from "../../services/identity/Scopes.ts"
import { password, tokenOf } from "../support/people/People.ts"
import { HookSink } from "../support/servers/HookSink.ts"
import { type Member, Team } from "../support/people/Team.ts"
import type { ApiResponse } from "../support/TestApp.ts"
import { useApp } from "../support/useApp.ts"

/** Which credentials may create webhooks, shares, invitations and API keys, and what ends these (contract 4). */

const { app } = useApp({ settings: { webhookAllow: ["127.0.0.1"] } })
let sink: HookSink
beforeAll(async () => {
  sink = await HookSink.start()
})
afterAll(() => sink.stop())

type Headers = Record<string, string>
let made = 0
const fresh = (what: string) => `${what}-${++made}`
const bearer = (secret: string): Headers => ({ authorization: `Bearer ${secret}` })
const now = () => app.run(Clock.currentTimeMillis)
const inMinutes = async (minutes: number) => new Date((await now()) + minutes * 60_000).toISOString()
const ask = async (method: string, path: string, body: object | undefined, headers: Headers, status = 200) => {
  const answer = await app.call(method, path, body, headers)
  expect([path, answer.status, answer.body.code]).toEqual([path, status, status < 300 ? undefined : expect.anything()])
  return answer.body
}
const sharePage = async (url: string) =>
  (await fetch(url.replace("http://sheaf.test", app.url.replace(/\/v2$/, "")))).status

/** Creates a team whose owner has a session, and a permanent key to read results later. */
const newTeam = async () => {
  const team = await Team.start(app)
  const { headers: root } = await team.issue(team.owner.user_id, scopes)
  const control = fresh("/control")
  await ask("POST", "/webhooks", { url: sink.url(control), events: ["note.*"] }, root, 201)
  return { team, root, control, note_id: await team.note() }
}
type Place = Awaited<ReturnType<typeof newTeam>>

/** Changes a note, which every active webhook must receive, and returns whether the one with this path did. */
const isSent = async ({ control, note_id, root }: Place, path: string, isExpected: boolean) => {
  const title = fresh("Title")
  await ask("PATCH", `/notes/${note_id}`, { title }, root)
  const came = (on: string) => sink.on(on).some(({ body }) => body.data.resource?.title === title)
  await sink.until("the control", () => came(control))
  if (isExpected) await sink.until("the webhook", () => came(path))
  return came(path)
}

/** How each thing is created, and whether it is still valid, according to other users and to its effect. */
const things = {
  webhook: async (place: Place, headers: Headers) => {
    const path = fresh("/hook")
    const answer = await app.call("POST", "/webhooks", { url: sink.url(path), events: ["note.*"] }, headers)
    return {
      answer,
      isGood: async () => {
        const { active } = await ask("GET", `/webhooks/${answer.body.id}`, undefined, place.root)
        expect(await isSent(place, path, active)).toBe(active)
        return active as boolean
      }
    }
  },
  share: async ({ note_id }: Place, headers: Headers) => {
    const answer = await app.call("POST", "/shares", { note_id }, headers)
    return {
      answer,
      isGood: async () => {
        const status = await sharePage(answer.body.url)
        expect([200, 410]).toContain(status)
        return status === 200
      }
    }
  },
  invitation: async ({ team }: Place, headers: Headers) => {
    const email = `${fresh("invited")}@sheaf.test`
    const answer = await app.call("POST", `/workspaces/${team.id}/invitations`, { email }, headers)
    return {
      answer,
      isGood: async () => {
        const input = { email, password: "correct horse battery", invitation_token: tokenOf(answer) }
        const accepted = await app.call("POST", "/auth/register", input, { authorization: "" })
        if (accepted.status !== 201) return false
        // An ended invitation does not prevent the sign-up where sign-up is open.
        const at = { authorization: `Bearer ${accepted.body.access_token}`, "workspace-id": team.id }
        return (await app.call("GET", "/notebooks", undefined, at)).status === 200
      }
    }
  },
  key: async (_: Place, headers: Headers) => {
    const answer = await app.call("POST", "/api-keys", { name: fresh("key") }, headers)
    return {
      answer,
      isGood: async () => (await app.call("GET", "/notebooks", undefined, bearer(answer.body.secret))).status === 200
    }
  }
}
type Thing = keyof typeof things

/** The credential that creates things: its headers, and the key that is deleted or rotated, or expires. */
interface Maker {
  readonly headers: Headers
  readonly key_id?: string | undefined
}

const keyOf = async (headers: Headers, input: object = {}) => {
  const { id, secret } = await ask("POST", "/api-keys", { name: fresh("key"), ...input }, headers, 201)
  return { key_id: id as string, headers: bearer(secret) }
}
const rotate = (member: Member, key_id: string) => ask("POST", `/api-keys/${key_id}/rotate`, undefined, member.headers)

const makers = {
  session: async (member: Member): Promise<Maker> => member,
  key: (member: Member): Promise<Maker> => keyOf(member.headers),
  endingKey: async (member: Member): Promise<Maker> => keyOf(member.headers, { expires_at: await inMinutes(30) }),
  /** A key that was created with an expiring key; `key_id` is that of the expiring key. */
  keyOfEndingKey: async (member: Member): Promise<Maker> => {
    const parent = await makers.endingKey(member)
    return { headers: (await keyOf(parent.headers)).headers, key_id: parent.key_id! }
  },
  replacedSecret: async (member: Member): Promise<Maker> => {
    const key = await keyOf(member.headers)
    await rotate(member, key.key_id)
    return key
  }
}

const endings = {
  "time passes": async () => app.advance("25 hours"),
  "the key is deleted": ({ root }: Place, _: Member, { key_id }: Maker) =>
    ask("DELETE", `/api-keys/${key_id}`, undefined, root),
  "the key is rotated": (_: Place, member: Member, { key_id }: Maker) => rotate(member, key_id!),
  "the creator leaves": ({ team }: Place, { headers, member_id }: Member) =>
    ask("DELETE", `${team.members}/${member_id}`, undefined, headers),
  "the creator is removed": ({ root, team }: Place, { member_id }: Member) =>
    ask("DELETE", `${team.members}/${member_id}`, undefined, root),
  "the creator becomes a viewer": ({ root, team }: Place, { member_id }: Member) =>
    ask("PATCH", `${team.members}/${member_id}`, { role: "viewer" }, root),
  "the user deletes the account": (_: Place, { headers }: Member) =>
    ask("DELETE", "/me", { current_password: password }, headers),
  "the account is deleted": (_: Place, { email }: Member) =>
    app.run(
      Effect.flatMap(Effect.service(Operator), (operator) => operator.deleteUser(email)).pipe(
        Effect.provide(Operator.layer)
      )
    )
}

const remain = { webhook: "remains", share: "remains", invitation: "remains", key: "remains" }
const end = { webhook: "ends", share: "ends", invitation: "ends", key: "ends" }
const endOrRefused = { ...end, webhook: "403 forbidden", invitation: "403 forbidden" }

const table: ReadonlyArray<readonly [keyof typeof makers, keyof typeof endings, Record<Thing, string>]> = [
  ["session", "time passes", { ...remain }],
  ["session", "the creator leaves", end],
  ["session", "the creator is removed", end],
  ["session", "the creator becomes a viewer", { ...remain, share: "ends", invitation: "ends" }],
  ["session", "the account is deleted", end],
  ["session", "the user deletes the account", end],
  ["key", "time passes", remain],
  ["key", "the key is deleted", remain],
  ["key", "the key is rotated", remain],
  ["key", "the creator is removed", end],
  ["endingKey", "time passes", end],
  ["endingKey", "the key is deleted", end],
  ["endingKey", "the key is rotated", remain],
  ["endingKey", "the creator is removed", end],
  ["keyOfEndingKey", "time passes", end],
  ["keyOfEndingKey", "the key is deleted", end],
  ["replacedSecret", "time passes", endOrRefused],
  ["replacedSecret", "the key is deleted", endOrRefused],
  ["replacedSecret", "the key is rotated", endOrRefused],
  ["replacedSecret", "the creator is removed", endOrRefused]
]

describe("things created with a credential", () => {
  it.each(table)("%s, %s", async (maker, ending, expected) => {
    const place = await newTeam()
    const member = await place.team.member("admin")
    const by = await makers[maker](member)
    const outcomes: Record<string, string> = {}
    const lasting: Array<readonly [string, () => Promise<boolean>]> = []
    for (const [name, make] of Object.entries(things)) {
      const { answer, isGood } = await make(place, by.headers)
      if (answer.status === 201) lasting.push([name, isGood])
      else outcomes[name] = `${answer.status} ${answer.body.code}`
    }
    await endings[ending](place, member, by)
    for (const [name, isGood] of lasting) outcomes[name] = (await isGood()) ? "remains" : "ends"
    expect(outcomes).toEqual(expected)
  })
})

const code = ({ body, status }: ApiResponse) => [status, body.code]
const auditOf = ({ root }: Place, action: string) =>
  ask("GET", `/audit-log?filter=${encodeURIComponent(`action="${action}"`)}&limit=100`, undefined, root)
const setUp = async () => {
  const place = await newTeam()
  const [leaver, admin, editor] = [
    await place.team.member("admin"),
    await place.team.member("admin"),
    await place.team.member("editor")
  ]
  return { place, leaver, admin, editor }
}
const hookOf = async (headers: Headers) => {
  const path = fresh("/hook")
  return { path, hook: await ask("POST", "/webhooks", { url: sink.url(path), events: ["*"] }, headers, 201) }
}

describe("a webhook of a member who left", () => {
  it("is disabled in the commit that removes the member, and listed in the audit entry", async () => {
    const { admin, leaver, place } = await setUp()
    const own = await hookOf(leaver.headers)
    const changed = await hookOf(admin.headers)
    const other = await hookOf(admin.headers)
    const off = await hookOf(leaver.headers)
    await ask("PATCH", `/webhooks/${off.hook.id}`, { active: false }, leaver.headers)
    expect(own.hook).toMatchObject({ created_by: leaver.user_id, updated_by: leaver.user_id, expires_at: null })
    // The last user who changed a webhook may have redirected it to their own endpoint.
    const moved = { url: sink.url(fresh("/moved")) }
    expect(await ask("PATCH", `/webhooks/${changed.hook.id}`, moved, leaver.headers)).toMatchObject({
      created_by: admin.user_id,
      updated_by: leaver.user_id
    })
    const { note_id } = place
    const share = await ask("POST", "/shares", { note_id }, leaver.headers, 201)
    await endings["the creator is removed"](place, leaver)
    const shown = async (id: string) => {
      const { active, disabled_reason } = await ask("GET", `/webhooks/${id}`, undefined, place.root)
      return [active, disabled_reason]
    }
    expect(await shown(own.hook.id)).toEqual([false, "creator_left"])
    expect(await shown(changed.hook.id)).toEqual([false, "creator_left"])
    expect(await shown(other.hook.id)).toEqual([true, null])
    expect(await shown(off.hook.id)).toEqual([false, null])
    const [removed] = (await auditOf(place, "member.removed")).data
    expect(removed.metadata).toMatchObject({ user_id: leaver.user_id, share_count: 1, shares: [share.id] })
    expect(removed.metadata.webhooks.toSorted()).toEqual([own.hook.id, changed.hook.id].toSorted())
    const disabled = (await auditOf(place, "webhook.disabled")).data
    expect(disabled.map(({ metadata, resource_id }: any) => [resource_id, metadata.reason]).toSorted()).toEqual(
      [own.hook.id, changed.hook.id].toSorted().map((id) => [id, "creator_left"])
    )
    expect(await isSent(place, own.path, false)).toBe(false)
    expect(await isSent(place, other.path, true)).toBe(true)
  })

  it("belongs to the admin who enables it again", async () => {
    const { admin, leaver, place } = await setUp()
    const { hook, path } = await hookOf(leaver.headers)
    await endings["the creator is removed"](place, leaver)
    expect(await ask("PATCH", `/webhooks/${hook.id}`, { active: true }, admin.headers)).toMatchObject({
      active: true,
      disabled_reason: null,
      created_by: admin.user_id,
      updated_by: admin.user_id
    })
    expect(await isSent(place, path, true)).toBe(true)
    await endings["the creator is removed"](place, admin)
    expect(await isSent(place, path, false)).toBe(false)
  })

  it("is not created by a request that waited while the member was removed", async () => {
    const { leaver, place } = await setUp()
    const requests = Array.from({ length: 8 }, (_, index) =>
      index % 2 === 0
        ? app.call("POST", "/webhooks", { url: sink.url("/late"), events: ["*"] }, leaver.headers)
        : app.call("POST", "/shares", { note_id: place.note_id }, leaver.headers)
    )
    const removal = endings["the creator is removed"](place, leaver)
    const answers = await Promise.all(requests)
    await removal
    for (const answer of answers) expect([201, 403, 404]).toContain(answer.status)
    const left = await app.sql(
      `SELECT id FROM webhooks WHERE workspace_id = $1 AND created_by = $2 AND active
      UNION ALL SELECT id FROM shares WHERE workspace_id = $1 AND created_by = $2 AND expires_at IS NULL`,
      [place.team.id, leaver.user_id]
    )
    expect(left).toEqual([])
  })
})

describe("a share of a member who may no longer write", () => {
  const ended = async (id: string, { root }: Place) => {
    const { expires_at } = await ask("GET", `/shares/${id}`, undefined, root)
    return expires_at !== null && Date.parse(expires_at) <= (await now())
  }

  it("can be extended only by an admin, who becomes its creator", async () => {
    const { admin, editor, leaver, place } = await setUp()
    const share = await ask("POST", "/shares", { note_id: place.note_id }, leaver.headers, 201)
    expect(share.created_by).toBe(leaver.user_id)
    await endings["the creator is removed"](place, leaver)
    expect(await ended(share.id, place)).toBe(true)
    expect(await sharePage(share.url)).toBe(410)
    const path = `/shares/${share.id}`
    for (const change of [{ expires_at: null }, { breaks: false }, { password: "open sesame" }]) {
      expect(code(await app.call("PATCH", path, change, editor.headers))).toEqual([403, "insufficient_role"])
    }
    expect(await sharePage(share.url)).toBe(410)
    const kept = await ask("PATCH", path, { expires_at: null }, admin.headers)
    expect(kept).toMatchObject({ created_by: admin.user_id, expires_at: null, url: share.url })
    expect(await sharePage(share.url)).toBe(200)
    await ask("PATCH", path, { breaks: false }, editor.headers)
    await endings["the creator is removed"](place, admin)
    expect(await sharePage(share.url)).toBe(410)
  })

  it("ends with the role unless it ended earlier, and is listed in the audit log", async () => {
    const { editor, place } = await setUp()
    const { note_id } = place
    const shares = [
      await ask("POST", "/shares", { note_id }, editor.headers, 201),
      await ask("POST", "/shares", { note_id, expires_at: await inMinutes(60) }, editor.headers, 201)
    ]
    const earlier = await ask("POST", "/shares", { note_id, expires_at: await inMinutes(1) }, editor.headers, 201)
    const others = await ask("POST", "/shares", { note_id }, place.root, 201)
    await app.advance("2 minutes")
    await endings["the creator becomes a viewer"](place, editor)
    for (const { id, url } of shares) expect([await ended(id, place), await sharePage(url)]).toEqual([true, 410])
    expect((await ask("GET", `/shares/${earlier.id}`, undefined, place.root)).expires_at).toBe(earlier.expires_at)
    expect(await sharePage(others.url)).toBe(200)
    const [entry] = (await auditOf(place, "member.role_changed")).data
    expect(entry.metadata).toMatchObject({ from: "editor", to: "viewer", share_count: 2 })
    expect(entry.metadata.shares.toSorted()).toEqual(shares.map(({ id }) => id).toSorted())
    // With the role restored, the creator can reopen a share; none reopens automatically.
    await ask("PATCH", `${place.team.members}/${editor.member_id}`, { role: "editor" }, place.root)
    expect(await sharePage(shares[0].url)).toBe(410)
    await ask("PATCH", `/shares/${shares[0].id}`, { expires_at: null }, editor.headers)
    expect(await sharePage(shares[0].url)).toBe(200)
  })

  it("is only counted when there are too many shares for one audit entry", async () => {
    const { editor, place } = await setUp()
    await app.sql(
      `INSERT INTO shares (workspace_id, id, note_id, token, token_hash, password_protected, created_at, created_by, revision)
      SELECT $1, 'sh_' || lpad(n::text, 22, '0'), $2, '', $3 || n, false, $4, $5, 1 FROM generate_series(1, 1500) n`,
      [place.team.id, place.note_id, fresh("hash"), new Date(await now()).toISOString(), editor.user_id]
    )
    await endings["the creator is removed"](place, editor)
    const [entry] = (await auditOf(place, "member.removed")).data
    expect([entry.metadata.share_count, entry.metadata.shares.length]).toEqual([1500, 200])
    expect(
      await app.sql("SELECT 1 FROM shares WHERE workspace_id = $1 AND expires_at IS NULL", [place.team.id])
    ).toEqual([])
  })
})

describe("an expiring API key", () => {
  it("limits the expiry of what it creates to its own, and is refused a later one", async () => {
    const { leaver, place } = await setUp()
    const expires_at = await inMinutes(30)
    const { headers } = await keyOf(leaver.headers, { expires_at })
    const invitations = `/workspaces/${place.team.id}/invitations`
    const email = () => `${fresh("ending")}@sheaf.test`
    const { note_id } = place
    const share = await ask("POST", "/shares", { note_id }, headers, 201)
    const invitation = await ask("POST", invitations, { email: email() }, headers, 201)
    const { hook } = await hookOf(headers)
    expect([share, invitation, hook].map((each) => each.expires_at)).toEqual([expires_at, expires_at, expires_at])
    const sooner = await inMinutes(10)
    expect((await ask("POST", "/shares", { note_id, expires_at: sooner }, headers, 201)).expires_at).toBe(sooner)
    const later = new Date(Date.parse(expires_at) + 1).toISOString()
    for (const [method, path, body] of [
      ["POST", "/shares", { note_id, expires_at: later }],
      ["PATCH", `/shares/${share.id}`, { expires_at: later }],
      ["POST", invitations, { email: email(), expires_at: later }],
      ["POST", `${invitations}/${invitation.id}/resend`, { expires_at: later }]
    ] as const) {
      const { body: problem, status } = await app.call(method, path, body, headers)
      expect([status, problem.errors?.[0]?.field]).toEqual([422, "expires_at"])
    }
  })

  it("cannot extend anything beyond its own expiry, unlike a session", async () => {
    const { leaver, place } = await setUp()
    const expires_at = await inMinutes(30)
    const { headers } = await keyOf(leaver.headers, { expires_at })
    const { note_id, root, team } = place
    const share = await ask("POST", "/shares", { note_id, expires_at: await inMinutes(10) }, root, 201)
    const invitation = await ask("POST", `/workspaces/${team.id}/invitations`, { email: "sent@sheaf.test" }, root, 201)
    const { hook } = await hookOf(root)
    const resend = `/workspaces/${team.id}/invitations/${invitation.id}/resend`
    const all = async (by: Headers) => [
      (await ask("PATCH", `/shares/${share.id}`, { expires_at: null }, by)).expires_at,
      (await ask("POST", resend, {}, by)).expires_at,
      (await ask("PATCH", `/webhooks/${hook.id}`, { rotate_secret: true }, by)).expires_at
    ]
    expect(await all(headers)).toEqual([expires_at, expires_at, expires_at])
    const week = new Date((await now()) + 7 * 24 * 3600_000).toISOString()
    expect(await all(leaver.headers)).toEqual([null, week, null])
  })

  it("disables its webhook when it expires, and an admin can enable it again", async () => {
    const { admin, leaver, place } = await setUp()
    const { headers } = await keyOf(leaver.headers, { expires_at: await inMinutes(30) })
    const { hook, path } = await hookOf(headers)
    await app.advance("30 minutes")
    const off = { active: false, disabled_reason: "key_ended" }
    expect(await ask("GET", `/webhooks/${hook.id}`, undefined, place.root)).toMatchObject(off)
    expect(await isSent(place, path, false)).toBe(false)
    await expect.poll(async () => (await auditOf(place, "webhook.disabled")).data.length).toBe(1)
    expect(await ask("GET", `/webhooks/${hook.id}`, undefined, place.root)).toMatchObject(off)
    const on = await ask("PATCH", `/webhooks/${hook.id}`, { active: true }, admin.headers)
    expect(on).toMatchObject({ active: true, disabled_reason: null, expires_at: null, created_by: leaver.user_id })
    expect(await isSent(place, path, true)).toBe(true)
  })
})

it("a replaced secret still reads, writes and shares, but cannot change webhooks, invitations, keys and members", async () => {
  const { leaver, place } = await setUp()
  const { headers, key_id } = await makers.replacedSecret(leaver)
  const { note_id, root, team } = place
  await ask("GET", `/notes/${note_id}`, undefined, headers)
  await ask("PATCH", `/notes/${note_id}`, { title: fresh("Still") }, headers)
  const share = await ask("POST", "/shares", { note_id }, headers, 201)
  const { previous_secret_expires_at } = await ask("GET", `/api-keys/${key_id}`, undefined, root)
  expect(share.expires_at).toBe(previous_secret_expires_at)
  const { hook } = await hookOf(root)
  const invitations = `/workspaces/${team.id}/invitations`
  const invitation = await ask("POST", invitations, { email: "open@sheaf.test" }, root, 201)
  for (const [method, path, body] of [
    ["PATCH", `/webhooks/${hook.id}`, { url: sink.url("/taken") }],
    ["PATCH", `/webhooks/${hook.id}`, { rotate_secret: true }],
    ["POST", `${invitations}/${invitation.id}/resend`, {}],
    ["POST", `/api-keys/${key_id}/rotate`, {}],
    ["DELETE", `/api-keys/${key_id}`, undefined],
    ["PATCH", `${team.members}/${(await team.member("viewer")).member_id}`, { role: "admin" }]
  ] as const) {
    expect(code(await app.call(method, path, body, headers))).toEqual([403, "forbidden"])
  }
  expect((await ask("GET", `/webhooks/${hook.id}`, undefined, root)).url).toBe(hook.url)
})
