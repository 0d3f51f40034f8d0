import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import type { RecordRow } from "../writer/LogEntry.ts"
import { runSql } from "../database/Database.ts"
import * as EarlierRecords from "../records/EarlierRecords.ts"
import { textOf } from "./PushEntry.ts"
import { changeOf, type PushResult } from "./PushOutcome.ts"
import type { ChangeEntry, SyncConflict } from "./SyncObject.ts"
import { syncedTypes } from "./SyncedTypes.ts"

/** The response to a push. */
export interface Pushed {
  readonly cursor: string
  readonly changes: ReadonlyArray<ChangeEntry>
  readonly has_more: false
  readonly conflicts: ReadonlyArray<SyncConflict>
  readonly cursor_expires_at: string
  readonly device_id: string | null
  readonly results: ReadonlyArray<PushResult>
}

/** A change entry without its record. */
type Head = Omit<ChangeEntry, "data">

/**
 * The part of a response that is stored with its Idempotency-Key: ids and revisions. The records are read again, and
 * the repeated request contains what the client sent.
 */
interface KeptPush extends Omit<Pushed, "changes" | "conflicts" | "results"> {
  readonly results: ReadonlyArray<Omit<PushResult, "mutation_id">>
  /** Those of `changes`. */
  readonly applied: ReadonlyArray<Head>
  readonly conflicting: ReadonlyArray<
    Pick<SyncConflict, "reason" | "client_revision"> & { readonly server: Head | null; readonly has_base: boolean }
  >
}

const headOf = ({ data: _, ...head }: ChangeEntry): Head => head

export const keptPush = ({ changes, conflicts, results, ...rest }: Pushed): KeptPush => ({
  ...rest,
  results: results.map(({ mutation_id: _, ...result }) => result),
  applied: changes.map(headOf),
  conflicting: conflicts.map(({ base, client_revision, reason, server }) => ({
    reason,
    client_revision,
    server: server === null ? null : headOf(server),
    has_base: base !== null
  }))
})

const presentText = `SELECT r.type, r.id, r.revision, r.deleted, r.changed_at, r.actor_id, r.device_id
  FROM unnest($2::text[], $3::text[]) x(type, id)
  JOIN records r ON r.workspace_id = $1 AND r.type = x.type AND r.id = x.id`

/**
 * Rebuilds the response to a push. Records have the state of that time if the server still has it, otherwise their
 * present state. A base that is no longer kept is null.
 */
export const make = (sql: Reads) => {
  const recordsAt = EarlierRecords.make(sql, syncedTypes)

  return Effect.fnUntraced(function* (workspace_id: WorkspaceId, kept: KeptPush, entries: ReadonlyArray<unknown>) {
    const { applied, conflicting, results, ...rest } = kept
    const conflicted = results.filter(({ status }) => status === "conflict")
    const bases = conflicting.map(({ client_revision, has_base }, n) =>
      has_base ? { type: conflicted[n]!.type!, id: conflicted[n]!.id!, revision: client_revision } : undefined
    )
    const heads = [...applied, ...conflicting.flatMap(({ server }) => server ?? [])].filter(({ op }) => op === "upsert")
    const recordAt = yield* recordsAt(workspace_id, [...heads, ...bases.flatMap((base) => base ?? [])])

    const moved = heads.filter((head) => recordAt(head) === null)
    const rows = yield* moved.length === 0
      ? Effect.succeed([])
      : runSql<RecordRow>(sql, presentText, [workspace_id, moved.map(({ type }) => type), moved.map(({ id }) => id)])
    const presentAt = yield* recordsAt(
      workspace_id,
      rows.filter(({ deleted }) => !deleted)
    )
    const present = new Map(
      rows.map((row) => [`${row.type} ${row.id}`, changeOf(row, row.deleted ? null : presentAt(row))])
    )

    const entryOf = (head: Head): ChangeEntry => {
      const { changed_at, actor_id, device_id, ...at } = head
      const entry = (data: object | null): ChangeEntry => ({ ...at, data, changed_at, actor_id, device_id })
      if (head.op === "delete") return entry(null)
      const data = recordAt(head)
      // A record without a row was erased, with its tombstone.
      return data === null ? (present.get(`${head.type} ${head.id}`) ?? { ...entry(null), op: "delete" }) : entry(data)
    }

    const conflicts = conflicting.map(({ client_revision, reason, server: head }, n): SyncConflict => {
      const { id, index, type } = conflicted[n]!
      const client = entries[index]
      const server = head === null ? null : entryOf(head)
      const data = bases[n] === undefined ? null : recordAt(bases[n])
      return {
        type: type!,
        id: id!,
        reason,
        mutation_id: textOf(client, "mutation_id") ?? null,
        revision: server?.revision ?? null,
        client_revision,
        server,
        client,
        base: data === null ? null : { revision: client_revision, data }
      }
    })
    const pushed: Pushed = {
      cursor: rest.cursor,
      changes: applied.map(entryOf),
      has_more: rest.has_more,
      conflicts,
      cursor_expires_at: rest.cursor_expires_at,
      device_id: rest.device_id,
      results: results.map(({ index, ...result }) => ({
        index,
        mutation_id: textOf(entries[index], "mutation_id") ?? null,
        ...result
      }))
    }
    return pushed
  })
}
