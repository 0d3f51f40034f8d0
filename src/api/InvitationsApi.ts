import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  Invitation,
  InvitationAccept,
  InvitationCreate,
  InvitationResend,
  InvitationSent
} from "../../services/workspaces/Invitation.ts"
import { invitationList } from "../../services/workspaces/InvitationList.ts"
import { Access, SignedIn, WorkspaceParam } from "./Authorization.ts"
import { created, Deleted, inWorkspace, list, optionalBody, page } from "./Envelopes.ts"
import { listing, operation } from "./Operation.ts"

const read = { scopes: ["members:read"], role: "admin" } as const
const write = { scopes: ["members:write"], role: "admin" } as const
const params = { workspace_id: inWorkspace.workspace_id }
const base = "/workspaces/:workspace_id/invitations"

export class InvitationsApi extends HttpApiGroup.make("invitations")
  .add(
    HttpApiEndpoint.get("list", base, { params, query: page, success: list(Invitation) })
      .annotateMerge(
        operation(
          "listInvitations",
          "List invitations",
          "`status` is as it stands at the time of the answer.",
          listing(invitationList)
        )
      )
      .annotate(Access, read)
      .annotate(WorkspaceParam, "workspace_id"),
    HttpApiEndpoint.post("create", base, { params, payload: InvitationCreate, success: InvitationSent.pipe(created) })
      .annotateMerge(
        operation(
          "createInvitation",
          "Invite somebody",
          "Sends a link by mail, good for seven days unless `expires_at` says otherwise, at most 30 days ahead. Nobody invites beyond their own role. Where the server sends no mail by SMTP, the answer has `accept_url`, to be passed on.",
          { codes: ["already_exists"] }
        )
      )
      .annotate(Access, write)
      .annotate(WorkspaceParam, "workspace_id"),
    HttpApiEndpoint.get("get", `${base}/:id`, { params: inWorkspace, success: Invitation })
      .annotateMerge(
        operation("getInvitation", "Get an invitation", "`status` is as it stands at the time of the answer.")
      )
      .annotate(Access, read)
      .annotate(WorkspaceParam, "workspace_id"),
    HttpApiEndpoint.make("DELETE")("delete", `${base}/:id`, { params: inWorkspace, success: Deleted })
      .annotateMerge(
        operation("deleteInvitation", "Delete an invitation", "Its link ends. Who has accepted stays a member.")
      )
      .annotate(Access, write)
      .annotate(WorkspaceParam, "workspace_id"),
    HttpApiEndpoint.post("resend", `${base}/:id/resend`, {
      params: inWorkspace,
      payload: optionalBody(InvitationResend),
      success: InvitationSent
    })
      .annotateMerge(
        operation(
          "resendInvitation",
          "Send an invitation again",
          "With a new link, good for seven days from now unless `expires_at` says otherwise; the link before ends. Address and role stay.",
          { codes: ["already_exists"] }
        )
      )
      .annotate(Access, write)
      .annotate(WorkspaceParam, "workspace_id"),
    HttpApiEndpoint.post("accept", "/invitations/accept", { payload: InvitationAccept, success: Invitation })
      .annotateMerge(
        operation(
          "acceptInvitation",
          "Accept an invitation",
          "Makes the user who is signed in a member. The invitation must have been made for their e-mail address. Who accepted already gets the same answer again. It is good as long as who has invited may still do so.",
          { codes: ["not_found", "invitation_expired", "quota_exceeded"] }
        )
      )
      .annotate(Access, { scopes: ["members:write"], role: "viewer" })
      .annotate(SignedIn, true)
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Invitations", description: "The way into the workspace of somebody else." })
  ) {}
