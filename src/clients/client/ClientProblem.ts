import type { components } from "./generated/Schema.ts"

type Schemas = components["schemas"]
type AnyProblem = Schemas["Problem"]

/** The restore of the server that has ended a cursor. */
export type Restored = NonNullable<AnyProblem["restored"]>

/** The members that problems with these codes have in addition. */
interface Members {
  readonly malformed_json: { readonly position?: number }
  readonly invalid_filter: { readonly position?: number; readonly allowed_fields?: ReadonlyArray<string> }
  readonly invalid_sort: { readonly allowed_fields?: ReadonlyArray<string> }
  readonly invalid_parameter: { readonly allowed_parameters?: ReadonlyArray<string> }
  readonly not_acceptable: { readonly acceptable?: ReadonlyArray<string> }
  readonly second_factor_required: { readonly factors: ReadonlyArray<string> }
  readonly insufficient_scope: { readonly required_scopes: ReadonlyArray<string> }
  readonly insufficient_role: Pick<AnyProblem, "required_role">
  readonly plan_required: Pick<AnyProblem, "required_plan">
  readonly quota_exceeded: { readonly quota: string; readonly limit: number; readonly used: number }
  readonly already_exists: { readonly existing_id?: string }
  readonly last_owner: Pick<AnyProblem, "workspaces">
  readonly cursor_expired: { readonly resync_cursor: string | null; readonly restored?: Restored }
  readonly precondition_failed: { readonly current_version: number | string }
  readonly payload_too_large: { readonly limit_bytes: number }
  readonly validation_failed: { readonly errors: ReadonlyArray<Schemas["FieldIssue"]> }
  readonly unknown_field: { readonly errors: ReadonlyArray<Schemas["FieldIssue"]> }
}

/** Codes of problems that the client itself reports. */
type OwnCode =
  /** No response was received: it is not known whether the server processed the request. */
  | "no_response"
  /** The response is not one of Sheaf, but for example the page of a proxy. */
  | "unexpected_response"

export type ProblemCode = Schemas["ProblemCode"] | OwnCode

interface ProblemBase<Code> {
  readonly code: Code
  /** The status of the response; 0 without one. */
  readonly status: number
  /** A sentence about this occurrence. */
  readonly detail: string
  readonly title?: string
  readonly type?: string
  readonly instance?: string
  readonly request_id?: string
}

/** A problem (RFC 9457), discriminated by its `code`. */
export type Problem = {
  [Code in ProblemCode]: ProblemBase<Code> & (Code extends keyof Members ? Members[Code] : unknown)
}[ProblemCode]

/** A request has failed. `problem.code` says why. */
export class SheafError extends Error {
  override readonly name = "SheafError"
  readonly problem: Problem
  /** Milliseconds after which a repetition may succeed, if the server has said so. */
  readonly retryAfter: number | undefined

  constructor(problem: Problem, options: { readonly cause?: unknown; readonly retryAfter?: number | undefined } = {}) {
    super(`${problem.code}: ${problem.detail}`, options)
    this.problem = problem
    this.retryAfter = options.retryAfter
  }
}

/** The error of a response that is not one of Sheaf. */
export const unexpected = (detail: string, status = 200): SheafError =>
  new SheafError({ code: "unexpected_response", status, detail })

/** The error of a request without a response, or whose response broke off. */
export const noResponse = (cause?: unknown): SheafError =>
  new SheafError({ code: "no_response", status: 0, detail: "No response was received" }, { cause })

/** Whether an error is a problem with one of these codes, also one of another bundle of the package, such as the testing kit. */
export const isProblem = <Code extends ProblemCode>(
  error: unknown,
  ...codes: ReadonlyArray<Code>
): error is SheafError & { readonly problem: Extract<Problem, { code: Code }> } =>
  codes.includes((error as Partial<SheafError> | undefined)?.problem?.code as Code)
