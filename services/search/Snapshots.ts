import { Context, Effect, Layer } from "effect"
import { Budget } from "../budgets/Budget.ts"
import { Turns } from "../budgets/Turns.ts"
import type { Unavailable } from "../Errors.ts"
import { orUnavailable } from "../storage/Database.ts"
import { SearchDatabase } from "./SearchDatabase.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { decodeSnapshot, encodeSnapshot, format, type Place } from "./Snapshot.ts"

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

/**
 * Search indexes as they were at some seq, kept in the database for the next start, and for other nodes. They are written in
 * parts, of which the last says that it is whole. One that is torn, damaged, of another format or of another workspace is
 * passed over, and the log read from its beginning.
 */
export class Snapshots extends Context.Service<
  Snapshots,
  {
    readonly load: (workspace_id: string) => Effect.Effect<Loaded | undefined, Unavailable>
    /** `now` tells what is to be kept when its turn has come. */
    readonly save: (
      workspace_id: string,
      now: () => { readonly index: SearchIndex; readonly place: Place }
    ) => Effect.Effect<void, Unavailable>
  }
>()("sheaf/search/Snapshots") {
  static readonly layer = Layer.effect(
    Snapshots,
    Effect.gen(function* () {
      const sql = yield* SearchDatabase
      const turns = yield* Turns

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
        now: () => { readonly index: SearchIndex; readonly place: Place }
      ) {
        const budget = new Budget()
        let place: Place | undefined
        const bytes = yield* turns.runBounded(workspace_id, budget, () => {
          const kept = now()
          place = kept.place
          return encodeSnapshot(kept.index.store, kept.place, budget)
        })
        const { epoch, seq } = place!
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
      })

      return Snapshots.of({ load, save })
    })
  )
}
