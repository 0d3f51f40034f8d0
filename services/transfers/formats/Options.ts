import type { Convert } from "./Convert.ts"
import type { FindEarlier, OnExisting } from "./EarlierNotes.ts"
import type { Limits, Names, Source } from "./Item.ts"

export interface ReadOptions {
  readonly source: Source
  /** What the file is called by whoever brings it. */
  readonly filename: string
  /** The file came without a name: `filename` is made up, and is no path. */
  readonly isUnnamed?: boolean
  readonly names: Names
  /** Looks up notes of earlier imports; without it, all notes are new. */
  readonly findEarlier?: FindEarlier | undefined
  readonly onExisting?: OnExisting
  /** A folder for what has to lie on disk meanwhile; all of it is removed again. */
  readonly scratch: string
  /** Reminders before it are over. */
  readonly now: Date
  readonly limits?: Limits
  /** Makes one note at a time, in another thread maybe; `convert` makes it here. */
  readonly convert?: Convert
}

export interface Reading extends ReadOptions {
  readonly limits: Limits
  readonly convert: Convert
}
