import type { Client } from "../client/Client.ts"
import type { SyncStore } from "../sync/SyncStore.ts"
import type { FolderProblem } from "./ApplySettings.ts"
import type { FileAction } from "./files/FilePlan.ts"
import type { Action, Direction, Missing } from "./FolderPlan.ts"

/** Something that is done, or waits. */
export type FolderAction = Action | FileAction

/** Options of a folder. */
export interface FolderOptions {
  readonly client: Client
  /** The path of the folder. */
  readonly folder: string
  /** Where the state is kept, outside of the folder: a `fileStore`. */
  readonly store: SyncStore
  /** The ids of the notebooks that are synced, with those in them; by default all. The folder itself is a single one. */
  readonly notebooks?: ReadonlyArray<string>
  /** `pull` changes nothing on the server, `push` nothing in the folder. */
  readonly direction?: Direction
  /**
   * `restore`: files that are missing since the last run come back, also if all are missing. `delete`: their notes go to the
   * trash. `delete-many`: also if they are many at once, and many files whose notes were deleted. By default some come back.
   */
  readonly missing?: Missing
  /** The key reaches nothing but `notebooks`. */
  readonly isLimited?: boolean
  /** Files of notes with more bytes are not fetched. By default all are. */
  readonly maxFetched?: number
  /** Only reports what would be done. */
  readonly isDry?: boolean
  readonly device?: { readonly name?: string; readonly platform?: string }
  /** Milliseconds until a missing file counts as deleted: programs replace files by others. By default 300. */
  readonly settling?: number
  /** Called before each change in the folder; an error ends it. For tests. */
  readonly onStep?: () => void
}

/** What was done, and what was not. */
export interface FolderReport {
  readonly actions: ReadonlyArray<FolderAction>
  /** Deletions that wait for `missing: "delete-many"`. */
  readonly held: ReadonlyArray<FolderAction>
  readonly problems: ReadonlyArray<FolderProblem>
  /** Why the server was not reached. */
  readonly error?: unknown
  /** The number of edits that the server does not have yet. */
  readonly waiting: number
}
