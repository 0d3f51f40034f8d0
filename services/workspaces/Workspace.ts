import { Schema } from "effect"
import { time } from "../Fields.ts"
import { plans } from "../Principal.ts"
import * as Text from "../Text.ts"

/** interface.md "Workspace". */
export const Workspace = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  slug: Schema.String,
  plan: Schema.Literals(plans),
  seats: Schema.Int,
  created_at: time("When it was made.")
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

const writable = {
  name: Schema.optionalKey(Text.line(100)),
  slug: Schema.optionalKey(Slug),
  plan: Schema.optionalKey(Text.oneOf(plans, "unknown_plan")),
  seats: Schema.optionalKey(Text.whole(1, 100_000))
}

export const WorkspaceCreate = Schema.Struct({ ...writable, name: Text.line(100) }).annotate({
  identifier: "WorkspaceCreate"
})
export type WorkspaceCreate = typeof WorkspaceCreate.Type

export const WorkspaceUpdate = Schema.Struct(writable).annotate({ identifier: "WorkspaceUpdate" })
export type WorkspaceUpdate = typeof WorkspaceUpdate.Type
