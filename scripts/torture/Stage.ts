/** Where histories run: nodes with one database. */
import type { Sink } from "./Sink.ts"

export interface Stage {
  /** The addresses of the nodes, without a path. */
  readonly origins: ReadonlyArray<string>
  readonly sink?: Sink
  /** What the checks of the database find when nothing is running. */
  readonly inspect: () => Promise<ReadonlyArray<string>>
  /** Ends all faults. */
  readonly heal: () => Promise<void>
  readonly stop: () => Promise<void>
}
