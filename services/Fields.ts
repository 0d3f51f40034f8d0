import { Schema } from "effect"
import * as Ids from "./Ids.ts"
import * as Text from "./Text.ts"

/** Members that responses have in common, and their descriptions in the OpenAPI document. */

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      /** The kind of a text that needs no escapes in JSON: the database puts it between quotes as it is. */
      readonly plain?: "id" | "time" | undefined
      /** The number may need more than 32 bits. */
      readonly isBig?: boolean | undefined
      /** The text may be several megabytes. */
      readonly isLarge?: boolean | undefined
      readonly enum?: ReadonlyArray<string> | undefined
      readonly maxItems?: number | undefined
      readonly maxLength?: number | undefined
      readonly maximum?: number | undefined
      readonly minimum?: number | undefined
      readonly pattern?: string | undefined
    }
  }
}

/** The server's address in examples: the OpenAPI document replaces it with that of the running server (`PUBLIC_URL`). */
export const exampleOrigin = "https://sheaf.example"

/**
 * JSON Schema keywords that, next to `format`, describe a value that its schema does not check: responses are not
 * checked, and some members of requests are checked by their handler, with a specific problem.
 */
export const formKeywords: ReadonlyArray<string> = ["enum", "maxItems", "maxLength", "maximum", "minimum", "pattern"]

/** The pattern of an id, made by the server or by a client (contract 6). */
const idPattern = (prefix: Ids.Prefix): string => `${prefix}_[0-9A-Za-z_-]{16,40}`

export const exampleId = (prefix: Ids.Prefix): string => `${prefix}_01kq3mZ8vT4sWx7Yb2Nc5E`

/** The id of a record, or `$` and the `client_ref` of an earlier entry of the push. */
export const reference = (prefix: Ids.Prefix, description: string) => {
  const pattern = `(${idPattern(prefix)}|\\$.+)`
  const whole = new RegExp(`^${pattern}$`)
  return Schema.String.check(
    Text.checked("invalid", `must match ${pattern}`, (text) => whole.test(text), { pattern: whole.source })
  ).annotate({ description, examples: [exampleId(prefix)] })
}

/** The form of an id. */
export const idForm = (prefix: Ids.Prefix) => ({
  pattern: `^${idPattern(prefix)}$`,
  examples: [exampleId(prefix)]
})

/** Describes an id, also in a request, where it is looked up and may be any text. */
export const aboutId = (prefix: Ids.Prefix, description: string) => ({ description, ...idForm(prefix) })

/** The id of a record in a response. */
export const id = (prefix: Ids.Prefix, description: string) =>
  Schema.String.annotate({ ...aboutId(prefix, description), plain: "id" })

/** The id of the record itself. */
export const ownId = (prefix: Ids.Prefix) => id(prefix, "The record's id.")

/** The user who made a change, or null (set by the caller). */
export const causer = id("us", "The user who caused it; null if the server did.")

/** A time in a response: RFC 3339 in UTC, with milliseconds. */
export const time = (description: string) =>
  Schema.String.annotate({
    description,
    format: "date-time",
    examples: ["2026-03-01T12:00:00.000Z"],
    plain: "time"
  })

export const createdAt = time("When it was created.")
export const updatedAt = time("When it was last changed.")

export const text = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] })

export const always = Schema.Literal(true).annotate({ description: "Always true." })

/** The client of an action. */
export const ip = text("The IP address of the caller; null if the server did it.", "192.0.2.7")
export const userAgent = text("The User-Agent of the client, shortened; null if it sent none.", "SheafCLI/1.0")

/** A number of things. */
export const count = (description: string, example = 3) =>
  Schema.Int.annotate({ description, minimum: 0, examples: [example] })

/** Maximum number of characters of a cursor. Longer ones are refused. */
export const cursorLength = 2048

/** A position in the log, in a response. */
export const cursor = Schema.String.annotate({
  description: `An opaque position, at most ${cursorLength} characters.`,
  maxLength: cursorLength,
  examples: ["eyJ2IjoxLCJzIjo0Mn0.q1Zt8Jx0"]
})

export const hasMore = Schema.Boolean.annotate({ description: "Whether there is another page.", examples: [false] })

/** The members at the end of a page (contract, Common shapes). */
export const pageEnd = {
  has_more: hasMore,
  next_cursor: Schema.NullOr(Schema.String).annotate({
    description: "The `cursor` of the next page, else null.",
    examples: [null]
  })
}

/** A password that is only compared, so that it may be any text. */
export const Password = Text.Text.check(
  Text.checked("too_long", "must be at most 1000 characters", (text) => text.length <= 1000, { maxLength: 1000 })
).annotate({ description: "The password.", examples: ["correct horse battery"] })

/** A member of requests that need a recent sign-in or the password of the user (contract 4, tokens). */
export const currentPassword = Schema.optionalKey(
  Password.annotate({
    description:
      "The password of the signed-in user. Required if the last sign-in, or the last request with it, was more than 15 minutes ago; not used for API keys.",
    writeOnly: true
  })
)
