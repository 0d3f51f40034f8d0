import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  Accepted,
  Changed,
  LogIn,
  LogOut,
  PasswordChange,
  PasswordForgotten,
  PasswordReset,
  Refresh,
  Register,
  TokenAnswer
} from "../../services/identity/Session.ts"
import { scopes } from "../../services/identity/Scopes.ts"
import { Access, Authorization, reads, SignedIn } from "./Authorization.ts"
import { Conventions } from "./Conventions.ts"
import { created, Deleted, optionalBody } from "./Envelopes.ts"
import { operation } from "./Operation.ts"

/** Whoever has signed in may do this. */
const own = reads(...scopes)

export class AuthApi extends HttpApiGroup.make("auth")
  .add(
    HttpApiEndpoint.post("register", "/register", { payload: Register, success: TokenAnswer.pipe(created) })
      .annotateMerge(
        operation(
          "registerUser",
          "Register",
          "Makes a user with a personal workspace of the plan `free`, and signs them in. Where only invitees may register, `invitation_token` is needed; it also accepts the invitation. Addresses are compared without regard to case, compatibility forms (NFKC) and the spelling of the domain (Punycode); letters that only look alike are different ones. At most 20 registrations an hour from one network, those of invitees not counted.",
          {
            codes: [
              "already_exists",
              "sign_up_closed",
              "not_found",
              "invitation_expired",
              "invalid_state",
              "overloaded"
            ]
          }
        )
      )
      .middleware(Conventions),
    HttpApiEndpoint.post("logIn", "/login", { payload: LogIn, success: TokenAnswer })
      .annotateMerge(
        operation(
          "logIn",
          "Log in",
          "Signs in with e-mail address and password, on the device that is named or a new one. The answer is the same for a wrong password and for an address without an account. At most 10 wrong attempts for an address from one place in 15 minutes, and 100 in an hour from anywhere.",
          { codes: ["invalid_credentials", "login_throttled", "rate_limited", "overloaded"] }
        )
      )
      .middleware(Conventions),
    HttpApiEndpoint.post("refresh", "/refresh", { payload: Refresh, success: TokenAnswer })
      .annotateMerge(
        operation(
          "refreshTokens",
          "Refresh tokens",
          "New tokens for a refresh token, which is used up by it. For 60 seconds it may be sent again, for an answer that was lost, and gives the same tokens again; any later use ends the session, for the token may have been stolen. The access token before stays good until its hour is over. At most 10 refreshes of a session in a minute.",
          { codes: ["invalid_token", "token_expired", "token_reused", "rate_limited", "not_found"] }
        )
      )
      .middleware(Conventions),
    HttpApiEndpoint.post("logOut", "/logout", { payload: optionalBody(LogOut), success: Deleted })
      .annotateMerge(
        operation("logOut", "Log out", "Ends the session of this access token, with its tokens and streams.", {
          deletes: "session"
        })
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
          "Ask for a password reset",
          "Outbox a token that resets the password once, within an hour. The answer is the same for an address without an account. At most 5 mails go to an address in an hour."
        )
      )
      .middleware(Conventions),
    HttpApiEndpoint.post("resetPassword", "/reset", { payload: PasswordReset, success: Changed })
      .annotateMerge(
        operation(
          "resetPassword",
          "Reset the password",
          "Sets a new password with the token that was mailed, and ends all sessions of the user. For an address that nobody had proven before to be theirs, it ends the account's API keys too. What proves an address: a token that was mailed to it and used, or that the operator made the account; a change of the address by PATCH /me makes it unproven.",
          { codes: ["invalid_token", "token_expired", "rate_limited", "not_found", "overloaded"] }
        )
      )
      .middleware(Conventions)
  )
  .prefix("/auth")
  .annotateMerge(
    OpenApi.annotations({
      title: "Authentication",
      description: "From a password to tokens, and their end."
    })
  ) {}
