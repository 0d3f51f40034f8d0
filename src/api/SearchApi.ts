import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { SearchRequest, SearchResult, Suggestion } from "../../services/search/SearchResult.ts"
import { Access, reads } from "./Authorization.ts"
import { created, list } from "./Envelopes.ts"

const read = reads("notes:read")
const describe = (summary: string) => OpenApi.annotations({ summary })

export class SearchApi extends HttpApiGroup.make("search")
  .add(
    HttpApiEndpoint.post("search", "/", { payload: SearchRequest, success: SearchResult.pipe(created) })
      .annotateMerge(describe("Search notes")).annotate(Access, read),
    HttpApiEndpoint.get("suggest", "/suggest", {
      query: {
        q: Schema.optionalKey(Schema.String),
        prefix: Schema.optionalKey(Schema.String),
        limit: Schema.optionalKey(Schema.String)
      },
      success: Schema.Struct({ ...list(Suggestion).fields, query: Schema.String, took_ms: Schema.Int })
    })
      .annotateMerge(describe("Complete a prefix to tags and titles")).annotate(Access, read)
  )
  .prefix("/search")
  .annotateMerge(OpenApi.annotations({ title: "Search" }))
{}
