import type { MessagePort } from "node:worker_threads"
import type { ExportRow } from "./ExportTable.ts"

/** What is exported. */
export type Asked = Pick<ExportRow, "scope" | "format" | "notebook_id" | "include_attachments"> & {
  readonly workspace_id: string
}

/** What the thread of an export is begun with. */
export interface ThreadData {
  readonly address:
    | { readonly url: string }
    | { readonly socketDirectory: string; readonly port: number; readonly username: string; readonly database: string }
  readonly asked: Asked
}

/** The ports of the thread: `control` takes what it reports (`FromThread`), `pieces` the ZIP. */
export interface ThreadPorts {
  readonly control: MessagePort
  readonly pieces: MessagePort
}

/** What the thread reports to the main loop. Each file that it asks for comes by the port that it sends along. */
export type FromThread =
  | { readonly permille: number }
  | { readonly file: string; readonly port: MessagePort }
  | { readonly failed: string }
  | { readonly leftOut: number }
  | { readonly notebookGone: true }
  /** All has been said: the main loop replies once it has heard it. */
  | { readonly isLast: true }
