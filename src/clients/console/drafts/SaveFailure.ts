import type { Problem, SheafError } from "../../client/SheafClient.ts"

/** Why a text is not saved. */
export type Refusal =
  /** The note is not there any more, or never was for this person. */
  { readonly kind: "gone" } | { readonly kind: "refused"; readonly problem: Problem }

/** Why an attempt to save a text has failed. */
export type SaveFailure =
  | Refusal
  /** The page asks for the password, and then saves again. */
  | { readonly kind: "signedOut" }
  /** `retryAfter` is in milliseconds. */
  | { readonly kind: "unreachable"; readonly retryAfter: number | undefined }

/** Problems with a status of refusals that pass. */
const temporary: ReadonlyArray<Problem["code"]> = ["unexpected_response", "idempotency_in_progress"]

export const failureOf = ({ problem, retryAfter }: SheafError): SaveFailure => {
  const { code, status } = problem
  if (status === 401) return { kind: "signedOut" }
  if (code === "not_found") return { kind: "gone" }
  const isTemporary = temporary.includes(code) || [408, 429].includes(status)
  return status >= 400 && status < 500 && !isTemporary
    ? { kind: "refused", problem }
    : { kind: "unreachable", retryAfter }
}
