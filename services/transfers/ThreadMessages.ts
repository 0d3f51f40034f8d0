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

/** What the thread tells the main loop. The pieces of the ZIP go by a port of their own, and so does each file. */
export type FromThread =
  | { readonly permille: number }
  | { readonly file: string; readonly port: MessagePort }
  | { readonly failed: string }
  | { readonly leftOut: number }
  | { readonly notebookGone: true }
