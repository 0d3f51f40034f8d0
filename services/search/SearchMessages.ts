import type { IndexedNote } from "./Entries.ts"
import type { Filters } from "./Filters.ts"
import type { Head } from "./Heads.ts"
import type { SearchQuery } from "./SearchIndex.ts"
import type { Suggestion } from "./Suggestions.ts"

/** Where PostgreSQL is, as it is told to a thread. */
export interface ThreadData {
  readonly address:
    | { readonly url: string }
    | { readonly socketDirectory: string; readonly port: number; readonly username: string; readonly database: string }
  /** The bytes of news that were told and are held: both sides count them. */
  readonly unheard: Int32Array<SharedArrayBuffer>
}

export interface AskedSearch {
  readonly kind: "search"
  readonly workspace_id: string
  /** What it is to find: all that was written up to here; where this is not known, all that was written before. */
  readonly head: Head | undefined
  readonly query: string
  readonly filters: Filters
  readonly order: SearchQuery["order"]
  readonly offset: number
  readonly limit: number
  readonly explain: boolean
}

export interface AskedSuggestions {
  readonly kind: "suggest"
  readonly workspace_id: string
  readonly head: Head
  readonly prefix: string
  readonly limit: number
}

export type Asked = AskedSearch | AskedSuggestions

export interface FoundHits {
  /** JSON: an array of `Hit`, in memory of its own, which goes from thread to thread. */
  readonly hits: Uint8Array<ArrayBuffer>
  readonly total: number
  readonly suggestion: string | undefined
  /** While the log ends here, the answer stays the same. */
  readonly head: Head
}

export type Answer<A extends Asked> = A extends AskedSearch ? FoundHits : ReadonlyArray<Suggestion>

/** The notes of a draft that is about to be stored, as they are then; undefined: gone. */
export interface Announced {
  readonly workspace_id: string
  /** The id of its last entry in the log, which no other draft has. */
  readonly witness: string
  readonly notes: ReadonlyArray<{ readonly id: string; readonly note: IndexedNote | undefined }>
  /** About what the message takes. */
  readonly bytes: number
}

/** The log of a workspace has grown, from `first` up to `last`, by so many changes of notes, where that is known. */
export interface Grown {
  readonly workspace_id: string
  readonly first: number
  readonly last: number
  readonly notes: number | undefined
  /** The id of its last entry, where that is known. */
  readonly witness: string | undefined
}

export type News = { readonly coming: Announced } | { readonly grown: Grown }

/** What the main loop tells the thread. */
export interface Request {
  readonly id: number
  readonly asked: Asked
}
export type Told = Request | { readonly cancel: number } | News

export interface Held {
  readonly workspaces: number
  readonly bytes: number
  /** Indexes that were read from snapshots so far. */
  readonly loads: number
  /** How often an index took in what only the log had. */
  readonly catchUps: number
}

/** What the thread tells the main loop. `dropped`: workspaces that it no longer keeps up with. */
export type Answered =
  | { readonly id: number; readonly answer: unknown; readonly held: Held }
  | { readonly id: number; readonly unavailable: Refused }
  | { readonly id: number; readonly defect: string }
  | { readonly dropped: ReadonlyArray<string>; readonly held: Held }

interface Refused {
  readonly code: "overloaded" | "service_unavailable"
  readonly detail: string
  readonly retry_after: number
}
