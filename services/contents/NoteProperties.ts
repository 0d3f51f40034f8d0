import { Context, Effect, Layer } from "effect"
import { ExpensiveReads } from "../database/ExpensiveReads.ts"
import { type BadRequest, Invalid, type Unavailable } from "../Errors.ts"
import { anyProperty, type Filter } from "../lists/Filter.ts"
import { parseFilter } from "../lists/FilterParser.ts"
import { limitOf, type Page } from "../lists/Page.ts"
import { PageCursors } from "../lists/PageCursors.ts"
import { valueRows } from "../lists/PropertySql.ts"
import { propertyField } from "../notes/NoteTable.ts"
import { Principal } from "../Principal.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { traced } from "../Traced.ts"
import { Contents } from "./Contents.ts"
import { keyDigits, maxCounted, type NoteProperty } from "./Property.ts"
import { isFirstValue, type PropertySort } from "./PropertySort.ts"

/** Maximum number of notes whose ids a search is given. */
const maxMatching = 100_000

const fields = { [anyProperty]: propertyField }

/** The ids of notes that match a filter over properties: sets from indexes. */
const idsOf = (filter: Filter, bind: (value: unknown, type: string) => string): string => {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.filters
        .map((each) => `(${idsOf(each, bind)})`)
        .join(filter.kind === "and" ? " INTERSECT " : " UNION ")
    case "not":
      return `SELECT note_id FROM note_contents WHERE workspace_id = $1 EXCEPT (${idsOf(filter.filter, bind)})`
    case "words":
      throw new Error("no property is searched for words")
    default:
      return `SELECT p.note_id FROM ${valueRows(filter, fields, bind)}`
  }
}

/** Goes from name to name by the index: the cost does not depend on the number of notes. */
const namesText = `WITH RECURSIVE names AS (
    (SELECT name_key FROM note_properties WHERE workspace_id = $1 AND name_key > $2 ORDER BY name_key LIMIT 1)
    UNION ALL
    SELECT (SELECT p.name_key FROM note_properties p WHERE p.workspace_id = $1 AND p.name_key > n.name_key
      ORDER BY p.name_key LIMIT 1) FROM names n WHERE n.name_key IS NOT NULL
  )
  SELECT n.name_key,
    (SELECT p.name FROM note_properties p WHERE p.workspace_id = $1 AND p.name_key = n.name_key
      ORDER BY p.note_id, p.ordinal LIMIT 1) AS name,
    ${Object.entries(keyDigits)
      .map(
        ([type, digit]) => `EXISTS (SELECT FROM note_properties p WHERE p.workspace_id = $1 AND p.name_key = n.name_key
      AND p.value >= '${digit}' AND p.value < '${digit + 1}' OFFSET 0) AS "${type}"`
      )
      .join(", ")},
    (SELECT count(*) FROM (SELECT FROM note_properties p WHERE p.workspace_id = $1 AND p.name_key = n.name_key
      AND p.ordinal = 0 LIMIT ${maxCounted}) counted)::int AS notes
  FROM names n WHERE n.name_key IS NOT NULL LIMIT $3::int`

interface NameRow extends Readonly<Record<keyof typeof keyDigits, boolean>> {
  readonly name_key: string
  readonly name: string
  readonly notes: number
}

/** The list to which cursors of names are bound. */
const nameList = { path: "/properties", defaultSort: "name" }
const unfiltered = { sort: "", filter: "" }

/** The properties in the front matter of notes (contract 5, Contents of notes). */
export class NoteProperties extends Context.Service<
  NoteProperties,
  {
    /** The names, with the types of their values: the items are JSON of `NoteProperty`. */
    readonly list: (query: {
      readonly limit?: string
      readonly cursor?: string
    }) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    /** The ids of notes that match a filter, or have the property of the sort, in its order and separated by spaces. */
    readonly matching: (
      filter: string | undefined,
      sort: PropertySort | undefined
    ) => Effect.Effect<string, BadRequest | Invalid | Unavailable, Principal>
  }
>()("sheaf/contents/NoteProperties") {
  static readonly layer = Layer.effect(
    NoteProperties,
    Effect.gen(function* () {
      const heavy = yield* ExpensiveReads
      const contents = yield* Contents
      const cursors = new PageCursors(yield* Secrets)

      return NoteProperties.of({
        list: traced("NoteProperties.list")(function* (query) {
          const { workspace_id } = yield* Principal
          const limit = yield* limitOf(query.limit)
          const [after] =
            query.cursor === undefined ? [""] : yield* cursors.read(nameList, unfiltered, workspace_id, query.cursor)
          yield* contents.catchUp(workspace_id)
          const rows = yield* heavy.query<NameRow>(workspace_id, namesText, [workspace_id, after, limit + 1], true)
          const has_more = rows.length > limit
          const shown = rows.slice(0, limit)
          return {
            items: shown.map(({ name, name_key: _, notes, ...has }) => {
              const types = (Object.keys(keyDigits) as ReadonlyArray<keyof typeof keyDigits>).filter(
                (type) => has[type]
              )
              return JSON.stringify({ name, types, notes } satisfies NoteProperty)
            }),
            has_more,
            next_cursor: has_more ? cursors.make(nameList, unfiltered, workspace_id, [shown.at(-1)!.name_key]) : null
          }
        }),
        matching: traced("NoteProperties.matching")(function* (text, sort) {
          const { workspace_id } = yield* Principal
          const filter = text === undefined ? undefined : yield* parseFilter(text, fields)
          yield* contents.catchUp(workspace_id)
          // $2 is the name of the property to sort by.
          const params: Array<unknown> = [workspace_id, ...(sort === undefined ? [] : [sort.name])]
          const bind = (value: unknown, type: string) => `$${params.push(value)}::${type}`
          const values = `note_properties p ${filter === undefined ? "WHERE" : "ON p.note_id = m.note_id AND"} ${isFirstValue}`
          const ids = filter === undefined ? "" : `(${idsOf(filter, bind)}) m`
          const found =
            sort === undefined
              ? `SELECT m.note_id FROM ${ids}`
              : filter === undefined
                ? `SELECT p.note_id, p.value FROM ${values}`
                : `SELECT m.note_id, p.value FROM ${ids} LEFT JOIN ${values}`
          const order =
            sort === undefined ? "" : `ORDER BY value ${sort.descending ? "DESC" : "ASC"} NULLS LAST, note_id`
          const [row] = yield* heavy.query<{ readonly ids: string; readonly found: number }>(
            workspace_id,
            `SELECT coalesce(string_agg(note_id, ' ' ${order}), '') AS ids, count(*)::int AS found
              FROM (${found} LIMIT ${maxMatching + 1}) found`,
            params
          )
          if (row!.found <= maxMatching) return row!.ids
          const [field, matches] = filter === undefined ? ["sort", "has a property of"] : ["filter", "matches"]
          return yield* Invalid.field(field, "too_many", `${matches} more than ${maxMatching} notes: narrow the filter`)
        })
      })
    })
  )
}
