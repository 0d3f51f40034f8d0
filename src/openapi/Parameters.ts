import { cursorLength, idForm } from "../../services/Fields.ts"
import * as Ids from "../../services/Ids.ts"

/** The parameters and headers that many operations share, by the name of their component. */

export interface Parameter {
  readonly name: string
  readonly in: "query" | "header" | "path"
  readonly required?: boolean
  readonly deprecated?: boolean
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly example?: unknown
}

/** Query parameters of lists (interface.md, Common shapes; contract 3). `sort` and `filter` are each list's own. */
const page: Readonly<Record<string, Parameter>> = {
  Limit: {
    name: "limit",
    in: "query",
    description: "The most items of a page. A page may end earlier; `has_more` tells whether there is another.",
    schema: { type: "integer", minimum: 1, maximum: 100, default: 25 }
  },
  Cursor: {
    name: "cursor",
    in: "query",
    description: "`next_cursor` of the page before. It is bound to path, sort, filter and workspace.",
    schema: { type: "string", maxLength: cursorLength }
  },
  Page: {
    name: "page",
    in: "query",
    deprecated: true,
    description: "Version 1's number of the page, counted from 1. Use `cursor`.",
    schema: { type: "integer", minimum: 1 }
  },
  PerPage: {
    name: "per_page",
    in: "query",
    deprecated: true,
    description: "Version 1's name of `limit`.",
    schema: { type: "integer", minimum: 1, maximum: 100 }
  }
}

const sent: Readonly<Record<string, Parameter>> = {
  WorkspaceId: {
    name: "Workspace-Id",
    in: "header",
    description:
      "The workspace to act in. An API key acts in its own only: another one here is 403 `workspace_mismatch`.",
    schema: { type: "string", ...idForm("ws") }
  },
  DeviceId: {
    name: "Device-Id",
    in: "header",
    description:
      "The device that calls; changes carry it, so that a client knows its own. Another user's is refused by pull, push and stream (422), and not heeded elsewhere. A user token has its device already.",
    schema: { type: "string", ...idForm("sy") }
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    description: "An id of the client's for this request, given back as `Request-Id`.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,128}$" },
    example: "trace-42"
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    description:
      "`handling=strict` refuses unknown body fields and query parameters instead of ignoring them (RFC 7240).",
    schema: { type: "string" },
    example: "handling=strict"
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "1 to 255 visible ASCII characters. The same key with the same body within 24 hours is answered as before, and nothing is done twice; with another body it is 422 `idempotency_key_reused`.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
    example: "5f0c7a52-8f6e-4a54-b1f5-0b9a2f7f0f6e"
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: "The `ETag` that the change is based on. When the resource has moved on: 412 `precondition_failed`.",
    schema: { type: "string" },
    example: `"nt_01kq3mZ8vT4sWx7Yb2Nc5E:3"`
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "An `ETag` that the client has: when it is still the current one, the answer is 304 without a body.",
    schema: { type: "string" },
    example: `"nt_01kq3mZ8vT4sWx7Yb2Nc5E:3"`
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    description: "The id of the last event that was received; it counts before `cursor`.",
    schema: { type: "string", maxLength: cursorLength }
  }
}

export const parameters: Readonly<Record<string, Parameter>> = { ...page, ...sent }

export const componentOf = (name: string, place: string): string | undefined =>
  Object.entries(parameters).find(([, each]) => each.name === name && each.in === place)?.[0]

/** What the log has is not named as the log. */
const singular = (segment: string) =>
  segment === "audit-log" ? "audit_entry" : segment.replace(/ies$/, "y").replace(/s$/, "").replaceAll("-", "_")

/** What an id in a path is of: what its own name says, or the segment before it. */
export const kindIn = (path: string, name: string): string => {
  if (name !== "id") return name.replace(/_id$/, "")
  const segments = path.split("/")
  return singular(segments[segments.indexOf("{id}") - 1] ?? "")
}

/** A parameter of a path. */
export const pathParameter = (path: string, name: string): Parameter => {
  if (name === "version") {
    return {
      name,
      in: "path",
      required: true,
      description: "The version's number.",
      schema: { type: "integer", minimum: 1 },
      example: 1
    }
  }
  const kind = kindIn(path, name)
  const schema = { type: "string", ...(Ids.isKind(kind) ? idForm(Ids.prefixes[kind]) : {}) }
  return { name, in: "path", required: true, description: `The ${kind.replaceAll("_", " ")}'s id.`, schema }
}

/** Headers of answers, by their names; the names of their components are these without hyphens. */
const answerHeaders: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "Request-Id": {
    description: "The request's id: also `request_id` of a problem, and in the server's log.",
    required: true,
    schema: { type: "string" },
    example: "req_4Zt8Jx0kQ1mB7cVn2LpD"
  },
  ETag: {
    description: "Names this state of the resource, for `If-Match` and `If-None-Match`.",
    required: true,
    schema: { type: "string" },
    example: `"nt_01kq3mZ8vT4sWx7Yb2Nc5E:3"`
  },
  Link: {
    description: 'The next page, as `<address>; rel="next"` (RFC 8288), when there is one.',
    schema: { type: "string" }
  },
  Deprecation: {
    description: "Stands on answers to `page` and `per_page` (RFC 9745).",
    schema: { type: "string" },
    example: "@1767225600"
  },
  "Idempotent-Replayed": {
    description: "`true` on an answer that was given before under the same Idempotency-Key.",
    schema: { type: "string", enum: ["true"] }
  },
  "Preference-Applied": {
    description: "Stands on answers to requests that were handled strictly (RFC 7240).",
    schema: { type: "string", enum: ["handling=strict"] }
  },
  "Retry-After": {
    description: "Seconds after which another try is worth it.",
    required: true,
    schema: { type: "integer", minimum: 0 },
    example: 2
  },
  "RateLimit-Policy": {
    description:
      "How many requests the credential, and all credentials of its workspace together, may make in how many seconds (draft-ietf-httpapi-ratelimit-headers-11); on every authenticated answer where there is a limit.",
    schema: { type: "string" },
    example: `"default";q=1000;w=60, "workspace";q=5000;w=60`
  },
  RateLimit: {
    description: "How many of them are left, and in how many seconds there are all of them again.",
    schema: { type: "string" },
    example: `"default";r=997;t=42, "workspace";r=4981;t=17`
  },
  "RateLimit-Limit": {
    description: "The same for clients of earlier drafts, of the limit with less left: requests in a window.",
    schema: { type: "integer", minimum: 0 },
    example: 1000
  },
  "RateLimit-Remaining": {
    description: "Requests that are left of it.",
    schema: { type: "integer", minimum: 0 },
    example: 997
  },
  "RateLimit-Reset": {
    description: "Seconds until the window is over.",
    schema: { type: "integer", minimum: 0 },
    example: 42
  },
  "WWW-Authenticate": {
    description: "How to authenticate (RFC 6750).",
    required: true,
    schema: { type: "string" },
    example: `Bearer realm="sheaf"`
  }
}

/** Those of a limited answer. */
export const rateLimitHeaders = [
  "RateLimit-Policy",
  "RateLimit",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset"
]

const componentName = (header: string) => header.replaceAll("-", "")

export const headers = Object.fromEntries(
  Object.entries(answerHeaders).map(([name, each]) => [componentName(name), each])
)

/** References to headers of an answer. */
export const headersOf = (...names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${componentName(name)}` }]))
