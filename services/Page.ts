import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { BadRequest } from "./Errors.ts"
import { Secrets, signatureLength } from "./storage/Secrets.ts"

/** The four query parameters of a list, and version 1's two, as they stand in the address. */
export const PageQuery = {
  limit: Schema.optionalKey(Schema.String),
  cursor: Schema.optionalKey(Schema.String),
  sort: Schema.optionalKey(Schema.String),
  filter: Schema.optionalKey(Schema.String)
}
const Query = Schema.Struct(PageQuery)
export type PageQuery = typeof Query.Type

/** A list answer: its resources as the JSON texts that the database made. */
export interface Page {
  readonly items: ReadonlyArray<string>
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

const idField: SortField = { sql: `id COLLATE "C"`, type: "text" }

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

const sortOf = (spec: ListSpec, text: string | undefined): Effect.Effect<ReadonlyArray<SortTerm>, BadRequest> =>
  Effect.gen(function*() {
    const names = new Set<string>()
    const terms: Array<SortTerm> = []
    for (const part of (text ?? spec.defaultSort).split(",")) {
      const descending = part.startsWith("-")
      const name = descending ? part.slice(1) : part
      const field = Object.hasOwn(spec.sorts, name) ? spec.sorts[name] : undefined
      if (field === undefined || names.has(name)) {
        return yield* new BadRequest({
          code: "invalid_sort",
          detail: field === undefined ? `Cannot sort by "${name.slice(0, 50)}"` : `sort names ${name} twice`,
          extra: { allowed_fields: Object.keys(spec.sorts) }
        })
      }
      names.add(name)
      terms.push({ ...field, descending })
    }
    const first = Object.entries(spec.first ?? {}).filter(([name]) => !names.has(name)).map(([, term]) => term)
    return [...first, ...terms, { ...idField, descending: terms.at(-1)!.descending }]
  })

/** The condition that rows come after the cursor's: row by row where all terms go one way, else term by term. */
const after = (terms: ReadonlyArray<SortTerm>, firstParam: number): string => {
  const value = (index: number) => `$${firstParam + index}::${terms[index]!.type}`
  if (terms.every((term) => term.descending === terms[0]!.descending)) {
    return `(${terms.map((term) => term.sql).join(", ")}) ${terms[0]!.descending ? "<" : ">"} (${
      terms.map((_, index) => value(index)).join(", ")
    })`
  }
  const alternatives = terms.map((term, index) =>
    [
      ...terms.slice(0, index).map((equal, place) => `${equal.sql} = ${value(place)}`),
      `${term.sql} ${term.descending ? "<" : ">"} ${value(index)}`
    ].join(" AND ")
  )
  return `(${alternatives.map((each) => `(${each})`).join(" OR ")})`
}

export interface Plan {
  readonly limit: number
  readonly order: string
  readonly keys: ReadonlyArray<string>
  readonly after: string | undefined
  readonly values: ReadonlyArray<string>
  readonly cursorFor: (values: ReadonlyArray<string>) => string
}

/**
 * Reads the parameters of a list into what its query needs. A cursor is signed and bound to path, sort, filter and
 * workspace (contract 3). `firstParam`: the number of the first free parameter of the query.
 */
export const plan = (
  spec: ListSpec,
  query: PageQuery,
  workspace_id: string,
  firstParam: number
): Effect.Effect<Plan, BadRequest, Secrets> =>
  Effect.gen(function*() {
    const secrets = yield* Secrets
    const limit = yield* limitOf(query.limit)
    const terms = yield* sortOf(spec, query.sort)
    const binding = createHash("sha256").update(
      JSON.stringify([spec.path, query.sort ?? null, query.filter ?? null, workspace_id])
    ).digest().subarray(0, 8)
    const cursorFor = (values: ReadonlyArray<string>): string => {
      const data = Buffer.concat([binding, Buffer.from(JSON.stringify(values))])
      return Buffer.concat([secrets.sign("page-cursor", data), data]).toString("base64url")
    }
    let values: ReadonlyArray<string> = []
    if (query.cursor !== undefined) {
      const bytes = query.cursor.length <= 2048 ? Buffer.from(query.cursor, "base64url") : Buffer.alloc(0)
      const data = bytes.subarray(signatureLength)
      if (data.length < 8 || !secrets.verify("page-cursor", data, bytes.subarray(0, signatureLength))) {
        return yield* new BadRequest({ code: "invalid_cursor", detail: "cursor is not one that this server issued" })
      }
      if (!data.subarray(0, 8).equals(binding)) {
        return yield* new BadRequest({
          code: "cursor_mismatch",
          detail: "cursor belongs to another list, sort, filter or workspace"
        })
      }
      values = JSON.parse(data.subarray(8).toString()) as ReadonlyArray<string>
    }
    return {
      limit,
      order: terms.map((term) => `${term.sql} ${term.descending ? "DESC" : "ASC"}`).join(", "),
      keys: terms.map((term) => term.sql),
      after: values.length === 0 ? undefined : after(terms, firstParam),
      values,
      cursorFor
    }
  })

/** A page may end early at so many bytes (contract 3). */
export const maxPageBytes = 4 * 1024 * 1024

/** Turns `limit + 1` rows at most, each with its JSON and its key values, into a page. */
export const pageOf = (
  plan: Pick<Plan, "limit" | "cursorFor">,
  rows: ReadonlyArray<{ readonly json: string; readonly keys: ReadonlyArray<string> }>,
  endedEarly = false
): Page => {
  const shown = rows.slice(0, plan.limit)
  const has_more = rows.length > plan.limit || endedEarly
  return {
    items: shown.map((row) => row.json),
    has_more,
    next_cursor: has_more ? plan.cursorFor(shown.at(-1)!.keys) : null
  }
}
