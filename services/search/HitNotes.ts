import { Effect } from "effect"
import type { Unavailable } from "../Errors.ts"
import type { Note } from "../notes/Note.ts"
import { runSql } from "../database/Database.ts"
import type { Reads } from "../database/ReachedRows.ts"

/** Maximum characters of a body that are read first: most bodies are shorter, or match within them. */
const maxBeginning = 16_384
/** Maximum characters that are read in a second step, of a body and of all bodies of a page. */
const maxBody = 1_048_576
const maxBodies = 4_000_000

/** A note of a hit, with the part of its body that was read. */
export interface HitNote {
  readonly note: Omit<Note, "id" | "body" | "deleted_at"> & { readonly id: string }
  readonly body: string
  /** Whether more of the body can be read. */
  readonly hasMore: boolean
}

interface Row extends Omit<Note, "id" | "deleted_at"> {
  readonly id: string
  readonly deleted_at: string | null
}

/**
 * Compares the number of bytes, because counting the characters of a text is as expensive as reading it, and there are
 * at least as many bytes. Notes in the trash are left out later: a condition on `deleted_at` would need an index with
 * all notes.
 */
const textOf = (characters: number): string => `SELECT id, notebook_id, title,
    CASE WHEN octet_length(body) <= ${characters} THEN body ELSE left(body, ${characters}) END AS body, tags,
    pinned, archived, version, word_count, created_at, updated_at, deleted_at
  FROM notes WHERE workspace_id = $1 AND id = ANY($2::text[])`

/**
 * Reads notes by their ids, for a page of at most `limit` hits. `part`: how much of their bodies. Leaves out notes that
 * are deleted or in the trash.
 */
export const readNotes = (
  sql: Reads,
  workspace_id: string,
  ids: ReadonlyArray<string>,
  limit: number,
  part: "beginning" | "whole"
): Effect.Effect<ReadonlyMap<string, HitNote>, Unavailable> => {
  const max = part === "whole" ? Math.min(maxBody, Math.floor(maxBodies / limit)) : maxBeginning
  return Effect.map(
    runSql<Row>(sql, textOf(max), [workspace_id, ids]),
    (rows) =>
      new Map(
        rows
          .filter(({ deleted_at }) => deleted_at === null)
          .map(({ body, deleted_at: _, ...note }) => [
            note.id,
            { note, body, hasMore: part === "beginning" && body.length >= max }
          ])
      )
  )
}
