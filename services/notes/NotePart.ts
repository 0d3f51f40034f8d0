import type { Effect } from "effect"
import type { Draft } from "../storage/Draft.ts"
import type { LockedDraft } from "../storage/LockedDraft.ts"

/** Records that hang on a note, and go where it goes. */
export interface NotePart {
  /** With the note into the trash: to sync they are deleted, and what they were stays. */
  readonly trash: (draft: Draft, note_id: string) => Effect.Effect<void>
  /** The same for many notes at once. What the draft holds is settled. */
  readonly trashMany: (draft: LockedDraft, note_ids: ReadonlyArray<string>) => Effect.Effect<void>
  /** Out of the trash, as they were. */
  readonly restore: (draft: Draft, note_id: string) => Effect.Effect<void>
  /** Gone for good, from the trash or not. */
  readonly purge: (draft: Draft, note_id: string) => Effect.Effect<void>
}
