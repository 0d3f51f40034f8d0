import { Schema } from "effect"
import type * as Ids from "./Ids.ts"
import * as Text from "./Text.ts"

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      /** What the text is, where it needs no escapes in JSON: the database puts it between quotes as it is. */
      readonly form?: "id" | "time" | undefined
      /** The text may be of megabytes. */
      readonly isLarge?: boolean | undefined
    }
  }
}

/** What follows the prefix of an id, made by the server or by a client (contract 6). */
export const idPattern = (prefix: Ids.Prefix): string => `${prefix}_[0-9A-Za-z_-]{16,40}`

/** The id of a record, or `$` and the `client_ref` of an earlier entry of the push. */
export const reference = (prefix: Ids.Prefix) => {
  const pattern = `(${idPattern(prefix)}|\\$.+)`
  const whole = new RegExp(`^${pattern}$`)
  return Schema.String.check(
    Text.checked("invalid", `must match ${pattern}`, (text) => whole.test(text), { pattern: whole.source })
  )
}

const plain = (form: Record<string, unknown>) =>
  Text.checked("invalid", "must be as the server writes it", () => true, form)

/** The id of a record, as answers show it. */
export const id = (prefix: Ids.Prefix, description: string) =>
  Schema.String.check(plain({ pattern: `^${idPattern(prefix)}$` })).annotate({
    description,
    examples: [`${prefix}_01kq3mZ8vT4sWx7Yb2Nc5E`],
    form: "id"
  })

/** A moment: RFC 3339 in UTC, with milliseconds, as answers show it. */
export const time = (description: string) =>
  Schema.String.check(plain({ format: "date-time" })).annotate({
    description,
    examples: ["2026-03-01T12:00:00.000Z"],
    form: "time"
  })
