import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  IdentityConfirm,
  IdentityConnect,
  identityList,
  ProviderRedirect,
  UserIdentity
} from "../../../../services/oidc/UserIdentity.ts"
import { ofAccount, SignedIn } from "../Authorization.ts"
import { Deleted, id, list, page } from "../Envelopes.ts"
import { describing, listing, operations, passwordRequired } from "../Operation.ts"

// A user's own ways to sign in: every role may use it.
const own = operations(ofAccount("profile"))

export class IdentitiesApi extends HttpApiGroup.make("identities")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(UserIdentity) }).annotateMerge(
      own(
        "listUserIdentities",
        "List sign-ins by providers",
        "The identities at OpenID providers that sign the user in, of which there are at most 20.",
        listing(identityList)
      )
    ),
    HttpApiEndpoint.post("connect", "/", { payload: IdentityConnect, success: ProviderRedirect })
      .annotateMerge(
        own(
          "connectUserIdentity",
          "Connect a provider",
          `Begins a sign-in at a provider in this browser: it goes to \`redirect_url\` within ten minutes, and comes back with the identity, which is connected with the account. The response sets a cookie, without which nothing is connected. ${passwordRequired.ofSessions}`,
          { codes: [...passwordRequired.codes, "not_found", "service_unavailable"] }
        )
      )
      .annotate(SignedIn, true),
    HttpApiEndpoint.post("confirm", "/confirm", { payload: IdentityConfirm, success: ProviderRedirect })
      .annotateMerge(
        own(
          "confirmUserIdentity",
          "Confirm by a provider",
          "Begins a sign-in at a connected provider in this browser, at which the user authenticates again. It counts as a recent sign-in of the session, as `current_password` does.",
          { codes: ["not_found", "service_unavailable"] }
        )
      )
      .annotate(SignedIn, true),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted }).annotateMerge(
      own(
        "deleteUserIdentity",
        "Disconnect a provider",
        "Ends the sign-in by this identity. Sessions stay. 409 `invalid_state` if the user could not sign in any more.",
        { codes: ["invalid_state"] }
      )
    )
  )
  .prefix("/me/identities")
  .annotateMerge(describing("Sign-ins by providers", "The identities at OpenID providers by which a user signs in.")) {}
