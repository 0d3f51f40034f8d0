import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { plans } from "../Principal.ts"
import * as Text from "../Text.ts"

/** What is said of members, where answers have them and where requests do. */
const about = {
  name: { description: "The name that people see.", examples: ["Acme"] },
  slug: { description: "What stands for the workspace in addresses; no two have the same.", examples: ["acme"] },
  plan: { description: "The plan of the workspace.", examples: ["plus" as const] },
  seats: { description: "How many seats are paid for.", examples: [5] }
}

/** interface.md "Workspace". */
export const Workspace = Schema.Struct({
  id: Fields.ownId("ws"),
  name: Schema.String.annotate(about.name),
  slug: Schema.String.annotate(about.slug),
  plan: Schema.Literals(plans).annotate(about.plan),
  seats: Schema.Int.annotate(about.seats),
  created_at: Fields.createdAt
}).annotate({ identifier: "Workspace" })
export type Workspace = typeof Workspace.Type

/** What stands in an address: like a label of a domain's name. */
const Slug = Schema.String.check(
  Text.checked(
    "invalid_slug",
    "must be 1 to 63 of a-z, 0-9 and -, without - at either end",
    (text) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text),
    { pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$" }
  )
)

const name = Text.line(100).annotate(about.name)
const Plan = Text.oneOf(plans, "unknown_plan").annotate(about.plan)
const Seats = Text.whole(1, 100_000).annotate(about.seats)

export const WorkspaceCreate = Schema.Struct({
  name,
  slug: Schema.optionalKey(
    Slug.annotate({
      description: "What stands for the workspace in addresses; when left out, made from the name.",
      examples: about.slug.examples
    })
  ),
  plan: Schema.optionalKey(
    Plan.annotate({ description: "The plan of the workspace; when left out, `free`.", examples: about.plan.examples })
  ),
  seats: Schema.optionalKey(
    Seats.annotate({ description: "How many seats are paid for; when left out, one.", examples: about.seats.examples })
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
