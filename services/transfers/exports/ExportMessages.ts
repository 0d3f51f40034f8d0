import type { MessagePort } from "node:worker_threads"
import type { Sent } from "../../concurrency/SentSecrets.ts"
import type { Address } from "../../database/Database.ts"
import type { ExportRow } from "./Export.ts"

/** The parameters of an export. */
export type ExportParameters = Pick<ExportRow, "scope" | "format" | "notebook_id" | "include_attachments" | "reach"> & {
  readonly workspace_id: string
  /** When it began, in Unix milliseconds. */
  readonly now: number
}

/** The data that the thread of an export starts with. */
export interface ThreadData {
  readonly address: Sent<Address>
  readonly parameters: ExportParameters
}

/** The ports of the thread: `control` for messages (`FromThread`), `pieces` for the ZIP. */
export interface ThreadPorts {
  readonly control: MessagePort
  readonly pieces: MessagePort
}

/** Messages to the main loop. A requested file is returned through `port`. */
export type FromThread =
  | { readonly permille: number }
  | { readonly file: string; readonly port: MessagePort }
  | { readonly failed: string }
  | { readonly leftOut: number }
  | { readonly notebookGone: true }
  /** The last message, to which the main loop replies. */
  | { readonly isLast: true }
