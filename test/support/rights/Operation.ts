import type { Role } from "../../../services/Principal.ts"
import type { Member, Team } from "../people/Team.ts"

export interface Call {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Replaces the caller's headers where the call would end the caller's credential. */
  readonly headers?: Record<string, string>
}

/** The scopes and role that an operation requires. */
export interface Right {
  /** One of these scopes is enough. */
  readonly scopes: ReadonlyArray<string>
  readonly role: Role
}

/** An operation of the API (contract 4): the rights that it requires, and a call that succeeds. */
export interface Operation extends Right {
  /** Refused for API keys. */
  readonly refusesKeys?: boolean
  /** The status of an allowed call. */
  readonly status: number | ((caller: Member) => number)
  /**
   * Prepares a call that succeeds, on records created for it. `isSpent` is false for calls that will be refused: they use
   * the owner's records, and need no credential or workspace that the call may end.
   */
  readonly prepare: (team: Team, caller: Member, isSpent: boolean) => Promise<Call>
}

let made = 0

/** Returns a unique name. */
export const fresh = (what: string): string => `${what}-${++made}`

/** A call that is the same for all callers. */
export const plain =
  (method: string, path: string, body?: unknown): Operation["prepare"] =>
  async () => ({ method, path, body })
