import { Context, Effect, Layer } from "effect"
import { BadRequest, type Unavailable } from "../Errors.ts"
import { type Filter, mentions } from "./Filter.ts"
import { parseFilter } from "./FilterParser.ts"
import { limitOf, type ListSpec, offsetOf, type Page, type PageQuery, type SortField, type SortTerm } from "./Page.ts"
import { columnsOf } from "../tables/Column.ts"
import { traced } from "../Traced.ts"
import { Database, orUnavailable } from "../database/Database.ts"
import { ExpensiveReads } from "../database/ExpensiveReads.ts"
import { termsOf } from "./FilterSql.ts"
import * as ListSql from "./ListSql.ts"
import { PageCursors } from "./PageCursors.ts"
import { findable } from "./PropertySql.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { isAsRead, versionText } from "../database/TextOrder.ts"

const idField: SortField = { sql: "id", type: "text" }

const sortOf = (spec: ListSpec, text: string): Effect.Effect<ReadonlyArray<SortTerm>, BadRequest> => {
  const names = new Set<string>()
  const terms: Array<SortTerm> = []
  for (const part of text.split(",")) {
    const descending = part.startsWith("-")
    const name = descending ? part.slice(1) : part
    const field = Object.hasOwn(spec.sorts, name) ? spec.sorts[name] : undefined
    if (field === undefined || names.has(name)) {
      return Effect.fail(
        new BadRequest({
          code: "invalid_sort",
          detail: field === undefined ? `Cannot sort by "${name.slice(0, 50)}"` : `sort names ${name} twice`,
          extra: { allowed_fields: Object.keys(spec.sorts) }
        })
      )
    }
    names.add(name)
    terms.push({ ...field, descending })
  }
  const first = Object.entries(spec.first ?? {})
    .filter(([name]) => !names.has(name))
    .map(([, term]) => term)
  return Effect.succeed([...first, ...terms, { ...idField, descending: terms.at(-1)!.descending }])
}

const filterOf = (spec: ListSpec, text: string | undefined): Effect.Effect<Filter | undefined, BadRequest> => {
  if (text === undefined) return Effect.undefined
  if (spec.filters !== undefined) return parseFilter(text, spec.filters)
  // A filter is refused rather than ignored.
  return Effect.fail(
    new BadRequest({
      code: "invalid_filter",
      detail: "This list does not accept a filter",
      extra: { position: 0, allowed_fields: [] }
    })
  )
}

/** The sort values of a row, from its JSON. */
const placeIn = (json: string, members: ReadonlyArray<string>): ReadonlyArray<string> => {
  const row = JSON.parse(json) as Record<string, unknown>
  return members.map((member) => String(row[member]))
}

const nothingHidden: NonNullable<ListSpec["hidden"]> = []
const noFields = {}

export type ListQuery = ListSql.Listed & { readonly query: PageQuery }

/** The rows of a page, and the sort values after which the next page begins. `rest`: whether there is more. */
interface Found {
  readonly items: ReadonlyArray<string>
  readonly rest: boolean
  readonly last: ReadonlyArray<unknown>
}

/** The SQL of a plain page for a list and a sort: most requests are for such pages. */
interface Made {
  readonly text: string
  readonly members: ReadonlyArray<string> | undefined
}

const maxMade = 500

/** `plain`: read directly from an index. `common`, `rare`: more expensive, requested often or seldom. */
type Kind = "plain" | "common" | "rare"

const kindOf = ({ query: { sort }, spec }: ListQuery, filter: Filter | undefined): Kind => {
  const isOne = sort?.includes(",") !== true
  const isInOrder =
    sort === undefined || sort === spec.defaultSort || spec.unindexedSorts?.includes(sort.replace(/^-/, "")) !== true
  if (isOne && isInOrder && filter === undefined) return "plain"
  return isOne && (filter === undefined || termsOf(filter) === 1) ? "common" : "rare"
}

/**
 * Reads all lists: keyset pages, with each row turned into JSON by the database. A cursor is signed, and bound to path,
 * sort, filter and workspace (contract 3).
 */
export class Lists extends Context.Service<
  Lists,
  {
    readonly page: (list: ListQuery) => Effect.Effect<Page, BadRequest | Unavailable>
    /** One record of the list by its id; undefined if there is none. */
    readonly one: <Shown extends object>(
      spec: ListSpec,
      owner: ListSql.Owner,
      id: string
    ) => Effect.Effect<Shown | undefined, Unavailable>
  }
>()("sheaf/lists/Lists") {
  static readonly layer = Layer.effect(
    Lists,
    Effect.gen(function* () {
      const { read } = yield* Database
      const heavy = yield* ExpensiveReads
      const cursors = new PageCursors(yield* Secrets)
      /** SQL texts without a filter, by what they depend on. The oldest is dropped above `maxMade`. */
      const made = new Map<string, Made>()

      /** The version of the order of text. It is read when first needed, because migrations have run by then. */
      let textOrder: string | undefined
      const boundOf = (spec: ListSpec, terms: ReadonlyArray<SortTerm>) => {
        if (!terms.some(({ sql }) => isAsRead(sql))) return Effect.succeed(spec)
        if (textOrder !== undefined) return Effect.succeed({ ...spec, textOrder })
        return Effect.map(orUnavailable(read.unsafe<{ readonly version: string }>(versionText)), ([row]) => {
          textOrder = row!.version
          return { ...spec, textOrder }
        })
      }

      const plainPageOf = (selection: ListSql.Selection, list: ListQuery, limit: number) => {
        if (selection.filter !== undefined) {
          return { ...ListSql.plainPage(selection, limit + 1), members: ListSql.keyMembers(selection) }
        }
        const sort = list.query.sort ?? ""
        const key = `${list.spec.path} ${sort} ${ListSql.plainForm(selection)} ${list.where ?? ""}`
        let known = made.get(key)
        if (known === undefined) {
          known = { text: ListSql.plainPage(selection, limit + 1).text, members: ListSql.keyMembers(selection) }
          made.set(key, known)
          if (made.size > maxMade) made.delete(made.keys().next().value!)
        }
        return { ...known, params: ListSql.plainParams(selection, limit + 1) }
      }

      /** Plain pages are read at once and stay prepared. All other reads wait for their turn. */
      const run = <Row extends object>(list: ListQuery, kind: Kind, { params, text }: ListSql.Statement) =>
        kind === "plain"
          ? orUnavailable(read.unsafe<Row>(text, params))
          : heavy.query<Row>(ListSql.ownerOf(list), text, params, kind === "common")

      /** A page whose rows need no counting of bytes; undefined when they do. */
      const plainPage = Effect.fnUntraced(function* (
        selection: ListSql.Selection,
        list: ListQuery,
        limit: number,
        kind: Kind
      ) {
        // A polled list returns a cursor with every page, also the last. The other query returns it with the rows.
        if (!ListSql.isPlain(selection) || list.spec.polled !== undefined) return undefined
        const { members, ...statement } = plainPageOf(selection, list, limit)
        const rows = yield* run<ListSql.Plain>(list, kind, statement)
        const items: Array<string> = []
        for (const { json } of rows) {
          if (json === null) return undefined
          items.push(json)
        }
        const rest = items.length > limit
        if (rest) items.pop()
        const place = () =>
          members === undefined
            ? (JSON.parse(rows[items.length - 1]!.keys!) as ReadonlyArray<string>)
            : placeIn(items.at(-1)!, members)
        const found: Found = { items, rest, last: rest ? place() : selection.values }
        return found
      })

      const filteredPage = Effect.fnUntraced(function* (
        selection: ListSql.Selection,
        list: ListQuery,
        limit: number,
        kind: Kind
      ) {
        const rows = yield* run<ListSql.Filtered>(list, kind, ListSql.filteredPage(selection, limit))
        const items: Array<string> = []
        let keys: string | undefined
        let rest = false
        for (const row of rows) {
          // The first row after the page: the examination, `limit` or the bytes ended before it.
          rest = row.is_beyond || (row.matches && (items.length === limit || row.json === null))
          if (rest) break
          if (row.json !== null) items.push(row.json)
          keys = row.keys
        }
        const found: Found = {
          items,
          rest,
          last: keys === undefined ? selection.values : (JSON.parse(keys) as ReadonlyArray<string>)
        }
        return found
      })

      /** The sort values before version 1's `page`; undefined when the list ends earlier. */
      const placeOf = Effect.fnUntraced(function* (selection: ListSql.Selection, list: ListQuery, offset: number) {
        const [row] = yield* run<{ readonly keys: string; readonly is_beyond: boolean }>(
          list,
          "rare",
          ListSql.skipped(selection, offset)
        )
        if (row?.is_beyond === true) {
          return yield* new BadRequest({
            code: "invalid_parameter",
            detail: "page cannot reach this far with a filter that matches few rows: use cursor"
          })
        }
        return row === undefined ? undefined : (JSON.parse(row.keys) as ReadonlyArray<string>)
      })

      /** The first condition on a property that no more values meet than rows are examined for a page. */
      const fewOf = Effect.fnUntraced(function* (list: ListQuery, filter: Filter) {
        const owner = ListSql.ownerOf(list)
        const conditions = findable(owner, filter, list.spec.filters ?? noFields, ListSql.maxExamined + 1)
        for (const { condition, params, text } of conditions) {
          const [row] = yield* heavy.query<{ readonly found: number }>(owner, text, params, true)
          if (row!.found <= ListSql.maxExamined) return condition
        }
        return undefined
      })

      const page = traced("Lists.page")(function* (list: ListQuery) {
        const { query, spec } = list
        const owner = list.within === undefined ? ListSql.ownerOf(list) : `${ListSql.ownerOf(list)} ${list.within}`
        const limit = yield* limitOf(query.limit ?? query.per_page)
        const offset = yield* offsetOf(query, limit)
        const terms = yield* sortOf(spec, query.sort ?? spec.defaultSort)
        const bound = yield* boundOf(spec, terms)
        const filter = yield* filterOf(spec, query.filter)
        const conditions = (spec.hidden ?? nothingHidden)
          .filter(({ shownBy }) => filter === undefined || !shownBy.some((field) => mentions(filter, field)))
          .map(({ condition }) => condition)
        let selection: ListSql.Selection = {
          listed: list,
          terms,
          values: query.cursor === undefined ? [] : yield* cursors.read(bound, query, owner, query.cursor),
          filter,
          fields: spec.filters ?? noFields,
          conditions,
          few: filter === undefined ? undefined : yield* fewOf(list, filter)
        }
        if (offset > 0) {
          const values = yield* placeOf(selection, list, offset)
          if (values === undefined) return { items: [], has_more: false, next_cursor: null }
          selection = { ...selection, values }
        }
        const kind = kindOf(list, filter)
        // Bytes are counted where rows may have megabytes: no other client's read waits behind such a page.
        const { items, last, rest } =
          (yield* plainPage(selection, list, limit, kind)) ??
          (yield* filteredPage(selection, list, limit, kind === "plain" && spec.polled === undefined ? "common" : kind))
        const isPolled = spec.polled !== undefined && query.sort === spec.polled
        return {
          items,
          has_more: rest,
          // For an empty page, the position of the request.
          next_cursor: rest || isPolled ? cursors.make(bound, query, owner, last) : null
        }
      })

      const one = <Shown extends object>(spec: ListSpec, owner: ListSql.Owner, id: string) => {
        // A record that no filter of the list shows, as one in the trash, is not there.
        const shown = (spec.hidden ?? nothingHidden).filter(({ shownBy }) => shownBy.length === 0)
        const conditions = [ListSql.ownedBy(owner), "id = $2", ...shown.map(({ condition }) => condition)]
        return Effect.map(
          orUnavailable(
            read.unsafe<Shown>(`SELECT ${columnsOf(spec.shape)} FROM ${spec.from} WHERE ${conditions.join(" AND ")}`, [
              ListSql.ownerOf(owner),
              id
            ])
          ),
          (rows) => rows[0]
        )
      }

      return Lists.of({ page, one })
    })
  )
}
