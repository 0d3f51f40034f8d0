import { Schema } from "effect"
import * as Ids from "./Ids.ts"
import * as Text from "./Text.ts"

/** What answers have in common, and what the description of the API says of members. */

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      /** What the text is, where it needs no escapes in JSON: the database puts it between quotes as it is. */
      readonly plain?: "id" | "time" | undefined
      /** A number beyond 32 bits. */
      readonly isBig?: boolean | undefined
      /** The text may be of megabytes. */
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

/** The address of the server in examples: the description replaces it by that of the running server (`PUBLIC_URL`). */
export const exampleOrigin = "https://sheaf.example"

/**
 * What a value's form is described by where no check of its schema does it: an answer is not checked, and of a request
 * some things are by who handles it, with a problem of its own. Keywords of JSON Schema, beside `format`.
 */
export const formKeywords: ReadonlyArray<string> = ["enum", "maxItems", "maxLength", "maximum", "minimum", "pattern"]

/** What follows the prefix of an id, made by the server or by a client (contract 6). */
export const idPattern = (prefix: Ids.Prefix): string => `${prefix}_[0-9A-Za-z_-]{16,40}`

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

/** What is said of an id, also where a request has it: it is looked up, and may be anything. */
export const aboutId = (prefix: Ids.Prefix, description: string) => ({ description, ...idForm(prefix) })

/** The id of a record, as answers show it. */
export const id = (prefix: Ids.Prefix, description: string) =>
  Schema.String.annotate({ ...aboutId(prefix, description), plain: "id" })

/** The id of the record that it stands in. */
export const ownId = (prefix: Ids.Prefix) => id(prefix, "The record's id.")

/** Who made a change: null beside it. */
export const causer = id("us", "The user who caused it; null if the server did.")

/** A moment: RFC 3339 in UTC, with milliseconds, as answers show it. */
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

/** From where something was done. */
export const ip = text("The IP address of the caller; null if the server did it.", "192.0.2.7")
export const userAgent = text("The User-Agent of the client, shortened; null if it sent none.", "SheafCLI/1.0")

/** How many there are of something. */
export const count = (description: string, example = 3) =>
  Schema.Int.annotate({ description, minimum: 0, examples: [example] })

/** Where a cursor stops: longer ones are refused. */
export const cursorLength = 2048

/** A position in the log, as answers show it. */
export const cursor = Schema.String.annotate({
  description: `An opaque position, at most ${cursorLength} characters.`,
  maxLength: cursorLength,
  examples: ["eyJ2IjoxLCJzIjo0Mn0.q1Zt8Jx0"]
})

export const hasMore = Schema.Boolean.annotate({ description: "Whether there is another page.", examples: [false] })

/** The end of a page (interface.md, Common shapes). */
export const pageEnd = {
  has_more: hasMore,
  next_cursor: Schema.NullOr(Schema.String).annotate({
    description: "The `cursor` of the next page, else null.",
    examples: [null]
  })
}

/** What is only compared: whatever it is, it is right or wrong. */
export const Password = Text.Text.check(
  Text.checked("too_long", "must be at most 1000 characters", (text) => text.length <= 1000, { maxLength: 1000 })
).annotate({ description: "The password.", examples: ["correct horse battery"] })

/** A member of requests that a session makes only soon after a sign-in, or with the password (contract 4, tokens). */
export const currentPassword = Schema.optionalKey(
  Password.annotate({
    description:
      "The password of the signed-in user. Required if the last sign-in, or the last request with it, was more than 15 minutes ago; not used for API keys.",
    writeOnly: true
  })
)
