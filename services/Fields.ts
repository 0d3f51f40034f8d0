import { Schema } from "effect"
import type * as Ids from "./Ids.ts"
import * as Text from "./Text.ts"

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      /** The text needs no escapes in JSON, so that the database may put it between quotes as it is. */
      readonly isPlain?: boolean | undefined
    }
  }
}

/** What follows the prefix of an id, made by the server or by a client (contract 6). */
export const idPattern = (prefix: Ids.Prefix): string => `${prefix}_[0-9A-Za-z_-]{16,40}`

const plain = (form: Record<string, unknown>) =>
  Text.checked("invalid", "must be as the server writes it", () => true, form)

/** The id of a record, as answers show it. */
export const id = (prefix: Ids.Prefix, description: string) =>
  Schema.String.check(plain({ pattern: `^${idPattern(prefix)}$` })).annotate({
    description,
    examples: [`${prefix}_01kq3mZ8vT4sWx7Yb2Nc5E`],
    isPlain: true
  })

/** A moment: RFC 3339 in UTC, with milliseconds, as answers show it. */
export const time = (description: string) =>
  Schema.String.check(plain({ format: "date-time" })).annotate({
    description,
    examples: ["2026-03-01T12:00:00.000Z"],
    isPlain: true
  })
