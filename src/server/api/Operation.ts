import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import type { Kind } from "../../../services/Ids.ts"
import type { ListSpec } from "../../../services/lists/Page.ts"
import type { ProblemCode } from "../../../services/ProblemCodes.ts"
import { Access, type AccessRule } from "./Authorization.ts"

/** Facts about an operation that cannot be derived from its schemas and path. */
export interface Facts {
  /** Problem codes other than those that follow from method, path, body and rights. */
  readonly codes?: ReadonlyArray<ProblemCode>
  /** The fields that a list can be sorted by, the default order first, and those that its filter accepts (contract 3). */
  readonly sort?: ReadonlyArray<string>
  readonly filter?: ReadonlyArray<string>
  /** Query parameters that only this operation has, or limits differently, as JSON Schemas with a description. */
  readonly parameters?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Members of the response that this operation always returns, though they are optional in the schema. */
  readonly shows?: ReadonlyArray<string>
  /** Examples for members of the response, instead of those of the schema. */
  readonly example?: Readonly<Record<string, unknown>>
  /** The kind of record that a deletion deletes, if the path does not name it. */
  readonly deletes?: Kind
  /** For a stream of events: the names of the schemas of the data, and of an event with its name and id. */
  readonly events?: { readonly data: string; readonly item: string }
}

export class OperationFacts extends Context.Service<OperationFacts, Facts>()("sheaf/api/OperationFacts") {}

const ofSessions =
  "A session must have signed in, or sent the `current_password`, within the last 15 minutes, else it gets `reauthentication_required`."

/** For operations that need a recent sign-in of the session, or the password (contract 4, Sign-in). */
export const passwordRequired = {
  ofSessions,
  text: `${ofSessions} API keys need no password.`,
  codes: ["reauthentication_required", "invalid_credentials", "login_throttled", "overloaded"]
} as const satisfies Readonly<Record<string, string | ReadonlyArray<ProblemCode>>>

/** The sort and filter fields of a list. */
export const listing = ({ defaultSort, filters = {}, sorts }: ListSpec): Pick<Facts, "sort" | "filter"> => ({
  sort: [defaultSort, ...Object.keys(sorts).filter((name) => name !== defaultSort.replace("-", ""))],
  filter: Object.keys(filters)
})

/** Annotations with the title and the description of a group of operations. */
export const describing = (title: string, description: string) => OpenApi.annotations({ title, description })

/** Annotations with the id and the description of an operation, for the OpenAPI document. */
export const operation = (id: string, summary: string, description: string, facts: Facts = {}) =>
  Context.add(OpenApi.annotations({ identifier: id, summary, description }), OperationFacts, facts)

/** Returns a function that makes the annotations of operations, with the rights that they all require. */
export const operations =
  (rule: AccessRule) =>
  (...described: Parameters<typeof operation>) =>
    Context.add(operation(...described), Access, rule)
