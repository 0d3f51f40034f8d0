import { fieldCodes } from "../../../services/Errors.ts"
import { exampleOrigin } from "../../../services/Fields.ts"
import type { ProblemCode } from "../../../services/ProblemCodes.ts"
import { problemCodes } from "../api/ProblemExplanations.ts"
import { headersOf } from "./Parameters.ts"

type Json = Readonly<Record<string, any>>

/** The error responses by status: the name of the component, and its meaning (contract 2). */
const failures: Readonly<
  Record<
    number,
    {
      readonly name: string
      readonly description: string
      readonly headers?: ReadonlyArray<string>
      /** Headers that only some of these responses have. */
      readonly further?: Json
    }
  >
> = {
  400: {
    name: "BadRequest",
    description: "A part of the request is invalid: its JSON, a parameter, a header, or a cursor."
  },
  401: { name: "Unauthorized", description: "The credential is missing or invalid.", headers: ["WWW-Authenticate"] },
  403: { name: "Forbidden", description: "The credential is valid, but does not allow this operation." },
  404: {
    name: "NotFound",
    description:
      "The resource does not exist, is in the trash, or is in another workspace; the response does not reveal which."
  },
  406: { name: "NotAcceptable", description: "`Accept` excludes every media type that the operation returns." },
  409: {
    name: "Conflict",
    description: "The request is valid, but the current state of the resource does not allow it.",
    further: {
      "Retry-After": {
        description: "With `idempotency_in_progress`: seconds to wait before a retry.",
        schema: { type: "integer", minimum: 0 }
      }
    }
  },
  410: { name: "Gone", description: "The resource or cursor has expired." },
  412: {
    name: "PreconditionFailed",
    description: "`If-Match` or `version` does not match the current state."
  },
  413: { name: "PayloadTooLarge", description: "The body is larger than `limit_bytes`." },
  415: { name: "UnsupportedMediaType", description: "The body is not `application/json`." },
  422: {
    name: "UnprocessableContent",
    description: "The body can be read, but some of its values are invalid; `errors` lists the fields."
  },
  429: {
    name: "TooManyRequests",
    description: "Too many requests in a period, or at the same time.",
    headers: ["Retry-After"]
  },
  500: {
    name: "InternalError",
    description: "The server has an error. Its log has the request id."
  },
  503: {
    name: "ServiceUnavailable",
    description:
      "The server cannot handle the request now. The outcome of a write may be unknown: a retry with the same Idempotency-Key is safe.",
    headers: ["Retry-After"]
  }
}

const statusOf = (code: ProblemCode): number => problemCodes[code].status

/** References to the error responses of problem codes, by status. */
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
    field: member("string", "The path of the field, with its parts separated by dots.", "title"),
    pointer: member("string", "A JSON Pointer into the body (RFC 6901).", "/title"),
    code: { $ref: "#/components/schemas/FieldCode", description: "The code of the issue, for programs." },
    message: member("string", "The issue, for people.", "must be at most 200 characters")
  }
}

const strings = { items: { type: "string" } }

/** A problem (RFC 9457) with every member that one can have (contract 2). */
export const problemSchemas: Json = {
  ProblemCode: {
    type: "string",
    description:
      "Every code that a problem can have. Later versions may add codes: for an unknown code use the status.",
    enum: Object.keys(problemCodes),
    examples: ["validation_failed"]
  },
  FieldCode: {
    type: "string",
    description: "The possible issues of a field. Later versions may add codes.",
    enum: fieldCodes,
    examples: ["too_long"]
  },
  FieldIssue: fieldIssue,
  Problem: {
    type: "object",
    description:
      "A problem (RFC 9457). `instance` and `request_id` are in every error response, but not in a problem inside a push result.",
    required: ["type", "title", "status", "detail", "code"],
    properties: {
      type: member(
        "string",
        "The URL of the explanation of the code.",
        `${exampleOrigin}/v2/errors/validation_failed`,
        {
          format: "uri"
        }
      ),
      title: member("string", "The kind of problem, for people.", "Request validation failed"),
      status: member("integer", "The status of the response.", 422, { minimum: 400, maximum: 599 }),
      detail: member("string", "The problem with this request, for people.", "title must be at most 200 characters"),
      instance: member("string", "The path of the request.", "/v2/notes"),
      code: { $ref: "#/components/schemas/ProblemCode", description: "The kind of problem, for programs." },
      error: member("string", "The code of the error in OAuth, in the response to a browser.", "invalid_client"),
      request_id: member("string", "Same as the header `Request-Id`.", "req_4Zt8Jx0kQ1mB7cVn2LpD"),
      errors: {
        type: "array",
        description: "The issues of each field, at most 100.",
        items: { $ref: "#/components/schemas/FieldIssue" }
      },
      allowed_fields: {
        type: "array",
        description: "The fields that the list can be sorted or filtered by.",
        ...strings
      },
      allowed_parameters: { type: "array", description: "The query parameters of the operation.", ...strings },
      acceptable: { type: "array", description: "The media types that the operation returns.", ...strings },
      position: {
        type: "integer",
        minimum: 0,
        description: "The position of the error in the filter or in the JSON body, in UTF-16 code units from 0."
      },
      factors: { type: "array", description: "The factors that can complete the sign-in.", ...strings },
      required_scopes: { type: "array", description: "The scopes of which one is required.", ...strings },
      required_role: {
        type: "string",
        description: "The lowest role that is sufficient.",
        enum: ["owner", "admin", "editor", "viewer"]
      },
      required_plan: { type: "string", description: "The plan that has the feature.", enum: ["free", "plus", "team"] },
      current_version: {
        anyOf: [{ type: "integer", minimum: 1 }, { type: "string" }],
        description: "The current version or revision; for a resource without one, its current `ETag`."
      },
      section: {
        type: "object",
        description:
          "With `precondition_failed` of `editNote`: the section of the note that the edit is about, as it is now. A long section is cut to 4 000 characters around the line.",
        required: ["from_line", "to_line", "text"],
        properties: {
          from_line: { type: "integer", minimum: 1, description: "Its first line, from 1." },
          to_line: { type: "integer", minimum: 1, description: "Its last line, of which `text` may have a part." },
          text: { type: "string", description: "The lines of the note." }
        }
      },
      found_in_lines: {
        type: "array",
        description:
          "With a refused `editNote`: the lines, from 1, where the text or heading was found more than once, or where the text is that looks like the one that was not found.",
        items: { type: "integer", minimum: 1 }
      },
      text: {
        type: "string",
        description:
          "With a refused `editNote`, at most 4 000 characters: those lines, or the headings of the note if it has none with that name."
      },
      existing_id: { type: "string", description: "The id of the existing record." },
      workspaces: {
        type: "array",
        description: "The workspaces whose last owner the user is.",
        items: {
          type: "object",
          required: ["id", "name", "slug"],
          properties: {
            id: { type: "string", description: "The id of the workspace." },
            name: { type: "string", description: "Its name." },
            slug: { type: "string", description: "Its slug." }
          }
        }
      },
      limit_bytes: { type: "integer", minimum: 0, description: "The maximum number of bytes." },
      quota: { type: "string", description: "The quota that is exceeded." },
      limit: { type: "integer", minimum: 0, description: "The limit of the quota." },
      used: { type: "integer", minimum: 0, description: "The current usage." },
      resync_cursor: {
        anyOf: [{ type: "string" }, { type: "null" }],
        description: "A cursor for one more pull, instead of pulling everything. Null: pull without a cursor."
      },
      restored: {
        type: "object",
        description: "The restore of the server that has ended the cursor.",
        required: ["backup_at", "restored_at", "least_revision"],
        properties: {
          backup_at: {
            anyOf: [{ type: "string", format: "date-time" }, { type: "null" }],
            description:
              "The moment of the backup: later changes are lost, unless clients send them again. Null: not known, or the cursor is from before an earlier restore."
          },
          restored_at: { type: "string", format: "date-time", description: "The moment of the restore." },
          least_revision: {
            type: "integer",
            minimum: 1,
            description:
              "Each change after the restore gives a record at least this revision. A record with a smaller one is as in the backup, and a smaller revision that it does not have is one of the lost changes."
          }
        }
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

/** `components/responses`: one for each error status, with examples of the codes in use, and 304. */
export const responsesOf = (codes: ReadonlyArray<ProblemCode>): Json => ({
  NotModified: {
    description: "The resource has not changed; the client's copy is current.",
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
