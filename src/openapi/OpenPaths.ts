import { exampleOrigin } from "../../services/Fields.ts"
import type { ProblemCode } from "../../services/ProblemCodes.ts"
import { exampleOf } from "./Examples.ts"
import { headersOf } from "./Parameters.ts"
import { failuresOf } from "./Responses.ts"

type Json = Readonly<Record<string, any>>

/** What is answered to anybody under `{base_url}`, beside the operations of the contract. */
export const openTag = { name: "About", description: "This description, and what problems mean. Open to anybody." }

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
      description: "This address.",
      examples: [`${exampleOrigin}/v2/errors/cursor_expired`]
    },
    code: {
      $ref: "#/components/schemas/ProblemCode",
      description: "The code.",
      examples: ["cursor_expired"]
    },
    title: { type: "string", description: "The title of its problems.", examples: ["Cursor expired"] },
    status: { type: "integer", description: "The status of its answers.", examples: [410] },
    cause: { type: "string", description: "What it means.", examples: ["The cursor is older than it may be."] },
    remedy: {
      type: "string",
      description: "What a client does about it.",
      examples: ["Go on from resync_cursor; when it is null, pull without a cursor."]
    }
  }
}

export const openPaths: Json = {
  "/openapi.json": {
    get: {
      operationId: "getDescription",
      tags: [openTag.name],
      summary: "Get this description",
      description: "The OpenAPI 3.1 document of the running version. A page made of it for people stands at `/docs`.",
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
      description: "Where the `type` of a problem leads: cause and remedy, as JSON, or as HTML when that is preferred.",
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
