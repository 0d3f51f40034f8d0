import { Effect, Schema } from "effect"
import { BadRequest } from "./Errors.ts"

/** The four query parameters of a list, and version 1's two, as they stand in the address. */
export const PageQuery = {
  limit: Schema.optionalKey(Schema.String),
  cursor: Schema.optionalKey(Schema.String),
  sort: Schema.optionalKey(Schema.String),
  filter: Schema.optionalKey(Schema.String)
}
const Query = Schema.Struct(PageQuery)
export type PageQuery = typeof Query.Type

/** A list answer. `items`: each as the JSON that the database made, in UTF-8. */
export interface Page {
  readonly items: ReadonlyArray<Uint8Array>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

/** A field that a list can be sorted by: the expression, and the type that its cursor value is cast to. */
export interface SortField {
  readonly sql: string
  readonly type: "text" | "int" | "boolean"
}

export interface SortTerm extends SortField {
  readonly descending: boolean
}

/** What a resource offers its lists. `id` always ends the order. */
export interface ListSpec {
  readonly path: string
  readonly sorts: Readonly<Record<string, SortField>>
  readonly defaultSort: string
  /** Terms that come first unless the sort names them. */
  readonly first?: Readonly<Record<string, SortTerm>>
}

/** `limit`, or 400 `invalid_limit`. */
export const limitOf = (text: string | undefined, options = { max: 100, fallback: 25 }) => {
  if (text === undefined) return Effect.succeed(options.fallback)
  const limit = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= options.max
    ? Effect.succeed(limit)
    : Effect.fail(
      new BadRequest({ code: "invalid_limit", detail: `limit must be a whole number from 1 to ${options.max}` })
    )
}
