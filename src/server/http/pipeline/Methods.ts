import { Context, Effect, Layer } from "effect"
import { FindMyWay, HttpRouter } from "effect/http"

export const everyMethod = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

/** Paths are case-sensitive (RFC 9110, section 4.2.3). One slash at the end is ignored, duplicate slashes are not. */
export const routing = { caseSensitive: true, ignoreTrailingSlash: true, ignoreDuplicateSlashes: false }

/** The methods of each path, collected from the routes that are added. */
export class Methods extends Context.Service<
  Methods,
  {
    /** The value of Allow for a URL (RFC 9110, section 10.2.1); empty if there is no such route. */
    readonly of: (url: string) => ReadonlyArray<string>
    readonly add: (route: HttpRouter.Route<any, any>) => void
  }
>()("sheaf/http/pipeline/Methods") {
  static readonly layer = Layer.effect(
    Methods,
    Effect.sync(() => {
      const routes = FindMyWay.make<true>(routing)
      return Methods.of({
        of: (url) => {
          const known = everyMethod.filter(
            (method) =>
              routes.find(method, url) !== undefined || (method === "HEAD" && routes.find("GET", url) !== undefined)
          )
          return known.length === 0 ? [] : [...known, "OPTIONS"]
        },
        add: ({ method, path }) => routes.on(method === "*" ? everyMethod.slice(0, -1) : method, path, true)
      })
    })
  )

  /** The router, which also adds each of its routes to `Methods`. */
  static readonly router = Layer.effect(
    HttpRouter.HttpRouter,
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const methods = yield* Methods
      const addAll: HttpRouter.HttpRouter["addAll"] = (routes) => {
        for (const route of routes) methods.add(route)
        return router.addAll(routes)
      }
      return HttpRouter.HttpRouter.of({
        ...router,
        addAll,
        add: (method, path, handler, options) => addAll([HttpRouter.route(method, path, handler, options)])
      })
    })
  )
}
