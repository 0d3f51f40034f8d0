import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { plans } from "../Principal.ts"
import * as Text from "../Text.ts"

/** Descriptions of members in responses and requests. */
const about = {
  name: { description: "The name shown to people.", examples: ["Acme"] },
  slug: { description: "The unique name of the workspace in addresses.", examples: ["acme"] },
  plan: { description: "The plan of the workspace.", examples: ["plus" as const] },
  seats: { description: "Number of paid seats.", examples: [5] }
}

/** A workspace (contract 4). */
export const Workspace = Schema.Struct({
  id: Fields.ownId("ws"),
  name: Schema.String.annotate(about.name),
  slug: Schema.String.annotate(about.slug),
  plan: Schema.Literals(plans).annotate(about.plan),
  seats: Schema.Int.annotate(about.seats),
  created_at: Fields.createdAt
}).annotate({ identifier: "Workspace" })
export type Workspace = typeof Workspace.Type

/** The form of a slug in addresses: like a label of a domain name. */
const Slug = Schema.String.check(
  Text.checked(
    "invalid_slug",
    "must be 1 to 63 of a-z, 0-9 and -, without - at either end",
    (text) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text),
    { pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$" }
  )
)

const name = Text.label(100, about.name)
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
  seats: Schema.optionalKey(Seats)
}).annotate({ identifier: "WorkspaceUpdate" })
export type WorkspaceUpdate = typeof WorkspaceUpdate.Type

export const WorkspaceDelete = Schema.Struct({ current_password: Fields.currentPassword }).annotate({
  identifier: "WorkspaceDelete"
})
