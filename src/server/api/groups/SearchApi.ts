import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import * as Fields from "../../../../services/Fields.ts"
import { SearchRequest, SearchResult, Suggestion, tookMs } from "../../../../services/search/SearchResult.ts"
import { reads, withinReach } from "../Authorization.ts"
import { created, list } from "../Envelopes.ts"
import { ReadOnly } from "../Conventions.ts"
import { describing, operations } from "../Operation.ts"

const read = operations(withinReach(reads("notes:read")))

export class SearchApi extends HttpApiGroup.make("search")
  .add(
    HttpApiEndpoint.post("search", "/", { payload: SearchRequest, success: SearchResult.pipe(created) })
      .annotateMerge(
        read(
          "searchNotes",
          "Search notes",
          'Searches titles, bodies and tags; the best hits come first. Notes with all words rank higher than notes with some of them. Inflected forms and typing errors are found, and the last word matches as a prefix. `"phrase"`, `-word` and `tag:x` narrow the search; if phrases leave no hits, the response has the hits of the query with their words instead, and `suggestion` is that query. A search finds everything that was written before it began. If a workspace is too large for the index of the server, only its newest notes are searched, and the response has `partial`. Filters can be given next to `query` or in `filters`.',
          { codes: ["invalid_limit", "invalid_sort", "invalid_filter", "invalid_cursor", "cursor_mismatch"] }
        )
      )
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
    }).annotateMerge(
      read(
        "suggestCompletions",
        "Complete a prefix",
        "Returns at most ten tags and titles that match the prefix, each of whose words is matched as a prefix, and aliases of notes that begin with it. `tag:fin` returns tags only. Either `q` or `prefix` is required.",
        {
          codes: ["invalid_limit"],
          parameters: {
            q: { type: "string", description: "The prefix to complete.", examples: ["mee"] },
            prefix: { type: "string", description: "Another name of `q`." },
            limit: {
              type: "integer",
              minimum: 1,
              maximum: 100,
              description: "The maximum number of completions; at most ten are returned."
            }
          }
        }
      )
    )
  )
  .prefix("/search")
  .annotateMerge(describing("Search", "Full text over titles, bodies and tags.")) {}
