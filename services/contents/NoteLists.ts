import { Context, Effect, Layer } from "effect"
import { BadRequest, type Unavailable } from "../Errors.ts"
import { Lists } from "../lists/Lists.ts"
import { limitOf, type ListSpec, type Page, type PageQuery } from "../lists/Page.ts"
import { excerptOf } from "../notes/Excerpt.ts"
import type { NoteSummary } from "../notes/Note.ts"
import { listFor, summaryListFor } from "../notes/NoteTable.ts"
import { Principal } from "../Principal.ts"
import { traced } from "../Traced.ts"
import { Contents } from "./Contents.ts"
import { isOnProperties, partsOf, type PropertySort, propertySortOf } from "./PropertySort.ts"

/** Precedes the cursors of the second part of a list. */
const secondPart = "~"

const noOffset = new BadRequest({
  code: "invalid_parameter",
  detail: "page cannot be used in the order of a property: use cursor"
})

/** The lists of notes (contract 3). If a filter or sort names a property, all properties are read from the texts first. */
export class NoteLists extends Context.Service<
  NoteLists,
  {
    readonly notes: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    /** The same list with excerpts instead of bodies: the items are JSON of `NoteSummary`. */
    readonly summaries: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
  }
>()("sheaf/contents/NoteLists") {
  static readonly layer = Layer.effect(
    NoteLists,
    Effect.gen(function* () {
      const contents = yield* Contents
      const lists = yield* Lists

      /** The notes with a value of the property, then those without, as one list. */
      const sorted = Effect.fnUntraced(function* (spec: ListSpec, query: PageQuery, by: PropertySort) {
        const { workspace_id } = yield* Principal
        if (query.page !== undefined) return yield* noOffset
        const limit = yield* limitOf(query.limit ?? query.per_page)
        const [valued, others] = partsOf(spec, query, by)
        const rest = Effect.fnUntraced(function* (cursor: string | undefined, limit: number) {
          const { cursor: _, ...unplaced } = others.query
          const placed = { ...unplaced, limit: String(limit), ...(cursor === undefined ? {} : { cursor }) }
          const page = yield* lists.page({ ...others, query: placed, workspace_id })
          const { next_cursor } = page
          return { ...page, next_cursor: next_cursor === null ? null : `${secondPart}${next_cursor}` }
        })
        if (query.cursor?.startsWith(secondPart) === true) return yield* rest(query.cursor.slice(1), limit)
        const first = yield* lists.page({ ...valued, workspace_id })
        if (first.has_more) return first
        const isFull = first.items.length >= limit
        const second = yield* rest(undefined, isFull ? 1 : limit - first.items.length)
        if (!isFull) return { ...second, items: [...first.items, ...second.items] }
        const has_more = second.items.length > 0 || second.has_more
        return { items: first.items, has_more, next_cursor: has_more ? first.next_cursor : null }
      })

      const page = Effect.fnUntraced(function* (spec: ListSpec, query: PageQuery) {
        const { workspace_id } = yield* Principal
        if (isOnProperties(query.sort) || isOnProperties(query.filter)) yield* contents.catchUp(workspace_id)
        const by = propertySortOf(query.sort)
        return yield* by === undefined ? lists.page({ spec, query, workspace_id }) : sorted(spec, query, by)
      })

      return NoteLists.of({
        notes: traced("NoteLists.notes")((query: PageQuery) => page(listFor(query.filter), query)),
        summaries: traced("NoteLists.summaries")(function* (query: PageQuery) {
          const found = yield* page(summaryListFor(query.filter), query)
          const items = found.items.map((json) => {
            const { excerpt, ...note } = JSON.parse(json) as NoteSummary
            return JSON.stringify({ ...note, excerpt: excerptOf(excerpt) })
          })
          return { ...found, items }
        })
      })
    })
  )
}
