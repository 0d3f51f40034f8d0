import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"

/** Number of requests that are kept of each key. */
export const kept = 1_000
/** Maximum number of characters of a path with its query that are kept. */
export const keptPath = 500
/** Ends a path that was cut, and replaces a secret. Paths contain no character beyond Latin-1. */
export const ellipsis = "…"

const optionalText = (description: string, example: string | null) =>
  Schema.NullOr(Schema.String).annotate({ description, examples: [example] })

const stored = {
  id: Fields.id("kr", "Its id, by which it differs from the other requests of the key."),
  created_at: Fields.time("When its response was ready."),
  method: Fields.text("Its method.", "GET"),
  route: Fields.text("The pattern of its path.", "/v2/notes/{id}"),
  path: Fields.text(
    `Its path with the query: the first ${keptPath} characters, and \`${ellipsis}\` for the others and for tokens.`,
    `/v2/notes/${Fields.exampleId("nt")}`
  ),
  status: Schema.NullOr(Schema.Int).annotate({
    description: "The status of the response; null if the client disconnected before.",
    examples: [404]
  }),
  code: optionalText("The `code` of the problem in the response; null without one.", "not_found"),
  duration_ms: Fields.count("Milliseconds until the response was ready, or until a stream opened.", 12),
  request_id: Fields.text("Its id: the `Request-Id` of the response.", "req_01kq3mZ8vT4sWx7Yb2Nc")
}

/** A finished request of an API key (contract 4). */
export const KeyRequest = Schema.Struct({
  ...stored,
  curl: optionalText(
    "A command for a POSIX shell that sends it again, with the key in `SHEAF_KEY`, a body from the file `body.json`, and no other headers; null if the path is not known in full.",
    `curl --globoff -H "Authorization: Bearer $SHEAF_KEY" '${Fields.exampleOrigin}/v2/notes/${Fields.exampleId("nt")}'`
  )
}).annotate({ identifier: "KeyRequest" })
export type KeyRequest = typeof KeyRequest.Type

const Stored = Schema.Struct({ ...stored, content_type: Schema.NullOr(Schema.String) })

export const keyRequestList = listOf(Stored, {
  path: "/requests",
  from: "(SELECT *, 'kr_' || lpad(place::text, 16, '0') AS id FROM key_requests) requests",
  sort: ["-created_at"],
  filter: ["id", "created_at", "method", "route", "status", "code", "duration_ms", "request_id"],
  // In the order in which they were stored: several have the same time.
  sorts: { created_at: { sql: "place", type: "bigint" } },
  unindexedSorts: ["created_at"]
})

/** A text as one word of a POSIX shell, whatever it contains. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The command that sends a request again. The body and the key are the reader's. */
const curlOf = ({ content_type, method, path }: typeof Stored.Type, publicUrl: string): string => {
  const how = method === "GET" ? [] : method === "HEAD" ? ["--head"] : ["-X", quoted(method)]
  const body =
    content_type === null
      ? []
      : content_type === "multipart/form-data"
        ? ["--form file=@file"]
        : ["-H", quoted(`Content-Type: ${content_type}`), "--data-binary @body.json"]
  // Brackets and braces in a query would be ranges for curl.
  return [`curl --globoff -H "Authorization: Bearer $SHEAF_KEY"`, ...how, ...body, quoted(publicUrl + path)].join(" ")
}

/** The JSON of a stored request as the API shows it. */
export const shown =
  (publicUrl: string) =>
  (json: string): string => {
    const { content_type, ...row } = JSON.parse(json) as typeof Stored.Type
    const curl = row.path.includes(ellipsis) ? null : curlOf({ ...row, content_type }, publicUrl)
    return JSON.stringify({ ...row, curl } satisfies KeyRequest)
  }
