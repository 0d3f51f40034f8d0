/** Where histories run: nodes with one database. */
import type { HookSink } from "../../test/support/servers/HookSink.ts"

export interface Stage {
  /** The addresses of the nodes, without a path. */
  readonly origins: ReadonlyArray<string>
  /** The address of the store from which clients get files, unless nodes have them. */
  readonly files?: string | undefined
  readonly sink: HookSink
  /** What the checks of the database find when nothing is running. */
  readonly inspect: () => Promise<ReadonlyArray<string>>
  /** Makes a backup. Returns undefined if the stage has none. */
  readonly backup?: () => Promise<string | undefined>
  /** Restores a backup in place of all data, and starts the nodes. Returns whether it is possible now. */
  readonly restore?: (backup: string) => Promise<boolean>
  /** Ends all faults. */
  readonly heal: () => Promise<void>
  readonly stop: () => Promise<void>
}
