import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"
import { plans, type Role } from "../Principal.ts"
import * as Text from "../Text.ts"
import type { WorkspaceRow } from "./WorkspaceTables.ts"

/** Descriptions of members in responses and requests. */
export const about = {
  name: { description: "The name shown to people.", examples: ["Acme"] },
  slug: { description: "The unique name of the workspace in addresses.", examples: ["acme"] },
  plan: { description: "The plan of the workspace.", examples: ["plus" as const] },
  seats: { description: "Number of paid seats.", examples: [5] },
  second_factor_from: {
    description:
      "From when members need a sign-in with two factors, to reach the workspace by a session or an app; null if they do not. API keys need none.",
    examples: ["2026-12-15T00:00:00.000Z"]
  }
}

/** A workspace (contract 4). */
export const Workspace = Schema.Struct({
  id: Fields.ownId("ws"),
  name: Schema.String.annotate(about.name),
  slug: Schema.String.annotate(about.slug),
  plan: Schema.Literals(plans).annotate(about.plan),
  seats: Schema.Int.annotate(about.seats),
  second_factor_from: Schema.NullOr(Schema.String.annotate(about.second_factor_from)),
  created_at: Fields.createdAt
}).annotate({ identifier: "Workspace" })
export type Workspace = typeof Workspace.Type

/** A workspace, as the operator sees it. */
export interface OwnedWorkspace extends Workspace {
  readonly deleted_at: string | null
  /** When the operator requested its erasure: it cannot be restored. */
  readonly purge_at: string | null
}

/** The form of a slug in addresses: like a label of a domain name. */
export const Slug = Schema.String.check(
  Text.checked(
    "invalid_slug",
    "must be 1 to 63 of a-z, 0-9 and -, without - at either end",
    (text) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text),
    { pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$" }
  )
)

const name = Text.singleLine(100, about.name)
const Plan = Text.oneOf(plans, "unknown_plan").annotate(about.plan)
const Seats = Text.whole(1, 100_000).annotate(about.seats)

export const WorkspaceCreate = Schema.Struct({
  name,
  slug: Schema.optionalKey(
    Slug.annotate({
      description: "The unique name of the workspace in addresses. Default: derived from `name`.",
      examples: about.slug.examples
    })
  ),
  plan: Schema.optionalKey(
    Plan.annotate({ description: "The plan of the workspace. Default: `free`.", examples: about.plan.examples })
  ),
  seats: Schema.optionalKey(
    Seats.annotate({ description: "Number of paid seats. Default: 1.", examples: about.seats.examples })
  )
}).annotate({ identifier: "WorkspaceCreate" })
export type WorkspaceCreate = typeof WorkspaceCreate.Type

export const WorkspaceUpdate = Schema.Struct({
  name: Schema.optionalKey(name),
  slug: Schema.optionalKey(Slug.annotate(about.slug)),
  plan: Schema.optionalKey(Plan),
  seats: Schema.optionalKey(Seats),
  second_factor_from: Schema.optionalKey(Schema.NullOr(Text.timestamp(about.second_factor_from)))
}).annotate({ identifier: "WorkspaceUpdate" })
export type WorkspaceUpdate = typeof WorkspaceUpdate.Type

export const WorkspaceDelete = Schema.Struct({ current_password: Fields.currentPassword }).annotate({
  identifier: "WorkspaceDelete"
})

/** The workspaces that a user is a member of. */
export const workspaceList = listOf(Workspace, {
  path: "/workspaces",
  from: `(SELECT m.user_id, w.workspace_id AS id, w.name, w.slug, w.plan, w.seats, w.second_factor_from, w.created_at
    FROM members m JOIN workspaces w ON w.workspace_id = m.workspace_id AND w.deleted_at IS NULL) memberships`,
  sort: ["created_at", "name"],
  filter: ["id", "name", "slug", "plan", "created_at"],
  words: ["name", "slug"],
  enums: ["plan"],
  // Sorted among the workspaces of one user.
  unindexedSorts: ["created_at", "name"]
})

/** Rights to workspaces (contract 4): the caller must be at least each of the returned roles. */

type Settings = Pick<WorkspaceRow, "plan" | "seats" | "second_factor_from" | "slug">

/** Whether a change affects the price: plan or seats. */
export const isSold = (before: Settings, after: Settings): boolean =>
  after.plan !== before.plan || after.seats !== before.seats

/** Admins may change the name; only owners may change the rest. */
export const rolesToChange = (before: Settings, after: Settings): ReadonlyArray<Role> =>
  isSold(before, after) || after.slug !== before.slug || after.second_factor_from !== before.second_factor_from
    ? ["admin", "owner"]
    : ["admin"]

export const rolesToDelete: ReadonlyArray<Role> = ["owner"]
