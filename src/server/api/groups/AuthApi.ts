import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Accepted,
  Changed,
  Confirm,
  Confirmed,
  LogIn,
  LoggedOut,
  LogOut,
  PasskeyLogIn,
  PasswordChange,
  PasswordForgotten,
  PasswordReset,
  Refresh,
  Register,
  TokenResponse
} from "../../../../services/identity/Session.ts"
import { PasskeyOffer } from "../../../../services/identity/factors/Factor.ts"
import { scopes } from "../../../../services/identity/Scopes.ts"
import { Authorization, ofAccount, SignedIn } from "../Authorization.ts"
import { Conventions } from "../Conventions.ts"
import { created, optionalBody } from "../Envelopes.ts"
import { describing, operation, operations } from "../Operation.ts"

/** For every signed-in user. */
const own = operations(ofAccount(...scopes))

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
          "Signs in with e-mail address and password, on the given device or a new one. For an account with a second factor the response is 401 `second_factor_required`, with its `factors`: then send the same request with a `code`, or sign in with a passkey. The response is the same for a wrong password and for an address without an account. At most 10 failed attempts for an address from one network in 15 minutes, and 100 in an hour from anywhere.",
          {
            codes: [
              "invalid_credentials",
              "second_factor_required",
              "invalid_code",
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
    HttpApiEndpoint.post("offerPasskey", "/passkey/options", { success: PasskeyOffer })
      .annotateMerge(
        operation(
          "offerPasskey",
          "Ask for a passkey",
          "Returns the options with which the browser asks for a passkey of this server, to sign in or to confirm. 409 `invalid_state` if the server has no passkeys: they need a host name, and HTTPS but for localhost, in PUBLIC_URL.",
          { codes: ["invalid_state", "rate_limited"] }
        )
      )
      .middleware(Conventions),
    HttpApiEndpoint.post("logInByPasskey", "/passkey", { payload: PasskeyLogIn, success: TokenResponse })
      .annotateMerge(
        operation(
          "logInByPasskey",
          "Log in with a passkey",
          "Signs in with a passkey, which is two factors at once, on the given device or a new one.",
          { codes: ["invalid_passkey", "account_suspended", "rate_limited", "not_found"] }
        )
      )
      .middleware(Conventions),
    HttpApiEndpoint.post("confirm", "/confirm", { payload: Confirm, success: Confirmed })
      .annotateMerge(
        own(
          "confirmSignIn",
          "Confirm the sign-in",
          "Counts as a recent sign-in of the session: with the password, a code of the authenticator app, a recovery code, or a passkey. With a second factor, the session has two from now on.",
          { codes: ["invalid_credentials", "invalid_code", "invalid_passkey", "login_throttled", "overloaded"] }
        )
      )
      .annotate(SignedIn, true)
      .middleware(Conventions)
      .middleware(Authorization),
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
      .annotateMerge(own("logOut", "Log out", "Ends the session of this access token, with its tokens and streams."))
      .annotate(SignedIn, true)
      .middleware(Conventions)
      .middleware(Authorization),
    HttpApiEndpoint.post("changePassword", "/password", { payload: PasswordChange, success: Changed })
      .annotateMerge(
        own("changePassword", "Change the password", "Ends all other sessions of the user.", {
          codes: ["invalid_credentials", "login_throttled", "overloaded"]
        })
      )
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
  .annotateMerge(describing("Authentication", "Accounts, passwords and tokens.")) {}
