import { resourceCounters } from "../Resources.ts"

/**
 * What the head of a workspace counts, by name: each is a column of `heads`, written in the statement of the rows that it
 * counts, and guarded with them. `Draft.count` moves one. Notes in the trash do not count as `notes`; all that belongs to
 * them counts, also deleted comments that are kept for their replies.
 */
export const counters = [
  ...resourceCounters,
  /**
   * UTF-8 bytes of the bodies of notes, in the trash too, of their history, and of templates: a body that versions share
   * counts once.
   */
  "text_bytes",
  /**
   * Bytes of attachments that are ready, in the trash too: each counts, also where several share their bytes; and of those
   * that are awaited in a bucket.
   */
  "file_bytes"
] as const

export type Counter = (typeof counters)[number]

export type Counts = Record<Counter, number>

/** The counts of a new workspace. */
export const noCounts = Object.fromEntries(counters.map((counter) => [counter, 0])) as Counts
