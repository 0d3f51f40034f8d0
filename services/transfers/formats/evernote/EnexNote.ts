import { type Task } from "./EnexTask.ts"
import { type ProblemCode } from "../Item.ts"

export interface Resource {
  readonly path: string
  readonly size: number
  /** The hash that the text uses as its name. */
  readonly md5: string
  readonly filename: string
  readonly content_type: string
  /** Whether some of its bytes are missing. */
  readonly isDamaged: boolean
  /** Other metadata. */
  readonly attributes: ReadonlyMap<string, string>
}

export interface EnexNote {
  readonly index: number
  readonly title: string
  readonly content: string
  /** The file with the text, if it is too long to be read. */
  readonly whole: Resource | undefined
  readonly created: string
  readonly updated: string
  readonly tags: ReadonlyArray<string>
  /** Members of `note-attributes`, and elements that this program does not know. */
  readonly attributes: ReadonlyMap<string, string>
  readonly tasks: ReadonlyArray<Task>
  /** When tasks were created and changed, if this differs from their note. */
  readonly taskHistory: ReadonlyArray<string>
  readonly resources: ReadonlyArray<Resource>
  readonly problems: ReadonlyArray<{ readonly code: ProblemCode; readonly message: string }>
  /** Bytes of the file that have been read. */
  readonly read: number
}
