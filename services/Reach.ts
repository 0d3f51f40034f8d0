import { Schema } from "effect"
import * as Fields from "./Fields.ts"
import * as Text from "./Text.ts"

/** A notebook that a credential reaches, with those below it or without. */
export const NotebookGrant = Schema.Struct({
  id: Text.notBlank(100).annotate(Fields.aboutId("nb", "A notebook.")),
  access: Schema.Literals(["read", "write"]).annotate({
    description: "Whether the credential may only read, or also write what is in it.",
    examples: ["read"]
  }),
  include_subnotebooks: Schema.Boolean.annotate({
    description: "Whether the notebooks in it are reached as well, also later ones.",
    examples: [true]
  })
}).annotate({ identifier: "NotebookGrant" })
export type NotebookGrant = typeof NotebookGrant.Type

/** The notebooks that a limited credential reaches (contract 4, Limited credentials). All else does not exist for it. */
export type Reach = ReadonlyArray<NotebookGrant>

/** Whether a credential may write anywhere. */
export const mayWrite = (reach: Reach | undefined): boolean =>
  reach === undefined || reach.some(({ access }) => access === "write")
/** The notebooks that the credential may write to. */
export const writable = (reach: Reach): Reach => reach.filter(({ access }) => access === "write")

const grants = Schema.Array(NotebookGrant)
const about = (what: string) => ({
  description: `The notebooks that the ${what} reaches; null for the whole workspace. All else does not exist for the ${what}.`,
  examples: [null]
})

const eachOnce = Schema.makeFilter<Reach>((all) => new Set(all.map(({ id }) => id)).size === all.length, {
  message: "must name each notebook once",
  issueCode: "invalid"
})

/** What a credential reaches. */
export const reachOf = (what: string) => Schema.NullOr(grants).annotate(about(what))

/** The same in a request. */
export const askedReachOf = (what: string) =>
  Schema.optionalKey(Schema.NullOr(grants.check(Text.notEmpty(), Text.atMost(50), eachOnce)).annotate(about(what)))
