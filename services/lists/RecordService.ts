import { Effect } from "effect"
import type { BadRequest, Condition, Forbidden, NotFound, Stale, Unavailable } from "../Errors.ts"
import { Principal } from "../Principal.ts"
import type { SyncAdapter } from "../records/SyncAdapter.ts"
import { traced } from "../Traced.ts"
import { Lists } from "./Lists.ts"
import { ofServer, type Owner } from "./ListSql.ts"
import type { ListSpec, Page, PageQuery } from "./Page.ts"

/** The operations on records of a type in the workspace of the caller. `WriteError`: further errors of writes. */
export interface RecordService<Shown extends object, Create, Update, WriteError = never> {
  readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
  readonly create: (
    input: Create
  ) => Effect.Effect<Shown, Forbidden | NotFound | Stale | Unavailable | WriteError, Principal>
  readonly get: (id: string) => Effect.Effect<Shown, NotFound | Unavailable, Principal>
  readonly update: (
    id: string,
    input: Update,
    condition?: Condition<Shown>
  ) => Effect.Effect<Shown, NotFound | Stale | Unavailable | WriteError, Principal>
  readonly delete: (
    id: string,
    condition?: Condition<Shown>
  ) => Effect.Effect<void, NotFound | Stale | Unavailable, Principal>
  readonly syncAdapter: SyncAdapter
}

/** The reads of records of the whole server, for operators (contract 11). */
export interface ServerReads<Shown extends object> {
  readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable>
  readonly get: (id: string) => Effect.Effect<Shown, NotFound | Unavailable>
}

const readsWithin = <R>(owner: Effect.Effect<Owner, never, R>) =>
  Effect.fnUntraced(function* <Shown extends object>(
    name: string,
    spec: ListSpec,
    missing: Effect.Effect<never, NotFound>
  ) {
    const lists = yield* Lists
    return {
      list: traced(`${name}.list`)(function* (query: PageQuery) {
        return yield* lists.page({ spec, query, ...(yield* owner) })
      }),
      get: traced(`${name}.get`)(function* (id: string) {
        return (yield* lists.one<Shown>(spec, yield* owner, id)) ?? (yield* missing)
      })
    }
  })

/** Returns `list` and `get` of a service `name`, from the list of its records. */
export const readsOf = readsWithin(Effect.map(Principal, ({ workspace_id }): Owner => ({ workspace_id })))

export const readsOfServer = readsWithin(Effect.succeed(ofServer))
