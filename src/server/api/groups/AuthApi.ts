import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  Accepted,
  Changed,
  LogIn,
  LoggedOut,
  LogOut,
  PasswordChange,
  PasswordForgotten,
  PasswordReset,
  Refresh,
  Register,
  TokenResponse
} from "../../../../services/identity/Session.ts"
import { scopes } from "../../../../services/identity/Scopes.ts"
import { Access, Authorization, reads, SignedIn } from "../Authorization.ts"
import { Conventions } from "../Conventions.ts"
import { created, optionalBody } from "../Envelopes.ts"
import { operation } from "../Operation.ts"

/** For every signed-in user. */
const own = reads(...scopes)

export class AuthApi extends HttpApiGroup.make("auth")
  .add(
    HttpApiEndpoint.post("register", "/register", { payload: Register, success: TokenResponse.pipe(created) })
      .annotateMerge(
        operation(
          "registerUser",
          "Register",
          "Creates a user with a personal workspace on the plan `free`, and signs in. A mail to the address has a link that confirms it. On servers with sign-up by invitation only, `invitation_token` is required; it also accepts the invitation. Addresses are compared without regard to case, compatibility forms (NFKC) and the spelling of the domain (Punycode); letters that merely look alike are different. At most 20 registrations an hour from one network, not counting those with an invitation.",
          {
            codes: [
              "already_exists",
              "sign_up_closed",
              "password_sign_in_off",
              "not_found",
              "invitation_expired",
              "invalid_state",
              "overloaded"
            ]
          }
        )
      )
      .middleware(Conventions),
    HttpApiEndpoint.post("logIn", "/login", { payload: LogIn, success: TokenResponse })
      .annotateMerge(
        operation(
          "logIn",
          "Log in",
          "Signs in with e-mail address and password, on the given device or a new one. The response is the same for a wrong password and for an address without an account. At most 10 failed attempts for an address from one network in 15 minutes, and 100 in an hour from anywhere.",
          {
            codes: [
              "invalid_credentials",
              "account_suspended",
              "password_sign_in_off",
              "login_throttled",
              "rate_limited",
              "overloaded"
            ]
          }
        )
      )
      .middleware(Conventions),
    HttpApiEndpoint.post("refresh", "/refresh", { payload: Refresh, success: TokenResponse })
      .annotateMerge(
        operation(
          "refreshTokens",
          "Refresh tokens",
          "Exchanges a refresh token for new tokens. A refresh token can be used once. If the response was lost, the same token can be sent again within 60 seconds and returns the same tokens; any later use ends the session, because the token may have been stolen. The previous access token stays valid until its hour is over. A session can be refreshed at most 10 times a minute.",
          { codes: ["invalid_token", "token_expired", "token_reused", "rate_limited", "not_found"] }
        )
      )
      .middleware(Conventions),
    HttpApiEndpoint.post("logOut", "/logout", { payload: optionalBody(LogOut), success: LoggedOut })
      .annotateMerge(
        operation("logOut", "Log out", "Ends the session of this access token, with its tokens and streams.")
      )
      .annotate(Access, own)
      .annotate(SignedIn, true)
      .middleware(Conventions)
      .middleware(Authorization),
    HttpApiEndpoint.post("changePassword", "/password", { payload: PasswordChange, success: Changed })
      .annotateMerge(
        operation("changePassword", "Change the password", "Ends all other sessions of the user.", {
          codes: ["invalid_credentials", "login_throttled", "overloaded"]
        })
      )
      .annotate(Access, own)
      .annotate(SignedIn, true)
      .middleware(Conventions)
      .middleware(Authorization),
    HttpApiEndpoint.post("forgotPassword", "/forgot", { payload: PasswordForgotten, success: Accepted })
      .annotateMerge(
        operation(
          "forgotPassword",
          "Request a password reset",
          "Mails a link with a token that can reset the password once, within one hour. The response is the same for an address without an account. At most 5 mails an hour are sent to an address.",
          { codes: ["password_sign_in_off"] }
        )
      )
      .middleware(Conventions),
    HttpApiEndpoint.post("resetPassword", "/reset", { payload: PasswordReset, success: Changed })
      .annotateMerge(
        operation(
          "resetPassword",
          "Reset the password",
          "Sets a new password with the token from the mail, and ends all sessions of the user. If the address was not confirmed before, the account's API keys end too. An address is confirmed when a token mailed to it was used, or when the operator created the account; a new address set by PATCH /me is unconfirmed.",
          { codes: ["invalid_token", "token_expired", "rate_limited", "not_found", "overloaded"] }
        )
      )
      .middleware(Conventions)
  )
  .prefix("/auth")
  .annotateMerge(
    OpenApi.annotations({
      title: "Authentication",
      description: "Accounts, passwords and tokens."
    })
  ) {}
