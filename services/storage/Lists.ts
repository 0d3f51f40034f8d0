import { Context, Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { BadRequest, type Unavailable } from "../Errors.ts"
import { limitOf, type ListSpec, type Page, type PageQuery, type SortField, type SortTerm } from "../Page.ts"
import { traced } from "../Traced.ts"
import { Database, orUnavailable } from "./Database.ts"
import { rowJson } from "./RowJson.ts"
import { Secrets, signatureLength } from "./Secrets.ts"

const idField: SortField = { sql: "id", type: "text" }

const sortOf = Effect.fnUntraced(function*(spec: ListSpec, text: string | undefined) {
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

interface Row {
  readonly json: Uint8Array
  /** The page ends here, whatever comes after. */
  readonly is_full: boolean
  /** The values that the next page goes on from: of the last row that is shown. */
  readonly keys: string | null
}

/** A page may end early at so many bytes (contract 3). */
const maxPageBytes = 4 * 1024 * 1024

export interface ListQuery {
  readonly spec: ListSpec
  readonly query: PageQuery
  readonly workspace_id: string
  readonly table: string
  /** The members of the answer, in their order. */
  readonly columns: ReadonlyArray<string>
  /** Further conditions; their parameters are numbered from $2. */
  readonly where?: string
  readonly params?: ReadonlyArray<unknown>
  /** The size of a row, where rows can be large. */
  readonly size?: string
}

/**
 * The one way that lists are read: keyset pages, each row turned to JSON by the database. A cursor is signed, and bound
 * to path, sort, filter and workspace (contract 3).
 */
export class Lists extends Context.Service<Lists, {
  readonly page: (list: ListQuery) => Effect.Effect<Page, BadRequest | Unavailable>
}>()("sheaf/storage/Lists") {
  static readonly layer = Layer.effect(
    Lists,
    Effect.gen(function*() {
      const { read } = yield* Database
      const secrets = yield* Secrets

      const page = traced("Lists.page")(function*(list: ListQuery) {
        const { query, spec, workspace_id } = list
        const limit = yield* limitOf(query.limit)
        if (query.filter !== undefined) {
          // Better refused than not heeded.
          return yield* new BadRequest({
            code: "invalid_filter",
            detail: "This list takes no filter",
            extra: { position: 0, allowed_fields: [] }
          })
        }
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
            return yield* new BadRequest({
              code: "invalid_cursor",
              detail: "cursor is not one that this server issued"
            })
          }
          if (!data.subarray(0, 8).equals(binding)) {
            return yield* new BadRequest({
              code: "cursor_mismatch",
              detail: "cursor belongs to another list, sort, filter or workspace"
            })
          }
          values = JSON.parse(data.subarray(8).toString()) as ReadonlyArray<string>
        }
        const params = [workspace_id, ...(list.params ?? [])]
        const conditions = [
          "workspace_id = $1",
          ...(list.where === undefined ? [] : [list.where]),
          ...(values.length === 0 ? [] : [after(terms, params.length + 1)])
        ]
        const order = terms.map((term) => `${term.sql} ${term.descending ? "DESC" : "ASC"}`).join(", ")
        const names = terms.map((_, index) => `key_${index}`)
        const { size } = list
        const until = size === undefined
          ? "0 AS until"
          : "sum(size) OVER (ROWS UNBOUNDED PRECEDING) AS until"
        const rows = yield* orUnavailable(read.unsafe<Row>(
          `SELECT convert_to(${rowJson("k", list.columns)}, 'UTF8') AS json, k.until >= ${maxPageBytes} AS is_full,
            CASE WHEN place = ${limit} OR k.until >= ${maxPageBytes} THEN to_json(ARRAY[${names.join(", ")}])::text END AS keys
          FROM (
            SELECT i.*, row_number() OVER (ROWS UNBOUNDED PRECEDING) AS place, ${until}
            FROM (
              SELECT ${list.columns.join(", ")}, ${
            terms.map((term, index) => `(${term.sql})::text AS ${names[index]}`).join(", ")
          }${size === undefined ? "" : `, ${size} AS size`}
              FROM ${list.table} WHERE ${conditions.join(" AND ")} ORDER BY ${order} LIMIT ${limit + 1}
            ) i
          ) k ${size === undefined ? "" : `WHERE k.until - k.size < ${maxPageBytes}`}`,
          [...params, ...values]
        ))
        const shown = rows.slice(0, limit)
        // One more than asked for was found, or the page ended early.
        const has_more = rows.length > limit || shown.at(-1)?.is_full === true
        return {
          items: shown.map((row) => row.json),
          has_more,
          next_cursor: has_more ? cursorFor(JSON.parse(shown.at(-1)!.keys!) as ReadonlyArray<string>) : null
        }
      })

      return Lists.of({ page })
    })
  )
}
