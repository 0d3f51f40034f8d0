import { Context, Effect, Layer, Scope } from "effect"
import type { HttpRouter } from "effect/http"
import { type HttpApi, HttpApiBuilder, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { needsOfRequest } from "../../../../services/admin/OperatorEffect.ts"
import { OperatorProof } from "../../../../services/admin/OperatorProof.ts"
import { Api } from "../../api/Api.ts"
import { Access, Authorization, Problems } from "../../api/Authorization.ts"
import { Conventions, Idempotency } from "../../api/Conventions.ts"

type Groups = typeof Api extends HttpApi.HttpApi<infer _, infer G> ? G : never
type EndpointsOf<Id extends string> = HttpApiGroup.WithIdentifier<Groups, Id>["endpoints"]
type EndpointOf<Id extends string> = EndpointsOf<Id>[keyof EndpointsOf<Id>]

/** Services that each request provides: its own head, and its caller. */
type RequestServices<Endpoint> = HttpRouter.Provided | HttpApiEndpoint.MiddlewareProvides<Endpoint>

/** A handler that reads the body itself. */
interface Raw<Handler> {
  readonly raw: Handler
}

export const raw = <Handler>(handler: Handler): Raw<Handler> => ({ raw: handler })

type Entry<Endpoint extends HttpApiEndpoint.Constraint> =
  | HttpApiEndpoint.Handler<Endpoint, HttpApiEndpoint.MiddlewareError<Endpoint>, RequestServices<Endpoint>>
  | Raw<HttpApiEndpoint.HandlerRaw<Endpoint, HttpApiEndpoint.MiddlewareError<Endpoint>, RequestServices<Endpoint>>>

/** One handler for each endpoint of the group. */
type Entries<Endpoints extends Record<string, HttpApiEndpoint.Constraint>> = {
  readonly [Name in keyof Endpoints]: Entry<Endpoints[Name]>
}

/** Refuses handlers of unknown endpoints: their presence requires an argument of type `never`. */
type NoOthers<Unknown> = [Unknown] extends [never] ? [] : [unknownEndpoint: Unknown & never]

type Keys = Readonly<Record<string, Context.Key<any, any>>>
type Shapes<Named extends Keys> = {
  readonly [Name in keyof Named]: Named[Name] extends Context.Key<any, infer Shape> ? Shape : never
}
type Identifiers<Named extends Keys> =
  Named[keyof Named] extends Context.Key<infer Identifier, any> ? Identifier : never

/** Adds the check that the credential suffices for the effect that the endpoint declares (contract 11). */
const proved = (
  { annotations, identifier }: HttpApiEndpoint.Top,
  proof: (typeof OperatorProof)["Service"],
  entry: any
): any => {
  const effect = Context.getOrUndefined(annotations, Access)?.effect ?? "none"
  if (effect === "none") return entry
  if (typeof entry !== "function") throw new Error(`${identifier} has an effect, and reads its body itself`)
  return (request: { readonly payload?: { readonly current_password?: string } | null }) =>
    Effect.flatMap(proof.need(needsOfRequest(effect, request.payload), request.payload?.current_password), () =>
      entry(request)
    )
}

/** The handlers of a group of endpoints, which use the named services only. */
export const group = <
  const Id extends HttpApiGroup.Identifier<Groups>,
  const Named extends Keys,
  Given extends Entries<EndpointsOf<Id>>
>(
  id: Id,
  named: Named,
  build: (services: Shapes<Named>) => Given,
  ..._: NoOthers<Exclude<keyof Given, keyof EndpointsOf<Id>>>
): Layer.Layer<
  HttpApiGroup.Service<(typeof Api)["identifier"], Id>,
  never,
  | Identifiers<Named>
  | OperatorProof
  | HttpApiEndpoint.Middleware<EndpointOf<Id>>
  | HttpApiEndpoint.MiddlewareServices<EndpointOf<Id>>
> => {
  const layer = HttpApiBuilder.group(
    Api,
    id,
    // The types above check the handlers; those of HttpApiBuilder cannot do so for a generic group.
    Effect.fnUntraced(function* (handlers: HttpApiBuilder.Handlers<never, Record<string, any>>) {
      const services: Record<string, unknown> = {}
      for (const [name, key] of Object.entries(named)) services[name] = yield* key
      const proof = yield* OperatorProof
      const endpoints = Api.groups[id].endpoints as Readonly<Record<string, HttpApiEndpoint.Top>>
      for (const [name, given] of Object.entries<any>(build(services as Shapes<Named>))) {
        const entry = proved(endpoints[name]!, proof, given)
        if (typeof entry === "function") handlers.handle(name, entry)
        else handlers.handleRaw(name, entry.raw)
      }
      return handlers
    }) as never
  ) as Layer.Layer<any, never, any>
  // Effect copies the services around a group into the context of each request: only those of the group are kept.
  const kept = Context.pick(
    Scope.Scope,
    Layer.CurrentMemoMap,
    Authorization,
    Conventions,
    Idempotency,
    OperatorProof,
    Problems,
    ...Object.values(named)
  ) as (context: Context.Context<any>) => Context.Context<any>
  return Layer.effectContext(Effect.updateContext(Layer.build(layer), kept))
}
