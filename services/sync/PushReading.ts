import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type * as Ids from "../Ids.ts"
import { records } from "../writer/LogEntry.ts"
import { orUnavailable } from "../database/Database.ts"
import type { Draft } from "../writer/Draft.ts"
import type { Need } from "../writer/Mailboxes.ts"
import type { Bases } from "../records/SyncAdapter.ts"
import type * as Table from "../tables/Table.ts"
import { mayBeId, prefixes, revisionOf, textOf } from "./PushEntry.ts"
import type { SyncAdapters } from "./SyncAdapters.ts"

/** Maximum number of bytes of records that are read at a time while a push runs. */
export const maxAhead = 4 * 1024 * 1024

/** Estimated size of a record whose size is not stored: a note in the trash, or at an earlier version. */
export const unknownBytes = 64 * 1024

interface Named {
  readonly type: string
  readonly id: string
}

/** The record that an entry names, before the entry is decoded. */
export const namedBy = (raw: unknown): Named | undefined => {
  const [type, id] = [textOf(raw, "type"), textOf(raw, "id")]
  return type === undefined || !Object.hasOwn(prefixes, type) || id === undefined || !mayBeId(id)
    ? undefined
    : { type, id }
}

/**
 * Reads the records that the entries name, from the entry `first` on, until `maxAhead` bytes are read. Returns the index
 * of the next entry, and about how many bytes were read.
 */
export const readAhead = Effect.fnUntraced(function* (
  syncAdapters: SyncAdapters["Service"],
  draft: Draft,
  bases: (type: string) => Bases,
  entries: ReadonlyArray<unknown>,
  first: number
) {
  const rows = new Map<string, Need>()
  const stale = new Map<string, Array<{ readonly id: string; readonly revision: number }>>()
  let next = first
  for (let bytes = 0; next < entries.length && bytes < maxAhead; next++) {
    const named = namedBy(entries[next])
    const record = named === undefined ? undefined : yield* draft.get(records, named.type, named.id)
    if (named === undefined || record === undefined) continue
    for (const need of syncAdapters.of(named.type).needs(named.id)) rows.set(named.id, need)
    bytes += record.deleted ? unknownBytes : record.bytes
    const revision = revisionOf(entries[next])
    if (revision === undefined || revision >= record.revision) continue
    const some = stale.get(named.type)
    some === undefined ? stale.set(named.type, [{ id: named.id, revision }]) : some.push({ id: named.id, revision })
    bytes += unknownBytes
  }
  const keys = new Map<Table.Table<any>, Array<ReadonlyArray<string>>>()
  for (const [table, ...key] of rows.values()) {
    const some = keys.get(table)
    some === undefined ? keys.set(table, [key]) : some.push(key)
  }
  let read = 0
  for (const [table, some] of keys) read += yield* draft.load(table, some)
  for (const [type, some] of stale) read += yield* bases(type).load(some)
  return { next, read }
})

/** Returns about how many bytes the named records have, each counted as often as it is named. */
export const bytesOf = (read: PgClient, workspace_id: Ids.WorkspaceId, named: ReadonlyArray<Named>) =>
  Effect.map(
    orUnavailable(
      read.unsafe<{ readonly bytes: number }>(
        `SELECT coalesce(sum(CASE WHEN r.deleted THEN ${unknownBytes} ELSE r.bytes END), 0)::float8 AS bytes
        FROM unnest($2::text[], $3::text[]) x(type, id)
        JOIN records r ON r.workspace_id = $1 AND r.type = x.type AND r.id = x.id`,
        [workspace_id, named.map(({ type }) => type), named.map(({ id }) => id)]
      )
    ),
    ([row]) => row!.bytes
  )
