import type { components, operations } from "./generated/Schema.ts"

/** The records and messages of the API, by name: `Schemas["Note"]`. */
export type Schemas = components["schemas"]

type Flat<A> = { [Key in keyof A]: A[Key] } & {}
/** Adds members to each alternative of a union. */
type With<Union, More> = Union extends unknown ? Flat<Union & More> : never

type PathOf<Operation> = Operation extends { parameters: { path: infer Path extends object } } ? Path : unknown
type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? [NonNullable<Query>] extends [never]
    ? unknown
    : NonNullable<Query>
  : unknown
type BodyOf<Operation> = Operation extends { requestBody?: { content: { "application/json": infer Body } } }
  ? Operation extends { requestBody: object }
    ? Body
    : Body extends unknown
      ? Partial<Body>
      : never
  : unknown

/** The input of an operation: the parameters of its path and query, and the members of its body, in one object. */
export type InputOf<Operation> = With<
  BodyOf<Operation>,
  PathOf<Operation> & Omit<QueryOf<Operation>, keyof BodyOf<Operation>>
>

type Responses<Operation> = Operation extends { responses: infer All } ? All[keyof All] : never
/** The result of an operation. */
export type OutputOf<Operation> =
  Responses<Operation> extends { content: { "application/json": infer Body } } ? Body : never

/** The names of the operations that respond with JSON. */
type OperationName = {
  [Name in keyof operations]: [OutputOf<operations[Name]>] extends [never] ? never : Name
}[keyof operations]

/** Options of a call. */
export interface CallOptions {
  /** Ends the call, also while it waits for a repetition. */
  readonly signal?: AbortSignal | undefined
  /** Maximum milliseconds until the response begins, by default without limit. Then the request counts as lost. */
  readonly patience?: number
  /**
   * The state that must be current, otherwise `precondition_failed`: an object that this client returned for a single
   * record, or an ETag. Operations on notes take their `version` in the input instead.
   */
  readonly ifMatch?: object | string
  /** Replaces the key that the client makes, for a call that an earlier process has begun. */
  readonly idempotencyKey?: string
  /** The change set that the changes of the call belong to: `cs_` and 16 to 40 of `[0-9A-Za-z_-]`. */
  readonly changeSet?: string
  /** The workspace of the call, with an access token. */
  readonly workspace?: string
}

type Page = { readonly data: ReadonlyArray<unknown>; readonly has_more: boolean; readonly next_cursor: string | null }
type ItemOf<Output> = Output extends { readonly data: ReadonlyArray<infer Item> } ? Item : never

/** A page; as an async iterable, all items from this page on. */
export interface List<Output> extends Promise<Output>, AsyncIterable<ItemOf<Output>> {}

type Result<Output> = Output extends Page ? List<Output> : Promise<Output>

/** Whether an input may be left out. */
type Arguments<Input> =
  Record<never, never> extends Input ? [input?: Input, options?: CallOptions] : [input: Input, options?: CallOptions]

/** Every operation of the API, as a method. */
export type Methods = {
  readonly [Name in OperationName]: (
    ...args: Arguments<InputOf<operations[Name]>>
  ) => Result<OutputOf<operations[Name]>>
}
