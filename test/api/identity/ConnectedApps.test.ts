import { Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { Random } from "../../../src/program/testing/Random.ts"
import { mailTo } from "../../support/people/Mail.ts"
import {
  appOf,
  callback,
  connectApp,
  consent,
  exchange,
  pkce,
  refreshApp,
  registerClient,
  requestOf,
  sendForm
} from "../../support/oauth/OAuthFlow.ts"
import { join, password, register, unsigned, workspaceOf } from "../../support/people/People.ts"
import { rounds } from "../../support/Slow.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const status = async (headers: Record<string, string>, path = "/notes?limit=1") =>
  (await app.call("GET", path, undefined, headers)).status

describe("the documents", () => {
  const root = () => app.url.replace(/\/v2$/, "")
  const read = async (path: string, headers = {}) => {
    const response = await fetch(root() + path, { headers })
    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }

  it("come from PUBLIC_URL, whatever Host says, and scripts of other origins may read them", async () => {
    const answer = await read("/.well-known/oauth-authorization-server", {
      host: "evil.example",
      origin: "https://inspector.example"
    })
    expect(answer.body).toMatchObject({
      issuer: "http://sheaf.test",
      token_endpoint: "http://sheaf.test/oauth/token",
      token_endpoint_auth_methods_supported: ["none"],
      code_challenge_methods_supported: ["S256"],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true
    })
    expect(answer.headers.get("access-control-allow-origin")).toBe("*")
  })

  it("name the resource by its exact address", async () => {
    const of = async (path: string) => (await read(`/.well-known/oauth-protected-resource${path}`)).body.resource
    expect([await of(""), await of("/mcp")]).toEqual(["http://sheaf.test", "http://sheaf.test/mcp"])
  })

  it("are named by the 401 of /mcp, with the scopes", async () => {
    const response = await fetch(`${root()}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}"
    })
    expect(response.status).toBe(401)
    expect(response.headers.get("www-authenticate")).toBe(
      'Bearer realm="sheaf", resource_metadata="http://sheaf.test/.well-known/oauth-protected-resource/mcp", scope="notes:read notes:write files:read files:write"'
    )
  })
})

describe("a connected app", () => {
  it("gets access by one consent, in one workspace, with the chosen scopes", async () => {
    const person = await register(app)
    const team = await workspaceOf(app, person)
    const assistant = await connectApp(app, person, { workspace_id: team, scopes: ["notes:read"] })
    expect(assistant.body).toEqual({
      access_token: expect.stringMatching(/^sfa_/),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^sfr_/),
      scope: "notes:read"
    })
    expect(await status(assistant.headers)).toBe(200)
    expect(await status({ ...assistant.headers, "workspace-id": person.workspace_id })).toBe(403)
    const { body } = await app.call("GET", "/workspaces", undefined, assistant.headers)
    expect(body.code).toBe("insufficient_scope")
    const written = await app.call("POST", "/notebooks", { name: "Mine" }, assistant.headers)
    expect([written.status, written.body.code]).toEqual([403, "insufficient_scope"])
  })

  it("cannot do what a sign-in can do", async () => {
    const person = await register(app)
    const { headers } = await connectApp(app, person)
    for (const [method, path, body] of [
      ["GET", "/me/connected-apps"],
      ["POST", "/auth/logout"],
      ["POST", "/api-keys", { name: "more" }],
      ["POST", "/me/connected-apps/describe", { request: "x" }],
      ["GET", "/me/sessions"],
      ["POST", "/exports", { format: "json" }]
    ] as const) {
      expect([path, (await app.call(method, path, body, headers)).status]).toEqual([path, 403])
    }
  })

  it("is listed, shown in no list of sessions, and ends when the user disconnects it", async () => {
    const person = await register(app)
    const assistant = await connectApp(app, person)
    expect(await status(assistant.headers)).toBe(200)
    const { body } = await app.call("GET", "/me/connected-apps", undefined, person.headers)
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^se_/),
        name: "Assistant",
        client_id: assistant.client_id,
        scopes: ["notes:read", "notes:write", "files:read", "files:write"],
        workspace: { id: person.workspace_id, name: expect.any(String) },
        notebooks: null,
        user_agent: expect.any(String),
        ip: expect.any(String),
        last_active_at: expect.any(String),
        created_at: expect.any(String),
        expires_at: expect.any(String)
      }
    ])
    const [{ id }] = body.data
    expect((await app.call("GET", "/me/sessions", undefined, person.headers)).body.data).toHaveLength(1)
    expect((await app.call("DELETE", `/me/sessions/${id}`, undefined, person.headers)).status).toBe(404)
    const stranger = await register(app)
    expect((await app.call("DELETE", `/me/connected-apps/${id}`, undefined, stranger.headers)).status).toBe(404)
    expect((await app.call("DELETE", `/me/connected-apps/${id}`, undefined, person.headers)).status).toBe(200)
    expect(await status(assistant.headers)).toBe(401)
    expect((await refreshApp(app, assistant)).body.error).toBe("invalid_grant")
  })

  it("ends with a change of the password, but not with the end of other sessions", async () => {
    const person = await register(app)
    const assistant = await connectApp(app, person)
    await app.call("POST", "/me/sessions/revoke-others", undefined, person.headers)
    expect(await status(assistant.headers)).toBe(200)
    const changed = { current_password: password, new_password: "another horse battery" }
    expect((await app.call("POST", "/auth/password", changed, person.headers)).status).toBe(200)
    expect(await status(assistant.headers)).toBe(401)
  })

  it("ends when it says so, with an access token or a refresh token", async () => {
    const person = await register(app)
    for (const name of ["access", "refresh"] as const) {
      const assistant = await connectApp(app, person)
      const other = await sendForm(app, "/oauth/revoke", { token: assistant[name], client_id: "oc_other" })
      expect([other.status, await status(assistant.headers)]).toEqual([200, 200])
      const { client_id } = assistant
      expect((await sendForm(app, "/oauth/revoke", { token: assistant[name], client_id })).status).toBe(200)
      expect(await status(assistant.headers)).toBe(401)
    }
    // A token of a sign-in is not one of an app.
    await sendForm(app, "/oauth/revoke", { token: person.access })
    expect(await status(person.headers)).toBe(200)
  })

  it("loses access when its user leaves the workspace", async () => {
    const [owner, member] = [await register(app), await register(app)]
    const team = await workspaceOf(app, owner)
    const membership = await join(app, owner, team, member, "editor")
    const assistant = await connectApp(app, member, { workspace_id: team })
    expect(await status(assistant.headers)).toBe(200)
    await app.call("DELETE", `/workspaces/${team}/members/${membership}`, undefined, owner.headers)
    expect(await status(assistant.headers)).toBe(404)
    expect((await refreshApp(app, assistant)).body.error).toBe("invalid_grant")
    expect((await app.call("GET", "/me/connected-apps", undefined, member.headers)).body.data).toEqual([])
  })

  it("is in the audit logs of its user and of its workspace, and changes name it", async () => {
    const person = await register(app)
    const team = await workspaceOf(app, person)
    const assistant = await connectApp(app, person, { workspace_id: team })
    const of = async (workspace: string) =>
      (
        await app.sql(
          "SELECT metadata FROM audit_entries WHERE workspace_id = $1 AND action = 'session.created' AND metadata ->> 'app' = 'Assistant'",
          [workspace]
        )
      ).length
    expect([await of(person.workspace_id), await of(team)]).toEqual([1, 1])
    await app.call("POST", "/notebooks", { name: "By the app" }, assistant.headers)
    const [change] = await app.sql("SELECT via FROM changes WHERE workspace_id = $1 ORDER BY seq DESC LIMIT 1", [team])
    expect(change.via).toEqual({ by: "api", app: "Assistant" })
  })

  it("is connected, renewed and ended on any node", async () => {
    const other = await startApp({ databaseOf: app })
    const person = await register(app)
    const client_id = await registerClient(other)
    const { challenge, verifier } = pkce()
    const returned = await consent(app, person, requestOf(client_id, challenge))
    const first = appOf(client_id, (await exchange(other, client_id, returned.get("code")!, verifier)).body)
    const assistant = appOf(client_id, (await refreshApp(app, first)).body)
    const there = () => status(assistant.headers, `${other.url}/notes?limit=1`)
    expect([await status(assistant.headers), await there()]).toEqual([200, 200])
    const { body } = await app.call("GET", "/me/connected-apps", undefined, person.headers)
    await app.call("DELETE", `/me/connected-apps/${body.data[0].id}`, undefined, person.headers)
    expect(await status(assistant.headers)).toBe(401)
    await expect.poll(there).toBe(401)
    await other.stop()
  })

  it("is mailed to its user", async () => {
    const person = await register(app)
    await app.sql("UPDATE users SET email_proven = true WHERE id = $1", [person.user_id])
    await connectApp(app, person)
    const [mail] = await mailTo(app, person.email)
    expect(mail!.headers.get("subject")).toBe("A new connected app")
  })
})

describe("an authorization code", () => {
  const allowed = async () => {
    const [person, client_id] = [await register(app), await registerClient(app)]
    const { challenge, verifier } = pkce()
    const returned = await consent(app, person, requestOf(client_id, challenge))
    return { person, client_id, verifier, code: returned.get("code")!, returned }
  }

  it("comes with the state and the issuer", async () => {
    const { returned } = await allowed()
    expect([returned.get("state"), returned.get("iss")]).toEqual(["a state", "http://sheaf.test"])
  })

  it("needs its verifier, its client and its redirect URI, and a wrong attempt does not spoil it", async () => {
    const { client_id, code, verifier } = await allowed()
    const other = await registerClient(app, { client_name: "Other" })
    for (const attempt of [
      exchange(app, client_id, code, pkce().verifier),
      exchange(app, other, code, verifier),
      exchange(app, client_id, code, verifier, { redirect_uri: `${callback}2` }),
      exchange(app, client_id, `${code.slice(0, -1)}x`, verifier)
    ]) {
      expect(await attempt).toMatchObject({ status: 400, body: { error: "invalid_grant" } })
    }
    expect((await exchange(app, client_id, code, verifier)).status).toBe(200)
  })

  it("returns the same tokens again after a lost response, also to concurrent requests", async () => {
    const { client_id, code, verifier } = await allowed()
    const answers = await Promise.all(Array.from({ length: 4 }, () => exchange(app, client_id, code, verifier)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
  })

  it("ends its app when it is sent again later", async () => {
    const { client_id, code, verifier } = await allowed()
    const assistant = appOf(client_id, (await exchange(app, client_id, code, verifier)).body)
    await app.advance("6 minutes")
    expect((await exchange(app, client_id, code, verifier)).body.error).toBe("invalid_grant")
    expect(await status(assistant.headers)).toBe(401)
  })

  it("ends with a change of the password", async () => {
    const { client_id, code, person, verifier } = await allowed()
    const changed = { current_password: password, new_password: "another horse battery" }
    expect((await app.call("POST", "/auth/password", changed, person.headers)).status).toBe(200)
    expect((await exchange(app, client_id, code, verifier)).body.error).toBe("invalid_grant")
  })

  it("expires after five minutes", async () => {
    const { client_id, code, verifier } = await allowed()
    await app.advance("5 minutes")
    expect((await exchange(app, client_id, code, verifier)).body.error).toBe("invalid_grant")
  })
})

describe("the tokens of an app", () => {
  it("are renewed by their client only, and not as those of a sign-in", async () => {
    const person = await register(app)
    const assistant = await connectApp(app, person)
    expect((await unsigned(app, "/auth/refresh", { refresh_token: assistant.refresh })).status).toBe(401)
    expect((await refreshApp(app, { ...assistant, refresh: person.refresh })).body.error).toBe("invalid_grant")
    const other = await registerClient(app, { client_name: "Other" })
    expect((await refreshApp(app, { ...assistant, client_id: other })).body.error).toBe("invalid_grant")
    expect((await refreshApp(app, assistant)).status).toBe(200)
  })

  it("survive a response that was lost days ago, unless the next ones were used", async () => {
    const person = await register(app)
    const first = await connectApp(app, person)
    const lost = await refreshApp(app, first)
    // The host continues with the previous access token, and refreshes after days.
    expect(await status(first.headers)).toBe(200)
    await app.advance("80 days")
    const again = await refreshApp(app, first)
    expect([again.status, again.body.refresh_token]).toEqual([200, lost.body.refresh_token])
    const second = appOf(first.client_id, again.body)
    const third = appOf(first.client_id, (await refreshApp(app, second)).body)
    expect(await status(third.headers)).toBe(200)
    await app.advance("61 seconds")
    // The tokens that followed were used: the old one is in other hands.
    expect((await refreshApp(app, second)).body.error).toBe("invalid_grant")
    expect(await status(third.headers)).toBe(401)
  })

  it("need no second consent in 90 days of restarts, lost responses and a new secret key", async () => {
    const key = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
    const restarts = rounds(6, 1_000)
    const random = new Random(90)
    const first = await startApp({ settings: { secretKey: key(1) } })
    const connected = await connectApp(first, await register(first))
    const { client_id } = connected
    let { access, refresh } = connected
    let elapsed = 0
    for (let restart = 0; restart < restarts; restart++) {
      // The key changes in the middle: the previous one is still accepted.
      const settings = restart < restarts / 2 ? { secretKey: key(1) } : { secretKey: key(2), secretKeyPrevious: key(1) }
      const node = await startApp({ databaseOf: first, settings })
      const step = (90 * 86_400_000) / restarts
      elapsed += step * (0.5 + random.next())
      await node.move(elapsed)
      // A host works with what it has, finds it ended, and refreshes; each second response is lost.
      const use = () => status({ authorization: `Bearer ${access}` }, `${node.url}/notes?limit=1`)
      for (let attempt = 0; attempt < 4; attempt++) {
        if ((await use()) === 200 && random.chance(0.5)) break
        const answer = await refreshApp(node, { client_id, refresh })
        expect([restart, answer.status, answer.body.error]).toEqual([restart, 200, undefined])
        const isLost = random.chance(0.5)
        if (isLost && random.chance(0.5)) {
          const later = random.next() * 5 * 3_600_000
          elapsed += later
          await node.move(later)
        }
        if (!isLost) ({ access_token: access, refresh_token: refresh } = answer.body)
      }
      const answer = await refreshApp(node, { client_id, refresh })
      expect(answer.status).toBe(200)
      ;({ access_token: access, refresh_token: refresh } = answer.body)
      expect(await use()).toBe(200)
      await node.stop()
    }
    await first.stop()
  })
})
