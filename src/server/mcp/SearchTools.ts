import { Effect, Schema } from "effect"
import { NoteLists } from "../../../services/contents/NoteLists.ts"
import type { NoteSummary } from "../../../services/notes/Note.ts"
import { Search } from "../../../services/search/Search.ts"
import type { SearchResult } from "../../../services/search/SearchResult.ts"
import { atMost, short } from "../../../services/Text.ts"
import { fittingPage } from "./responses/FittingPages.ts"
import * as McpTool from "./McpTool.ts"
import { shortened } from "../../../services/notes/texts/ShownText.ts"
import { brief, count, cursor, id, next_cursor, pageSize, read, shownBrief } from "./ToolFields.ts"

/** Number of notes on a page by default. */
const usualHits = 10
const usualNotes = 25

const searchArgs = Schema.Struct({
  query: short(500).annotate({ description: 'Words; also "a phrase", -word and tag:name.' }),
  notebook_id: Schema.optionalKey(id.annotate({ description: "Only notes directly in this notebook." })),
  tags: Schema.optionalKey(
    Schema.Array(short(50)).check(atMost(20)).annotate({ description: "Only notes with all of these." })
  ),
  updated_after: Schema.optionalKey(short(64).annotate({ description: "RFC 3339, such as `2026-01-31T00:00:00Z`." })),
  limit: pageSize(25, usualHits),
  cursor
})
type SearchArgs = typeof searchArgs.Type

const listArgs = Schema.Struct({
  filter: Schema.optionalKey(short(2_000).annotate({ description: "As in the resource sheaf://filters." })),
  sort: Schema.optionalKey(short(100).annotate({ description: "Such as `-updated_at` (default) or `title`." })),
  limit: pageSize(50, usualNotes),
  cursor
})
type ListArgs = typeof listArgs.Type

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" }

/** Maximum characters of a snippet. */
const maxSnippet = 400

/** The text of a snippet, which is escaped HTML with marks. */
const textOf = (snippet: string): string =>
  shortened(
    snippet
      .replaceAll(/<\/?mark>/g, "")
      .replaceAll(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => entities[name] ?? ""),
    maxSnippet
  )

export const SearchTools = Effect.gen(function* () {
  const search = yield* Search
  const lists = yield* NoteLists

  const searchNotes = ({ limit: most = usualHits, ...request }: SearchArgs) =>
    fittingPage(most, (limit) =>
      Effect.map(search.search({ ...request, limit }), (json) => {
        const { hits, next_cursor, partial, suggestion, total } = JSON.parse(json) as SearchResult
        return {
          items: hits.map((hit) => ({ ...shownBrief(hit), snippet: textOf(hit.snippet) })),
          next_cursor,
          others: {
            total,
            searched_for: shortened(suggestion ?? request.query, 500),
            is_partial: partial === true
          }
        }
      })
    ).pipe(Effect.map(({ items, next_cursor, others }) => ({ notes: items, ...others, next_cursor })))

  const listNotes = ({ limit: most = usualNotes, ...query }: ListArgs) =>
    fittingPage(most, (limit) =>
      Effect.map(lists.summaries({ ...query, limit: String(limit) }), ({ items, next_cursor }) => ({
        items: items.map((json) => shownBrief(JSON.parse(json) as NoteSummary)),
        next_cursor,
        others: {}
      }))
    ).pipe(Effect.map(({ items, next_cursor }) => ({ notes: items, next_cursor })))

  return [
    McpTool.reading({
      name: "search_notes",
      title: "Search notes",
      description:
        "Finds notes by words in title, text and tags, best first, with the best fragment. `searched_for` is the corrected query if the sent one has no hits. Without archived notes: list_notes lists them.",
      access: read,
      args: searchArgs,
      result: Schema.Struct({
        notes: Schema.Array(Schema.Struct({ ...brief, snippet: Schema.String })),
        total: count,
        searched_for: Schema.String,
        is_partial: Schema.Boolean,
        next_cursor
      }),
      run: searchNotes
    }),
    McpTool.reading({
      name: "list_notes",
      title: "List notes",
      description:
        "Lists notes by a filter such as `tags:work AND updated_at>2026-01-01`. Archived notes only with `archived=true`, the trash with `deleted_at:*`.",
      access: read,
      args: listArgs,
      result: Schema.Struct({ notes: Schema.Array(Schema.Struct(brief)), next_cursor }),
      run: listNotes
    })
  ]
})
