import { Context, Effect, Layer } from "effect"
import type { Plan } from "../Principal.ts"
import type { RandomnessShape } from "../Randomness.ts"
import type { Draft } from "../writer/Draft.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { members, type WorkspaceRow, workspaces } from "./WorkspaceTables.ts"

export interface NewWorkspace {
  readonly name: string
  readonly slug: string
  readonly plan: Plan
  readonly seats: number
}

/** Returns the personal workspace of a user, named after the user (contract 4). */
export const personal = (randomness: RandomnessShape, name: string | undefined, plan: Plan): NewWorkspace => ({
  name: name ?? "Personal",
  slug: `personal-${randomness.text(12).toLowerCase()}`,
  plan,
  seats: 1
})

/** Creates workspaces: the row, the owner, and the records that `createInitialRecords` adds. */
export class Founding extends Context.Service<
  Founding,
  {
    readonly found: (
      draft: Draft,
      workspace: NewWorkspace,
      owner: { readonly id: string; readonly email: string }
    ) => Effect.Effect<WorkspaceRow>
  }
>()("sheaf/workspaces/Founding") {
  static readonly layer = (createInitialRecords: (draft: Draft) => Effect.Effect<unknown>) =>
    Layer.succeed(
      Founding,
      Founding.of({
        found: (draft, workspace, owner) => {
          const row: WorkspaceRow = {
            ...workspace,
            second_factor_from: null,
            created_at: draft.now,
            deleted_at: null,
            purge_at: null
          }
          const member = {
            id: draft.newId("mb"),
            user_id: owner.id,
            role: "owner" as const,
            created_at: draft.now
          }
          draft.add(workspaces, row)
          AuditTrail.log(draft, {
            type: "workspace.created",
            resource: "workspace",
            resource_id: draft.workspace_id,
            data: { name: row.name, slug: row.slug, plan: row.plan, seats: row.seats }
          })
          draft.add(members, member)
          AuditTrail.log(draft, {
            type: "member.added",
            resource: "member",
            resource_id: member.id,
            data: { user_id: owner.id, email: owner.email, role: member.role }
          })
          return Effect.as(createInitialRecords(draft), row)
        }
      })
    )
}
