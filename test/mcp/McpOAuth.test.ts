import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client"
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { expect, it } from "vitest"
import { outcomeOf } from "../support/mcp/McpClients.ts"
import { callback, connectApp, consent } from "../support/oauth/OAuthFlow.ts"
import { type Person, register } from "../support/people/People.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp({ settings: { publicUrl: "http://127.0.0.1:0" } })

const address = () => new URL(`${app.url.replace(/\/v2$/, "")}/mcp`)

/** What a host keeps of its authorization, and the browser of its user. */
const hostOf = (person: Person) => {
  const kept: Record<string, any> = {}
  return {
    kept,
    returned: new URLSearchParams(),
    get redirectUrl() {
      return callback
    },
    get clientMetadata() {
      return { client_name: "Host", redirect_uris: [callback], token_endpoint_auth_method: "none" }
    },
    state: () => "state of the host",
    clientInformation: () => kept["client"],
    saveClientInformation: (client: unknown) => void (kept["client"] = client),
    tokens: () => kept["tokens"],
    saveTokens: (tokens: unknown) => void (kept["tokens"] = tokens),
    saveCodeVerifier: (verifier: string) => void (kept["verifier"] = verifier),
    codeVerifier: () => kept["verifier"] as string,
    saveDiscoveryState: (state: unknown) => void (kept["discovery"] = state),
    discoveryState: () => kept["discovery"],
    async redirectToAuthorization(url: URL) {
      const shown = await fetch(url, { redirect: "manual" })
      expect(shown.status).toBe(303)
      const returned = await consent(app, person, url.searchParams.toString())
      expect([returned.get("state"), returned.get("iss")]).toEqual(["state of the host", app.url.replace(/\/v2$/, "")])
      this.returned = returned
    }
  }
}

const clients = {
  "1.x": (authProvider: any) => ({
    finish: (transport: any, returned: URLSearchParams) => transport.finishAuth(returned.get("code")),
    client: new Client1({ name: "host", version: "1" }) as any,
    transport: () => new Transport1(address(), { authProvider }) as any
  }),
  "2.x": (authProvider: any) => ({
    finish: (transport: any, returned: URLSearchParams) => transport.finishAuth(returned),
    client: new Client2({ name: "host", version: "1" }, { versionNegotiation: { mode: "auto" } }) as any,
    transport: () => new Transport2(address(), { authProvider }) as any
  })
} as const

it.each(["1.x", "2.x"] as const)("the official client %s connects by one address and one consent", async (kind) => {
  const person = await register(app)
  const host = hostOf(person)
  const { client, finish, transport } = clients[kind](host)
  const first = transport()
  await expect(client.connect(first)).rejects.toThrow(/unauthorized/i)
  await finish(first, host.returned)
  const second = transport()
  await client.connect(second)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }: any) => name)).toEqual(expect.arrayContaining(["read_note", "search", "fetch"]))
  // The access token ends: the client refreshes it by itself.
  await app.advance("61 minutes")
  const before = host.kept["tokens"].access_token
  const result = await client.callTool({ name: "list_notebooks", arguments: {} })
  expect(outcomeOf(result).isError).toBe(false)
  expect(host.kept["tokens"].access_token).not.toBe(before)
  await client.close()
})

it("a connected app finds and reads notes as the research mode of ChatGPT does", async () => {
  const person = await register(app)
  const notebook = await app.call("POST", "/notebooks", { name: "Research" }, person.headers)
  const note = await app.call(
    "POST",
    "/notes",
    { title: "Sourdough", body: "Flour.\n".repeat(6_000), notebook_id: notebook.body.id },
    person.headers
  )
  const { access } = await connectApp(app, person)
  const client: any = new Client1({ name: "host", version: "1" })
  await client.connect(
    new Transport1(address(), { requestInit: { headers: { authorization: `Bearer ${access}` } } }) as any
  )
  const found = outcomeOf(await client.callTool({ name: "search", arguments: { query: "sourdough" } })).value
  const url = `${address().origin}/console/all/${note.body.id}?workspace=${person.workspace_id}`
  expect(found.results).toMatchObject([{ id: note.body.id, title: "Sourdough", url }])
  const read = outcomeOf(await client.callTool({ name: "fetch", arguments: { id: note.body.id } })).value
  expect(read).toMatchObject({ id: note.body.id, title: "Sourdough", url, metadata: { is_cut: true } })
  expect(read.text.length).toBeGreaterThan(7_000)
  await client.close()
})

it("a session and an API key do not have the tools for research", async () => {
  const client: any = new Client1({ name: "host", version: "1" })
  await client.connect(
    new Transport1(address(), { requestInit: { headers: { authorization: `Bearer ${app.key}` } } }) as any
  )
  const { tools } = await client.listTools()
  expect(tools.map(({ name }: any) => name)).not.toContain("fetch")
  await client.close()
})
