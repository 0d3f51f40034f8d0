import { resourceCounters } from "../Resources.ts"

/**
 * The counters on the head of a workspace: each is a column of `heads`, written in the same statement as the rows that
 * it counts, and under the same guard. `Draft.count` changes one. Notes in the trash do not count as `notes`;
 * everything that belongs to them counts, including deleted comments that are kept for their replies.
 */
export const counters = [
  ...resourceCounters,
  /**
   * UTF-8 bytes of the bodies of notes (also in the trash), of their history, and of templates. A body that several
   * versions share counts once.
   */
  "text_bytes",
  /**
   * Bytes of attachments that are ready (also in the trash) or expected in a bucket. Each attachment counts, even when
   * several share their bytes.
   */
  "file_bytes"
] as const

export type Counter = (typeof counters)[number]

export type Counts = Record<Counter, number>

/** The counts of a new workspace. */
export const noCounts = Object.fromEntries(counters.map((counter) => [counter, 0])) as Counts
