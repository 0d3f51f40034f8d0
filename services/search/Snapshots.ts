import { Context, Effect, Layer } from "effect"
import { Budget, type Sliced } from "../concurrency/Budget.ts"
import { CooperativeScheduler } from "../concurrency/CooperativeScheduler.ts"
import type { Unavailable } from "../Errors.ts"
import { orUnavailable } from "../storage/Database.ts"
import { SearchDatabase } from "./SearchDatabase.ts"
import { SearchIndex } from "./SearchIndex.ts"
import type { IndexStore } from "./IndexStore.ts"
import { columnsOf, decodeSnapshot, digesting, entriesOf, format, type Place } from "./Snapshot.ts"

const partBytes = 1024 * 1024
const partsAtOnce = 8
/** More than a full index has. */
const maxParts = 256
/** So many are looked at: the newest may be torn, and the one before it is whole. */
const maxTried = 3

export interface Loaded {
  readonly index: SearchIndex
  readonly epoch: string
  readonly seq: number
}

/** The notes of an index, all whose postings are sealed first, and the version that they are of. */
function* notedOf(
  store: IndexStore,
  budget: Budget
): Sliced<{ readonly store: IndexStore; readonly version: number; readonly noted: Buffer }> {
  yield* store.settling(budget)
  const { version } = store
  return { store, version, noted: yield* entriesOf(store, budget) }
}

/**
 * Search indexes as they were at some seq, kept in the database for the next start, and for other nodes. They are written in
 * parts, of which the last says that it is whole. One that is torn, damaged, of another format or of another workspace is
 * passed over, and the log read from its beginning.
 */
export class Snapshots extends Context.Service<
  Snapshots,
  {
    readonly load: (workspace_id: string) => Effect.Effect<Loaded | undefined, Unavailable>
    /**
     * `now` tells what is to be kept when its turn has come. False: it changed meanwhile, and is not kept. With `waits`
     * nothing can change: searches and changes of the workspace wait.
     */
    readonly save: (
      workspace_id: string,
      now: () => { readonly index: SearchIndex; readonly place: Place },
      waits: boolean
    ) => Effect.Effect<boolean, Unavailable>
  }
>()("sheaf/search/Snapshots") {
  static readonly layer = Layer.effect(
    Snapshots,
    Effect.gen(function* () {
      const sql = yield* SearchDatabase
      const scheduler = yield* CooperativeScheduler

      /** Some parts at a time, into one piece of memory; undefined when not all are there. */
      const read = Effect.fnUntraced(function* (workspace_id: string, id: string, parts: number) {
        const bytes = Buffer.allocUnsafeSlow(parts * partBytes)
        let length = 0
        for (let part = 0; part < parts; part += partsAtOnce) {
          const rows = yield* orUnavailable(
            sql.unsafe<{ bytes: Uint8Array }>(
              `SELECT bytes FROM search_snapshots
              WHERE workspace_id = $1 AND id = $2 AND part >= $3 AND part < $4 ORDER BY part`,
              [workspace_id, id, part, Math.min(part + partsAtOnce, parts)]
            )
          )
          if (rows.length !== Math.min(partsAtOnce, parts - part)) return undefined
          for (const row of rows) {
            if (length + row.bytes.length > bytes.length) return undefined
            bytes.set(row.bytes, length)
            length += row.bytes.length
          }
        }
        return bytes.subarray(0, length)
      })

      const load = Effect.fnUntraced(function* (workspace_id: string) {
        const found = yield* orUnavailable(
          sql.unsafe<{ id: string; parts: number }>(
            `SELECT id, parts FROM search_snapshots WHERE workspace_id = $1 AND part = parts - 1 AND format = $2
            ORDER BY seq DESC, id DESC LIMIT ${maxTried}`,
            [workspace_id, format]
          )
        )
        for (const { id, parts } of found) {
          if (parts > maxParts) continue
          const bytes = yield* read(workspace_id, id, parts)
          const decoded = bytes === undefined ? undefined : decodeSnapshot(bytes, workspace_id)
          if (decoded === undefined) continue
          const { epoch, held, seq } = decoded
          return { index: new SearchIndex(undefined, held), epoch, seq }
        }
        return undefined
      })

      const save = Effect.fnUntraced(function* (
        workspace_id: string,
        now: () => { readonly index: SearchIndex; readonly place: Place },
        waits: boolean
      ) {
        // Whoever searches, or has changes to take in, goes between.
        const noting = new Budget()
        const own = waits
          ? undefined
          : yield* scheduler.runAtLowPriority(workspace_id, noting, () => notedOf(now().index.store, noting))
        const copying = new Budget()
        const copied = yield* scheduler.run(workspace_id, copying, function* () {
          const { index, place } = now()
          const { store } = index
          const known = own ?? (yield* notedOf(store, copying))
          if (known.store !== store || known.version !== store.version || store.postings.hasRecent) return undefined
          return { bytes: yield* columnsOf(store, place, known.noted, copying), place }
        })
        if (copied === undefined) return false
        const { bytes, place } = copied
        const signing = new Budget()
        yield* scheduler.runAtLowPriority(workspace_id, signing, () => digesting(bytes, signing))
        const { epoch, seq } = place
        const id = crypto.randomUUID()
        const parts = Math.ceil(bytes.length / partBytes)
        for (let part = 0; part < parts; part++) {
          yield* orUnavailable(
            // The workspace may be erased meanwhile.
            sql.unsafe(
              `INSERT INTO search_snapshots (workspace_id, id, part, parts, format, epoch, seq, bytes)
              SELECT workspace_id, $2, $3, $4, $5, $6, $7::bigint, $8 FROM workspaces WHERE workspace_id = $1`,
              [
                workspace_id,
                id,
                part,
                parts,
                format,
                epoch,
                String(seq),
                bytes.subarray(part * partBytes, (part + 1) * partBytes)
              ]
            )
          )
        }
        // Of two that are written at once, one stays.
        yield* orUnavailable(
          sql.unsafe(
            `DELETE FROM search_snapshots
            WHERE workspace_id = $1 AND (epoch <> $2 OR (seq, id) < ($3::bigint, $4 COLLATE "C"))`,
            [workspace_id, epoch, String(seq), id]
          )
        )
        return true
      })

      return Snapshots.of({ load, save })
    })
  )
}
