import type { Convert } from "./Convert.ts"
import type { Limits, Names, Source } from "./Item.ts"

export interface ReadOptions {
  readonly source: Source
  /** What the file is called by whoever brings it. */
  readonly filename: string
  readonly names: Names
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
