import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SheafError } from "../../../../services/Errors.ts"
import { type Reason, SignInRefused } from "../../../../services/oidc/Provider.ts"
import { ProviderSignIns } from "../../../../services/oidc/ProviderSignIns.ts"
import { formPages } from "./FormRoutes.ts"
import * as FormRoutes from "./FormRoutes.ts"
import { origin } from "../server/ClientAddress.ts"
import { prefixOf } from "../responses/HtmlPage.ts"
import { readSignIn, setSignIn } from "./SignInCookie.ts"
import * as Pages from "./SignInPages.ts"

const statuses: Readonly<Record<Reason, number>> = {
  closed: 403,
  declined: 403,
  ended: 400,
  invalid: 400,
  knownAddress: 409,
  linkedElsewhere: 409,
  noAddress: 403,
  notLinked: 404,
  otherAddress: 403,
  tooMany: 409,
  unknownProvider: 404,
  unreachable: 502
}

/** What the query of the address that begins a sign-in may have, each of limited length. */
const queried = (query: URLSearchParams, name: string, most: number): string | undefined => {
  const value = query.get(name)
  return value === null || value === "" || value.length > most || /[\p{Cc}\p{Cs}]/u.test(value) ? undefined : value
}

const queryOf = ({ url }: HttpServerRequest.HttpServerRequest): URLSearchParams => {
  const mark = url.indexOf("?")
  return new URLSearchParams(mark < 0 ? "" : url.slice(mark))
}

const whole = (members: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/**
 * Sign-in by a provider in a browser (contract 4). `/sign-in/1` leads to the provider, which leads back to
 * `/sign-in/1/callback`: a page with the session, which its script keeps for the console.
 */
export const SignInPagesHttp = (publicUrl: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const signIns = yield* ProviderSignIns
      const consolePath = `${prefixOf(publicUrl)}/console/`
      const rendered = formPages(consolePath)

      const number = Effect.map(HttpRouter.RouteContext, ({ params }) => {
        const text = params["provider"] ?? ""
        return /^[1-9]$/.test(text) ? Number(text) : 0
      })

      const redirect = (location: string, headers: Readonly<Record<string, string>>) =>
        HttpServerResponse.empty({
          status: 303,
          headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer", ...headers }
        })

      const failed = (error: SignInRefused | SheafError, headers: Readonly<Record<string, string>> = {}) => {
        if (error instanceof SignInRefused) {
          const content = Pages.refusedPage(error, consolePath)
          return rendered({ content, status: statuses[error.reason], headers })
        }
        const sentence = (texts: Parameters<ReturnType<typeof Pages.refusedPage>>[0]) =>
          texts.problem(error.code, error.detail)
        const shown = FormRoutes.failed(error, Pages.failedPage(sentence, consolePath))
        return rendered({ ...shown, headers: { ...shown.headers, ...headers } })
      }

      const begin = Effect.gen(function* () {
        const query = queryOf(yield* HttpServerRequest.HttpServerRequest)
        const device = whole({
          name: queried(query, "device_name", 100),
          locale: queried(query, "device_locale", 100),
          timezone: queried(query, "device_timezone", 100)
        })
        const tokens = whole({ invitation: queried(query, "invitation", 100), link: queried(query, "link", 100) })
        const purpose = { kind: "sign-in", device, ...tokens } as const
        const { cookie, redirect_url } = yield* signIns.begin(yield* number, purpose, yield* origin)
        return redirect(redirect_url, setSignIn(publicUrl, cookie))
      })
      yield* router.add(
        "GET",
        "/sign-in/:provider",
        Effect.catch(begin, (error) => failed(error))
      )

      /** The cookie has served, whatever follows. */
      const over = setSignIn(publicUrl, undefined)
      const complete = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const cookie = readSignIn(request, publicUrl)
        const done = yield* signIns.complete(yield* number, queryOf(request), cookie, yield* origin)
        if (done.kind !== "signed-in") {
          return done.kind === "connected"
            ? redirect(`${consolePath}settings/account`, over)
            : yield* rendered({ content: Pages.confirmedPage, status: 200, headers: over })
        }
        const { session, unaccepted } = done
        const problem =
          unaccepted === undefined
            ? undefined
            : Pages.failedPage((texts) => texts.problem(unaccepted.code, unaccepted.detail), consolePath)
        const content = Pages.signedInPage(session.user.email, consolePath, problem)
        return yield* rendered({ content, status: 200, headers: over, session })
      })
      yield* router.add(
        "GET",
        "/sign-in/:provider/callback",
        Effect.catch(complete, (error) => failed(error, over))
      )
    })
  )
