import { Effect } from "effect"
import { type HttpRouter, HttpServerRequest } from "effect/http"
import type { SheafError } from "../../../../services/Errors.ts"
import type { TokenResponse } from "../../../../services/identity/Session.ts"
import { html } from "../responses/HtmlPage.ts"
import { headOf } from "../responses/Problem.ts"
import { consoleEntry } from "./ConsoleFiles.ts"
import { withStoredForm } from "./Form.ts"
import { formHeaders, formPage, type Page } from "./FormPage.ts"
import { pageTexts } from "./languages/PageLanguages.ts"

/** A page before it is rendered. */
export interface Shown {
  readonly content: Page
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** The session that was started by the form. */
  readonly session?: TokenResponse | undefined
}

export const page = (content: Page, status = 200, session?: TokenResponse): Shown => ({ content, status, session })

/** A failure as a page, with the status and headers of its problem. */
export const failed = (error: SheafError, content: Page): Shown => ({ content, ...headOf(error) })

/** The token in the address; undefined if it has none. */
const tokenOf = ({ url }: HttpServerRequest.HttpServerRequest): string | undefined =>
  new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("token") ?? undefined

/** Renders pages for the reader of the request. */
export const formPages = (consolePath: string) =>
  Effect.fnUntraced(function* ({ content, headers, session, status }: Shown) {
    const frame = { entry: yield* consoleEntry, assets: `${consolePath}assets`, session }
    return html(formPage(content, yield* pageTexts, frame), status, { ...formHeaders, ...headers })
  })

/** Adds pages, each of which is called with the token in its address, and with the form that was sent to it. */
export const addForms = (router: HttpRouter.HttpRouter, consolePath: string) => {
  const rendered = formPages(consolePath)
  const token = Effect.map(HttpServerRequest.HttpServerRequest, tokenOf)
  return Effect.fnUntraced(function* <R, S>(
    path: `/${string}`,
    show: (token: string | undefined) => Effect.Effect<Shown, never, R>,
    submit: (token: string | undefined, form: URLSearchParams) => Effect.Effect<Shown, never, S>
  ) {
    const shown = Effect.flatMap(token, show)
    const submitted = (form: URLSearchParams) => Effect.flatMap(token, (found) => submit(found, form))
    yield* router.add("GET", path, Effect.flatMap(shown, rendered))
    yield* router.add(
      "POST",
      path,
      withStoredForm((form) => Effect.flatMap(submitted(form), rendered))
    )
  })
}
