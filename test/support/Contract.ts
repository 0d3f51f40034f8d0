import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { openApiDocument } from "../../src/server/openapi/OpenApiDocument.ts"

type Json = Readonly<Record<string, any>>

export interface SentRequest {
  readonly method: string
  /** The path below `{base_url}`, with its query; of OAuth that below the address of the server. */
  readonly path: string
}

export interface ReceivedResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
  readonly text: string
}

/**
 * Returns a copy of a schema whose objects allow no other members. The API description leaves objects open, for clients
 * of later versions; a response of today may contain only described members.
 */
const closed = (value: unknown): any => {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== "object" || value === null) return value
  const copy: Record<string, any> = {}
  for (const [key, each] of Object.entries(value)) copy[key] = key.startsWith("example") ? each : closed(each)
  // The branches contain the values themselves, and Ajv reads them there.
  if (copy["discriminator"] !== undefined) copy["discriminator"] = { propertyName: copy["discriminator"].propertyName }
  if (copy["type"] === "object" && copy["properties"] !== undefined) copy["additionalProperties"] ??= false
  return copy
}

const pointer = (...parts: ReadonlyArray<string>) =>
  parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")

/** Problem codes of requests that reached no operation. */
const unreachedCodes = new Set([
  "route_not_found",
  "method_not_allowed",
  "malformed_request",
  "request_timeout",
  "headers_too_large"
])

/** Checks responses against the API description: status, headers, media type, problem code and body. */
export class Contract {
  /** The ids of operations with at least one successful response. */
  readonly seen = new Set<string>()
  private readonly document: Json
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, discriminator: true })
  private readonly compiled = new Map<string, ValidateFunction>()
  private readonly routes: ReadonlyArray<{ readonly path: string; readonly pattern: RegExp }>

  constructor() {
    this.document = closed(openApiDocument("http://sheaf.test"))
    this.ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    this.ajv.addFormat("date", /^\d{4}-\d\d-\d\d$/)
    this.ajv.addFormat("uri", (text: string) => URL.canParse(text))
    this.ajv.addSchema(this.document, "openapi")
    this.routes = Object.keys(this.document["paths"])
      // Literal segments come before parameters.
      .sort((a, b) => a.split("{").length - b.split("{").length)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}/?$`) }))
  }

  /** All operation ids of the API description. */
  get operations(): ReadonlyArray<string> {
    return Object.values<Json>(this.document["paths"]).flatMap((item) =>
      Object.values<Json>(item).map((operation) => operation["operationId"])
    )
  }

  /** Returns the operation that a request reaches, and its place in the document. */
  operationOf({
    method,
    path
  }: SentRequest): { readonly place: ReadonlyArray<string>; readonly operation: Json } | undefined {
    const bare = path.split("?", 1)[0]!
    const verb = method === "HEAD" ? "get" : method.toLowerCase()
    for (const route of this.routes) {
      const operation = this.document["paths"][route.path][verb]
      if (operation !== undefined && route.pattern.test(bare)) return { place: ["paths", route.path, verb], operation }
    }
    return undefined
  }

  /** Throws when a response does not match its description. Skips responses of requests that reached no operation. */
  check(request: SentRequest, { body, headers, status, text }: ReceivedResponse): void {
    const found = this.operationOf(request)
    const code = (body as { readonly code?: string } | undefined)?.code
    if (found === undefined || (status >= 400 && unreachedCodes.has(code ?? ""))) return
    const { operation, place } = found
    const refuse = (why: string): never => {
      throw new Error(
        `${request.method} ${request.path} (${operation["operationId"]}) returned ${status}, which does not match its description: ${why}\n${text.slice(0, 1000)}`
      )
    }
    const [described, at] = this.resolve(operation["responses"][status], [...place, "responses", String(status)])
    if (described === undefined) return refuse(`documented are ${Object.keys(operation["responses"]).join(", ")}`)
    for (const [name, each] of Object.entries<Json>(described["headers"] ?? {})) {
      const [header] = this.resolve(each, [])
      if (header!["required"] === true && !headers.has(name)) refuse(`the header ${name} is missing`)
    }
    if (request.method === "HEAD" || described["content"] === undefined) {
      if (text !== "") return refuse("it has a body")
      if (request.method !== "HEAD" && status !== 304) this.seen.add(operation["operationId"])
      return
    }
    const type = (headers.get("content-type") ?? "").split(";", 1)[0]!
    if (described["content"][type] === undefined)
      return refuse(`documented are ${Object.keys(described["content"]).join(", ")}, not ${type}`)
    if (type.endsWith("json")) {
      const wrong = this.wrongOf([...at, "content", type, "schema"], body)
      if (wrong !== undefined) refuse(wrong)
    }
    if (status >= 400) {
      // Errors of OAuth are no problems.
      if (type !== "application/problem+json") return
      if (!operation["x-problem-codes"].includes(code))
        refuse(`documented codes are ${operation["x-problem-codes"].join(", ")}`)
      for (const member of ["instance", "request_id"]) {
        if (typeof (body as Json)[member] !== "string") refuse(`${member} is missing`)
      }
    } else this.seen.add(operation["operationId"])
  }

  /** Throws when an event of the stream does not match its description. */
  checkEvent(event: { readonly event: string; readonly id?: string; readonly data: unknown }): void {
    const wrong = this.wrongOf(["components", "schemas", "StreamEvent"], event)
    if (wrong !== undefined) {
      throw new Error(
        `the event ${event.event} does not match its description: ${wrong}\n${JSON.stringify(event).slice(0, 1000)}`
      )
    }
  }

  /** Returns the errors of a value against the schema at a place of the document; undefined when it is valid. */
  private wrongOf(at: ReadonlyArray<string>, value: unknown): string | undefined {
    const validate = this.validator(at)
    if (validate(value)) return undefined
    return validate
      .errors!.slice(0, 5)
      .map(({ instancePath, message, params }) => `${instancePath || "the body"} ${message} ${JSON.stringify(params)}`)
      .join("; ")
  }

  private resolve(
    value: Json | undefined,
    at: ReadonlyArray<string>
  ): readonly [Json | undefined, ReadonlyArray<string>] {
    const reference: string | undefined = value?.["$ref"]
    if (reference === undefined) return [value, at]
    const parts = reference.slice(2).split("/")
    return [parts.reduce((found: Json, part) => found[part], this.document), parts]
  }

  private validator(at: ReadonlyArray<string>): ValidateFunction {
    const place = `openapi#/${pointer(...at)}`
    let validate = this.compiled.get(place)
    if (validate === undefined) this.compiled.set(place, (validate = this.ajv.compile({ $ref: place })))
    return validate
  }
}

/** Checks all responses of a test file. */
export const contract = new Contract()
