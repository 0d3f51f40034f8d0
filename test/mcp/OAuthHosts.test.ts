import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as oauth from "oauth4webapi"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { StoredClients } from "../../services/oauth/StoredClients.ts"
import { pkce, sendForm } from "../support/oauth/OAuthFlow.ts"
import { type Person, register } from "../support/people/People.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp({ settings: { publicUrl: "http://127.0.0.1:0", webhookAllow: ["127.0.0.1"] } })

const root = () => app.url.replace(/\/v2$/, "")
const json = async (address: string) => (await (await fetch(address)).json()) as any

/** How a host gets access, as its documentation and the reports of its users say. */
interface Host {
  readonly name: string
  readonly knownBy: "document" | "registration" | "operator"
  /** The redirect URIs of its document or registration. */
  readonly registered: ReadonlyArray<string>
  readonly redirect: string
  /** How it names the resource, from the address of the MCP server; undefined if it does not. */
  readonly resource?: (mcp: string) => string
  /** The scopes that it asks for, from those of the server. */
  readonly scope?: (supported: ReadonlyArray<string>) => string
  readonly metadata?: object
}

const hosts: ReadonlyArray<Host> = [
  {
    // It asks for the whole list of the authorization server, in its order.
    name: "Claude",
    knownBy: "document",
    registered: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
    redirect: "https://claude.ai/api/mcp/auth_callback",
    resource: (mcp) => mcp,
    scope: (supported) => supported.join(" ")
  },
  {
    // The resource is the origin with a slash, and the port another one each time.
    name: "Claude Code",
    knownBy: "document",
    registered: ["http://localhost/callback", "http://127.0.0.1/callback"],
    redirect: "http://localhost:54545/callback",
    resource: (mcp) => new URL("/", mcp).href
  },
  {
    name: "ChatGPT",
    knownBy: "operator",
    registered: ["https://chatgpt.com/connector_platform_oauth_redirect"],
    redirect: "https://chatgpt.com/connector_platform_oauth_redirect",
    resource: (mcp) => mcp
  },
  {
    name: "VS Code",
    knownBy: "document",
    registered: ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
    redirect: "http://127.0.0.1:50123/",
    resource: (mcp) => mcp
  },
  {
    name: "Cursor",
    knownBy: "registration",
    registered: ["cursor://anysphere.cursor-mcp/oauth/callback"],
    redirect: "cursor://anysphere.cursor-mcp/oauth/callback",
    metadata: { grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] }
  },
  {
    // It asks for scopes that other servers need for a refresh token.
    name: "Codex",
    knownBy: "registration",
    registered: ["http://127.0.0.1:1455/callback"],
    redirect: "http://127.0.0.1:1456/callback",
    scope: () => "openid offline_access notes:read notes:write",
    resource: (mcp) => `${mcp}/`
  },
  {
    name: "Grok",
    knownBy: "registration",
    registered: ["https://grok.com/oauth/callback"],
    redirect: "https://grok.com/oauth/callback",
    resource: (mcp) => mcp,
    metadata: { token_endpoint_auth_method: "none", logo_uri: "https://grok.com/logo.png" }
  },
  {
    name: "opencode",
    knownBy: "document",
    registered: ["http://127.0.0.1:19876/mcp/oauth/callback"],
    redirect: "http://127.0.0.1:19876/mcp/oauth/callback",
    resource: (mcp) => new URL(mcp).origin
  }
]

/** The documents of hosts, which are on their own servers. */
let documents: Server
let base: string
beforeAll(async () => {
  documents = createServer((request, response) => {
    const host = hosts.find(({ name }) => request.url === `/${encodeURIComponent(name)}`)
    const document = { client_id: base + request.url, client_name: host?.name, redirect_uris: host?.registered }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document))
  })
  await new Promise<void>((listening) => documents.listen(0, "127.0.0.1", listening))
  base = `http://127.0.0.1:${(documents.address() as AddressInfo).port}`
})
afterAll(() => documents.close())

const identified = async ({ knownBy, metadata, name, registered }: Host, server: any): Promise<string> => {
  const own = { client_name: name, redirect_uris: registered, ...metadata }
  if (knownBy === "document") {
    // Hosts use a document only if the server announces both.
    expect(server).toMatchObject({ client_id_metadata_document_supported: true })
    expect(server.token_endpoint_auth_methods_supported).toContain("none")
    return `${base}/${encodeURIComponent(name)}`
  }
  if (knownBy === "operator") {
    return (await app.run(StoredClients.use((clients) => clients.add(own)))).id
  }
  const options = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(own) }
  const answer = await fetch(server.registration_endpoint, options)
  expect(answer.status).toBe(201)
  return ((await answer.json()) as any).client_id
}

/** Allows the request of a host as a person does: with what the page shows. */
const allowed = async (person: Person, address: URL, { knownBy, name, redirect }: Host) => {
  expect((await fetch(address, { redirect: "manual" })).status).toBe(303)
  const request = address.searchParams.toString()
  const shown = await app.call("POST", "/me/connected-apps/describe", { request }, person.headers)
  expect(shown.body).toMatchObject({ name, known_by: knownBy, is_local: !redirect.startsWith("https:") })
  const answer = await app.call("POST", "/me/connected-apps", { request }, person.headers)
  expect(answer.body.redirect_url.startsWith(`${redirect}?`)).toBe(true)
  return new URL(answer.body.redirect_url).searchParams
}

describe.each(hosts)("$name", (host) => {
  it("connects by the address of the server alone, and stays connected", async () => {
    const person = await register(app)
    const mcp = `${root()}/mcp`
    const call = (token?: string) =>
      fetch(mcp, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} })
      })
    const refused = await call()
    expect(refused.status).toBe(401)
    const [, metadata] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate")!)!
    const resource = await json(metadata!)
    expect(resource.resource).toBe(mcp)
    const [issuer] = resource.authorization_servers
    const server = await json(`${issuer}/.well-known/oauth-authorization-server`)
    expect(server.issuer).toBe(issuer)
    const client_id = await identified(host, server)
    const { challenge, verifier } = pkce()
    const named: Record<string, string> = host.resource === undefined ? {} : { resource: host.resource(mcp) }
    const address = new URL(server.authorization_endpoint)
    address.search = String(
      new URLSearchParams({
        response_type: "code",
        client_id,
        redirect_uri: host.redirect,
        code_challenge: challenge,
        code_challenge_method: "S256",
        state: "s+ä/=",
        ...(host.scope === undefined ? {} : { scope: host.scope(server.scopes_supported) }),
        ...named
      })
    )
    const returned = await allowed(person, address, host)
    expect([returned.get("state"), returned.get("iss")]).toEqual(["s+ä/=", issuer])
    const token = (form: Record<string, string>) => sendForm(app, "/oauth/token", { client_id, ...named, ...form })
    const first = await token({
      grant_type: "authorization_code",
      code: returned.get("code")!,
      code_verifier: verifier,
      redirect_uri: host.redirect
    })
    expect([first.status, first.headers.get("cache-control")]).toEqual([200, "no-store"])
    expect((await call(first.body.access_token)).status).toBe(200)
    await app.advance("30 days")
    expect((await call(first.body.access_token)).status).toBe(401)
    const next = await token({ grant_type: "refresh_token", refresh_token: first.body.refresh_token })
    expect((await call(next.body.access_token)).status).toBe(200)
  })
})

it("oauth4webapi, a strict client, connects, refreshes and revokes", async () => {
  const issuer = new URL(root())
  const insecure = { [oauth.allowInsecureRequests]: true }
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure })
  )
  const redirect_uri = "https://host.example/callback"
  const registered = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { client_name: "Strict", redirect_uris: [redirect_uri] },
      insecure
    )
  )
  const client: oauth.Client = { client_id: registered.client_id }
  const code_verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const request = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri,
    response_type: "code",
    code_challenge: await oauth.calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: "S256",
    state
  }).toString()
  const person = await register(app)
  const answer = await app.call("POST", "/me/connected-apps", { request }, person.headers)
  const parameters = oauth.validateAuthResponse(server, client, new URL(answer.body.redirect_url), state)
  const none = oauth.None()
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, none, parameters, redirect_uri, code_verifier, insecure)
  )
  const renewed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, none, tokens.refresh_token!, insecure)
  )
  const works = async () =>
    (await app.call("GET", "/notes", undefined, { authorization: `Bearer ${renewed.access_token}` })).status
  expect(await works()).toBe(200)
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, none, renewed.refresh_token!, insecure)
  )
  expect(await works()).toBe(401)
})
