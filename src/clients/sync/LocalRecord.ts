import type { Change, RecordType } from "../client/Follow.ts"
import type { Data } from "../../../services/records/Merge.ts"

/** The members of a record, with the user's own edits. */
export type LocalRecord = Data & { readonly id: string }

/**
 * A record of a type of the API, such as a `Note` of `note`. Until its first push, it has only the members that the app has
 * set.
 */
export type RecordOf<T extends RecordType> = Extract<Change, { readonly type: T; readonly op: "upsert" }>["data"]

/** A record that was changed; undefined if it was deleted. */
export interface RecordChange<T extends RecordType> {
  readonly id: string
  readonly record: RecordOf<T> | undefined
}
