import { beforeAll, expect, it } from "vitest"
import { EventStream } from "../../support/EventStream.ts"
import {
  type AppTokens,
  connectApp,
  consent,
  exchange,
  pkce,
  refreshApp,
  registerClient,
  requestOf
} from "../../support/oauth/OAuthFlow.ts"
import { type Person, register } from "../../support/people/People.ts"
import { type Member, Team } from "../../support/people/Team.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let operator: Member

beforeAll(async () => {
  operator = await (await Team.start(app)).operator("session")
})

const end = (client_id: string, headers: Record<string, string> = operator.headers) =>
  app.call("POST", "/admin/connected-apps/end", { client_id }, headers)

const status = async (headers: Record<string, string>) =>
  (await app.call("GET", "/notes?limit=1", undefined, headers)).status

const auditOf = ({ workspace_id }: Person) =>
  app.sql(
    "SELECT resource_id, actor_id, metadata FROM audit_entries WHERE workspace_id = $1 AND action = 'session.revoked'",
    [workspace_id]
  )

it("ends all apps of one client on all nodes, and records each", async () => {
  const other = await startApp({ databaseOf: app })
  try {
    const client_id = await registerClient(app)
    const people = [await register(app), await register(app)]
    const apps: Array<AppTokens> = []
    for (const person of [...people, people[0]!]) apps.push(await connectApp(app, person, { client_id }))
    const kept = await connectApp(app, people[0]!, { client_id: await registerClient(app, { client_name: "Another" }) })
    // The other node has the credential in its memory.
    expect((await other.call("GET", "/notes?limit=1", undefined, apps[0]!.headers)).status).toBe(200)
    const stream = await EventStream.open(other, { headers: apps[1]!.headers })

    expect((await end(client_id)).body).toEqual({ ended: 3, has_more: false })
    expect(await Promise.all(apps.map(({ headers }) => status(headers)))).toEqual([401, 401, 401])
    await stream.ended()
    expect((await other.call("GET", "/notes?limit=1", undefined, apps[0]!.headers)).status).toBe(401)
    for (const each of apps) expect((await refreshApp(other, each)).body.error).toBe("invalid_grant")
    expect(await status(kept.headers)).toBe(200)
    expect(await status(people[0]!.headers)).toBe(200)
    const entries = [...(await auditOf(people[0]!)), ...(await auditOf(people[1]!))]
    expect(entries).toHaveLength(3)
    for (const { actor_id, metadata } of entries) {
      expect(actor_id).toBe(operator.user_id)
      expect(metadata).toMatchObject({ app: "Assistant", reason: "revoked_by_operator", by: "operator" })
    }
    // A repetition ends nothing, and users may connect the client again.
    expect((await end(client_id)).body).toEqual({ ended: 0, has_more: false })
    expect(await status((await connectApp(app, people[1]!, { client_id })).headers)).toBe(200)
  } finally {
    await other.stop()
  }
})

it("ends codes that were not exchanged", async () => {
  const client_id = await registerClient(app, { client_name: "With a code" })
  const person = await register(app)
  const { challenge, verifier } = pkce()
  const code = (await consent(app, person, requestOf(client_id, challenge))).get("code")!
  expect((await end(client_id)).body).toEqual({ ended: 0, has_more: false })
  expect((await exchange(app, client_id, code, verifier)).body.error).toBe("invalid_grant")
})

it("leaves no app when codes are exchanged at the same time", async () => {
  const client_id = await registerClient(app, { client_name: "In a race" })
  const people = await Promise.all(Array.from({ length: 4 }, () => register(app)))
  const codes: Array<readonly [code: string, verifier: string]> = []
  for (const person of people) {
    const { challenge, verifier } = pkce()
    codes.push([(await consent(app, person, requestOf(client_id, challenge))).get("code")!, verifier])
  }
  await Promise.all([...codes.map(([code, verifier]) => exchange(app, client_id, code, verifier)), end(client_id)])
  expect(await app.sql("SELECT id FROM sessions WHERE app ->> 'client_id' = $1", [client_id])).toEqual([])
})

it("ends the apps of at most 100 users in one request", async () => {
  const client_id = await registerClient(app, { client_name: "Of many" })
  const people = await Promise.all(Array.from({ length: 101 }, () => register(app)))
  await connectApp(app, people[0]!, { client_id })
  await app.sql(
    `INSERT INTO sessions SELECT (jsonb_populate_record(s, jsonb_build_object(
        'workspace_id', u.workspace_id, 'user_id', u.id, 'id', 'se_' || u.id, 'access_hash', 'of ' || u.id))).*
      FROM sessions s, users u WHERE s.app ->> 'client_id' = $1 AND u.id <> s.user_id AND u.id = ANY($2)`,
    [client_id, people.map(({ user_id }) => user_id)]
  )
  expect((await end(client_id)).body).toEqual({ ended: 100, has_more: true })
  expect((await end(client_id)).body).toEqual({ ended: 1, has_more: false })
  expect(await auditOf(people[100]!)).toHaveLength(1)
})

it("is refused to others, and without a client", async () => {
  const client_id = await registerClient(app)
  const person = await register(app)
  const { headers } = await connectApp(app, person, { client_id })
  expect((await end(client_id, person.headers)).status).toBe(403)
  expect((await end(client_id, headers)).status).toBe(403)
  expect((await end("")).status).toBe(422)
  expect((await end("x".repeat(2_001))).status).toBe(422)
  expect(await status(headers)).toBe(200)
})
