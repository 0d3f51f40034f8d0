import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import type { Kind } from "../../services/Ids.ts"
import type { ListSpec } from "../../services/lists/Page.ts"
import type { ProblemCode } from "../../services/ProblemCodes.ts"

/** What the description says of an operation that neither its schemas nor its place in the contract tell. */
export interface Facts {
  /** Codes of problems beyond those that follow from method, path, body and rights. */
  readonly codes?: ReadonlyArray<ProblemCode>
  /** The fields that a list sorts by, the default order first, and those that its filter knows (contract 3). */
  readonly sort?: ReadonlyArray<string>
  readonly filter?: ReadonlyArray<string>
  /** Query parameters of its own, or with limits of its own, as JSON Schemas with a description. */
  readonly parameters?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Members of the answer that may be missing from others of its kind, and are there in this one. */
  readonly shows?: ReadonlyArray<string>
  /** Members of the response that have other examples here. */
  readonly example?: Readonly<Record<string, unknown>>
  /** What a deletion ends, where its path does not name it. */
  readonly deletes?: Kind
  /** Of an answer that is a stream of events: the schemas of their data, and of an event with its name and id. */
  readonly events?: { readonly data: string; readonly item: string }
}

export class OperationFacts extends Context.Service<OperationFacts, Facts>()("sheaf/api/OperationFacts") {}

/** Of an operation that a session does only soon after a sign-in, or with the password (contract 4, tokens). */
export const passwordAsked = {
  text: "A session must have signed in, or sent the `current_password`, within the last 15 minutes, else it gets `reauthentication_required`. API keys need no password.",
  codes: ["reauthentication_required", "invalid_credentials", "login_throttled", "overloaded"]
} as const satisfies { readonly text: string; readonly codes: ReadonlyArray<ProblemCode> }

/** What a list offers. */
export const listing = ({ defaultSort, filters = {}, sorts }: ListSpec): Pick<Facts, "sort" | "filter"> => ({
  sort: [defaultSort, ...Object.keys(sorts).filter((name) => name !== defaultSort.replace("-", ""))],
  filter: Object.keys(filters)
})

/** How an operation is called, and what it does, for the description of the API. */
export const operation = (id: string, summary: string, description: string, facts: Facts = {}) =>
  Context.add(OpenApi.annotations({ identifier: id, summary, description }), OperationFacts, facts)
