import type { Convert } from "./Convert.ts"
import type { FindEarlier, OnExisting } from "./EarlierNotes.ts"
import type { Limits, Names, Source } from "./Item.ts"
import type { Form } from "./recognition/Forms.ts"

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
  /** The user has chosen a notebook: a file that is one notebook needs none of its own. */
  readonly hasNotebook?: boolean
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
  /** The format of the file. */
  readonly form: Form
  readonly timezone: string
  readonly limits: Limits
  readonly convert: Convert
}
