import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { setImmediate } from "node:timers/promises"
import { problem } from "./Problem.ts"
import { StaticAnswer } from "./StaticAnswer.ts"

const contentType = "text/html; charset=utf-8"

const noSuchPage = problem({ status: 404, code: "route_not_found", detail: "The reference has no such page" })

const longestQuery = 200

/** What is searched for at `/docs?q=`. */
const queryOf = (url: string): string => {
  const mark = url.indexOf("?")
  const query = mark < 0 ? null : new URLSearchParams(url.slice(mark)).get("q")
  return (query ?? "").trim().slice(0, longestQuery)
}

/** What the pages are made with is read when one is first asked for: a start waits for nothing. */
const opened = async (document: () => Promise<object>) => {
  const { policy, Reference } = await import("../reference/Reference.ts")
  // Each step takes a while, and others need not wait for all of them.
  await setImmediate()
  const headers = {
    "content-security-policy": policy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer"
  }
  const described = await document()
  const reference = new Reference(described)
  await setImmediate()
  const pages = new Map<string, StaticAnswer>()
  return {
    page: (slug: string): StaticAnswer | undefined => {
      const known = pages.get(slug)
      if (known !== undefined) return known
      const html = reference.page(slug)
      if (html === undefined) return undefined
      const made = new StaticAnswer(html, { contentType, headers })
      pages.set(slug, made)
      return made
    },
    found: (query: string) => HttpServerResponse.text(reference.found(query), { contentType, headers })
  }
}

/** `/docs`, the API reference and its guide (contract 1): open to anybody. */
export const DocsHttp = (document: () => Promise<object>) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      let opening: ReturnType<typeof opened> | undefined
      const docs = Effect.promise(() => (opening ??= opened(document)))
      yield* router.add(
        "GET",
        "/docs",
        Effect.gen(function* () {
          const query = queryOf((yield* HttpServerRequest.HttpServerRequest).url)
          const { found, page } = yield* docs
          return query === "" ? yield* page("")!.answer : found(query)
        })
      )
      yield* router.add(
        "GET",
        "/docs/:page",
        Effect.gen(function* () {
          const { params } = yield* HttpRouter.RouteContext
          const { page } = yield* docs
          return yield* page(params["page"]!)?.answer ?? noSuchPage
        })
      )
    })
  )
