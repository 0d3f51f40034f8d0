import type { Context } from "effect"
import type { HttpApi, HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { Conventions, Idempotency } from "./Conventions.ts"

type Middlewares = ReadonlyArray<Context.Key<any, any>>

type Within<Groups extends HttpApiGroup.Constraint, List extends Middlewares> = List extends readonly [
  ...infer Outer extends Middlewares,
  Context.Key<infer Inner extends HttpApiMiddleware.AnyId, any>
]
  ? Within<HttpApiGroup.AddMiddleware<Groups, Inner>, Outer>
  : Groups

/** Adds middlewares around all endpoints that an API has so far, the first of them outermost. */
export const around = <Id extends string, Groups extends HttpApiGroup.Constraint, const List extends Middlewares>(
  api: HttpApi.HttpApi<Id, Groups>,
  list: List
): HttpApi.HttpApi<Id, Within<Groups, List>> =>
  // Each call wraps the middlewares added before it.
  list.reduceRight<HttpApi.HttpApi<Id, any>>((made, each) => made.middleware(each), api)

/** The middlewares of requests with a credential, in order. `src/server/http/pipeline/Pipeline.ts` lists what surrounds them. */
export const signedIn = [Authorization, Conventions, Idempotency] as const
