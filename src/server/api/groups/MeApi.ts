import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { RevokedSessions, Session, sessionList } from "../../../../services/identity/Session.ts"
import { User, UserDelete, UserUpdate } from "../../../../services/identity/User.ts"
import { ofAccount, SignedIn } from "../Authorization.ts"
import { Deleted, id, list, page } from "../Envelopes.ts"
import { describing, listing, operations, passwordRequired } from "../Operation.ts"

// A user's own account: every role may use it.
const own = operations(ofAccount("profile"))

export class MeApi extends HttpApiGroup.make("me")
  .add(
    HttpApiEndpoint.get("get", "/", { query: page, success: User }).annotateMerge(
      own(
        "getMe",
        "Get the current user",
        "The user of the access token, or the creator of the API key. The page parameters are accepted and ignored."
      )
    ),
    HttpApiEndpoint.patch("update", "/", { payload: UserUpdate, success: User }).annotateMerge(
      own(
        "updateMe",
        "Update the current user",
        "Only supplied fields change. A change of the e-mail address needs a session and `current_password`, or a sign-in within the last 15 minutes by a user without a password, and is reported to the old address. A mail to the new address has a link that confirms it; the address is unconfirmed until a token mailed to it is used.",
        { codes: ["already_exists", "two_factors_required", ...passwordRequired.codes] }
      )
    ),
    HttpApiEndpoint.make("DELETE")("delete", "/", { payload: UserDelete, success: Deleted })
      .annotateMerge(
        own(
          "deleteMe",
          "Delete the current user",
          "Deletes the account of the signed-in user, which cannot be undone. Sessions, API keys and devices end at once, and the e-mail address can register again. Workspaces without other members are deleted, the personal workspace included; export their content before. In others the membership ends, as when the user leaves. While the user is the last owner of a workspace with other members, the response is 409 `last_owner`, with these `workspaces` as `{id, name, slug}`, and nothing has changed. `current_password` is required, unless the user has no password: then a sign-in within the last 15 minutes is needed.",
          { codes: ["last_owner", ...passwordRequired.codes], deletes: "user" }
        )
      )
      .annotate(SignedIn, true),
    HttpApiEndpoint.get("sessions", "/sessions", { query: page, success: list(Session) }).annotateMerge(
      own(
        "listSessions",
        "List sessions",
        "Active sessions, with their device and last activity.",
        listing(sessionList)
      )
    ),
    HttpApiEndpoint.post("revokeOthers", "/sessions/revoke-others", { success: RevokedSessions })
      .annotateMerge(
        own(
          "revokeOtherSessions",
          "End all other sessions",
          "Ends all sessions of the user except that of this request, with their tokens and streams."
        )
      )
      .annotate(SignedIn, true),
    HttpApiEndpoint.make("DELETE")("deleteSession", "/sessions/:id", { params: id, success: Deleted }).annotateMerge(
      own(
        "deleteSession",
        "End a session",
        "Ends the session with its tokens and streams, at once on this node and within a second on others."
      )
    )
  )
  .prefix("/me")
  .annotateMerge(describing("Current user", "The user that a token belongs to.")) {}
