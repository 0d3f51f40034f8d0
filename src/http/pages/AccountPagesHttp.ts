import { Effect, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SheafError } from "../../../services/Errors.ts"
import { Accounts } from "../../../services/identity/Accounts.ts"
import { Confirmations } from "../../../services/identity/Confirmations.ts"
import { Recovery } from "../../../services/identity/Recovery.ts"
import { LogIn, PasswordForgotten, PasswordReset, Register } from "../../../services/identity/Session.ts"
import { type Origin, Sessions } from "../../../services/identity/Sessions.ts"
import { Setup, SetupLinks } from "../../../services/identity/SetupLinks.ts"
import { Invitations } from "../../../services/workspaces/Invitations.ts"
import type { OpenInvitation } from "../../../services/workspaces/OpenInvitation.ts"
import * as Pages from "./AccountPages.ts"
import { origin } from "../server/ClientAddress.ts"
import { withStoredForm } from "./Form.ts"
import { formHeaders, wrongOf } from "./FormPage.ts"
import { html, prefixOf } from "../responses/HtmlPage.ts"
import * as Payload from "../pipeline/Payload.ts"
import { headOf } from "../responses/Problem.ts"

type Response = HttpServerResponse.HttpServerResponse

const register = Payload.decoder(Register)
const logIn = Payload.decoder(LogIn)
const passwordReset = Payload.decoder(PasswordReset)
const passwordForgotten = Payload.decoder(PasswordForgotten)
const setup = Payload.decoder(Setup)

const page = (body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  html(body, status, { ...formHeaders, ...headers })

/** A failure as a page, with the status and headers of its problem. */
const failed = (error: SheafError, body: string): Response => {
  const { headers, status } = headOf(error)
  return page(body, status, headers)
}

/** The page for failures that sending the form again does not solve. */
const busyPage = (error: SheafError): Response =>
  failed(error, error._tag === "RateLimited" ? Pages.throttled : Pages.unavailable)

/** The token in the address; undefined if it has none. */
const tokenOf = ({ url }: HttpServerRequest.HttpServerRequest): string | undefined =>
  new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("token") ?? undefined

/** A page for a link in a mail that can be requested again. */
interface MailedPage<E, R> {
  readonly path: `/${string}`
  readonly mail: Pages.Mailed
  readonly ask: (email: string, origin: Origin) => Effect.Effect<void, SheafError>
  /** The response for a valid token. */
  readonly show: (token: string, origin: Origin) => Effect.Effect<Response, E, R>
  readonly submit: (token: string, form: URLSearchParams, origin: Origin) => Effect.Effect<Response, E, R>
}

/**
 * The pages for links (contract, section 4). Only a sent form uses a token, because mail scanners follow links. There are no cookies, so that no other site can make a browser send a form with the rights of a user.
 */
export const AccountPagesHttp = (publicUrl: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const invitations = yield* Invitations
      const accounts = yield* Accounts
      const sessions = yield* Sessions
      const recovery = yield* Recovery
      const confirmations = yield* Confirmations
      const setupLinks = yield* SetupLinks
      const prefix = prefixOf(publicUrl)
      const consolePath = `${prefix}/console/`
      /** The path of the workspace of an invitation in the console. */
      const pathOf = ({ workspace_id }: OpenInvitation) => `${consolePath}?workspace=${workspace_id}`

      const accepting = (invitation: OpenInvitation, wrong?: Pages.AcceptWrong): string =>
        Pages.invitationPage({
          invitation,
          publicUrl,
          resetPath: `${prefix}/password/reset`,
          ...(wrong === undefined ? {} : { wrong })
        })

      const ended = (error: SheafError): Response =>
        error._tag === "NotFound"
          ? failed(error, Pages.unknownInvitation)
          : error._tag === "Expired"
            ? failed(error, Pages.expiredInvitation)
            : busyPage(error)

      const join = Effect.fnUntraced(function* (
        way: Pages.Way,
        token: string,
        invitation: OpenInvitation,
        form: URLSearchParams
      ) {
        const from = yield* origin
        const { email } = invitation
        const password = form.get("password") ?? ""
        if (way === "sign-in") {
          const user = yield* sessions.authenticate(yield* logIn({ email, password }), from)
          yield* invitations.accept(token, user, { ...from, user_id: user.id, device_id: null })
          return undefined
        }
        const name = form.get("name")?.trim() ?? ""
        const input = yield* register({ email, password, invitation_token: token, ...(name === "" ? {} : { name }) })
        return (yield* accounts.join(input, from)).unaccepted
      })

      const accept = Effect.fnUntraced(function* (token: string, form: URLSearchParams) {
        const invitation = yield* invitations.show(token, (yield* origin).ip)
        if (invitation.is_accepted) return page(Pages.acceptedPage(invitation, pathOf(invitation)))
        const way = form.get("way") === "register" ? "register" : "sign-in"
        return yield* Effect.match(join(way, token, invitation, form), {
          onSuccess: (unaccepted) =>
            page(
              unaccepted === undefined
                ? Pages.acceptedPage(invitation, pathOf(invitation))
                : Pages.unacceptedPage(invitation, unaccepted.detail, consolePath)
            ),
          onFailure: (error: SheafError) => {
            if (error._tag === "NotFound" || error._tag === "Expired") return ended(error)
            const message = Pages.acceptMessages[error.code]
            const wrong = message === undefined ? wrongOf(error, Pages.acceptFields[way]) : { message }
            return failed(error, accepting(invitation, { way, wrong, name: form.get("name") ?? "" }))
          }
        })
      })

      yield* router.add(
        "GET",
        "/invitations/accept",
        Effect.gen(function* () {
          const token = tokenOf(yield* HttpServerRequest.HttpServerRequest) ?? ""
          return yield* Effect.match(invitations.show(token, (yield* origin).ip), {
            onSuccess: (found) => page(found.is_accepted ? Pages.acceptedPage(found, pathOf(found)) : accepting(found)),
            onFailure: ended
          })
        })
      )
      yield* router.add(
        "POST",
        "/invitations/accept",
        withStoredForm((form) =>
          Effect.gen(function* () {
            const token = tokenOf(yield* HttpServerRequest.HttpServerRequest) ?? ""
            return yield* Effect.match(accept(token, form), { onSuccess: (response) => response, onFailure: ended })
          })
        )
      )

      const addMailed = Effect.fnUntraced(function* <R>({ ask, mail, path, show, submit }: MailedPage<SheafError, R>) {
        const at = prefix + path
        const broken = (error: SheafError): Response => {
          if (error._tag === "RateLimited" || error._tag === "Unavailable") return busyPage(error)
          const isExpired = error.code === "token_expired"
          return page(Pages.brokenPage(mail, isExpired, at), isExpired ? 410 : 404)
        }
        const asked = Effect.fnUntraced(function* (form: URLSearchParams) {
          const typed = form.get("email") ?? ""
          const sent = Effect.gen(function* () {
            const { email } = yield* passwordForgotten({ email: typed.trim() })
            yield* ask(email, yield* origin)
            return page(Pages.requestedPage(mail, email))
          })
          return yield* Effect.catch(sent, (error) =>
            Effect.succeed(failed(error, Pages.requestPage(mail, at, wrongOf(error, Pages.requestFields), typed)))
          )
        })
        yield* router.add(
          "GET",
          path,
          Effect.gen(function* () {
            const token = tokenOf(yield* HttpServerRequest.HttpServerRequest)
            if (token === undefined) return page(Pages.requestPage(mail, at))
            return yield* Effect.catch(show(token, yield* origin), (error) => Effect.succeed(broken(error)))
          })
        )
        yield* router.add(
          "POST",
          path,
          withStoredForm((form) =>
            Effect.gen(function* () {
              const token = tokenOf(yield* HttpServerRequest.HttpServerRequest)
              if (token === undefined) return yield* asked(form)
              return yield* Effect.catch(submit(token, form, yield* origin), (error) => Effect.succeed(broken(error)))
            })
          )
        )
      })

      yield* addMailed({
        path: "/password/reset",
        mail: Pages.resetMail,
        ask: recovery.forgotPassword,
        show: (token, from) => Effect.map(recovery.find(token, from), ({ email }) => page(Pages.passwordPage(email))),
        submit: Effect.fnUntraced(function* (token, form, from) {
          const { email } = yield* recovery.find(token, from)
          const changed = Effect.gen(function* () {
            yield* recovery.resetPassword(
              yield* passwordReset({ token, new_password: form.get("new_password") ?? "" }),
              from
            )
            return page(Pages.passwordChangedPage(email, consolePath))
          })
          return yield* Effect.catch(changed, (error: SheafError) =>
            error._tag === "Unauthorized" || error._tag === "NotFound"
              ? Effect.fail(error)
              : Effect.succeed(failed(error, Pages.passwordPage(email, wrongOf(error, Pages.passwordFields))))
          )
        })
      })

      yield* addMailed({
        path: "/email/confirm",
        mail: Pages.confirmationMail,
        ask: confirmations.ask,
        show: (token, from) =>
          Effect.map(confirmations.find(token, from), ({ email, email_proven }) =>
            page(email_proven ? Pages.confirmedPage(email, consolePath) : Pages.confirmPage(email, publicUrl))
          ),
        submit: Effect.fnUntraced(function* (token, _, from) {
          const { email } = yield* confirmations.find(token, from)
          yield* confirmations.confirm(token, from)
          return page(Pages.confirmedPage(email, consolePath))
        })
      })

      const brokenSetup = (error: SheafError): Response =>
        error._tag === "RateLimited" || error._tag === "Unavailable"
          ? busyPage(error)
          : error.code === "token_expired"
            ? page(Pages.expiredSetup, 410)
            : page(Pages.brokenSetup, 404)

      const setUp = Effect.fnUntraced(function* (token: string, form: URLSearchParams, from: Origin) {
        const typed = { email: form.get("email") ?? "", name: form.get("name") ?? "" }
        yield* setupLinks.find(token, from)
        const made = Effect.gen(function* () {
          const name = typed.name.trim()
          const input = yield* setup({
            email: typed.email,
            password: form.get("password") ?? "",
            ...(name === "" ? {} : { name })
          })
          const { api_key } = yield* setupLinks.use(token, input, from)
          return page(
            Pages.setUpPage({
              email: input.email,
              api_key: Redacted.value(api_key),
              consolePath,
              docsPath: `${prefix}/docs`
            })
          )
        })
        return yield* Effect.catch(made, (error: SheafError) =>
          error._tag === "Unauthorized" || error._tag === "NotFound"
            ? Effect.fail(error)
            : Effect.succeed(failed(error, Pages.setupPage(wrongOf(error, Pages.setupFields), typed)))
        )
      })

      yield* router.add(
        "GET",
        "/setup",
        Effect.gen(function* () {
          const token = tokenOf(yield* HttpServerRequest.HttpServerRequest) ?? ""
          return yield* Effect.match(setupLinks.find(token, yield* origin), {
            onSuccess: ({ isUsed }) => (isUsed ? page(Pages.brokenSetup, 404) : page(Pages.setupPage())),
            onFailure: brokenSetup
          })
        })
      )
      yield* router.add(
        "POST",
        "/setup",
        withStoredForm((form) =>
          Effect.gen(function* () {
            const token = tokenOf(yield* HttpServerRequest.HttpServerRequest) ?? ""
            return yield* Effect.match(setUp(token, form, yield* origin), {
              onSuccess: (response) => response,
              onFailure: brokenSetup
            })
          })
        )
      )
    })
  )
