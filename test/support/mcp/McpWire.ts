import { outcomeOf, type ToolOutcome } from "./McpClients.ts"

/** Requests to the MCP server without a client, in the newest revision. */
export interface McpWire {
  /** The address of the server, with `/v2`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly query?: string
}

let sent = 0

export interface WireResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: any
}

export const address = (url: string, query = ""): string => `${url.replace(/\/v2$/, "")}/mcp${query}`

/** Sends a request for a method of the protocol. */
export const request = async (
  { headers, query, url }: McpWire,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  further: Readonly<Record<string, string>> = {}
): Promise<WireResponse> => {
  const name = params["name"] ?? params["uri"]
  const response = await fetch(address(url, query), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
      ...headers,
      ...further
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: ++sent,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {}
        }
      }
    })
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : JSON.parse(text) }
}

/** The names of the tools that exist for a caller. */
export const toolNames = async (wire: McpWire): Promise<ReadonlyArray<string>> =>
  (await request(wire, "tools/list")).body.result.tools.map(({ name }: { readonly name: string }) => name)

/** Calls a tool. Undefined if no such tool exists for the caller. */
export const callTool = async (
  wire: McpWire,
  name: string,
  args: Readonly<Record<string, unknown>> = {}
): Promise<ToolOutcome | undefined> => {
  const { body } = await request(wire, "tools/call", { name, arguments: args })
  return body.error?.code === -32602 ? undefined : outcomeOf(body.result)
}
