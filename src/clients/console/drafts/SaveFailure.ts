import { type Problem, SheafError } from "../../client/SheafClient.ts"

/** The note is not there any more, or never was for this user; or the server refuses the text. */
interface Refusal {
  readonly kind: "gone" | "refused"
  readonly problem: Problem
}

/** Why a text is not saved, and what the user sees of that. */
export type Trouble =
  | Refusal
  /** No server was found. `retryAfter` is in milliseconds. */
  | { readonly kind: "offline"; readonly retryAfter: number | undefined }

/** Why an attempt to save a text has failed. */
export type SaveFailure =
  | Trouble
  /** The page asks for the password, and then saves again. */
  | { readonly kind: "signedOut" }
  /** An error of the console itself. */
  | { readonly kind: "defect" }

export const isRefusal = (failure: SaveFailure | undefined): failure is Refusal =>
  failure !== undefined && "problem" in failure

/** Problems with a status of refusals that pass. */
const temporary: ReadonlyArray<Problem["code"]> = ["unexpected_response", "idempotency_in_progress"]

export const failureOf = (error: unknown): SaveFailure => {
  if (!(error instanceof SheafError)) return { kind: "defect" }
  const { problem, retryAfter } = error
  const { code, status } = problem
  if (status === 401) return { kind: "signedOut" }
  if (code === "not_found") return { kind: "gone", problem }
  const isTemporary = temporary.includes(code) || [408, 429].includes(status)
  return status >= 400 && status < 500 && !isTemporary ? { kind: "refused", problem } : { kind: "offline", retryAfter }
}
