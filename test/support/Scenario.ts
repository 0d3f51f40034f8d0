import { expect } from "vitest"
import type { ApiResponse, TestApp } from "./TestApp.ts"

/** A log entry in scenarios: its event type, the resource, and the new revision. */
export type Appended = readonly [type: string, resource_id: string, version: number | null]

/** A response, with the log entries that its request appended. */
export interface Outcome extends ApiResponse {
  readonly changes: ReadonlyArray<Appended>
}

/** An expected problem. */
export interface Refusal {
  readonly status: number
  readonly code: string
  /** Field and code of `errors[0]`. */
  readonly field?: readonly [field: string, code: string]
}

/** Calls that also return the log entries they append. For one test at a time on one App. */
export interface Scenario {
  readonly act: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Outcome>
  /** A call that must fail with this problem (contract 2) and append nothing to the log. */
  readonly refuse: (
    refusal: Refusal,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>
  ) => Promise<Outcome>
  /** A call that must succeed, to set up a scenario. Returns the body. */
  readonly given: (method: string, path: string, body?: unknown) => Promise<any>
}

/** The scenario functions for an App; `useApp` returns them, too. */
export const scenarioOf = (app: TestApp): Scenario => {
  const act: Scenario["act"] = async (method, path, body, headers) => {
    const seq = await app.seq()
    const answer = await app.call(method, path, body, headers)
    const changes = await app.changesAfter(seq)
    return { ...answer, changes: changes.map((change) => [change.type, change.resource_id, change.version] as const) }
  }
  return {
    act,
    refuse: async ({ code, field, status }, method, path, body, headers) => {
      const outcome = await act(method, path, body, headers)
      expect({ status: outcome.status, code: outcome.body?.code }, outcome.text).toEqual({ status, code })
      expect(outcome.headers.get("content-type")).toBe("application/problem+json")
      expect(outcome.body).toMatchObject({ status, request_id: outcome.headers.get("request-id") })
      if (field !== undefined) {
        const [name, fieldCode] = field
        expect(outcome.body.errors[0]).toMatchObject({
          field: name,
          pointer: `/${name.replaceAll(".", "/")}`,
          code: fieldCode
        })
      }
      expect(outcome.changes).toEqual([])
      return outcome
    },
    given: async (method, path, body) => {
      const answer = await app.call(method, path, body)
      expect(answer.status, answer.text).toBeLessThan(300)
      return answer.body
    }
  }
}

export const notFound: Refusal = { status: 404, code: "not_found" }
export const stale: Refusal = { status: 412, code: "precondition_failed" }
export const unresolved = (field: string): Refusal => ({
  status: 422,
  code: "unresolved_reference",
  field: [field, "unknown"]
})
export const invalid = (field: string, code: string): Refusal => ({
  status: 422,
  code: "validation_failed",
  field: [field, code]
})
