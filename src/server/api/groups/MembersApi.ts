import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Member, memberList, MemberUpdate } from "../../../../services/workspaces/Member.ts"
import { reads, WorkspaceParam } from "../Authorization.ts"
import { DryRunnable } from "../Conventions.ts"
import { Deleted, inWorkspace, list, page } from "../Envelopes.ts"
import { describing, listing, operations, passwordRequired } from "../Operation.ts"

const read = operations(reads("members:read"))
const write = { scopes: ["members:write"] } as const

export class MembersApi extends HttpApiGroup.make("members")
  .add(
    HttpApiEndpoint.get("list", "/", {
      params: { workspace_id: inWorkspace.workspace_id },
      query: page,
      success: list(Member)
    }).annotateMerge(
      read("listMembers", "List members", "The members of the workspace with their roles.", listing(memberList))
    ),
    HttpApiEndpoint.get("get", "/:id", { params: inWorkspace, success: Member }).annotateMerge(
      read("getMember", "Get a member", "`id` identifies the membership, `user_id` the user.")
    ),
    HttpApiEndpoint.patch("update", "/:id", {
      params: inWorkspace,
      payload: MemberUpdate,
      success: Member
    }).annotateMerge(
      operations({ ...write, role: "admin" })(
        "updateMember",
        "Change a member's role",
        `Admins can change members up to admin, owners all members. Shares of a member who becomes a viewer end. A secret that a rotation replaced cannot change roles (403 \`forbidden\`). The last owner cannot be demoted, nor can the owner of a personal workspace. ${passwordRequired.text} This applies to the role \`owner\`.`,
        { codes: [...passwordRequired.codes, "last_owner", "invalid_state", "quota_exceeded", "forbidden"] }
      )
    ),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: inWorkspace, success: Deleted }).annotateMerge(
      operations({ ...write, role: "viewer" })(
        "deleteMember",
        "Remove a member, or leave",
        "Admins can remove members up to admin, owners all members, and every member can leave. API keys and shares that the member created in the workspace end, and webhooks that the member created or last changed are deactivated (`disabled_reason` is `creator_left`). The audit log lists them in the entry `member.removed`. The last owner cannot leave, nor can the owner of a personal workspace.",
        { codes: ["insufficient_role", "last_owner", "invalid_state"] }
      )
    )
  )
  .prefix("/workspaces/:workspace_id/members")
  .annotateEndpoints(DryRunnable, true)
  .annotateEndpoints(WorkspaceParam, "workspace_id")
  .annotateMerge(describing("Members", "Users in a workspace. An accepted invitation makes a user a member.")) {}
