import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { PasswordConfirmation } from "../../../../../services/admin/OperatorEffect.ts"
import {
  PasswordLink,
  RemovedFactors,
  ServerUser,
  ServerUserCreate,
  serverUserList,
  ServerUserUpdate
} from "../../../../../services/admin/ServerUser.ts"
import { RevokedSessions } from "../../../../../services/identity/Session.ts"
import { administers } from "../../Authorization.ts"
import { ShownOnce } from "../../Conventions.ts"
import { created, Deleted, id, list, optionalBody, page } from "../../Envelopes.ts"
import { describing, listing, operations } from "../../Operation.ts"

const read = operations(administers.read)
const write = operations(administers.write("none"))

export class AdminUsersApi extends HttpApiGroup.make("adminUsers")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(ServerUser) }).annotateMerge(
      read(
        "adminListUsers",
        "List the users of the server",
        "All users whose accounts are not deleted.",
        listing(serverUserList)
      )
    ),
    HttpApiEndpoint.post("create", "/", { payload: ServerUserCreate, success: ServerUser.pipe(created) }).annotateMerge(
      operations(administers.write("lasting access"))(
        "adminCreateUser",
        "Create a user",
        "Creates a user with a personal workspace, whatever SIGN_UP says. The address counts as confirmed.",
        { codes: ["already_exists"] }
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: ServerUser }).annotateMerge(
      read("adminGetUser", "Get a user of the server", "A user whose account is not deleted.")
    ),
    HttpApiEndpoint.patch("update", "/:id", {
      params: id,
      payload: ServerUserUpdate,
      success: ServerUser
    }).annotateMerge(
      operations(administers.write({ email: "lasting access", operator: "lasting access", suspended: "destroys" }))(
        "adminUpdateUser",
        "Change a user",
        "Only supplied fields change. `suspended: true` ends all sessions and streams of the user at once, and refuses sign-ins and API keys with `account_suspended` until it is false again. Operators cannot suspend themselves or end their own right, and the last operator stays one (409 `invalid_state`).",
        { codes: ["already_exists", "invalid_state"] }
      )
    ),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", {
      params: id,
      payload: optionalBody(PasswordConfirmation),
      success: Deleted
    }).annotateMerge(
      operations(administers.write("destroys"))(
        "adminDeleteUser",
        "Delete a user",
        "Deletes the account, which cannot be undone, as `deleteMe` does. Workspaces without other members are deleted, and can be restored with another owner for 30 days. While the user is the last owner of a workspace with other members, the response is 409 `last_owner`, and for the last operator `invalid_state`; then nothing has changed.",
        { codes: ["invalid_state", "last_owner"], deletes: "user" }
      )
    ),
    HttpApiEndpoint.post("passwordLink", "/:id/password-link", {
      params: id,
      payload: optionalBody(PasswordConfirmation),
      success: PasswordLink
    })
      .annotateMerge(
        operations(administers.write("lasting access"))(
          "adminMakePasswordLink",
          "Make a link to set another password",
          "A link for the user, which is also mailed to them. It works once, within one hour. Only the first response to an Idempotency-Key has it; a repetition is 409 `invalid_state`."
        )
      )
      .annotate(ShownOnce, true),
    HttpApiEndpoint.post("endSessions", "/:id/end-sessions", { params: id, success: RevokedSessions }).annotateMerge(
      write(
        "adminEndSessions",
        "End all sessions of a user",
        "Ends the sessions with their tokens and streams. API keys stay."
      )
    ),
    HttpApiEndpoint.post("resetFactors", "/:id/reset-factors", {
      params: id,
      payload: optionalBody(PasswordConfirmation),
      success: RemovedFactors
    }).annotateMerge(
      operations(administers.write("lasting access"))(
        "adminResetFactors",
        "Remove all second factors of a user",
        "For a user who has lost them: the authenticator apps, passkeys and recovery codes end, and the user gets a mail. Sessions stay."
      )
    )
  )
  .prefix("/admin/users")
  .annotateMerge(describing("Users of the server", "All users, for operators of the server.")) {}
