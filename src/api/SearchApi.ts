import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Fields from "../../services/Fields.ts"
import { SearchRequest, SearchResult, Suggestion, tookMs } from "../../services/search/SearchResult.ts"
import { Access, reads } from "./Authorization.ts"
import { created, list } from "./Envelopes.ts"
import { ReadOnly } from "./Idempotency.ts"
import { operation } from "./Operation.ts"

const read = reads("notes:read")

export class SearchApi extends HttpApiGroup.make("search")
  .add(
    HttpApiEndpoint.post("search", "/", { payload: SearchRequest, success: SearchResult.pipe(created) })
      .annotateMerge(
        operation(
          "searchNotes",
          "Search notes",
          'Over titles, bodies and tags, best hits first. Words are wanted, not required; inflected forms and typos are found, the last word matches as a prefix; `"phrase"`, `-word` and `tag:x` narrow it. What was written before a search began is found by it. Filters stand beside `query` or in `filters`.',
          { codes: ["invalid_limit", "invalid_sort", "invalid_cursor", "cursor_mismatch"] }
        )
      )
      .annotate(Access, read)
      .annotate(ReadOnly, true),
    HttpApiEndpoint.get("suggest", "/suggest", {
      query: {
        q: Schema.optionalKey(Schema.String),
        prefix: Schema.optionalKey(Schema.String),
        limit: Schema.optionalKey(Schema.String)
      },
      success: Schema.Struct({
        ...list(Suggestion).fields,
        query: Fields.text("The prefix that was completed.", "mee"),
        took_ms: tookMs
      }).annotate({ identifier: "SuggestionPage" })
    })
      .annotateMerge(
        operation(
          "suggestCompletions",
          "Complete a prefix",
          "At most ten tags and titles that begin so. One of `q` and `prefix` is required.",
          {
            codes: ["invalid_limit"],
            parameters: {
              q: { type: "string", description: "The prefix to complete.", examples: ["mee"] },
              prefix: { type: "string", description: "Another name of `q`." },
              limit: {
                type: "integer",
                minimum: 1,
                maximum: 100,
                description: "The most completions; never more than ten are given."
              }
            }
          }
        )
      )
      .annotate(Access, read)
  )
  .prefix("/search")
  .annotateMerge(OpenApi.annotations({ title: "Search", description: "Full text over titles, bodies and tags." })) {}
