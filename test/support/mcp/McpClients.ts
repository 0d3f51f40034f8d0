import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client"
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { expect } from "vitest"

/** The result of a call: the structured content, or the problem. */
export interface ToolOutcome {
  readonly isError: boolean
  // `any`, so that tests read it freely.
  readonly value: any
}

/** A connected client. */
export interface McpClient {
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<ToolOutcome>
  /** A call that must succeed. */
  readonly done: (name: string, args?: Record<string, unknown>) => Promise<any>
  readonly tools: () => Promise<ReadonlyArray<any>>
  readonly resources: () => Promise<ReadonlyArray<any>>
  readonly resource: (uri: string) => Promise<string>
  /** The bodies of all responses so far. */
  readonly bodies: () => Promise<ReadonlyArray<string>>
  readonly revision: () => string | undefined
  readonly session: () => string | undefined
  readonly close: () => Promise<void>
}

export interface Connecting {
  /** The address of the server, with `/v2`, as `TestApp.url`. */
  readonly url: string
  readonly key: string
  /** The query of the address. */
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The official clients: 1.x, and 2.x by the handshake of earlier revisions and by the newest revision. */
export const clientKinds = ["1.x", "2.x legacy", "2.x"] as const
export type ClientKind = (typeof clientKinds)[number]

/** The outcome of a result of a call, whose text and structured content must agree. */
export const outcomeOf = (result: any): ToolOutcome => {
  const text = JSON.parse(result.content[0].text)
  if (result.isError !== true) expect(result.structuredContent).toEqual(text)
  return { isError: result.isError === true, value: text }
}

export const connect = async (kind: ClientKind, { headers, key, query = "", url }: Connecting): Promise<McpClient> => {
  const bodies: Array<Promise<string>> = []
  const options = {
    requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
    fetch: async (address: string | URL, init?: RequestInit) => {
      const response = await fetch(address, init)
      bodies.push(response.clone().text())
      return response
    }
  }
  const address = new URL(`${url.replace(/\/v2$/, "")}/mcp${query}`)
  const about = { name: "test", version: "1" }
  const made =
    kind === "1.x"
      ? { client: new Client1(about), transport: new Transport1(address, options) }
      : {
          client: new Client2(about, { versionNegotiation: { mode: kind === "2.x" ? "auto" : "legacy" } }),
          transport: new Transport2(address, options)
        }
  // The clients have equal methods, but different types.
  const client: any = made.client
  await client.connect(made.transport)
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    outcomeOf(await client.callTool({ name, arguments: args }))
  return {
    call,
    done: async (name, args) => {
      const { isError, value } = await call(name, args)
      expect(isError, JSON.stringify(value)).toBe(false)
      return value
    },
    tools: async () => (await client.listTools()).tools,
    resources: async () => (await client.listResources()).resources,
    resource: async (uri) => (await client.readResource({ uri })).contents[0].text,
    bodies: () => Promise.all(bodies),
    revision: () => made.transport.protocolVersion,
    session: () => made.transport.sessionId,
    close: () => client.close()
  }
}
