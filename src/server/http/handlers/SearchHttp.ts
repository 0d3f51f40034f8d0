import { Effect } from "effect"
import { Search } from "../../../../services/search/Search.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const SearchHttp = Handlers.group("search", { search: Search }, ({ search }) => ({
  search: ({ payload }) => Effect.map(search.search(payload), (result) => Respond.json(result, 201)),
  suggest: ({ query }) =>
    Effect.map(search.suggest(query.q ?? query.prefix, query.limit), (result) => Respond.value(result))
}))
