import { Data, Effect } from "effect"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { Budget, type Sliced } from "../concurrency/Budget.ts"
import { Database } from "../database/Database.ts"
import { headsOf } from "../search/ChangedNotes.ts"
import { State } from "../search/engine/index/IndexedNote.ts"
import type { IndexStore } from "../search/engine/index/IndexStore.ts"
import { PageCache } from "../search/engine/index/PagedFile.ts"
import { type Place, SavedIndex } from "../search/engine/index/SavedIndex.ts"
import { messageOf } from "../ErrorCause.ts"
import { type Faults, Skipped } from "./Check.ts"
import { inSnapshot } from "./Snapshot.ts"

/** Number of notes that one query reads, or looks up. */
const pageSize = 5_000
/** Number of attempts to read an index while a server replaces its files. */
const attempts = 5

const remedy = "Stop Sheaf and run sheaf reindex: the index is then built from the database by the next search."

/** Names of the folders in a folder; none if it does not exist. */
const foldersIn = (directory: string) =>
  Effect.promise(async () => {
    try {
      const entries = await readdir(directory, { withFileTypes: true })
      return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
      throw error
    }
  })

/** The files of an index cannot be read, or have other bytes than were written. */
class Unreadable extends Data.TaggedError("Unreadable")<{ readonly cause: unknown }> {}

/** Does work on files in slices. Unfinished work frees what it holds. */
const sliced = <A>(work: (budget: Budget) => Sliced<A>): Effect.Effect<A, Unreadable> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const budget = new Budget()
      return { budget, work: work(budget) }
    }),
    ({ budget, work }) => {
      const next: Effect.Effect<A, Unreadable> = Effect.flatMap(
        Effect.try({ try: () => work.next(), catch: (cause) => new Unreadable({ cause }) }),
        ({ done, value }) => {
          if (done === true) return Effect.succeed(value)
          budget.resume()
          return Effect.andThen(Effect.yieldNow, next)
        }
      )
      return next
    },
    ({ work }) => Effect.sync(() => void work.return(undefined as never))
  )

function* verifying(store: IndexStore, budget: Budget): Sliced<void> {
  for (const segment of store.segments) if (segment !== undefined) yield* segment.verifying(budget)
}

interface Row {
  readonly id: string
  readonly seq: number
  readonly updated_at: string
}

const pageText = `SELECT r.id, r.seq::float8 AS seq, n.updated_at FROM records r
  JOIN notes n ON n.workspace_id = r.workspace_id AND n.id = r.id AND n.deleted_at IS NULL
  WHERE r.workspace_id = $1 AND r.type = 'note' AND r.id > $2
  ORDER BY r.workspace_id, r.type, r.id LIMIT ${pageSize}`

/** Which of the notes have not changed since the index was saved. */
const unchangedText = `SELECT g.id FROM unnest($2::text[]) AS g(id)
  LEFT JOIN records r ON r.workspace_id = $1 AND r.type = 'note' AND r.id = g.id
  WHERE r.seq IS NULL OR r.seq <= $3::bigint`

/**
 * Compares an index with all notes of its workspace. The database is read after the index was opened, so that it has
 * everything that the index has. Notes that changed after the index was saved are not compared: the next search adds them.
 */
const compare = Effect.fnUntraced(function* (
  { entries }: IndexStore,
  { epoch, floor, seq }: Place,
  workspace_id: string,
  report: (problem: string) => boolean
) {
  const { write: sql } = yield* Database
  const [head] = yield* headsOf(sql, [workspace_id])
  // The files of an erased workspace are deleted by the server. After another epoch it builds the index again.
  if (head === undefined || head.epoch !== epoch) return
  const isSeen = new Uint8Array(entries.capacity)
  let last = ""
  while (true) {
    const page: ReadonlyArray<Row> = yield* sql.unsafe<Row>(pageText, [workspace_id, last])
    for (const row of page) {
      const number = entries.numberOf(row.id)
      if (number !== undefined) isSeen[number] = 1
      if (row.seq > seq || row.seq <= floor) continue
      if (number === undefined) {
        if (!report(`does not have the note ${row.id}`)) return
      } else if (entries.columns.updated[number] !== Date.parse(row.updated_at)) {
        if (!report(`has an earlier text of the note ${row.id}`)) return
      }
    }
    if (page.length < pageSize) break
    last = page.at(-1)!.id
  }
  for (let from = 0; from < entries.capacity; from += pageSize) {
    const ids: Array<string> = []
    for (let number = from; number < Math.min(from + pageSize, entries.capacity); number++) {
      if (entries.columns.states[number] !== State.none && isSeen[number] === 0) ids.push(entries.idOf(number))
    }
    if (ids.length === 0) continue
    const extra = yield* sql.unsafe<{ readonly id: string }>(unchangedText, [workspace_id, ids, String(seq)])
    for (const { id } of extra) if (!report(`has the note ${id}, which was deleted`)) return
  }
})

/** Checks the files of each search index in `directory` (its own folder for each node), and compares it with the notes. */
export const searchCheck = (options: { readonly directory: string; readonly maxBytes: number }) => ({
  name: "search",
  run: Effect.fnUntraced(function* (faults: Faults) {
    const cache = new PageCache(0)
    const indexes: Array<readonly [path: string, workspace_id: string]> = []
    for (const node of yield* foldersIn(options.directory)) {
      const folder = join(options.directory, node)
      for (const workspace_id of yield* foldersIn(folder)) indexes.push([join(folder, workspace_id), workspace_id])
    }
    if (indexes.length === 0) return yield* new Skipped({ reason: "there are no search indexes yet" })
    for (const [path, workspace_id] of indexes) {
      if (faults.isFull) return
      const report = (problem: string) => {
        faults.add({ workspace_id, problem: `The search index of the workspace ${problem}.`, remedy })
        return !faults.isFull
      }
      const opened = sliced((budget) =>
        new SavedIndex(path, workspace_id).open({ cache, maxBytes: options.maxBytes }, budget)
      )
      yield* Effect.acquireUseRelease(
        // A server that saves the index meanwhile deletes files that the manifest had listed.
        Effect.retry(opened, { times: attempts - 1 }),
        (index) =>
          index === undefined
            ? Effect.void
            : Effect.andThen(
                sliced((budget) => verifying(index.store, budget)),
                inSnapshot(compare(index.store, index.place, workspace_id, report))
              ),
        (index) => Effect.sync(() => index?.store.close())
      ).pipe(
        Effect.catchTag("Unreadable", ({ cause }) =>
          Effect.sync(() => void report(`is damaged or cannot be read: ${messageOf(cause)}`))
        )
      )
    }
  })
})
