import type { SyncEngine } from "../sync/SyncEngine.ts"
import type { FileAccess } from "./FileAccess.ts"
import type { Plan, Sides } from "./FolderPlan.ts"
import type { FolderStore } from "./FolderStore.ts"
import type { NoteContent, Stated } from "./FileText.ts"
import type { LinkPaths } from "./files/LinkPaths.ts"

/** Something that was not done, and why. The rest continues. */
export interface FolderProblem {
  readonly path: string
  readonly message: string
}

export interface ApplySettings {
  readonly access: FileAccess
  readonly engine: SyncEngine
  readonly store: FolderStore
  readonly sides: Sides
  readonly plan: Plan
  readonly links: LinkPaths
  /** The notebook of new notebooks at the top; undefined if none may be made there. */
  readonly top: string | null | undefined
  /** An earlier version of a note that a file has, by what the file says. */
  readonly earlier: (note: NoteContent, file: Stated) => Promise<Stated | undefined>
}

/** A file that has changed since the scan: the next one sees it. */
export const later = "later"
export type Outcome = FolderProblem | typeof later | undefined
