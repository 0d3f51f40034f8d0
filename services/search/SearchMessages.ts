import type { Filters } from "./Filters.ts"
import type { Head } from "./Heads.ts"
import type { SearchQuery } from "./SearchIndex.ts"
import type { Suggestion } from "./Suggestions.ts"

/** Where PostgreSQL is, as it is told to a thread. */
export interface ThreadData {
  readonly address:
    | { readonly url: string }
    | { readonly socketDirectory: string; readonly port: number; readonly username: string; readonly database: string }
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

/** What the main loop tells the thread. `nudge`: a workspace was written to. */
export interface Request {
  readonly id: number
  readonly asked: Asked
}
export type Told = Request | { readonly cancel: number } | { readonly nudge: string }

export interface Held {
  readonly workspaces: number
  readonly bytes: number
  /** Indexes that were read from snapshots so far. */
  readonly loads: number
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
