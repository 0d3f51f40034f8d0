/**
 * What a workspace's head counts, by name: each is a column of `heads`, written in the statement of the rows that it
 * counts, and guarded with them. `Draft.count` moves one.
 */
export const counters = [
  /** Number of notes, without those in the trash. */
  "notes",
  /**
   * UTF-8 bytes of the bodies of notes, in the trash too, of their history, and of templates: a body that versions share
   * counts once.
   */
  "text_bytes",
  "tags",
  "notebooks",
  "templates",
  "attachments",
  /** In the trash too, and those that were deleted and stand for their replies. */
  "comments",
  /** In the trash too. */
  "reminders",
  /**
   * Bytes of attachments that are ready, in the trash too: each counts, also where several share their bytes; and of those
   * that are awaited in a bucket.
   */
  "file_bytes",
  /** Those of notes in the trash too. */
  "shares"
] as const

export type Counter = (typeof counters)[number]

export type Counts = Record<Counter, number>

/** Of a workspace that has nothing yet. */
export const noCounts = Object.fromEntries(counters.map((counter) => [counter, 0])) as Counts
