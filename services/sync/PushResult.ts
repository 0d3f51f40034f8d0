import type { SheafError } from "../Errors.ts"
import type { ChangeEntry, SyncConflict } from "./SyncObject.ts"

/** A result whose error is the failure itself: how a problem is written is not known here. */
export interface PushResult {
  readonly index: number
  readonly mutation_id: string | null
  readonly type: string | null
  readonly id: string | null
  readonly status: "applied" | "duplicate" | "conflict" | "rejected"
  readonly revision: number | null
  readonly error?: SheafError
}

export interface Pushed {
  readonly cursor: string
  readonly changes: ReadonlyArray<ChangeEntry>
  readonly has_more: false
  readonly conflicts: ReadonlyArray<SyncConflict>
  readonly cursor_expires_at: string
  readonly device_id: string | null
  readonly results: ReadonlyArray<PushResult>
}
