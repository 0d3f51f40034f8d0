import { exampleOrigin } from "../../../services/Fields.ts"
import type { ProblemCode } from "../../../services/ProblemCodes.ts"
import { exampleOf } from "./Examples.ts"
import { headersOf } from "./Parameters.ts"
import { failuresOf } from "./Responses.ts"

type Json = Readonly<Record<string, any>>

/** The operations under `{base_url}` that need no credential and are not part of `Api`. */
export const openTag = {
  name: "About",
  description: "The OpenAPI document and the explanations of problem codes. They need no credential."
}

const codes: ReadonlyArray<ProblemCode> = [
  "not_acceptable",
  "rate_limited",
  "internal_error",
  "service_unavailable",
  "overloaded"
]
const requestId = { $ref: "#/components/parameters/RequestId" }

export const errorCodeSchema: Json = {
  type: "object",
  required: ["type", "code", "title", "status", "cause", "remedy"],
  properties: {
    type: {
      type: "string",
      format: "uri",
      description: "The URL of this explanation.",
      examples: [`${exampleOrigin}/v2/errors/cursor_expired`]
    },
    code: {
      $ref: "#/components/schemas/ProblemCode",
      description: "The code.",
      examples: ["cursor_expired"]
    },
    title: { type: "string", description: "The `title` of problems with this code.", examples: ["Cursor expired"] },
    status: { type: "integer", description: "The status of responses with this code.", examples: [410] },
    cause: {
      type: "string",
      description: "The cause of the problem.",
      examples: ["The cursor is older than 24 hours."]
    },
    remedy: {
      type: "string",
      description: "What a client can do about it.",
      examples: ["Continue from resync_cursor; if it is null, pull without a cursor."]
    }
  }
}

export const openPaths: Json = {
  "/openapi.json": {
    get: {
      operationId: "getDescription",
      tags: [openTag.name],
      summary: "Get the OpenAPI document",
      description: "The OpenAPI 3.1 document of the running version. `/docs` shows it as pages.",
      "x-problem-codes": codes,
      security: [],
      parameters: [{ $ref: "#/components/parameters/IfNoneMatch" }, requestId],
      responses: {
        200: {
          description: "The document.",
          headers: headersOf("Request-Id", "ETag"),
          content: { "application/json": { schema: { type: "object", additionalProperties: true } } }
        },
        304: { $ref: "#/components/responses/NotModified" },
        ...failuresOf(codes)
      }
    }
  },
  "/errors/{code}": {
    get: {
      operationId: "getErrorCode",
      tags: [openTag.name],
      summary: "Explain a problem code",
      description:
        "Explains the cause and the remedy of a problem, whose `type` is this URL. The response is JSON, or HTML if `Accept` prefers it.",
      "x-problem-codes": ["not_found", ...codes],
      security: [],
      parameters: [
        {
          name: "code",
          in: "path",
          required: true,
          description: "The problem's code.",
          schema: { type: "string", pattern: "^[a-z_]+$" },
          example: "cursor_expired"
        },
        requestId
      ],
      responses: {
        200: {
          description: "Cause and remedy.",
          headers: headersOf("Request-Id"),
          content: {
            "application/json": {
              schema: { $ref: "#/components/schemas/ErrorCode" },
              example: exampleOf(errorCodeSchema, {})
            },
            "text/html": { schema: { type: "string" } }
          }
        },
        ...failuresOf(["not_found", ...codes])
      }
    }
  }
}
