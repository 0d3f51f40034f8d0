import type { Role } from "../../../services/Principal.ts"
import type { Member, Team } from "../Team.ts"

export interface Call {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Instead of the caller's own, where the call would cost them their credential. */
  readonly headers?: Record<string, string>
}

/** Who may. */
export interface Right {
  /** One of them is enough. */
  readonly scopes: ReadonlyArray<string>
  readonly role: Role
}

/** One operation as the documents have it: who may, and what works for who may. */
export interface Operation extends Right {
  /** Not for API keys. */
  readonly isForPeople?: boolean
  /** What an allowed call is answered with. */
  readonly status: number | ((caller: Member) => number)
  /**
   * A call that works, on something that was made for it. Refused callers get what was made for the owner: `isSpent`
   * is false then, and nothing need be made that others would not get hold of.
   */
  readonly prepare: (team: Team, caller: Member, isSpent: boolean) => Promise<Call>
}

let made = 0

/** A name that nothing has. */
export const fresh = (what: string): string => `${what}-${++made}`

/** A call that is the same for all. */
export const plain =
  (method: string, path: string, body?: unknown): Operation["prepare"] =>
  async () => ({ method, path, body })
