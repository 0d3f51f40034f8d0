import { Context, Effect, Layer, Scope } from "effect"
import type { HttpRouter } from "effect/http"
import { type HttpApi, HttpApiBuilder, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Authorization, Problems } from "../../api/Authorization.ts"
import { Conventions } from "../../api/Conventions.ts"
import { Idempotency } from "../../api/Idempotency.ts"

type Groups = typeof Api extends HttpApi.HttpApi<infer _, infer G> ? G : never
type EndpointsOf<Id extends string> = HttpApiGroup.WithIdentifier<Groups, Id>["endpoints"]
type EndpointOf<Id extends string> = EndpointsOf<Id>[keyof EndpointsOf<Id>]

/** What a request brings along besides the services of its group: its own head, and who has sent it. */
type Brought<Endpoint> = HttpRouter.Provided | HttpApiEndpoint.MiddlewareProvides<Endpoint>

/** A handler that reads the body by itself. */
interface Raw<Handler> {
  readonly raw: Handler
}

export const raw = <Handler>(handler: Handler): Raw<Handler> => ({ raw: handler })

type Entry<Endpoint extends HttpApiEndpoint.Constraint> =
  | HttpApiEndpoint.Handler<Endpoint, HttpApiEndpoint.MiddlewareError<Endpoint>, Brought<Endpoint>>
  | Raw<HttpApiEndpoint.HandlerRaw<Endpoint, HttpApiEndpoint.MiddlewareError<Endpoint>, Brought<Endpoint>>>

/** One for each endpoint of the group. */
type Entries<Endpoints extends Record<string, HttpApiEndpoint.Constraint>> = {
  readonly [Name in keyof Endpoints]: Entry<Endpoints[Name]>
}

/** And none besides: an endpoint that there is not asks for an argument that nothing is. */
type NoOthers<Unknown> = [Unknown] extends [never] ? [] : [unknownEndpoint: Unknown & never]

type Keys = Readonly<Record<string, Context.Key<any, any>>>
type Shapes<Named extends Keys> = {
  readonly [Name in keyof Named]: Named[Name] extends Context.Key<any, infer Shape> ? Shape : never
}
type Identifiers<Named extends Keys> =
  Named[keyof Named] extends Context.Key<infer Identifier, any> ? Identifier : never

/** The handlers of a group of endpoints, made of the services that are named, and of no others. */
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
  Identifiers<Named> | HttpApiEndpoint.Middleware<EndpointOf<Id>> | HttpApiEndpoint.MiddlewareServices<EndpointOf<Id>>
> => {
  const layer = HttpApiBuilder.group(
    Api,
    id,
    // The types above say which handlers there are to be; those of HttpApiBuilder cannot say it of every group at once.
    Effect.fnUntraced(function* (handlers: HttpApiBuilder.Handlers<never, Record<string, any>>) {
      const services: Record<string, unknown> = {}
      for (const [name, key] of Object.entries(named)) services[name] = yield* key
      for (const [name, entry] of Object.entries<any>(build(services as Shapes<Named>))) {
        if (typeof entry === "function") handlers.handle(name, entry)
        else handlers.handleRaw(name, entry.raw)
      }
      return handlers
    }) as never
  ) as Layer.Layer<any, never, any>
  // Effect copies the services around a group into the context of each request: only the group's own are left.
  const kept = Context.pick(
    Scope.Scope,
    Layer.CurrentMemoMap,
    Authorization,
    Conventions,
    Idempotency,
    Problems,
    ...Object.values(named)
  ) as (context: Context.Context<any>) => Context.Context<any>
  return Layer.effectContext(Effect.updateContext(Layer.build(layer), kept))
}
