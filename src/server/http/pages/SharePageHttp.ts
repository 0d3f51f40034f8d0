import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { isUtf8 } from "node:buffer"
import type { SheafError } from "../../../../services/Errors.ts"
import { whole } from "../../../../services/markdown/Rendered.ts"
import type { RenderedVersion } from "../../../../services/notes/NoteRendering.ts"
import { type FoundShare, SharedNotes } from "../../../../services/notes/shares/SharedNotes.ts"
import { passLife } from "../../../../services/notes/shares/SharePass.ts"
import { ShareViews } from "../../../../services/notes/shares/ShareViews.ts"
import { wordCount } from "../../../../services/notes/WordCount.ts"
import { typeWeights } from "../responses/Accept.ts"
import { origin } from "../server/ClientAddress.ts"
import { attachmentResponse } from "../responses/FileResponse.ts"
import { withForm } from "./Form.ts"
import { html, prefixOf } from "../responses/HtmlPage.ts"
import type { PageTexts } from "./languages/EnglishPages.ts"
import { textsFor } from "./languages/PageLanguages.ts"
import { problem, problemOf, takesPage } from "../responses/Problem.ts"
import * as Respond from "../responses/Respond.ts"
import { edition, messagePage, notePage, pageHeaders, passwordPage, privateHeaders } from "./SharePage.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const forms = ["text/html", "text/markdown", "text/plain", "application/json"] as const
type Form = (typeof forms)[number]

/** Returns the preferred media type, among equals the first; undefined if none is acceptable. */
const formOf = (accept: string | undefined): Form | undefined => {
  if (accept === undefined) return "text/html"
  const weight = typeWeights(accept)
  const best = Math.max(...forms.map(weight))
  return best === 0 ? undefined : forms.find((form) => weight(form) === best)
}

/** User agents of programs, whose requests are not counted as views. Programs with other user agents are counted. */
const robots =
  /bot\b|crawl|spider|slurp|preview|facebookexternalhit|embedly|whatsapp|telegram|skypeuripreview|pingdom|monitor/i

/**
 * The name of the cookie. With the prefix `__Secure-` browsers take it from HTTPS alone, and not from a neighbouring host
 * without it; `__Host-` would forbid the path, which binds the cookie to its share.
 */
const cookieName = (isSecure: boolean) => (isSecure ? "__Secure-sheaf_share" : "sheaf_share")
const cookiesOf = (isSecure: boolean) =>
  new RegExp(`(?:^|;)\\s*${cookieName(isSecure)}=([\\w.-]{1,100})(?=;|$|\\s)`, "g")
/** Maximum number of passes in a request. A browser has only one pass of a share. */
const maxPasses = 4

const passesIn = (header: string | undefined, cookies: RegExp): ReadonlyArray<string> =>
  header === undefined
    ? []
    : header
        .matchAll(cookies)
        .take(maxPasses)
        .map(([, pass]) => pass!)
        .toArray()

/** Node decodes headers as Latin-1. Passwords with other characters are sent in UTF-8. */
const passwordIn = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  const bytes = Buffer.from(header, "latin1")
  return isUtf8(bytes) ? bytes.toString() : header
}

const challenge = { "www-authenticate": `Share-Password realm="share"` }
const privately = "private, no-cache"

/** Messages of pages, by failure. */
const messages: Readonly<
  Partial<Record<SheafError["_tag"], readonly [status: number, of: (texts: PageTexts) => PageTexts["throttled"]]>>
> = {
  NotFound: [404, ({ share }) => share.notFound],
  Expired: [410, ({ share }) => share.expired],
  RateLimited: [429, ({ throttled }) => throttled],
  Unavailable: [503, ({ unavailable }) => unavailable]
}

/** Returns a failure as a page for browsers, as a problem for programs. */
const failureResponse = (
  request: Request,
  error: SheafError,
  path: string
): Effect.Effect<Response, never, Request> => {
  const retry: Record<string, string> =
    "retry_after" in error && error.retry_after !== undefined ? { "retry-after": String(error.retry_after) } : {}
  const headers = { ...pageHeaders, ...retry, "cache-control": "no-store" }
  if (error._tag === "Unauthorized") {
    if (!takesPage(request)) {
      return Effect.map(problemOf(error), HttpServerResponse.setHeaders({ ...headers, ...challenge }))
    }
    const isWrong = error.code === "invalid_credentials"
    return Effect.succeed(html(passwordPage(textsFor(request), path, isWrong), 401, { ...headers, ...challenge }))
  }
  const message = messages[error._tag]
  if (message === undefined || !takesPage(request)) {
    return Effect.map(problemOf(error), HttpServerResponse.setHeaders(headers))
  }
  const [status, of] = message
  const texts = textsFor(request)
  return Effect.succeed(html(messagePage(texts, of(texts)), status, headers))
}

/** The responses with a shared note on a server of this address, in each form. */
const madeOn = (publicUrl: string) => {
  const urlOf = (token: string): string => `${publicUrl}/s/${token}`
  const fileOf = (place: string) => (file: string) => `${place}/files/${file}`

  const pageOf = (share: FoundShare, token: string, { rendered }: RenderedVersion, texts: PageTexts): string =>
    notePage({
      url: urlOf(token),
      title: share.title,
      description: rendered.description,
      lang: rendered.lang ?? share.locale ?? "en",
      updated_at: share.updated_at,
      texts,
      // Addresses of files have no host, so that they work with any host name of the server.
      html: whole(rendered.html, fileOf(`${prefixOf(publicUrl)}/s/${token}`))
    })

  const markdownOf = (token: string, { rendered }: RenderedVersion): string =>
    whole(rendered.markdown, fileOf(urlOf(token)))

  const jsonOf = (share: FoundShare, token: string, note: RenderedVersion): string => {
    const body = markdownOf(token, note)
    const { rendered, version } = note
    return JSON.stringify({
      title: share.title,
      body,
      html: whole(rendered.html, fileOf(urlOf(token))),
      description: rendered.description,
      lang: rendered.lang ?? share.locale,
      word_count: wordCount(body),
      version,
      updated_at: share.updated_at,
      expires_at: share.expires_at
    })
  }

  return (
    form: Form,
    share: FoundShare,
    token: string,
    note: RenderedVersion,
    texts: PageTexts,
    headers: Readonly<Record<string, string>>
  ) => {
    switch (form) {
      case "text/html":
        return html(pageOf(share, token, note, texts), 200, headers)
      case "application/json":
        return Respond.json(jsonOf(share, token, note), 200, headers)
      case "text/markdown":
      case "text/plain":
        return HttpServerResponse.text(markdownOf(token, note), {
          contentType: `${form}; charset=utf-8`,
          headers
        })
    }
  }
}

/** `/s/{token}`, the public address of a share (contract, section 5): a page, Markdown or JSON, without a session. */
export const SharePageHttp = (publicUrl: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const shared = yield* SharedNotes
      const views = yield* ShareViews
      const isSecure = new URL(publicUrl).protocol === "https:"
      const cookies = cookiesOf(isSecure)
      const prefix = prefixOf(publicUrl)

      const pathOf = (token: string): string => `${prefix}/s/${token}`
      const made = madeOn(publicUrl)
      /** Returns the share if the request may read it. */
      const entered = Effect.fnUntraced(function* (request: Request, token: string) {
        const { ip } = yield* origin
        const share = yield* shared.find(token, ip)
        yield* shared.enter(share, {
          password: passwordIn(request.headers["share-password"]),
          passes: passesIn(request.headers["cookie"], cookies),
          ip
        })
        return share
      })

      const show = Effect.fnUntraced(function* (request: Request, token: string) {
        const { ip, user_agent } = yield* origin
        const share = yield* entered(request, token)
        const form = formOf(request.headers["accept"])
        if (form === undefined) {
          return yield* problem({
            status: 406,
            code: "not_acceptable",
            detail: `The response is available as ${forms.join(", ")}`,
            members: { acceptable: forms }
          })
        }
        const note = yield* form === "text/html" ? shared.noteSoon(share, ip) : shared.note(share, ip)
        const texts = textsFor(request)
        // All values that the response depends on.
        const state = [share.id, note.version, share.title, share.updated_at, share.expires_at]
        const etag = Respond.etagOf(
          JSON.stringify([edition, form, texts.lang, ...state, share.breaks, share.files_state])
        )
        const headers = note.isForNow
          ? { ...pageHeaders, "cache-control": "no-store" }
          : { ...pageHeaders, etag, "cache-control": privately }
        if (!note.isForNow && Respond.isKnown(request, etag)) return HttpServerResponse.empty({ status: 304, headers })
        if (request.method === "GET" && !robots.test(user_agent ?? "")) views.count(share)
        return made(form, share, token, note, texts, headers)
      })

      /** A file of the page. Its bytes are streamed, so that no address stays valid longer than the share. */
      const file = Effect.fnUntraced(function* (request: Request, token: string, id: string) {
        const { ip } = yield* origin
        const share = yield* entered(request, token)
        return HttpServerResponse.setHeaders(yield* attachmentResponse(yield* shared.file(share, id, ip)), {
          ...privateHeaders,
          vary: "Cookie, Share-Password"
        })
      })

      /** Handles the form: with the right password, redirects to the page with a pass in a cookie. */
      const open = Effect.fnUntraced(function* (token: string, form: URLSearchParams) {
        const { ip } = yield* origin
        const password = form.get("password") ?? undefined
        const share = yield* shared.find(token, ip)
        yield* shared.enter(share, { password, passes: [], ip })
        const pass = yield* shared.pass(share)
        const path = pathOf(token)
        return HttpServerResponse.empty({
          status: 303,
          headers: {
            ...pageHeaders,
            location: path,
            "cache-control": "no-store",
            ...(pass === undefined
              ? {}
              : {
                  "set-cookie": `${cookieName(isSecure)}=${pass}; Path=${path}; Max-Age=${passLife / 1000}; HttpOnly; SameSite=Lax${
                    isSecure ? "; Secure" : ""
                  }`
                })
          }
        })
      })

      const handled = <R>(
        handler: (request: Request, token: string, id: string) => Effect.Effect<Response, SheafError, R>
      ): Effect.Effect<Response, never, R | Request | HttpRouter.RouteContext> =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const { params } = yield* HttpRouter.RouteContext
          const { id = "", token = "" } = params
          return yield* Effect.catch(handler(request, token, id), (error) =>
            failureResponse(request, error, pathOf(token))
          )
        })

      // Browsers always request an icon, and the policy of the page allows none in it.
      yield* router.add(
        "GET",
        "/favicon.ico",
        Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { "cache-control": "public, max-age=86400" } }))
      )
      yield* router.add("GET", "/s/:token", handled(show))
      yield* router.add(
        "POST",
        "/s/:token",
        handled((_, token) => withForm((form) => open(token, form)))
      )
      yield* router.add("GET", "/s/:token/files/:id", handled(file))
    })
  )
