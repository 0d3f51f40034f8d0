import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import type * as Ids from "../Ids.ts"
import { type RecordRow, records } from "../writer/LogEntry.ts"
import { runSql } from "../database/Database.ts"
import type { Draft } from "../writer/Draft.ts"
import type { Need } from "../writer/Mailboxes.ts"
import { type Bases, recordOf } from "../records/SyncAdapter.ts"
import type * as Table from "../tables/Table.ts"
import { rememberedBy } from "./Mutations.ts"
import { mayBeId, prefixes, revisionOf, textOf } from "./PushEntry.ts"
import { type AppliedResult, changeOf } from "./PushOutcome.ts"
import type { SyncAdapters } from "./SyncAdapters.ts"
import type { ChangeEntry } from "./SyncObject.ts"

/** Maximum number of bytes of records that are read at a time while a push runs. */
export const maxAhead = 4 * 1024 * 1024

/** Estimated size of a record whose size is not stored: a note in the trash, or at an earlier version. */
export const unknownBytes = 64 * 1024

/** A record that a push reads, and the revision on which an entry is based, if the push may return that too. */
export interface Named {
  readonly type: string
  readonly id: string
  readonly revision?: number | undefined
}

/** The record that an entry names by its id, before the entry is decoded. */
export const namedBy = (raw: unknown): Named | undefined => {
  const [type, id] = [textOf(raw, "type"), textOf(raw, "id")]
  return type === undefined ||
    !Object.hasOwn(prefixes, type) ||
    id === undefined ||
    !mayBeId(id) ||
    // The `client_ref` of an earlier entry.
    id.startsWith("$")
    ? undefined
    : { type, id, revision: revisionOf(raw) }
}

/**
 * Returns the records that a push reads for its entries, by their indexes. A repeated mutation has the record that it
 * changed; a deleted one need not be read.
 */
export const recordsOf = Effect.fnUntraced(function* (
  syncAdapters: SyncAdapters["Service"],
  draft: Draft,
  source: string,
  entries: ReadonlyArray<unknown>
) {
  const repeated: Array<AppliedResult | undefined> = []
  for (const raw of entries) repeated.push(yield* rememberedBy(draft, source, raw))
  yield* draft.load(
    records,
    repeated.flatMap((result) => (result === undefined ? [] : [[result.type, result.id]]))
  )
  const named: Array<Named | undefined> = []
  for (const [index, raw] of entries.entries()) {
    const result = repeated[index]
    if (result === undefined) named.push(namedBy(raw))
    else {
      const record = yield* recordOf(draft, syncAdapters.of(result.type), result.id)
      named.push(record === undefined || record.deleted ? undefined : { type: result.type, id: result.id })
    }
  }
  return named
})

/**
 * Reads records, from the one at `first` on, until `maxAhead` bytes are read. Returns the index of the next one, and
 * about how many bytes were read.
 */
export const readAhead = Effect.fnUntraced(function* (
  syncAdapters: SyncAdapters["Service"],
  draft: Draft,
  bases: (type: string) => Bases,
  all: ReadonlyArray<Named | undefined>,
  first: number
) {
  const rows = new Map<string, Need>()
  const stale = new Map<string, Array<{ readonly id: string; readonly revision: number }>>()
  let next = first
  for (let bytes = 0; next < all.length && bytes < maxAhead; next++) {
    const named = all[next]
    const record = named === undefined ? undefined : yield* recordOf(draft, syncAdapters.of(named.type), named.id)
    if (named === undefined || record === undefined) continue
    for (const need of syncAdapters.of(named.type).needs(named.id)) rows.set(named.id, need)
    bytes += record.deleted ? unknownBytes : record.bytes
    const { revision } = named
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

/**
 * Returns the change entries of records in their present state, as a pull would return them. A record that was erased has
 * none.
 */
export const entriesOf = Effect.fnUntraced(function* (
  syncAdapters: SyncAdapters["Service"],
  draft: Draft,
  bases: (type: string) => Bases,
  named: ReadonlyArray<Named>
) {
  yield* draft.load(
    records,
    named.map(({ id, type }) => [type, id])
  )
  const rows: Array<RecordRow> = []
  for (const { id, type } of named) {
    const row = yield* draft.get(records, type, id)
    if (row !== undefined) rows.push(row)
  }
  const live = rows.map((row) => (row.deleted ? undefined : row))
  const entries: Array<ChangeEntry> = []
  let ahead = 0
  for (const [index, row] of rows.entries()) {
    if (index === ahead) ahead = (yield* readAhead(syncAdapters, draft, bases, live, index)).next
    entries.push(changeOf(row, row.deleted ? null : yield* syncAdapters.of(row.type).data(draft, row.id)))
  }
  return entries
})

/**
 * Returns about how many bytes the records have that a push names, each counted as often as it is named. `mutations`: the
 * keys of mutations that may be repeated, and whose entries name no record.
 */
export const bytesOf = (
  read: Reads,
  workspace_id: Ids.WorkspaceId,
  named: ReadonlyArray<Named>,
  source: string,
  mutations: ReadonlyArray<string>
) =>
  Effect.map(
    runSql<{ readonly bytes: number }>(
      read,
      `SELECT coalesce(sum(CASE WHEN r.deleted THEN ${unknownBytes} ELSE r.bytes END), 0)::float8 AS bytes
        FROM (
          SELECT * FROM unnest($2::text[], $3::text[]) x(type, id)
          UNION ALL SELECT m.result->>'type', m.result->>'id' FROM mutations m
          WHERE m.workspace_id = $1 AND m.source_id = $4 AND m.mutation_id = ANY($5::text[])
        ) x
        JOIN records r ON r.workspace_id = $1 AND r.type = x.type AND r.id = x.id`,
      [workspace_id, named.map(({ type }) => type), named.map(({ id }) => id), source, mutations]
    ),
    ([row]) => row!.bytes
  )
