import { fieldCodes } from "../../services/Errors.ts"
import { exampleOrigin } from "../../services/Fields.ts"
import type { ProblemCode } from "../../services/ProblemCodes.ts"
import { problemCodes } from "../http/ProblemCodes.ts"
import { headersOf } from "./Parameters.ts"

type Json = Readonly<Record<string, any>>

/** The answers to failures, by status: the name of the component, and what it means (contract 2). */
const failures: Readonly<
  Record<
    number,
    {
      readonly name: string
      readonly description: string
      readonly headers?: ReadonlyArray<string>
      /** Headers that only some of these answers have. */
      readonly further?: Json
    }
  >
> = {
  400: {
    name: "BadRequest",
    description: "A part of the request cannot be understood: its JSON, a parameter, a header, a cursor."
  },
  401: { name: "Unauthorized", description: "No credential, or not a good one.", headers: ["WWW-Authenticate"] },
  403: { name: "Forbidden", description: "A good credential that may not do this." },
  404: {
    name: "NotFound",
    description: "Missing, in the trash, or in a workspace that is not the caller's: never told apart."
  },
  406: { name: "NotAcceptable", description: "`Accept` excludes every type that this can be answered in." },
  409: {
    name: "Conflict",
    description: "Right in itself, but not as things stand.",
    further: {
      "Retry-After": {
        description: "With `idempotency_in_progress`: seconds after which another try is worth it.",
        schema: { type: "integer", minimum: 0 }
      }
    }
  },
  410: { name: "Gone", description: "It was there, and its time is over." },
  412: {
    name: "PreconditionFailed",
    description: "`If-Match` or `version` names another state than the current one."
  },
  413: { name: "PayloadTooLarge", description: "The body is larger than `limit_bytes`." },
  415: { name: "UnsupportedMediaType", description: "The body is not `application/json`." },
  422: {
    name: "UnprocessableContent",
    description: "The body is understood, and its content is not acceptable; `errors` names each field."
  },
  429: { name: "TooManyRequests", description: "Too often, or too many at once.", headers: ["Retry-After"] },
  500: {
    name: "InternalError",
    description: "Something went wrong here. The request's id finds it in the server's log."
  },
  503: {
    name: "ServiceUnavailable",
    description: "Not now. The outcome of a write may be unknown: a retry with its key is safe.",
    headers: ["Retry-After"]
  }
}

const statusOf = (code: ProblemCode): number => problemCodes[code].status

/** References to the answers that stand for problem codes, by status. */
export const failuresOf = (of: ReadonlyArray<ProblemCode>): Json =>
  Object.fromEntries(
    [...new Set(of.map(statusOf))]
      .sort((a, b) => a - b)
      .map((status) => [status, { $ref: `#/components/responses/${failures[status]!.name}` }])
  )

const member = (type: string, description: string, example: unknown, more: Json = {}) => ({
  type,
  description,
  examples: [example],
  ...more
})

const fieldIssue = {
  type: "object",
  required: ["field", "pointer", "code", "message"],
  properties: {
    field: member("string", "The field, with dots between its parts.", "title"),
    pointer: member("string", "A JSON Pointer into the body (RFC 6901).", "/title"),
    code: { $ref: "#/components/schemas/FieldCode", description: "What is wrong, for programs." },
    message: member("string", "What is wrong, for people.", "must be at most 200 characters")
  }
}

const strings = { items: { type: "string" } }

/** A problem (RFC 9457) with every member that one can have (contract 2). */
export const problemSchemas: Json = {
  ProblemCode: {
    type: "string",
    description:
      "Every code that a problem can have. Later versions may have more: go by the status of those that you do not know.",
    enum: Object.keys(problemCodes),
    examples: ["validation_failed"]
  },
  FieldCode: {
    type: "string",
    description: "All that can be wrong with a field. Later versions may have more.",
    enum: fieldCodes,
    examples: ["too_long"]
  },
  FieldIssue: fieldIssue,
  Problem: {
    type: "object",
    description:
      "A problem (RFC 9457). `instance` and `request_id` stand on every answer, not on a problem inside a push result.",
    required: ["type", "title", "status", "detail", "code"],
    properties: {
      type: member("string", "Where the code is explained.", `${exampleOrigin}/v2/errors/validation_failed`, {
        format: "uri"
      }),
      title: member("string", "What kind of problem it is, for people.", "Request validation failed"),
      status: member("integer", "The answer's status.", 422, { minimum: 400, maximum: 599 }),
      detail: member("string", "What is wrong this time, for people.", "title must be at most 200 characters"),
      instance: member("string", "The path that was asked for.", "/v2/notes"),
      code: { $ref: "#/components/schemas/ProblemCode", description: "What kind of problem it is, for programs." },
      request_id: member("string", "The same as the header `Request-Id`.", "req_4Zt8Jx0kQ1mB7cVn2LpD"),
      errors: {
        type: "array",
        description: "What is wrong with which field, at most 100 of them.",
        items: { $ref: "#/components/schemas/FieldIssue" }
      },
      allowed_fields: { type: "array", description: "The fields that can be sorted or filtered by.", ...strings },
      allowed_parameters: { type: "array", description: "The query parameters that the operation knows.", ...strings },
      acceptable: { type: "array", description: "The media types that the operation answers in.", ...strings },
      position: { type: "integer", minimum: 0, description: "Where the filter is wrong, in UTF-16 code units from 0." },
      required_scopes: { type: "array", description: "The scopes of which one is needed.", ...strings },
      required_role: {
        type: "string",
        description: "The least role that is needed.",
        enum: ["owner", "admin", "editor", "viewer"]
      },
      required_plan: { type: "string", description: "The plan that has the feature.", enum: ["free", "plus", "team"] },
      current_version: {
        anyOf: [{ type: "integer", minimum: 1 }, { type: "string" }],
        description: "The version or revision that is the current one; of what has none, its current `ETag`."
      },
      limit_bytes: { type: "integer", minimum: 0, description: "How many bytes are allowed." },
      quota: { type: "string", description: "Which quota of the plan is used up." },
      limit: { type: "integer", minimum: 0, description: "How much the quota allows." },
      used: { type: "integer", minimum: 0, description: "How much of it is used." },
      resync_cursor: {
        anyOf: [{ type: "string" }, { type: "null" }],
        description: "A cursor for one more pull instead of everything; null: pull without one."
      }
    }
  }
}

const exampleOf = (code: ProblemCode): Json => {
  const { cause, status, title } = problemCodes[code]
  return {
    type: `${exampleOrigin}/v2/errors/${code}`,
    title,
    status,
    detail: cause,
    instance: "/v2/notes",
    code,
    request_id: "req_4Zt8Jx0kQ1mB7cVn2LpD"
  }
}

/** `components/responses`: one for each status of a failure with the codes in use, and the answer that nothing changed. */
export const responsesOf = (codes: ReadonlyArray<ProblemCode>): Json => ({
  NotModified: {
    description: "The resource is as the client has it.",
    headers: headersOf("Request-Id", "ETag")
  },
  ...Object.fromEntries(
    Object.entries(failures).map(([status, { description, further, headers = [], name }]) => [
      name,
      {
        description,
        headers: { ...headersOf("Request-Id", ...headers), ...further },
        content: {
          "application/problem+json": {
            schema: { $ref: "#/components/schemas/Problem" },
            examples: Object.fromEntries(
              codes
                .filter((code) => statusOf(code) === Number(status))
                .map((code) => [code, { summary: problemCodes[code].title, value: exampleOf(code) }])
            )
          }
        }
      }
    ])
  )
})
