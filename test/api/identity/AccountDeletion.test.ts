import { beforeAll, describe, expect, it } from "vitest"
import { scopes as allScopes } from "../../../services/identity/Scopes.ts"
import { EventStream } from "../../support/EventStream.ts"
import { mailTo } from "../../support/people/Mail.ts"
import { join, logIn, password, register, type Person, unsigned } from "../../support/people/People.ts"
import { Team } from "../../support/people/Team.ts"
import type { ApiResponse } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const remove = ({ headers }: Pick<Person, "headers">, body: unknown = { current_password: password }, more = {}) =>
  app.call("DELETE", "/me", body, { ...headers, ...more })

const outcomeOf = ({ body, status }: ApiResponse) => (status < 300 ? status : `${status} ${body.code}`)

const prove = ({ user_id }: Person) => app.sql("UPDATE users SET email_proven = true WHERE id = $1", [user_id])

/** The tables and columns of the database that contain a text anywhere. */
const placesOf = async (text: string): Promise<ReadonlyArray<string>> => {
  const columns = await app.sql(`SELECT c.relname AS name, a.attname AS attribute FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY 1, 2`)
  const found = await Promise.all(
    columns.map(async ({ attribute, name }) => {
      const rows = await app.sql(`SELECT 1 FROM ${name} WHERE "${attribute}"::text ILIKE '%' || $1 || '%' LIMIT 1`, [
        text
      ])
      return rows.length > 0 ? [`${name}.${attribute}`] : []
    })
  )
  return found.flat()
}

const runJobs = async () => {
  await app.advance("1 hour")
  await app.idle()
  await app.advance("1 hour")
  await app.idle()
}

describe("DELETE /me", () => {
  it("needs the password of a session, and changes nothing without it", async () => {
    const team = await Team.start(app)
    const member = await team.member("editor")
    const key = await team.issue(member.user_id, ["profile"])
    const before = await team.changes(0)
    const refusals = [
      await remove(member, {}),
      await remove(member, { current_password: "not the password" }),
      await remove({ headers: key.headers }),
      await remove(member, undefined, { "if-match": '"stale"' })
    ]
    expect(refusals.map(outcomeOf)).toEqual([
      "422 validation_failed",
      "401 invalid_credentials",
      "403 insufficient_scope",
      "412 precondition_failed"
    ])
    expect(refusals[0]!.body.errors).toMatchObject([{ field: "current_password" }])
    expect(await team.changes(0)).toEqual(before)
    expect((await app.call("GET", "/me", undefined, member.headers)).body.email).toBe(member.email)
  })

  it("ends sessions, keys, streams and mailed tokens at once, and frees the address", async () => {
    const team = await Team.start(app)
    const member = await team.member("editor")
    await prove(member)
    const other = await logIn(app, member.email)
    const key = await team.issue(member.user_id, ["notes:read", "notes:write"])
    await unsigned(app, "/auth/forgot", { email: member.email })
    const token = /sfp_\w+/.exec((await mailTo(app, member.email, 2)).map(({ text }) => text).join("\n"))![0]
    const stream = await EventStream.open(app, { headers: key.headers })
    await stream.until(() => stream.events.length > 0)
    const { body } = await remove(member)
    expect(body).toEqual({ deleted: true, id: member.user_id })
    await stream.ended()
    for (const { headers } of [member, other, key]) {
      expect((await app.call("GET", "/notes", undefined, headers)).status).toBe(401)
    }
    expect(outcomeOf(await remove(member))).toBe("401 invalid_token")
    const refused = [
      await unsigned(app, "/auth/refresh", { refresh_token: other.refresh }),
      await unsigned(app, "/auth/login", { email: member.email, password }),
      await unsigned(app, "/auth/reset", { token, new_password: password })
    ]
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401])
    const subjects = (await mailTo(app, member.email, 3)).map(({ headers }) => headers.get("subject"))
    expect(subjects).toContain("Your account was deleted")
    const again = await register(app, { email: member.email })
    expect(again.user_id).not.toBe(member.user_id)
    expect((await app.call("GET", "/notes", undefined, { ...again.headers, "workspace-id": team.id })).status).toBe(404)
    for (const table of ["members", "api_keys", "sessions", "devices"]) {
      expect(await app.sql(`SELECT 1 FROM ${table} WHERE user_id = $1`, [member.user_id]), table).toEqual([])
    }
  })

  it("deletes workspaces without other members, and ends the membership in others", async () => {
    const team = await Team.start(app)
    const member = await team.member("editor")
    const alone = await Team.of(app, member, "Alone")
    const note = await app.call(
      "POST",
      "/notes",
      { title: "Kept", notebook_id: (await app.call("GET", "/notebooks", undefined, member.headers)).body.data[0].id },
      member.headers
    )
    const share = await app.call("POST", "/shares", { note_id: note.body.id }, member.headers)
    const comment = await app.call("POST", `/notes/${note.body.id}/comments`, { body: "Mine" }, member.headers)
    expect([note.status, share.status, comment.status]).toEqual([201, 201, 201])
    expect((await remove(member)).status).toBe(200)
    const deleted = await app.sql("SELECT workspace_id FROM workspaces WHERE deleted_at IS NOT NULL")
    expect(deleted.map(({ workspace_id }) => workspace_id)).toEqual(
      expect.arrayContaining([member.workspace_id, alone.id])
    )
    expect((await team.get(`/notes/${note.body.id}/comments/${comment.body.id}`)).author_id).toBe(member.user_id)
    expect((await team.get(`/shares/${share.body.id}`)).expires_at).not.toBeNull()
    expect((await team.changes(0)).findLast(({ type }) => type === "member.removed")).toMatchObject({
      actor_id: member.user_id,
      data: { user_id: member.user_id, email: `${member.user_id}@erased.invalid`, role: "editor" }
    })
  })

  it("names the workspaces whose last owner the user is, changes nothing, and works after a handover", async () => {
    const team = await Team.start(app)
    const heir = await team.member("admin")
    const alone = await Team.of(app, team.owner, "Alone")
    const refused = await remove(team.owner)
    expect(outcomeOf(refused)).toBe("409 last_owner")
    expect(refused.body.workspaces).toEqual([{ id: team.id, name: "Team", slug: team.slug }])
    const unchanged = await app.sql("SELECT deleted_at FROM workspaces WHERE workspace_id = ANY($1)", [
      [team.id, alone.id, team.owner.workspace_id]
    ])
    expect(unchanged).toEqual([{ deleted_at: null }, { deleted_at: null }, { deleted_at: null }])
    await team.patch(`${team.members}/${heir.member_id}`, { role: "owner" })
    expect((await remove(team.owner)).status).toBe(200)
    expect(await app.sql("SELECT user_id FROM members WHERE workspace_id = $1", [team.id])).toEqual([
      { user_id: heir.user_id }
    ])
  })

  it("is completed by the job if the server stops after the account has ended", async () => {
    const team = await Team.start(app)
    const member = await team.member("owner")
    const key = await team.issue(member.user_id, ["notes:read"])
    // Every commit after the first one fails.
    await app.sql(`CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'stopped'; END $$`)
    await app.sql("CREATE TRIGGER stop BEFORE DELETE ON members FOR EACH ROW EXECUTE FUNCTION stop()")
    expect((await remove(member)).status).toBe(200)
    await app.sql("DROP TRIGGER stop ON members")
    await app.sql("DROP FUNCTION stop")
    expect((await app.call("GET", "/notes", undefined, key.headers)).status).toBe(401)
    // The membership is left, and does not count as an owner any more.
    const left = await app.call("DELETE", `${team.members}/${team.owner.member_id}`, undefined, team.owner.headers)
    expect(outcomeOf(left)).toBe("409 last_owner")
    expect((await register(app, { email: member.email })).email).toBe(member.email)
    await runJobs()
    for (const table of ["members", "api_keys"]) {
      expect(await app.sql(`SELECT 1 FROM ${table} WHERE user_id = $1`, [member.user_id])).toEqual([])
    }
    expect(await app.sql("SELECT 1 FROM users WHERE id = $1", [member.user_id])).toEqual([])
  })
})

describe("the address and the name of a deleted account", () => {
  let owner: Person
  let team: Team
  /** The owner's API key: sessions end while the clock moves. */
  let headers: Record<string, string>

  beforeAll(async () => {
    owner = await register(app)
    team = await Team.of(app, owner)
    headers = (await team.issue(owner.user_id, allScopes)).headers
    const hook = { url: "https://example.com/hook", events: ["member.*", "invitation.*"] }
    await app.call("POST", "/webhooks", hook, headers)
  })

  const invite = (email: string) => app.call("POST", `/workspaces/${team.id}/invitations`, { email }, headers)

  it("are nowhere in the database after the job, and the entries have a pseudonym", async () => {
    const person = await register(app, { email: "zelda.quagmire@sheaf.test", name: "Zelda Quagmire" })
    await prove(person)
    await join(app, owner, team.id, person, "editor")
    const before = await placesOf("zelda.quagmire")
    expect(before).toEqual(expect.arrayContaining(["audit_entries.metadata", "changes.data", "invitations.email"]))
    await app.advance("10 seconds")
    const hooked = () =>
      app.sql("SELECT event_type FROM webhook_deliveries WHERE workspace_id = $1 AND body ILIKE '%zelda%'", [team.id])
    await expect.poll(async () => (await hooked()).length).toBeGreaterThan(0)
    expect((await remove(person)).status).toBe(200)
    // Another person has the address since.
    const again = await register(app, { email: "zelda.quagmire@sheaf.test", name: "Another" })
    await runJobs()
    await app.advance("73 hours")
    await app.idle()
    const fresh = [
      "users.email",
      "users.email_key",
      "email_confirmations.email_key",
      "audit_entries.metadata",
      "changes.data"
    ]
    expect((await placesOf("zelda.quagmire")).filter((place) => !fresh.includes(place))).toEqual([])
    for (const table of ["audit_entries", "changes"]) {
      const rows = await app.sql(`SELECT workspace_id FROM ${table} t WHERE t::text ILIKE '%zelda.quagmire%'`)
      expect([...new Set(rows.map(({ workspace_id }) => workspace_id))], table).toEqual([again.workspace_id])
    }
    expect(await placesOf("Zelda Quagmire")).toEqual([])
    const entries = await app.sql(
      `SELECT action, metadata->>'email' AS email FROM audit_entries
      WHERE workspace_id = $1 AND metadata->>'email' LIKE $2 ORDER BY id`,
      [team.id, `${person.user_id}@%`]
    )
    expect(entries.map(({ action }) => action)).toEqual([
      "invitation.created",
      "invitation.accepted",
      "member.added",
      "member.removed"
    ])
    expect(await app.sql("SELECT 1 FROM account_deletions")).toEqual([])
  })

  it("stay in records of other workspaces if the address was never confirmed", async () => {
    const email = "victim@sheaf.test"
    const { body: invitation } = await invite(email)
    const thief = await register(app, { email })
    expect((await remove(thief)).status).toBe(200)
    await runJobs()
    const shown = await app.call("GET", `/workspaces/${team.id}/invitations/${invitation.id}`, undefined, headers)
    expect(shown.body).toMatchObject({ email, status: "pending" })
    const [entry] = await app.sql("SELECT metadata FROM audit_entries WHERE resource_id = $1", [invitation.id])
    expect(entry.metadata.email).toBe(email)
  })

  it("are erased from the entries of an invitation whose row has ended, also if the address was never confirmed", async () => {
    const person = await register(app)
    const { body: invitation } = await invite(person.email)
    const token = new URL(invitation.accept_url).searchParams.get("token")
    expect((await app.call("POST", "/invitations/accept", { token }, person.headers)).status).toBe(200)
    await app.sql("DELETE FROM invitations WHERE id = $1", [invitation.id])
    expect((await remove(person)).status).toBe(200)
    await runJobs()
    for (const [table, data] of [
      ["audit_entries", "metadata"],
      ["changes", "data"]
    ]) {
      const rows = await app.sql(`SELECT ${data}->>'email' AS email FROM ${table} WHERE resource_id = $1`, [
        invitation.id
      ])
      expect(rows, table).toEqual([1, 2].map(() => ({ email: `${person.user_id}@erased.invalid` })))
    }
  })

  it("end a pending invitation to a confirmed address", async () => {
    const person = await register(app)
    await prove(person)
    const { body: invitation } = await invite(person.email)
    expect((await remove(person)).status).toBe(200)
    await runJobs()
    const [row] = await app.sql("SELECT email, expires_at <= $2 AS ended FROM invitations WHERE id = $1", [
      invitation.id,
      "2026-12-31"
    ])
    expect(row).toEqual({ email: `${person.user_id}@erased.invalid`, ended: true })
    expect((await invite(person.email)).status).toBe(201)
  })

  it("are erased from the entries of changes by an operator", async () => {
    const person = await register(app, { email: "quentin.before@sheaf.test", name: "Quentin Before" })
    const change = { email: "quentin.after@sheaf.test", name: "Quentin After" }
    const operator = await team.operator("session")
    expect((await app.call("PATCH", `/admin/users/${person.user_id}`, change, operator.headers)).status).toBe(200)
    const changes = () =>
      app.sql(
        `SELECT metadata FROM audit_entries
        WHERE resource_id = $1 AND action IN ('auth.email_changed', 'auth.name_changed') ORDER BY action`,
        [person.user_id]
      )
    const by = "operator"
    expect((await changes()).map(({ metadata }) => metadata)).toEqual([
      { from: person.email, to: change.email, by },
      { from: "Quentin Before", to: change.name, by }
    ])
    expect((await remove(person)).status).toBe(200)
    await runJobs()
    expect((await changes()).map(({ metadata }) => metadata)).toEqual([{ by }, { by }])
  })

  it("are the only part of an audit entry that can be changed, and by a pseudonym only", async () => {
    const [{ id }] = await app.sql(
      "SELECT id FROM audit_entries WHERE workspace_id = $1 AND action = 'member.added' LIMIT 1",
      [team.id]
    )
    const change = (set: string) => app.sql(`UPDATE audit_entries SET ${set} WHERE id = $1`, [id])
    for (const set of [
      "actor_id = 'us_other'",
      `metadata = '{"email": "other@sheaf.test"}'`,
      "metadata = jsonb_set(metadata::jsonb, '{email}', '\"other@sheaf.test\"')::json",
      "metadata = jsonb_set(metadata::jsonb, '{role}', '\"viewer\"')::json"
    ]) {
      await expect(change(set), set).rejects.toThrow()
    }
  })
})
