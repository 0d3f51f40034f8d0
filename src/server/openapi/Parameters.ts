import { cursorLength, exampleId, exampleOrigin, idForm } from "../../../services/Fields.ts"
import * as Ids from "../../../services/Ids.ts"

/** The parameters and headers that operations share, by the name of their component. */

export interface Parameter {
  readonly name: string
  readonly in: "query" | "header" | "path"
  readonly required?: boolean
  readonly deprecated?: boolean
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly example?: unknown
}

/** Query parameters of lists (contract 3). `sort` and `filter` differ from list to list. */
const page: Readonly<Record<string, Parameter>> = {
  Limit: {
    name: "limit",
    in: "query",
    description:
      "The maximum number of items in a page. A page may have fewer; `has_more` says whether there is another.",
    schema: { type: "integer", minimum: 1, maximum: 100, default: 25 }
  },
  Cursor: {
    name: "cursor",
    in: "query",
    description: "`next_cursor` of the previous page. It is valid only with the same path, sort, filter and workspace.",
    schema: { type: "string", maxLength: cursorLength }
  },
  Page: {
    name: "page",
    in: "query",
    deprecated: true,
    description: "Deprecated: the number of the page in version 1, counted from 1. Use `cursor`.",
    schema: { type: "integer", minimum: 1 }
  },
  PerPage: {
    name: "per_page",
    in: "query",
    deprecated: true,
    description: "Deprecated: the name of `limit` in version 1.",
    schema: { type: "integer", minimum: 1, maximum: 100 }
  }
}

const sent: Readonly<Record<string, Parameter>> = {
  WorkspaceId: {
    name: "Workspace-Id",
    in: "header",
    description:
      "The workspace of the request; without it, the user's personal workspace. An API key works only in its own workspace: another one gets 403 `workspace_mismatch`.",
    schema: { type: "string", ...idForm("ws") }
  },
  DeviceId: {
    name: "Device-Id",
    in: "header",
    description:
      "The device that sends the request. Changes have its id, so that a client can recognize its own changes. Pull, push and stream refuse another user's device (422), other operations ignore it. With an access token the header is not needed: the token has its device.",
    schema: { type: "string", ...idForm("sy") }
  },
  ChangeSet: {
    name: "Change-Set",
    in: "header",
    description:
      "The change set of the changes of this request: an id that the client makes for changes that belong together, to list and revert them as one. It gets 409 `invalid_state` once it is reverted, or has 100 000 changes; another user's gets 404.",
    schema: { type: "string", ...idForm("cs") }
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    description: "An id for this request, chosen by the client and returned as `Request-Id`.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,128}$" },
    example: "trace-42"
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    description:
      "`handling=strict` refuses unknown body fields and query parameters instead of ignoring them (RFC 7240). `dry-run` checks a write and returns the response that it would get, and stores nothing; an operation without a dry run refuses it with 400 `invalid_header`.",
    schema: { type: "string" },
    example: "handling=strict"
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "1 to 255 visible ASCII characters. A repeated request with the same key and body within 24 hours gets the response of the first one, and is not processed again; with another body it gets 422 `idempotency_key_reused`.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
    example: "5f0c7a52-8f6e-4a54-b1f5-0b9a2f7f0f6e"
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description:
      'The `ETag` that the change is based on. If the resource has changed since, the response is 412 `precondition_failed`. A weak tag (`W/…`) never matches; a coding that a proxy has appended to the tag (`…-gzip"`) is ignored.',
    schema: { type: "string" },
    example: `"nt_01kq3mZ8vT4sWx7Yb2Nc5E:3"`
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "An `ETag` that the client has. If it is still current, the response is 304 without a body.",
    schema: { type: "string" },
    example: `"nt_01kq3mZ8vT4sWx7Yb2Nc5E:3"`
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    description: "The id of the last event that was received. It takes precedence over `cursor`.",
    schema: { type: "string", maxLength: cursorLength }
  }
}

export const parameters: Readonly<Record<string, Parameter>> = { ...page, ...sent }

export const componentOf = (name: string, place: string): string | undefined =>
  Object.entries(parameters).find(([, each]) => each.name === name && each.in === place)?.[0]

/** Collections whose records have another name. */
const otherwise: Readonly<Record<string, string>> = { "audit-log": "audit_entry", "connected-apps": "session" }

/** The kind of a record in a collection. */
const singular = (segment: string) =>
  otherwise[segment] ?? segment.replace(/ies$/, "y").replace(/s$/, "").replaceAll("-", "_")

/** The kind of record that an id in a path identifies, from the name of the parameter or the segment before it. */
export const kindIn = (path: string, name: string): string => {
  if (name !== "id") return name.replace(/_id$/, "")
  const segments = path.split("/")
  return singular(segments[segments.indexOf("{id}") - 1] ?? "")
}

/** A path parameter. */
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

/** Response headers, by name. The names of their components have no hyphens. */
const responseHeaders: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "Request-Id": {
    description: "The id of the request, also in `request_id` of a problem and in the log of the server.",
    required: true,
    schema: { type: "string" },
    example: "req_4Zt8Jx0kQ1mB7cVn2LpD"
  },
  ETag: {
    description: "Identifies this state of the resource, for `If-Match` and `If-None-Match`.",
    required: true,
    schema: { type: "string" },
    example: `"nt_01kq3mZ8vT4sWx7Yb2Nc5E:3"`
  },
  Location: {
    description: "The URL of the created resource.",
    required: true,
    schema: { type: "string", format: "uri" },
    example: `${exampleOrigin}/v2/notes/${exampleId("nt")}`
  },
  Link: {
    description: 'The URL of the next page, if there is one, as `<url>; rel="next"` (RFC 8288).',
    schema: { type: "string" }
  },
  Deprecation: {
    description: "Present if the request used `page` or `per_page` (RFC 9745).",
    schema: { type: "string" },
    example: "@1767225600"
  },
  "Idempotent-Replayed": {
    description: "`true` if the response repeats that of an earlier request with the same Idempotency-Key.",
    schema: { type: "string", enum: ["true"] }
  },
  "Preference-Applied": {
    description: "The preferences that were applied (RFC 7240). With `dry-run`, nothing was stored.",
    schema: { type: "string", enum: ["handling=strict", "dry-run", "handling=strict, dry-run"] }
  },
  "Retry-After": {
    description: "Seconds to wait before the request is sent again.",
    required: true,
    schema: { type: "integer", minimum: 0 },
    example: 2
  },
  "RateLimit-Policy": {
    description:
      "The limits: `q` requests in `w` seconds, for the credential (`default`) and for all credentials of its workspace together (`workspace`), as in draft-ietf-httpapi-ratelimit-headers-11. Present on every authenticated response, if there is a limit.",
    schema: { type: "string" },
    example: `"default";q=1000;w=60, "workspace";q=5000;w=60`
  },
  RateLimit: {
    description: "The remaining requests (`r`), and the seconds until all are available again (`t`).",
    schema: { type: "string" },
    example: `"default";r=997;t=42, "workspace";r=4981;t=17`
  },
  "RateLimit-Limit": {
    description:
      "For clients of earlier drafts: the requests allowed in a window, of the limit with fewer remaining requests.",
    schema: { type: "integer", minimum: 0 },
    example: 1000
  },
  "RateLimit-Remaining": {
    description: "For clients of earlier drafts: the remaining requests in the window.",
    schema: { type: "integer", minimum: 0 },
    example: 997
  },
  "RateLimit-Reset": {
    description: "For clients of earlier drafts: the seconds until the window ends.",
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

/** The headers of a response that counts against rate limits. */
export const rateLimitHeaders = [
  "RateLimit-Policy",
  "RateLimit",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset"
]

const componentName = (header: string) => header.replaceAll("-", "")

export const headers = Object.fromEntries(
  Object.entries(responseHeaders).map(([name, each]) => [componentName(name), each])
)

/** References to response headers. */
export const headersOf = (...names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${componentName(name)}` }]))
