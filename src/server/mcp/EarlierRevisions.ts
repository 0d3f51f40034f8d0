import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { repeated } from "../../../services/Text.ts"
import { nativeRequest, nativeRevision } from "./EffectMcp.ts"

/**
 * Serves clients of earlier revisions without a session: the handshake gets its response here, and each other request becomes
 * one of the native revision. The protocol lets a server assign no session id. A client cannot cancel a call by a message,
 * which needs a session; it can close the connection.
 */

/** Earlier revisions that are served, the newest first. */
const earlierRevisions = ["2025-11-25", "2025-06-18"] as const

/** The methods of earlier revisions that the native revision has too, each with the parameter that names its object. */
const methods = new Map([
  ["tools/list", undefined],
  ["tools/call", "name"],
  ["resources/list", undefined],
  ["resources/templates/list", undefined],
  ["resources/read", "uri"]
])

const prefix = "io.modelcontextprotocol/"

interface About {
  readonly name: string
  readonly version: string
  readonly instructions: string
}

type Request = HttpServerRequest.HttpServerRequest
type Id = string | number

interface Message {
  readonly id: Id | undefined
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isId = (value: unknown): value is Id => typeof value === "string" || typeof value === "number"

const json = (body: object, status = 200) =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType: "application/json" })

const result = (id: Id, value: object) => json({ jsonrpc: "2.0", id, result: value })

/** The message without `arguments` that are null, which hosts send for none; undefined if it has others. */
export const withoutNullArguments = (value: unknown): object | undefined => {
  if (!isObject(value) || !isObject(value["params"]) || value["params"]["arguments"] !== null) return undefined
  const { arguments: _, ...params } = value["params"]
  return { ...value, params }
}

/** A JSON-RPC error. */
export const failure = (id: Id | null, code: number, message: string, status: number) =>
  json({ jsonrpc: "2.0", id, error: { code, message } }, status)

/** The refusal of a revision, with the code of the native one. */
const unsupported = (id: Id | null, version: string) => {
  const supported = [nativeRevision, ...earlierRevisions]
  const requested = repeated(version)
  const message = `Unsupported protocol version ${requested}. Supported are ${supported.join(", ")}`
  return json({ jsonrpc: "2.0", id, error: { code: -32022, message, data: { supported, requested } } }, 400)
}

/** The value of a body of JSON; undefined for anything else. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const messageOf = (value: unknown): Message | undefined => {
  if (!isObject(value) || value["jsonrpc"] !== "2.0" || typeof value["method"] !== "string") return undefined
  const { id, method, params = {} } = value
  return (id === undefined || isId(id)) && isObject(params) ? { id, method, params } : undefined
}

const handshake = (about: About, { params }: Message) => {
  const asked = earlierRevisions.find((revision) => revision === params["protocolVersion"])
  return {
    protocolVersion: asked ?? earlierRevisions[0],
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: about.name, version: about.version },
    instructions: about.instructions
  }
}

/** Returns the error in the parameters of a request: the native revision would name headers instead. */
const faultOf = ({ method, params }: Message): string | undefined => {
  const name = methods.get(method)
  if (name !== undefined && params[name] === undefined) return `${name} is required`
  if (name !== undefined && typeof params[name] !== "string") return `${name} must be a string`
  const args = params["arguments"]
  return args === undefined || isObject(args) ? undefined : "arguments must be an object"
}

/** The request as the native revision has it: its headers repeat the method and the name of its body. */
const translated = (request: Request, id: Id, { method, params }: Message): Request => {
  const meta = isObject(params["_meta"]) ? params["_meta"] : {}
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id,
    method,
    params: {
      ...params,
      _meta: { ...meta, [`${prefix}protocolVersion`]: nativeRevision, [`${prefix}clientCapabilities`]: {} }
    }
  })
  const name = params["name"] ?? params["uri"]
  const headers: Record<string, string> = {
    "mcp-protocol-version": nativeRevision,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": `=?base64?${Buffer.from(name).toString("base64")}?=` } : {})
  }
  return nativeRequest(request.url, headers, body)
}

/** The response to a request of an earlier revision, or the request to process instead; undefined for the native one. */
export type Read = HttpServerResponse.HttpServerResponse | Request | undefined

/** Reads a request by the value of its body. */
export const read = (about: About, request: Request, value: unknown): Read => {
  // The first request of a client does not have it.
  const version = request.headers["mcp-protocol-version"]
  if (version === nativeRevision) return undefined
  if (version !== undefined && !earlierRevisions.some((revision) => revision === version)) {
    return unsupported(isObject(value) && isId(value["id"]) ? value["id"] : null, version)
  }
  if (value === undefined) return failure(null, -32700, "The body is not valid JSON", 400)
  const message = messageOf(value)
  if (message === undefined) return failure(null, -32600, "The body must be one JSON-RPC 2.0 message", 400)
  const { id, method, params } = message
  // A client of the native revision that has left out a header: the server says which one.
  if (isObject(params["_meta"]) && `${prefix}protocolVersion` in params["_meta"]) return undefined
  if (id === undefined) return HttpServerResponse.empty({ status: 202 })
  if (method === "initialize") return result(id, handshake(about, message))
  if (method === "ping") return result(id, {})
  if (!methods.has(method)) return failure(id, -32601, "Method not found", 200)
  const fault = faultOf(message)
  return fault === undefined ? translated(request, id, message) : failure(id, -32602, fault, 200)
}
