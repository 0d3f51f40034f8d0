import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { callback, pkce, registerClient, requestOf } from "../../support/oauth/OAuthFlow.ts"
import { type Person, register } from "../../support/people/People.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp({ settings: { webhookAllow: ["127.0.0.1"] } })

const root = () => app.url.replace(/\/v2$/, "")
const { challenge } = pkce()

/** A request of a browser for access: the status, and where it leads. */
const authorize = async (query: string) => {
  const response = await fetch(`${root()}/oauth/authorize?${query}`, { redirect: "manual" })
  const text = await response.text()
  return {
    status: response.status,
    location: response.headers.get("location"),
    detail: text === "" ? undefined : (JSON.parse(text).detail as string)
  }
}

describe("a registration", () => {
  const registered = async (body: unknown) => {
    const response = await fetch(`${root()}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body)
    })
    return { status: response.status, body: (await response.json()) as any }
  }

  it("returns an id, and the same one for the same metadata with another loopback port", async () => {
    const of = (port: number) => registered({ client_name: "Code", redirect_uris: [`http://localhost:${port}/cb`] })
    const [one, other] = [await of(1), await of(2)]
    expect(one).toMatchObject({
      status: 201,
      body: { client_id: expect.stringMatching(/^oc_\w{18}$/), redirect_uris: ["http://localhost:1/cb"] }
    })
    expect(one.body).not.toHaveProperty("client_secret")
    expect(other.body.client_id).toBe(one.body.client_id)
  })

  it.each([
    ["no JSON", "{", "invalid_client_metadata"],
    ["a list", [], "invalid_client_metadata"],
    ["no redirects", {}, "invalid_redirect_uri"],
    ["an empty list", { redirect_uris: [] }, "invalid_redirect_uri"],
    ["a script", { redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    ["too many", { redirect_uris: Array(21).fill(callback) }, "invalid_redirect_uri"],
    [
      "a secret",
      { redirect_uris: [callback], token_endpoint_auth_method: "client_secret_basic" },
      "invalid_client_metadata"
    ],
    ["another flow", { redirect_uris: [callback], grant_types: ["implicit"] }, "invalid_client_metadata"],
    ["NUL in the name", { redirect_uris: [callback], client_name: "a\0" }, "invalid_client_metadata"],
    ["half an emoji in the name", { redirect_uris: [callback], client_name: "\ud83d" }, "invalid_client_metadata"],
    ["a long name", { redirect_uris: [callback], client_name: "x".repeat(101) }, "invalid_client_metadata"]
  ])("is refused with %s", async (_, body, error) => {
    expect(await registered(body)).toMatchObject({ status: 400, body: { error } })
  })

  it("is limited by network, and erased when no user connects it", async () => {
    const other = await startApp({ settings: { rateLimit: 1_000 } })
    const make = (name: string) =>
      fetch(`${other.url.replace(/\/v2$/, "")}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ client_name: name, redirect_uris: [callback] })
      })
    const statuses = []
    for (let index = 0; index < 22; index++) statuses.push((await make(`Client ${index}`)).status)
    expect(statuses).toEqual([...Array(20).fill(201), 429, 429])
    await other.advance("26 hours")
    expect(await other.sql("SELECT id FROM oauth_clients")).toEqual([])
    await other.stop()
  })
})

describe("the documents of clients", () => {
  let server: Server
  let base: string
  let requests: Array<string>
  let listener: RequestListener
  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(request.url!)
      listener(request, response)
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  let made = 0
  const documentAt = (
    content: (client_id: string) => unknown,
    { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {}
  ) => {
    const client_id = `${base}/client-${++made}`
    requests = []
    listener = (_, response) => {
      const body = content(client_id)
      response.writeHead(status, { "content-type": "application/json", ...headers })
      response.end(typeof body === "string" ? body : JSON.stringify(body))
    }
    return client_id
  }
  /** What the page says about a request, to a signed-in user. */
  let person: Person
  beforeAll(async () => {
    person = await register(app)
  })
  const described = (client_id: string) =>
    app.call("POST", "/me/connected-apps/describe", { request: requestOf(client_id, challenge) }, person.headers)
  const good = (client_id: string) => ({ client_id, client_name: "Host", redirect_uris: [callback] })

  it("name a client by its URL, and are read once while they are fresh", async () => {
    const client_id = documentAt(good, { headers: { "cache-control": "max-age=600" } })
    const query = requestOf(client_id, challenge)
    expect(await authorize(query)).toMatchObject({ status: 303, location: `/console/settings/apps?${query}` })
    // A visitor cannot make the server read it.
    expect(requests).toHaveLength(0)
    const shown = await described(client_id)
    expect(shown.body).toMatchObject({ name: "Host", client_id, known_by: "document", redirect_host: "host.example" })
    expect(requests).toHaveLength(1)
    await app.advance("10 minutes")
    await described(client_id)
    expect(requests).toHaveLength(2)
  })

  it.each([
    ["another client_id", (id: string) => ({ ...good(id), client_id: `${id}/` }), {}],
    ["no client_id", (id: string) => ({ ...good(id), client_id: undefined }), {}],
    ["a secret", (id: string) => ({ ...good(id), token_endpoint_auth_method: "client_secret_post" }), {}],
    ["no JSON", () => "<html>", {}],
    ["more than 8 KB", (id: string) => ({ ...good(id), more: "x".repeat(8_192) }), {}],
    ["an error", good, { status: 404 }],
    ["a redirect", good, { status: 302, headers: { location: "https://host.example/" } }]
  ])("are refused with %s", async (_, content, options) => {
    const client_id = documentAt(content, options)
    expect((await described(client_id)).status).toBe(422)
    expect(requests).toHaveLength(1)
  })

  it("are read only from public addresses of others, by an exact URL", async () => {
    requests = []
    for (const client_id of [
      "https://10.0.0.1/client",
      "https://[fd00::1]/client",
      "https://169.254.169.254/latest/meta-data",
      "https://localhost/client",
      "https://metadata.internal/client",
      "https://0x7f000001/client",
      "https://user@host.example/client",
      "http://host.example/client",
      "https://host.example",
      "https://host.example/",
      "https://host.example/?client",
      "https://host.example/a/../client",
      "https://host.example/%2e%2e/client",
      "https://host.example/client#x",
      "https://host.example:25/client",
      "http://sheaf.test/files/at_0123456789abcdef",
      "https://sheaf.test/files/at_0123456789abcdef"
    ]) {
      expect([client_id, (await described(client_id)).status]).toEqual([client_id, 422])
    }
    expect(requests).toEqual([])
  })
})

describe("a request for access", () => {
  let client_id: string
  beforeAll(async () => {
    client_id = await registerClient(app)
  })

  it.each([
    ["an unknown client", { client_id: "oc_unknown" }],
    ["a client with NUL", { client_id: "oc_\0" }],
    ["a client with half an emoji", { client_id: "\ud83d" }],
    ["another redirect URI", { redirect_uri: `${callback}/x` }],
    ["another response type", { response_type: "token" }],
    ["no PKCE", { code_challenge: "" }],
    ["plain PKCE", { code_challenge_method: "plain" }],
    ["another resource", { resource: "https://other.example/mcp" }],
    ["unknown scopes", { scope: "admin:write keys:write" }]
  ])("with %s is shown as an error, and leads nowhere", async (_, more) => {
    const refused = await authorize(requestOf(client_id, challenge, more))
    expect([refused.status, refused.location]).toEqual([400, null])
    const person = await register(app)
    const request = requestOf(client_id, challenge, more)
    const connected = await app.call("POST", "/me/connected-apps", { request }, person.headers)
    expect([connected.status, connected.body.errors[0].field]).toEqual([422, "request"])
  })

  it("with a parameter twice is refused", async () => {
    expect((await authorize(`${requestOf(client_id, challenge)}&state=other`)).status).toBe(400)
  })

  it.each(["http://sheaf.test", "http://sheaf.test/", "http://sheaf.test/mcp", "http://sheaf.test/mcp/"])(
    "may name this server as %s, and scopes of other servers",
    async (resource) => {
      const request = requestOf(client_id, challenge, { resource, scope: "openid offline_access notes:read" })
      expect((await authorize(request)).status).toBe(303)
      const person = await register(app)
      const { body } = await app.call("POST", "/me/connected-apps/describe", { request }, person.headers)
      expect(body).toMatchObject({ scopes: ["notes:read"], known_by: "registration", is_local: false })
      expect(body.refuse_url).toBe(
        `${callback}?error=access_denied&state=a+state&iss=${encodeURIComponent("http://sheaf.test")}`
      )
    }
  )

  it.each([
    ["another type", { "content-type": "application/json" }, "{}"],
    ["a coding", { "content-type": "application/x-www-form-urlencoded", "content-encoding": "gzip" }, "grant_type=x"],
    ["no grant", { "content-type": "application/x-www-form-urlencoded" }, "client_id=x"],
    [
      "a grant of objects",
      { "content-type": "application/x-www-form-urlencoded" },
      "grant_type=constructor&client_id=x"
    ]
  ])("for tokens with %s gets an error of the protocol", async (_, headers, body) => {
    const response = await fetch(`${root()}/oauth/token`, { method: "POST", headers, body })
    expect([response.status, response.headers.get("cache-control")]).toEqual([400, "no-store"])
    expect(((await response.json()) as any).error).toMatch(/^(invalid_request|unsupported_grant_type)$/)
  })

  it("to revoke what is no token does nothing", async () => {
    for (const token of ["sfr_x", "x", "sfa_", "\0", "sfk_0123456789"]) {
      const body = new URLSearchParams({ token })
      expect((await fetch(`${root()}/oauth/revoke`, { method: "POST", body })).status).toBe(200)
    }
  })

  it("is allowed for a workspace of the user and scopes that were asked for", async () => {
    const [person, stranger] = [await register(app), await register(app)]
    const request = requestOf(client_id, challenge, { scope: "notes:read" })
    const connect = (more: object) => app.call("POST", "/me/connected-apps", { request, ...more }, person.headers)
    expect((await connect({ workspace_id: stranger.workspace_id })).body.errors[0].field).toBe("workspace_id")
    expect((await connect({ workspace_id: "ws_\0" })).body.errors[0].field).toBe("workspace_id")
    expect((await connect({ scopes: ["notes:write"] })).body.errors[0].field).toBe("scopes")
    await app.advance("16 minutes")
    expect((await connect({})).body.code).toBe("reauthentication_required")
  })
})
