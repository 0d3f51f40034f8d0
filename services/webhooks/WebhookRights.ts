import { Effect } from "effect"
import { Forbidden } from "../Errors.ts"
import type { Scope } from "../identity/Scopes.ts"
import type { PrincipalShape } from "../Principal.ts"
import { typesOf } from "./EventPatterns.ts"

/** Of which events a webhook may be told: those that whoever sets it up may read (contract 9). */

/** Who may read which events: it lies beside this folder. */
export interface EventRights {
  /** The types of resources whose events somebody may read. */
  readonly readableBy: (who: Pick<PrincipalShape, "role" | "scopes">) => ReadonlyArray<string>
  /** One of these is needed to read the events of a resource. */
  readonly scopesFor: (resource: string) => ReadonlyArray<Scope>
}

/** What an event of a type happens to; a conflict happens to records of notes. */
const resourceOf = (type: string): string =>
  type === "ping" ? "webhook" : type === "sync.conflict" ? "note" : type.slice(0, type.indexOf("."))

/** What is named one by one must be the caller's to read; of `*` they are told what is. */
export const mayBeTold = Effect.fnUntraced(function* (
  rights: EventRights,
  principal: PrincipalShape,
  events: ReadonlyArray<string>
) {
  const readable = rights.readableBy(principal)
  const beyond = typesOf(events.filter((pattern) => pattern !== "*"))
    .map(resourceOf)
    .find((resource) => resource !== "webhook" && !readable.includes(resource))
  if (beyond === undefined) return
  const required = rights.scopesFor(beyond)
  return yield* new Forbidden({
    code: "insufficient_scope",
    detail: `Events of the resource ${beyond} need one of the scopes: ${required.join(", ")}`,
    extra: { required_scopes: required }
  })
})
