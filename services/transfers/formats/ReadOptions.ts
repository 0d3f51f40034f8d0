import type { Convert } from "./Convert.ts"
import type { FindEarlier, OnExisting } from "./EarlierNotes.ts"
import type { Limits, Names, Source } from "./Item.ts"

export interface ReadOptions {
  readonly source: Source
  /** The name of the user's file. */
  readonly filename: string
  /** The file came without a name: `filename` is made up, and is not a path. */
  readonly isUnnamed?: boolean
  readonly names: Names
  /** Looks up notes of earlier imports; without it, all notes are new. */
  readonly findEarlier?: FindEarlier | undefined
  readonly onExisting?: OnExisting
  /** A folder for temporary files; all of them are removed. */
  readonly scratch: string
  /** Reminders before this time are over. */
  readonly now: Date
  /** The time zone of times that state none; UTC by default. */
  readonly timezone?: string
  readonly limits?: Limits
  /** Converts one note at a time, possibly in another thread; `convert` does it in this one. */
  readonly convert?: Convert
}

export interface Reading extends ReadOptions {
  readonly timezone: string
  readonly limits: Limits
  readonly convert: Convert
}
