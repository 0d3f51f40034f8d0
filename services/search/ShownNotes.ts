import { Effect } from "effect"
import type { PgClient } from "@effect/sql-pg/PgClient"
import type { Unavailable } from "../Errors.ts"
import type { Note } from "../notes/Note.ts"
import { orUnavailable } from "../storage/Database.ts"
import type { Head } from "./Heads.ts"
import { cut } from "./Fold.ts"
import { KeptTexts } from "./KeptTexts.ts"

/** Bytes of notes that are kept. */
const maxKept = 6 * 1024 * 1024
/** So many UTF-16 code units of a body are looked at first: most are shorter, and most of the longer ones match in them. */
const maxFirst = 16_384
/** So many characters of whole bodies are read for one page of hits: of few hits more of each. */
const maxRead = 4_000_000
const maxReadOfOne = 1_048_576

/** A note as hits show it. */
export interface ShownNote {
  /** JSON of the note without its body, up to the brace that ends it. */
  readonly head: string
  readonly title: string
  readonly tags: ReadonlyArray<string>
  readonly body: string
  /** Whether as much of the body was read as there is time to show, and not the beginning alone. */
  readonly isWhole: boolean
}

/** Whether it is in the trash is not asked of the database: it would take an index for it that has all notes. */
interface Row extends Omit<Note, "id" | "deleted_at">, Head {
  /** Of a row without a note null, as all that follows. */
  readonly id: string | null
  readonly deleted_at: string | null
}

/** Notes as they were when the log ended at `head`; undefined where there is no such workspace. */
export interface ReadNotes {
  readonly head: Head | undefined
  readonly notes: ReadonlyMap<string, ShownNote>
}

/** To count the characters of a text costs as much again as to read it: what has few bytes has no more characters. */
const text = (most: number): string => `SELECT h.epoch, h.seq::float8 AS seq, n.id, n.notebook_id, n.title,
    CASE WHEN octet_length(n.body) <= ${most} THEN n.body ELSE left(n.body, ${most}) END AS body, n.tags, n.pinned,
    n.archived, n.version, n.word_count, n.created_at, n.updated_at, n.deleted_at
  FROM heads h LEFT JOIN notes n ON n.workspace_id = h.workspace_id AND n.id = ANY($2::text[])
  WHERE h.workspace_id = $1`

const keyOf = (workspace_id: string, id: string): string => `${workspace_id} ${id}`

/**
 * The notes that searches show, read from the database, and kept while they are shown again and again. What is kept is at
 * least as new as the index: whoever takes a change into it forgets the note here in the same step.
 */
export class ShownNotes {
  readonly #sql: PgClient
  /** Each as its head and body, one behind the other; a long body is made a text again as far as it is asked for. */
  readonly #kept = new KeptTexts<
    Omit<ShownNote, "head" | "body"> & { readonly headBytes: number; readonly firstBytes: number }
  >(maxKept)
  #forgotten = 0

  constructor(sql: PgClient) {
    this.#sql = sql
  }

  has(workspace_id: string, id: string): boolean {
    return this.#kept.has(keyOf(workspace_id, id))
  }

  /** A note with the beginning of its body, or with as much as is kept of it. */
  get(workspace_id: string, id: string, isWhole: boolean): ShownNote | undefined {
    const kept = this.#kept.get(keyOf(workspace_id, id))
    if (kept === undefined) return undefined
    const { bytes, about } = kept
    const { firstBytes, headBytes, tags, title } = about
    const end = isWhole ? bytes.length : Math.min(headBytes + firstBytes, bytes.length)
    return {
      head: bytes.toString("utf8", 0, headBytes),
      body: bytes.toString("utf8", headBytes, end),
      isWhole: about.isWhole && end === bytes.length,
      tags,
      title
    }
  }

  /** A note has changed. */
  forget(workspace_id: string, id: string): void {
    this.#forgotten++
    this.#kept.delete(keyOf(workspace_id, id))
  }

  /**
   * Those of a page of so many that there still are, by their ids, with the beginnings of their bodies, or all of them; and
   * where the log ended then.
   */
  read(
    workspace_id: string,
    ids: ReadonlyArray<string>,
    limit: number,
    isWhole: boolean
  ): Effect.Effect<ReadNotes, Unavailable> {
    return Effect.suspend(() => {
      const all = Math.min(maxReadOfOne, Math.floor(maxRead / limit))
      const most = isWhole ? all : Math.min(maxFirst, all)
      const forgotten = this.#forgotten
      return orUnavailable(this.#sql.unsafe<Row>(text(most), [workspace_id, ids])).pipe(
        Effect.map((rows) => {
          const read = new Map<string, ShownNote>()
          // One that was read before its change, and came after it was forgotten, would stay.
          const isKept = forgotten === this.#forgotten
          for (const { body: found, deleted_at, epoch: _, id, seq: __, ...note } of rows) {
            if (id === null || deleted_at !== null) continue
            const beginning = cut(found, maxFirst)
            const body = isWhole ? found : beginning
            const shown: ShownNote = {
              head: JSON.stringify({ id, ...note }).slice(0, -1),
              title: note.title,
              tags: note.tags,
              body,
              isWhole: isWhole || found.length < most
            }
            read.set(id, shown)
            // Of a page with more hits less may be read.
            if (isKept && (found.length < most || !isWhole)) {
              const { head, isWhole, tags, title } = shown
              const firstBytes = beginning.length < body.length ? Buffer.byteLength(beginning) : Infinity
              const about = { headBytes: Buffer.byteLength(head), firstBytes, isWhole, tags, title }
              this.#kept.set(keyOf(workspace_id, id), [head, body], about)
            }
          }
          const [first] = rows
          return { head: first && { epoch: first.epoch, seq: first.seq }, notes: read }
        })
      )
    })
  }
}
