import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { Unavailable } from "../Errors.ts"
import type { Note } from "../notes/Note.ts"
import { orUnavailable } from "../storage/Database.ts"

/** Where the log of a workspace ends. `epoch` changes when a backup is restored. */
export interface Head {
  readonly epoch: string
  readonly seq: number
}

export const isSame = (one: Head, other: Head): boolean => one.seq === other.seq && one.epoch === other.epoch

/** Maximum characters of a body that are read first: most bodies are shorter, and most longer ones match in them. */
const maxBeginning = 16_384
/** Maximum characters of a body, and of the bodies of a page together, that are read in a second step. */
const maxBody = 1_048_576
const maxBodies = 4_000_000

/** A note as hits show it, with as much of its body as was read. */
export interface ShownNote {
  readonly note: Omit<Note, "id" | "body" | "deleted_at"> & { readonly id: string }
  readonly body: string
  /** Whether more of the body can be read. */
  readonly hasMore: boolean
}

/** The notes of a page by their ids, as they were when the log ended at `head`. */
export interface ShownNotes {
  /** Undefined: there is no such workspace. */
  readonly head: Head | undefined
  readonly notes: ReadonlyMap<string, ShownNote>
}

/** `id` and all that follows is null in the row of a workspace without any of the notes. */
interface Row extends Omit<Note, "id" | "deleted_at">, Head {
  readonly id: string | null
  readonly deleted_at: string | null
}

/**
 * Counting the characters of a text costs as much as reading it, so its bytes are compared: they are not fewer. Notes in
 * the trash are left out later: a condition on `deleted_at` would need an index with all notes.
 */
const textOf = (characters: number): string => `SELECT h.epoch, h.seq::float8 AS seq, n.id, n.notebook_id, n.title,
    CASE WHEN octet_length(n.body) <= ${characters} THEN n.body ELSE left(n.body, ${characters}) END AS body, n.tags,
    n.pinned, n.archived, n.version, n.word_count, n.created_at, n.updated_at, n.deleted_at
  FROM heads h LEFT JOIN notes n ON n.workspace_id = h.workspace_id AND n.id = ANY($2::text[])
  WHERE h.workspace_id = $1`

/**
 * Reads notes of a page of at most `limit` hits, and where the log ends, in one statement. `part`: how much of the bodies.
 * Notes that are deleted or in the trash are left out.
 */
export const readNotes = (
  sql: PgClient,
  workspace_id: string,
  ids: ReadonlyArray<string>,
  limit: number,
  part: "beginning" | "whole"
): Effect.Effect<ShownNotes, Unavailable> => {
  const max = part === "whole" ? Math.min(maxBody, Math.floor(maxBodies / limit)) : maxBeginning
  return Effect.map(orUnavailable(sql.unsafe<Row>(textOf(max), [workspace_id, ids])), (rows) => {
    const notes = new Map<string, ShownNote>()
    for (const { body, deleted_at, epoch: _, id, seq: __, ...rest } of rows) {
      if (id === null || deleted_at !== null) continue
      notes.set(id, { note: { id, ...rest }, body, hasMore: part === "beginning" && body.length >= max })
    }
    const [first] = rows
    return { head: first && { epoch: first.epoch, seq: first.seq }, notes }
  })
}
