import type { PgClient } from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { clientOf } from "../storage/Database.ts"
import type { ThreadData } from "./SearchMessages.ts"

/** Connections of the search: it reads the log while others wait for its hits. */
const connections = 2

/** The search's own connections to PostgreSQL. */
export class SearchDatabase extends Context.Service<SearchDatabase, PgClient>()("sheaf/search/SearchDatabase") {
  static readonly layer = ({ address }: ThreadData) =>
    Layer.effect(
      SearchDatabase,
      Effect.suspend(() =>
        clientOf("url" in address ? { url: Redacted.make(address.url) } : address, "read", connections)
      )
    ).pipe(Layer.provide(Reactivity.layer))
}
