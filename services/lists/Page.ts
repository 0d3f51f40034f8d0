import { Effect, Schema } from "effect"
import { BadRequest } from "../Errors.ts"
import type { Shape } from "../tables/Column.ts"
import type { FilterFields } from "./Filter.ts"

/** The four query parameters of a list, and version 1's two, as they are in the URL. */
export const PageQuery = {
  limit: Schema.optionalKey(Schema.String),
  cursor: Schema.optionalKey(Schema.String),
  sort: Schema.optionalKey(Schema.String),
  filter: Schema.optionalKey(Schema.String),
  per_page: Schema.optionalKey(Schema.String),
  page: Schema.optionalKey(Schema.String)
}
const Query = Schema.Struct(PageQuery)
export type PageQuery = typeof Query.Type

/**
 * A page of a list. `items`: each is the JSON that the database made. They are strings, because buffers are outside of
 * V8's heap: many small ones trigger its garbage collector so often that it took a third of a list's time.
 */
export interface Page {
  readonly items: ReadonlyArray<string>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

/**
 * A field that a list can be sorted by: the expression, and the type that its cursor value is cast to. It must never be
 * null: use `coalesce` for a column that can be absent.
 */
export interface SortField {
  readonly sql: string
  readonly type: "text" | "int" | "bigint" | "boolean"
}

export interface SortTerm extends SortField {
  readonly descending: boolean
}

/** The lists of a resource. `id` always ends the order. */
export interface ListSpec {
  readonly path: string
  /** The table, or the rows of a query in parentheses; it has a `workspace_id`. */
  readonly from: string
  /** The members of a listed record. */
  readonly shape: Shape
  /** The bytes of a row, where rows can be large. */
  readonly size?: string
  /** Whether the members of a large row are small: its bytes then count where rows are examined, and not for the page. */
  readonly isBrief?: true
  readonly sorts: Readonly<Record<string, SortField>>
  readonly defaultSort: string
  /** Terms that come first unless the sort names them. */
  readonly first?: Readonly<Record<string, SortTerm>>
  /** Whether cursors are encrypted, and of one length: the place in the list shows what the caller may not read. */
  readonly isSealed?: true
  /** The sort in which `next_cursor` is never null: rows that are added later come after all existing rows. */
  readonly polled?: string
  /** Orders without an index: all rows, which are few, are sorted. */
  readonly unindexedSorts?: ReadonlyArray<string>
  /** Fields with the index `few`, and the columns by which that index has the rows in order. */
  readonly within?: Readonly<Record<string, ReadonlyArray<string>>>
  /** The fields of its filter. A list without them takes no filter. */
  readonly filters?: FilterFields
  /** Conditions that hold unless the filter mentions one of the fields. */
  readonly hidden?: ReadonlyArray<{ readonly condition: string; readonly shownBy: ReadonlyArray<string> }>
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

/** Maximum offset of version 1's `page`. Cursors reach further. */
const maxOffset = 10_000

/** The number of rows before version 1's `page`, which counts from 1. */
export const offsetOf = ({ cursor, page }: PageQuery, limit: number) => {
  if (page === undefined) return Effect.succeed(0)
  const refuse = (detail: string) => Effect.fail(new BadRequest({ code: "invalid_parameter", detail }))
  if (cursor !== undefined) return refuse("page and cursor exclude each other: continue with cursor alone")
  const number = /^[0-9]{1,6}$/.test(page) ? Number(page) : 0
  if (number < 1 || number * limit > maxOffset) {
    return refuse(
      `page must be a whole number from 1, and page times limit at most ${maxOffset}: use cursor for later pages`
    )
  }
  return Effect.succeed((number - 1) * limit)
}
