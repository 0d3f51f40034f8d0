import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Search } from "../../services/search/Search.ts"
import { Api } from "../api/Api.ts"
import * as Lean from "./Lean.ts"
import * as Respond from "./Respond.ts"

export const SearchHttp = HttpApiBuilder.group(
  Api,
  "search",
  Effect.fn(function* (handlers) {
    const search = yield* Search
    return handlers.handleAll({
      search: ({ payload }) => Effect.map(search.search(payload), (result) => Respond.value(result, 201)),
      suggest: ({ query }) =>
        Effect.map(search.suggest(query.q ?? query.prefix, query.limit), (result) => Respond.value(result))
    })
  })
).pipe(Lean.handlers(Search))
