import { Cache, Clock, Context, Effect, Layer, Metric } from "effect"
import { RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import { BadRequest, Invalid, type Unavailable } from "../Errors.ts"
import { NoteProperties } from "../contents/NoteProperties.ts"
import { propertySortOf } from "../contents/PropertySort.ts"
import { anyProperty } from "../lists/Filter.ts"
import { nameKey } from "../notes/tags/Tag.ts"
import { spanOf } from "../lists/FilterValue.ts"
import { limitOf } from "../lists/Page.ts"
import { PageCursors } from "../lists/PageCursors.ts"
import { Principal } from "../Principal.ts"
import { Database, runSql } from "../database/Database.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { traced } from "../Traced.ts"
import type { Filters } from "./engine/query/Filters.ts"
import { TAG } from "./engine/query/TypedTag.ts"
import { maxQuery, searchFields, type SearchRequest, type Suggestion } from "./SearchResult.ts"
import { SearchThread } from "./SearchThread.ts"
import { aliasSuggestions } from "./AliasSuggestions.ts"

export interface Suggestions {
  readonly data: ReadonlyArray<Suggestion>
  readonly has_more: false
  readonly next_cursor: null
  readonly query: string
  readonly took_ms: number
}

const maxSuggestions = 10
const partials = Metric.counter("sheaf_search_partial_total", {
  description: "Searches of workspaces that are not indexed as a whole",
  incremental: true
})
const partialWarning = "a search has covered only the newest notes of a workspace: see SEARCH_MEMORY"
/** Maximum number of workspaces whose warnings are remembered. */
const maxWarned = 1_000

/** The list that cursors are bound to. */
const list = { path: "/search", defaultSort: "relevance" }

const isField = (name: string): name is (typeof searchFields)[number] => searchFields.some((field) => field === name)

/**
 * The bound of a filter, from an RFC 3339 time or a date (contract 8). The time itself, or the whole day of a date, is
 * included; but `before` a date excludes its day.
 */
const boundOf = (field: string, text: string | undefined, kind: "after" | "before" | "to") => {
  if (text === undefined) return Effect.succeed(undefined)
  const span = spanOf(text)
  if (span === undefined) {
    return Effect.fail(Invalid.field(field, "invalid_timestamp", "must be an RFC 3339 timestamp or a date"))
  }
  const isDate = text.length === "2026-03-01".length
  const millis = Date.parse(kind === "after" || (kind === "before" && isDate) ? span.from : span.until)
  // No time follows the last possible day.
  return Effect.succeed(Number.isNaN(millis) ? Infinity : millis)
}

/** Full-text search over titles, bodies and tags (contract 8). */
export class Search extends Context.Service<
  Search,
  {
    /** The JSON of a `SearchResult`. */
    readonly search: (request: SearchRequest) => Effect.Effect<string, BadRequest | Invalid | Unavailable, Principal>
    readonly suggest: (
      prefix: string | undefined,
      limit: string | undefined
    ) => Effect.Effect<Suggestions, BadRequest | Unavailable, Principal>
  }
>()("sheaf/search/Search") {
  static readonly layer = Layer.effect(
    Search,
    Effect.gen(function* () {
      const { read } = yield* Database
      const thread = yield* SearchThread
      const properties = yield* NoteProperties
      const cursors = new PageCursors(yield* Secrets)
      yield* Metric.update(partials, 0)
      const semaphore = new RoundRobinSemaphore({
        permits: 16,
        permitsPerKey: 2,
        maxWaiting: 500,
        maxWaitingPerKey: 64,
        detail: "Too many searches are waiting"
      })

      /** Logs once an hour that a workspace has outgrown the memory. */
      const warnings = yield* Cache.make({
        capacity: maxWarned,
        timeToLive: "1 hour",
        lookup: (workspace_id: string) => Effect.annotateLogs(Effect.logWarning(partialWarning), { workspace_id })
      })

      /** The ids of a notebook and, with `withSubnotebooks`, of all notebooks inside it. */
      const notebooksOf = (workspace_id: string, notebook_id: string, withSubnotebooks: boolean) =>
        runSql<{ id: string }>(
          read,
          withSubnotebooks
            ? `WITH RECURSIVE inside AS (
                SELECT id FROM notebooks WHERE workspace_id = $1 AND id = $2
                UNION SELECT n.id FROM notebooks n JOIN inside i ON n.parent_id = i.id WHERE n.workspace_id = $1
              ) SELECT id FROM inside`
            : "SELECT id FROM notebooks WHERE workspace_id = $1 AND id = $2",
          [workspace_id, notebook_id]
        ).pipe(Effect.map((rows) => new Set(rows.map((row) => row.id))))

      const filtersOf = Effect.fnUntraced(function* (workspace_id: string, request: SearchRequest) {
        const given = { ...request.filters, ...request }
        const filters: Filters = {
          tags: given.tags?.map(nameKey),
          tags_match: given.tags_match ?? "all",
          created_after: yield* boundOf("created_after", given.created_after, "after"),
          created_before: yield* boundOf("created_before", given.created_before, "before"),
          updated_after: yield* boundOf("updated_after", given.updated_after ?? given.date_from, "after"),
          updated_before:
            given.updated_before === undefined
              ? yield* boundOf("date_to", given.date_to, "to")
              : yield* boundOf("updated_before", given.updated_before, "before"),
          archived: given.archived === undefined ? false : given.archived,
          notebook_ids:
            given.notebook_id === undefined
              ? undefined
              : yield* notebooksOf(workspace_id, given.notebook_id, given.include_subnotebooks ?? true)
        }
        return filters
      })

      const orderOf = Effect.fnUntraced(function* (sort: string | undefined) {
        if (sort === undefined || sort === "relevance") return undefined
        const property = propertySortOf(sort)
        if (property?.others === "") return property
        const name = sort.replace(/^-/, "")
        if (!isField(name)) {
          return yield* new BadRequest({
            code: "invalid_sort",
            detail: `Cannot sort by "${name.slice(0, 50)}"`,
            extra: { allowed_fields: ["relevance", ...searchFields, anyProperty] }
          })
        }
        return { by: name, descending: sort.startsWith("-") }
      })

      const search = traced("Search.search")(function* (request: SearchRequest) {
        const { reach, workspace_id } = yield* Principal
        const scope = { workspace_id, reach }
        const begun = yield* Clock.currentTimeMillis
        const limit = yield* limitOf(request.limit === undefined ? undefined : String(request.limit), {
          max: 100,
          fallback: 20
        })
        const order = yield* orderOf(request.sort)
        // The cursor contains the number of hits before its page, and is bound to the rest of the request.
        const { cursor, limit: _, ...asked } = request
        const bound = { sort: request.sort ?? "", filter: JSON.stringify(asked) }
        const offset = cursor == null ? 0 : Number((yield* cursors.read(list, bound, workspace_id, cursor))[0])
        const filters = yield* filtersOf(workspace_id, request)
        const byProperty = order !== undefined && "others" in order ? order : undefined
        const filter = request.filter?.trim() === "" ? undefined : request.filter
        const run = Effect.gen(function* () {
          // The ids may be megabytes: only searches that run hold them.
          const ids =
            filter === undefined && byProperty === undefined
              ? undefined
              : yield* properties.matching(filter, byProperty)
          return yield* thread.run({
            kind: "search",
            scope,
            query: request.query,
            filters,
            named:
              ids === undefined
                ? undefined
                : { ids, isFilter: filter !== undefined, isOrder: byProperty !== undefined },
            order: order !== undefined && "by" in order ? order : undefined,
            offset,
            limit,
            explain: request.explain ?? false
          })
        })
        const { hits, partial, suggestion, total } = yield* semaphore.withPermit(workspace_id, run)
        if (partial !== undefined) yield* Metric.update(partials, 1)
        if (partial === "limited") yield* Cache.get(warnings, workspace_id)
        const has_more = offset + limit < total
        const rest = JSON.stringify({
          total,
          took_ms: (yield* Clock.currentTimeMillis) - begun,
          suggestion,
          partial: partial === undefined ? undefined : true,
          has_more,
          next_cursor: has_more ? cursors.make(list, bound, workspace_id, [offset + limit]) : null
        })
        return `{"query":${JSON.stringify(request.query)},"hits":${hits},${rest.slice(1)}`
      })

      const suggest = traced("Search.suggest")(function* (prefix: string | undefined, limitText: string | undefined) {
        const { reach, workspace_id } = yield* Principal
        const scope = { workspace_id, reach }
        const begun = yield* Clock.currentTimeMillis
        if (prefix === undefined || prefix.trim() === "") {
          return yield* new BadRequest({ code: "invalid_parameter", detail: "q is required: the prefix to complete" })
        }
        const limit = Math.min(yield* limitOf(limitText, { max: 100, fallback: maxSuggestions }), maxSuggestions)
        const typed = prefix.slice(0, maxQuery)
        const found = yield* semaphore.withPermit(
          workspace_id,
          thread.run({ kind: "suggest", scope, prefix: typed, limit })
        )
        const aliases = TAG.test(typed) ? [] : yield* aliasSuggestions(read, workspace_id, typed, limit)
        const names = found.filter((each) => each.type === "tag").map((each) => nameKey(each.text))
        const tags =
          names.length === 0
            ? []
            : yield* runSql<{ id: string; name_key: string }>(
                read,
                "SELECT id, name_key FROM tags WHERE workspace_id = $1 AND name_key = ANY($2::text[])",
                [workspace_id, names]
              )
        const idOf = new Map(tags.map((tag) => [tag.name_key, tag.id]))
        const others: ReadonlyArray<Suggestion> = found
          .map((each) => (each.type === "tag" ? { ...each, id: idOf.get(nameKey(each.text)) ?? "" } : each))
          .filter((each) => each.id !== "")
        const places = Math.max(Math.floor(limit / 3), limit - others.length)
        const shown = aliases.slice(0, places)
        return {
          data: [...others.slice(0, limit - shown.length), ...shown],
          has_more: false as const,
          next_cursor: null,
          query: prefix,
          took_ms: (yield* Clock.currentTimeMillis) - begun
        }
      })

      return Search.of({ search, suggest })
    })
  )
}
