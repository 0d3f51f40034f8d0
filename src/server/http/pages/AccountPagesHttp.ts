import { Effect, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import type { SheafError } from "../../../../services/Errors.ts"
import { Registrations } from "../../../../services/identity/registrations/Registrations.ts"
import { Confirmations } from "../../../../services/identity/Confirmations.ts"
import { Recovery } from "../../../../services/identity/Recovery.ts"
import {
  LogIn,
  PasswordForgotten,
  PasswordReset,
  Register,
  type TokenResponse
} from "../../../../services/identity/Session.ts"
import { type Origin, Sessions } from "../../../../services/identity/Sessions.ts"
import { Setup, SetupLinks } from "../../../../services/identity/registrations/SetupLinks.ts"
import { Providers } from "../../../../services/oidc/Providers.ts"
import { Invitations } from "../../../../services/workspaces/Invitations.ts"
import type { OpenInvitation } from "../../../../services/workspaces/OpenInvitation.ts"
import * as Pages from "./AccountPages.ts"
import * as SetupPages from "./SetupPages.ts"
import { origin } from "../server/ClientAddress.ts"
import * as FormSignIn from "./FormSignIn.ts"
import { addForms, failed, page, type Shown } from "./FormRoutes.ts"
import { type Page, formErrors } from "./FormPage.ts"
import { prefixOf } from "../responses/HtmlPage.ts"
import * as Payload from "../pipeline/Payload.ts"

const register = Payload.decoder(Register)
const logIn = Payload.decoder(LogIn)
const passwordReset = Payload.decoder(PasswordReset)
const passwordForgotten = Payload.decoder(PasswordForgotten)
const setup = Payload.decoder(Setup)

/** The page for failures that sending the form again does not solve. */
const busyPage = (error: SheafError): Shown =>
  failed(error, error._tag === "RateLimited" ? Pages.throttled : Pages.unavailable)

/** A page for a link in a mail that can be requested again. */
interface MailedPage<E, R> {
  readonly path: `/${string}`
  readonly mail: Pages.Mailed
  readonly ask: (email: string, origin: Origin) => Effect.Effect<void, SheafError>
  /** The response for a valid token. */
  readonly show: (token: string, origin: Origin) => Effect.Effect<Shown, E, R>
  readonly submit: (token: string, form: URLSearchParams, origin: Origin) => Effect.Effect<Shown, E, R>
}

/**
 * The pages for links (contract, section 4). Only a sent form uses a token, because mail scanners follow links. There are
 * no cookies, so that no other site can make a browser send a form with the rights of a user.
 */
export const AccountPagesHttp = (publicUrl: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const invitations = yield* Invitations
      const registrations = yield* Registrations
      const sessions = yield* Sessions
      const recovery = yield* Recovery
      const confirmations = yield* Confirmations
      const setupLinks = yield* SetupLinks
      const signIn = yield* FormSignIn.make(publicUrl)
      const prefix = prefixOf(publicUrl)
      const consolePath = `${prefix}/console/`
      const providers = (yield* Providers).all
      /** The addresses at which a user continues with a provider, with the token of a link. */
      const linked = (kind: "invitation" | "link", token: string): ReadonlyArray<Pages.Linked> =>
        providers.map(({ name, number }) => ({
          name,
          to: `${prefix}/sign-in/${number}?${new URLSearchParams({ [kind]: token })}`
        }))
      /** The path of the workspace of an invitation in the console. */
      const pathOf = ({ workspace_id }: OpenInvitation) => `${consolePath}?workspace=${workspace_id}`

      const addPage = addForms(router, consolePath)

      const accepting = (token: string, invitation: OpenInvitation, wrong?: Pages.AcceptWrong): Page =>
        Pages.invitationPage({
          invitation,
          providers: linked("invitation", token),
          publicUrl,
          resetPath: `${prefix}/password/reset`,
          ...(wrong === undefined ? {} : { wrong })
        })

      const accepted = (invitation: OpenInvitation, session?: TokenResponse): Shown =>
        page(
          Pages.acceptedPage(invitation, { consolePath: pathOf(invitation), isSignedIn: session !== undefined }),
          200,
          session
        )

      const ended = (error: SheafError): Shown =>
        error._tag === "NotFound"
          ? failed(error, Pages.unknownInvitation)
          : error._tag === "Expired"
            ? failed(error, Pages.expiredInvitation)
            : busyPage(error)

      /** Accepts by an account, whose session it starts if the browser can keep one. */
      const joinBy = Effect.fnUntraced(function* (token: string, email: string, form: URLSearchParams) {
        const code = form.get("code")?.trim() ?? ""
        const account = { email, password: form.get("password") ?? "", ...(code === "" ? {} : { code }) }
        const from = yield* origin
        const session = yield* signIn.start(form, account, true)
        const user = session?.user ?? (yield* sessions.authenticate(yield* logIn(account), from))
        const actor = { ...from, user_id: user.id, device_id: session?.device_id ?? null }
        yield* invitations.accept(token, { id: user.id }, actor)
        return { session, unaccepted: undefined }
      })

      const joinNew = Effect.fnUntraced(function* (token: string, email: string, form: URLSearchParams) {
        const name = form.get("name")?.trim() ?? ""
        const password = form.get("password") ?? ""
        const input = yield* register({ email, password, invitation_token: token, ...(name === "" ? {} : { name }) })
        const { unaccepted } = yield* registrations.join(input, yield* origin)
        return { session: yield* signIn.afterwards(form, { email, password }, false), unaccepted }
      })

      const accept = Effect.fnUntraced(function* (token: string, form: URLSearchParams) {
        const invitation = yield* invitations.show(token, (yield* origin).ip)
        if (invitation.is_accepted) return accepted(invitation)
        const way: Pages.Way = form.get("way") === "register" ? "register" : "sign-in"
        const join = way === "register" ? joinNew : joinBy
        return yield* Effect.match(join(token, invitation.email, form), {
          onSuccess: ({ session, unaccepted }) => {
            if (unaccepted === undefined) return accepted(invitation, session)
            const leading = { consolePath, isSignedIn: session !== undefined }
            return page(Pages.unacceptedPage(invitation, unaccepted, leading), 200, session)
          },
          onFailure: (error: SheafError) => {
            if (error._tag === "NotFound" || error._tag === "Expired") return ended(error)
            const wrong = Pages.acceptMessages[error.code] ?? formErrors(error, Pages.acceptFields[way])
            const needsCode = error.code === "second_factor_required" || error.code === "invalid_code"
            const typed = { way, wrong, needsCode, name: form.get("name") ?? "" }
            return failed(error, accepting(token, invitation, typed))
          }
        })
      })

      yield* addPage(
        "/invitations/accept",
        (token = "") =>
          Effect.match(
            Effect.flatMap(origin, ({ ip }) => invitations.show(token, ip)),
            {
              onSuccess: (found) => (found.is_accepted ? accepted(found) : page(accepting(token, found))),
              onFailure: ended
            }
          ),
        (token = "", form) => Effect.catch(accept(token, form), (error) => Effect.succeed(ended(error)))
      )

      const addMailed = Effect.fnUntraced(function* <R>({ ask, mail, path, show, submit }: MailedPage<SheafError, R>) {
        const at = prefix + path
        const broken = (error: SheafError): Shown => {
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
            Effect.succeed(failed(error, Pages.requestPage(mail, at, formErrors(error, Pages.requestFields), typed)))
          )
        })
        const orBroken = Effect.catch((error: SheafError) => Effect.succeed(broken(error)))
        yield* addPage(
          path,
          (token) =>
            token === undefined
              ? Effect.succeed(page(Pages.requestPage(mail, at)))
              : orBroken(Effect.flatMap(origin, (from) => show(token, from))),
          (token, form) =>
            token === undefined ? asked(form) : orBroken(Effect.flatMap(origin, (from) => submit(token, form, from)))
        )
      })

      yield* addMailed({
        path: "/password/reset",
        mail: "reset",
        ask: recovery.forgotPassword,
        show: (token, from) => Effect.map(recovery.find(token, from), ({ email }) => page(Pages.passwordPage(email))),
        submit: Effect.fnUntraced(function* (token, form, from) {
          const { email } = yield* recovery.find(token, from)
          const changed = Effect.gen(function* () {
            yield* recovery.resetPassword(
              yield* passwordReset({ token, new_password: form.get("new_password") ?? "" }),
              from
            )
            const session = yield* signIn.afterwards(form, { email, password: form.get("new_password") ?? "" }, false)
            const leading = { consolePath, isSignedIn: session !== undefined }
            return page(Pages.passwordChangedPage(email, leading), 200, session)
          })
          return yield* Effect.catch(changed, (error: SheafError) =>
            error._tag === "Unauthorized" || error._tag === "NotFound"
              ? Effect.fail(error)
              : Effect.succeed(failed(error, Pages.passwordPage(email, formErrors(error, Pages.passwordFields))))
          )
        })
      })

      yield* addMailed({
        path: "/email/confirm",
        mail: "confirmation",
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

      const brokenSetup = (error: SheafError): Shown =>
        error._tag === "RateLimited" || error._tag === "Unavailable"
          ? busyPage(error)
          : error.code === "token_expired"
            ? page(SetupPages.expiredSetup, 410)
            : page(SetupPages.brokenSetup, 404)

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
          const session = yield* signIn.afterwards(form, { email: input.email, password: input.password }, false)
          return page(
            SetupPages.setUpPage({
              email: input.email,
              api_key: Redacted.value(api_key),
              consolePath,
              isSignedIn: session !== undefined,
              docsPath: `${prefix}/docs`
            }),
            200,
            session
          )
        })
        return yield* Effect.catch(made, (error: SheafError) =>
          error._tag === "Unauthorized" || error._tag === "NotFound"
            ? Effect.fail(error)
            : Effect.succeed(
                failed(
                  error,
                  SetupPages.setupPage(linked("link", token), formErrors(error, SetupPages.setupFields), typed)
                )
              )
        )
      })

      yield* addPage(
        "/setup",
        (token = "") =>
          Effect.match(
            Effect.flatMap(origin, (from) => setupLinks.find(token, from)),
            {
              onSuccess: ({ isUsed }) =>
                isUsed ? page(SetupPages.brokenSetup, 404) : page(SetupPages.setupPage(linked("link", token))),
              onFailure: brokenSetup
            }
          ),
        (token = "", form) =>
          Effect.catch(
            Effect.flatMap(origin, (from) => setUp(token, form, from)),
            (error) => Effect.succeed(brokenSetup(error))
          )
      )
    })
  )
