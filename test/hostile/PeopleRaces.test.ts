import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Operator } from "../../services/identity/operators/Operator.ts"
import { mailTo } from "../support/people/Mail.ts"
import { logIn, password, register, personOf, type Person, unsigned } from "../support/people/People.ts"
import { type Member, Team } from "../support/people/Team.ts"
import { notebooks } from "../support/Resources.ts"
import { fromAnywhere } from "../support/FromAnywhere.ts"
import { rounds } from "../support/Slow.ts"
import { expectPeopleInOrder } from "../support/people/PeopleTruth.ts"
import { type ApiResponse, startApp, type TestApp } from "../support/TestApp.ts"

let app: TestApp
/**
 * A second node on the same database. Its clock does not move by itself, so it learns of changes by notifications only.
 */
let second: TestApp

beforeAll(async () => {
  // Each of many simultaneous log-ins has its own client address.
  const settings = { trustedProxies: ["127.0.0.1"] }
  app = await startApp({ settings })
  second = await startApp({ databaseOf: app, settings })
})
afterAll(async () => {
  await second.stop()
  await app.stop()
})

let made = 0

/** Repeats a race, in turn on one node and on two. */
const times = async (race: (one: TestApp, other: TestApp) => Promise<void>) => {
  for (let round = 0; round < rounds(2, 8); round++) await race(app, round % 2 === 0 ? app : second)
}

const codes = (answers: ReadonlyArray<ApiResponse>) =>
  answers.map(({ body, status }) => (status < 300 ? status : `${status} ${body.code}`)).toSorted()

const memberPath = ({ id }: Team, { member_id }: Member) => `/workspaces/${id}/members/${member_id}`

/** Creates an invitation by the owner and returns its token. */
const invite = async ({ app, id, owner }: Team, email: string) => {
  const { body } = await app.call("POST", `/workspaces/${id}/invitations`, { email }, owner.headers)
  return { id: body.id, token: new URL(body.accept_url).searchParams.get("token") }
}

const rolesOf = async ({ id }: Team) =>
  (await app.sql("SELECT role FROM members WHERE workspace_id = $1 ORDER BY role", [id])).map(({ role }) => role)

const works = async (at: TestApp, headers: Record<string, string>) =>
  (await at.call("GET", "/me", undefined, { ...headers, ...fromAnywhere() })).status

describe("simultaneous requests", () => {
  it("two admins demote each other: one succeeds, and the other is no longer an admin", () =>
    times(async (one, other) => {
      const team = await Team.start(app)
      const [a, b] = [await team.member("admin"), await team.member("admin")]
      const answers = await Promise.all([
        one.call("PATCH", memberPath(team, b), { role: "viewer" }, a.headers),
        other.call("PATCH", memberPath(team, a), { role: "viewer" }, b.headers)
      ])
      expect(codes(answers)).toEqual([200, "403 insufficient_role"])
      expect(await rolesOf(team)).toEqual(["admin", "owner", "viewer"])
    }))

  it("two owners leave: one remains", () =>
    times(async (one, other) => {
      const team = await Team.start(app)
      const second = await team.member("owner")
      const answers = await Promise.all([
        one.call("DELETE", memberPath(team, team.owner), undefined, team.owner.headers),
        other.call("DELETE", memberPath(team, second), undefined, second.headers)
      ])
      expect(codes(answers)).toEqual([200, "409 last_owner"])
      expect(await rolesOf(team)).toEqual(["owner"])
    }))

  it("two owners demote and remove each other: one remains", () =>
    times(async (one, other) => {
      const team = await Team.start(app)
      const second = await team.member("owner")
      const answers = await Promise.all([
        one.call("PATCH", memberPath(team, second), { role: "editor" }, team.owner.headers),
        other.call("DELETE", memberPath(team, team.owner), undefined, second.headers)
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const { status } of answers) expect([200, 403, 404]).toContain(status)
      expect((await rolesOf(team)).filter((role) => role === "owner")).toHaveLength(1)
    }))

  it("three owners demote themselves: one remains", () =>
    times(async (one, other) => {
      const team = await Team.start(app)
      const owners = [team.owner, await team.member("owner"), await team.member("owner")]
      const answers = await Promise.all(
        owners.map((owner, index) =>
          (index % 2 === 0 ? one : other).call("PATCH", memberPath(team, owner), { role: "viewer" }, owner.headers)
        )
      )
      expect(codes(answers)).toEqual([200, 200, "409 last_owner"])
      expect(await rolesOf(team)).toEqual(["owner", "viewer", "viewer"])
    }))

  it("an invitation is accepted many times: it adds one member", () =>
    times(async (one, other) => {
      const team = await Team.start(app)
      const person = await register(app)
      const { token } = await invite(team, person.email)
      const answers = await Promise.all(
        [one, other, one, other].map((at) => at.call("POST", "/invitations/accept", { token }, person.headers))
      )
      expect(codes(answers)).toEqual([200, 200, 200, 200])
      expect(await rolesOf(team)).toEqual(["editor", "owner"])
    }))

  it("two users register with one invitation: one user and one member are created", () =>
    times(async (one, other) => {
      const team = await Team.start(app)
      const email = `racer-${made++}@sheaf.test`
      const { token: invitation_token } = await invite(team, email)
      const answers = await Promise.all(
        [one, other].map((at) => unsigned(at, "/auth/register", { email, password, invitation_token }))
      )
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
      // The slower request may find the invitation already used.
      for (const { status } of answers) expect([201, 404, 409]).toContain(status)
      expect(await rolesOf(team)).toEqual(["editor", "owner"])
    }))

  it("an invitation is accepted, revoked and resent: it adds a member only with a valid link", () =>
    times(async (one, other) => {
      const team = await Team.start(app)
      const person = await register(app)
      const { id, token } = await invite(team, person.email)
      const path = `/workspaces/${team.id}/invitations/${id}`
      const [accepted, deleted, resent] = await Promise.all([
        one.call("POST", "/invitations/accept", { token }, person.headers),
        other.call("DELETE", path, undefined, team.owner.headers),
        one.call("POST", `${path}/resend`, undefined, team.owner.headers)
      ])
      expect([200, 404]).toContain(accepted.status)
      expect(deleted.status).toBe(200)
      expect([200, 404, 409]).toContain(resent.status)
      expect(await rolesOf(team)).toEqual(accepted.status === 200 ? ["editor", "owner"] : ["owner"])
    }))

  it("a workspace is deleted while an invitation is accepted: it has no new member", () =>
    times(async (one, other) => {
      const team = await Team.start(app)
      const person = await register(app)
      const { token } = await invite(team, person.email)
      const [accepted, deleted] = await Promise.all([
        one.call("POST", "/invitations/accept", { token }, person.headers),
        other.call("DELETE", `/workspaces/${team.id}`, undefined, team.owner.headers)
      ])
      expect([200, 404]).toContain(accepted.status)
      expect(deleted.status).toBe(200)
      const there = { ...person.headers, "workspace-id": team.id }
      const reads = async () => (await one.call("GET", "/notes", undefined, there)).status
      await expect.poll(reads).toBe(404)
    }))

  it("a session logs out and refreshes: no token remains valid", () =>
    times(async (one, other) => {
      const person = await register(app)
      const [, refreshed] = await Promise.all([
        one.call("POST", "/auth/logout", undefined, person.headers),
        unsigned(other, "/auth/refresh", { refresh_token: person.refresh }, fromAnywhere())
      ])
      expect([200, 401]).toContain(refreshed.status)
      expect(await app.sql("SELECT id FROM sessions WHERE id = $1", [person.session_id])).toEqual([])
      const tokens = refreshed.status === 200 ? [person, personOf(refreshed)] : [person]
      for (const { headers, refresh } of tokens) {
        expect(await works(one, headers)).toBe(401)
        await expect.poll(() => works(other, headers)).toBe(401)
        expect((await unsigned(one, "/auth/refresh", { refresh_token: refresh }, fromAnywhere())).status).toBe(401)
      }
    }))

  const news = { current_password: password, new_password: "another password" }

  it.each([
    [
      "changed",
      (at: TestApp, { headers }: Person) => at.call("POST", "/auth/password", news, { ...headers, ...fromAnywhere() })
    ],
    [
      "reset",
      async (at: TestApp, { email }: Person) => {
        const [mail] = await mailTo(app, email)
        const [token] = /sfp_\w+/.exec(mail!.text)!
        return unsigned(at, "/auth/reset", { token, new_password: news.new_password }, fromAnywhere())
      }
    ]
  ])("the password is %s during a log-in with the old one: that session ends", (way, change) =>
    times(async (one, other) => {
      const person = await register(app)
      if (way === "reset") {
        await unsigned(app, "/auth/forgot", { email: person.email }, fromAnywhere())
        await mailTo(app, person.email)
      }
      const entry = { email: person.email, password }
      const [changed, ...logIns] = await Promise.all([
        change(one, person),
        ...[one, other, one, other].map((at) => unsigned(at, "/auth/login", entry, fromAnywhere()))
      ])
      expect(changed!.status).toBe(200)
      for (const answer of logIns) {
        expect([200, 401]).toContain(answer.status)
        if (answer.status !== 200) continue
        const { headers } = personOf(answer)
        expect(await works(one, headers)).toBe(401)
        await expect.poll(() => works(other, headers)).toBe(401)
      }
      expect((await unsigned(other, "/auth/login", entry, fromAnywhere())).status).toBe(401)
      expect(await app.sql("SELECT id FROM sessions WHERE user_id = $1", [person.user_id])).toEqual(
        way === "reset" ? [] : [{ id: person.session_id }]
      )
    })
  )

  it("a member is removed while writing: later requests are refused, and no key of the member remains", () =>
    times(async (one, other) => {
      const team = await Team.start(app)
      const notebook = await team.make(notebooks)
      const person = await team.member("editor")
      const key = await team.issue(person.user_id, ["notes:write"])
      const write = (at: TestApp, headers: Record<string, string>) =>
        at.call("POST", "/notes", { notebook_id: notebook, title: "racing" }, { ...headers, ...fromAnywhere() })
      const [removed, ...writes] = await Promise.all([
        one.call("DELETE", memberPath(team, person), undefined, team.owner.headers),
        ...[one, other, one, other].map((at) => write(at, person.headers)),
        ...[one, other].map((at) => write(at, key.headers)),
        ...[one, other, one, other].map((at) => at.call("POST", "/api-keys", { name: "racing" }, person.headers)),
        other.call("POST", `/api-keys/${key.key_id}/rotate`, undefined, person.headers)
      ])
      expect(removed!.status).toBe(200)
      for (const { status } of writes) expect([200, 201, 401, 404]).toContain(status)
      expect((await write(one, person.headers)).status).toBe(404)
      expect((await write(one, key.headers)).status).toBe(401)
      expect(await app.sql("SELECT id FROM api_keys WHERE user_id = $1", [person.user_id])).toEqual([])
      // No key becomes valid again when the user becomes a member again.
      await team.join(person.user_id, "editor")
      for (const { body, status } of writes) {
        if (status > 201 || body.secret === undefined) continue
        expect(await works(one, { authorization: `Bearer ${body.secret}` })).toBe(401)
      }
    }))

  it("a member is demoted while inviting, promoting and creating keys: nothing exceeds the member's role", () =>
    times(async (one, other) => {
      const team = await Team.start(app)
      const [admin, editor] = [await team.member("admin"), await team.member("editor")]
      const friend = { email: `friend-${made++}@sheaf.test` }
      const [demoted, ...acts] = await Promise.all([
        one.call("PATCH", memberPath(team, admin), { role: "viewer" }, team.owner.headers),
        other.call("POST", `/workspaces/${team.id}/invitations`, friend, admin.headers),
        other.call("PATCH", memberPath(team, admin), { role: "admin" }, admin.headers),
        one.call("PATCH", memberPath(team, editor), { role: "admin" }, admin.headers),
        other.call("PATCH", `/workspaces/${team.id}`, { name: "Mine" }, admin.headers)
      ])
      expect(demoted!.status).toBe(200)
      for (const { status } of acts) expect([200, 201, 403]).toContain(status)
      const [row] = await app.sql("SELECT role FROM members WHERE id = $1", [admin.member_id])
      expect(row).toEqual({ role: "viewer" })
    }))

  it("a user is deleted by the operator during log-in, refresh and invitation: nothing of the user remains", () =>
    times(async (one, other) => {
      const team = await Team.start(app)
      const person = await team.member("editor")
      const entry = { email: person.email, password }
      const deletion = app.run(
        Effect.flatMap(Effect.service(Operator), (operator) => operator.deleteUser(person.email)).pipe(
          Effect.provide(Operator.layer)
        )
      )
      const [, ...answers] = await Promise.all([
        deletion,
        unsigned(one, "/auth/login", entry, fromAnywhere()),
        unsigned(other, "/auth/login", entry, fromAnywhere()),
        unsigned(other, "/auth/refresh", { refresh_token: person.refresh }, fromAnywhere()),
        other.call("PATCH", "/me", { name: "Still here" }, person.headers),
        one.call("POST", "/workspaces", { name: "Mine" }, person.headers),
        one.call("POST", "/api-keys", { name: "mine" }, person.headers)
      ])
      for (const { body, status } of answers) expect([200, 201, 401, 403, 404], JSON.stringify(body)).toContain(status)
      expect(await app.sql("SELECT id FROM sessions WHERE user_id = $1", [person.user_id])).toEqual([])
      for (const answer of answers) {
        if (answer.body.access_token === undefined) continue
        expect(await works(one, { authorization: `Bearer ${answer.body.access_token}` })).toBe(401)
      }
    }))

  const leave = (node: TestApp, { headers }: Pick<Person, "headers">) =>
    node.call("DELETE", "/me", { current_password: password }, { ...headers, ...fromAnywhere() })

  it("two owners delete their accounts: one stays while the workspace has another member", () =>
    times(async (one, other) => {
      const team = await Team.start(app)
      const second = await team.member("owner")
      await team.member("viewer")
      const answers = await Promise.all([leave(one, team.owner), leave(other, second)])
      expect(codes(answers)).toEqual([200, "409 last_owner"])
      expect(await rolesOf(team)).toEqual(["owner", "viewer"])
    }))

  it("an owner deletes the account while the other owner leaves or is demoted: one stays", () =>
    times(async (one, other) => {
      for (const method of ["DELETE", "PATCH"]) {
        const team = await Team.start(app)
        const second = await team.member("owner")
        await team.member("viewer")
        const answers = await Promise.all([
          leave(one, team.owner),
          other.call(
            method,
            memberPath(team, second),
            method === "PATCH" ? { role: "admin" } : undefined,
            second.headers
          )
        ])
        expect(codes(answers)).toEqual([200, "409 last_owner"])
        expect((await rolesOf(team)).filter((role) => role === "owner")).toHaveLength(1)
      }
    }))

  it("a user deletes the account twice, during a log-in: it ends once, and no session remains", () =>
    times(async (one, other) => {
      const person = await register(app)
      const [first, again, entered] = await Promise.all([
        leave(one, person),
        leave(other, person),
        unsigned(other, "/auth/login", { email: person.email, password }, fromAnywhere())
      ])
      const statuses = [first!.status, again!.status]
      expect(statuses).toContain(200)
      for (const status of statuses) expect([200, 401, 404]).toContain(status)
      expect([200, 401]).toContain(entered!.status)
      expect(await app.sql("SELECT id FROM sessions WHERE user_id = $1", [person.user_id])).toEqual([])
      const ends = await app.sql(
        "SELECT 1 FROM audit_entries WHERE workspace_id = $1 AND action = 'auth.account_deleted'",
        [person.workspace_id]
      )
      expect(ends).toHaveLength(1)
    }))

  it("many users claim one e-mail address: one gets it", () =>
    times(async (one, other) => {
      const email = `wanted-${made++}@sheaf.test`
      const person = await register(app)
      const answers = await Promise.all([
        unsigned(one, "/auth/register", { email, password }, fromAnywhere()),
        unsigned(other, "/auth/register", { email: email.toUpperCase(), password }, fromAnywhere()),
        other.call("PATCH", "/me", { email, current_password: password }, { ...person.headers, ...fromAnywhere() })
      ])
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
      for (const { status } of answers) expect([200, 201, 409]).toContain(status)
      await logIn(app, email)
    }))
})

it("leaves users and workspaces consistent", () => expectPeopleInOrder(app))
