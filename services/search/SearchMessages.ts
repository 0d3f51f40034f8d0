import type { LogLevel } from "effect"
import type { Unavailable } from "../Errors.ts"
import type { Filters } from "./Filters.ts"
import type { SearchQuery } from "./SearchIndex.ts"
import type { Suggestion } from "./Suggestions.ts"
import type { Partial } from "./WorkspaceIndex.ts"

/** What the search thread is started with. */
export interface ThreadData {
  /** Where PostgreSQL is. */
  readonly address:
    | { readonly url: string }
    | { readonly socketDirectory: string; readonly port: number; readonly username: string; readonly database: string }
  /** Where the files of the indexes are: a folder of this node alone. */
  readonly directory: string
  /** Maximum memory of all indexes together. */
  readonly maxBytes: number
}

export interface SearchTask {
  readonly kind: "search"
  readonly workspace_id: string
  readonly query: string
  readonly filters: Filters
  readonly order: SearchQuery["order"]
  readonly offset: number
  readonly limit: number
  readonly explain: boolean
}

export interface SuggestTask {
  readonly kind: "suggest"
  readonly workspace_id: string
  readonly prefix: string
  readonly limit: number
}

export type Task = SearchTask | SuggestTask

export interface FoundHits {
  /** JSON: an array of `Hit`. */
  readonly hits: string
  readonly total: number
  readonly suggestion: string | undefined
  /** Why the index does not have all notes of the workspace. */
  readonly partial: Partial
}

export type ResultOf<A extends Task> = A extends SearchTask ? FoundHits : ReadonlyArray<Suggestion>

/** From the main thread to the search thread. */
export type ToThread = { readonly id: number; readonly task: Task } | { readonly cancel: number }

/** The indexes in the search thread. */
export interface Held {
  readonly workspaces: number
  /** Bytes of memory, approximately, and of files. */
  readonly bytes: number
  readonly files: number
  readonly fileBytes: number
  /** Indexes that were read from snapshots so far. */
  readonly loads: number
}

/** An entry for the log of the main thread. */
export interface LogEntry {
  readonly level: LogLevel.Severity
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** From the search thread to the main thread. */
export type FromThread = { readonly log: LogEntry } | ({ readonly held: Held } & TaskResult)

type TaskResult =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly unavailable: Pick<Unavailable, "code" | "detail" | "retry_after"> }
  | { readonly id: number; readonly defect: string }
