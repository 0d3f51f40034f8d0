import { Effect } from "effect"
import { Forbidden } from "../Errors.ts"
import type { Scope } from "../identity/Scopes.ts"
import type { PrincipalShape } from "../Principal.ts"
import { typesOf } from "./EventPatterns.ts"

/** A webhook only receives events that the user who sets it up may read (contract 9). */

/** The rights to read events, from another folder. */
export interface EventRights {
  /** Returns the types of resources whose events a caller may read. */
  readonly readableBy: (caller: Pick<PrincipalShape, "role" | "scopes">) => ReadonlyArray<string>
  /** Returns the scopes, one of which is required to read the events of a resource. */
  readonly scopesFor: (resource: string) => ReadonlyArray<Scope>
}

/** Returns the resource of an event type. A sync conflict belongs to notes. */
const resourceOf = (type: string): string =>
  type === "ping" ? "webhook" : type === "sync.conflict" ? "note" : type.slice(0, type.indexOf("."))

/** Refuses event types that the caller may not read. `*` is not refused: it only includes types that they may read. */
export const needReadable = Effect.fnUntraced(function* (
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
