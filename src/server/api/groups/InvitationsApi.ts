import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Invitation,
  InvitationAccept,
  InvitationCreate,
  invitationList,
  InvitationResend,
  InvitationSent
} from "../../../../services/workspaces/Invitation.ts"
import { SignedIn, WorkspaceParam } from "../Authorization.ts"
import { created, Deleted, inWorkspace, list, optionalBody, page } from "../Envelopes.ts"
import { DryRunnable } from "../Conventions.ts"
import { describing, listing, operations, passwordRequired } from "../Operation.ts"

const read = operations({ scopes: ["members:read"], role: "admin" })
const write = operations({ scopes: ["members:write"], role: "admin" })
const params = { workspace_id: inWorkspace.workspace_id }
const base = "/workspaces/:workspace_id/invitations"

export class InvitationsApi extends HttpApiGroup.make("invitations")
  .add(
    HttpApiEndpoint.get("list", base, { params, query: page, success: list(Invitation) })
      .annotateMerge(
        read(
          "listInvitations",
          "List invitations",
          "`status` is the status at the time of the response.",
          listing(invitationList)
        )
      )
      .annotate(WorkspaceParam, "workspace_id"),
    HttpApiEndpoint.post("create", base, { params, payload: InvitationCreate, success: InvitationSent.pipe(created) })
      .annotateMerge(
        write(
          "createInvitation",
          "Invite a person",
          `Sends a link by mail. It is valid for seven days, or until \`expires_at\`, at most 30 days ahead. The role can be at most the caller's own. An invitation by an API key that expires ends with the key; a secret that a rotation replaced cannot invite people (403 \`forbidden\`). On a server without SMTP the response has the link as \`accept_url\`, for you to pass on. The number of invitations that a user sends in an hour and in a day (\`rate_limited\`) and the number of pending invitations of a workspace (\`quota_exceeded\`) are limited. If sign-up is open and the server sends mail, the caller must have confirmed their own address (\`forbidden\`). ${passwordRequired.text} This applies to the role \`owner\`.`,
          { codes: [...passwordRequired.codes, "already_exists", "quota_exceeded", "forbidden"] }
        )
      )
      .annotate(WorkspaceParam, "workspace_id"),
    HttpApiEndpoint.get("get", `${base}/:id`, { params: inWorkspace, success: Invitation })
      .annotateMerge(read("getInvitation", "Get an invitation", "`status` is the status at the time of the response."))
      .annotate(WorkspaceParam, "workspace_id"),
    HttpApiEndpoint.make("DELETE")("delete", `${base}/:id`, { params: inWorkspace, success: Deleted })
      .annotateMerge(
        write(
          "deleteInvitation",
          "Delete an invitation",
          "The link becomes invalid. A user who has accepted stays a member."
        )
      )
      .annotate(DryRunnable, true)
      .annotate(WorkspaceParam, "workspace_id"),
    HttpApiEndpoint.post("resend", `${base}/:id/resend`, {
      params: inWorkspace,
      payload: optionalBody(InvitationResend),
      success: InvitationSent
    })
      .annotateMerge(
        write(
          "resendInvitation",
          "Send an invitation again",
          "Sends a new link, valid for seven days or until `expires_at`; the previous link becomes invalid. Address and role do not change. The limits are those of a new invitation.",
          { codes: ["already_exists", "quota_exceeded", "forbidden"] }
        )
      )
      .annotate(WorkspaceParam, "workspace_id"),
    HttpApiEndpoint.post("accept", "/invitations/accept", { payload: InvitationAccept, success: Invitation })
      .annotateMerge(
        operations({ scopes: ["members:write"], role: "viewer" })(
          "acceptInvitation",
          "Accept an invitation",
          "Makes the signed-in user a member. The invitation must be for the user's e-mail address. Accepting again returns the same response. The invitation is valid as long as the user who sent it may invite.",
          { codes: ["not_found", "invitation_expired", "quota_exceeded"] }
        )
      )
      .annotate(SignedIn, true)
  )
  .annotateMerge(describing("Invitations", "Invitations of people into a workspace.")) {}
