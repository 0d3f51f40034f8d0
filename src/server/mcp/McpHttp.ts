import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { McpRoutes } from "./McpRoutes.ts"

const load = Effect.promise(() => import("./McpRoutes.ts"))

type Services = Exclude<Layer.Services<ReturnType<typeof McpRoutes>>, HttpRouter.HttpRouter>

/** The MCP server at `/mcp`. The first request loads it: a server without assistants does not need the memory. */
export const McpHttp = (publicUrl: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const services = yield* Effect.context<Services>()
      const routes = Effect.gen(function* () {
        const { McpRoutes } = yield* load
        const own = yield* HttpRouter.make
        yield* Layer.build(Layer.provide(McpRoutes(publicUrl), Layer.succeed(HttpRouter.HttpRouter, own)))
        return own.asHttpEffect()
      })
      const served = yield* Effect.cached(Effect.provide(routes, services))
      // A hang-up of the first caller would end the load for all.
      yield* router.add("POST", "/mcp", Effect.flatten(Effect.uninterruptible(served)))
    })
  )
