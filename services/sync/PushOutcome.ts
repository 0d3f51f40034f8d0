import { Effect } from "effect"
import { Invalid, NotFound, type SheafError } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { Principal } from "../Principal.ts"
import { type RecordRow, records } from "../writer/LogEntry.ts"
import type { Draft } from "../writer/Draft.ts"
import { type Bases, recordOf, type SyncAdapter } from "../records/SyncAdapter.ts"
import { type Entry, prefixes } from "./PushEntry.ts"
import type { ChangeEntry, SyncConflict } from "./SyncObject.ts"

/** The outcome of an entry that was not rejected. `bytes`: estimated bytes that an applied one or a conflict holds. */
type Outcome = { readonly type: string; readonly id: string } & (
  | { readonly status: "applied"; readonly bytes: number; readonly revision: number }
  | { readonly status: "duplicate"; readonly revision: number }
  | {
      readonly status: "conflict"
      readonly bytes: number
      readonly revision: number | null
      readonly conflict: SyncConflict
    }
)

/** The result of an entry. Its error is the failure itself, not a problem of HTTP. */
export interface PushResult {
  readonly index: number
  readonly mutation_id: string | null
  readonly type: string | null
  readonly id: string | null
  readonly status: "applied" | "duplicate" | "conflict" | "rejected"
  readonly revision: number | null
  readonly error?: SheafError
}

/** The result of an entry that was applied. */
export interface AppliedResult extends PushResult {
  readonly type: string
  readonly id: string
}

export const changeOf = (record: RecordRow, data: object | null): ChangeEntry => ({
  type: record.type,
  id: record.id,
  op: data === null ? "delete" : "upsert",
  revision: record.revision,
  data,
  changed_at: record.changed_at,
  actor_id: record.actor_id,
  device_id: record.device_id
})

/** The state that the client has edited, if it is known. */
const baseOf = Effect.fnUntracedEager(function* (
  draft: Draft,
  bases: Bases,
  { revision }: Entry,
  id: string,
  record: RecordRow,
  current: object | null | undefined
) {
  if (revision === 0) return undefined
  const { least_revision } = draft.head
  if (revision > record.revision) {
    // A restore has taken the revision away: the client has edited a later state of what is there now. Any other number
    // is one that the record never had, and may be larger than the database's type for revisions.
    return revision < least_revision && current != null ? { revision: record.revision, data: current } : undefined
  }
  const data = yield* bases.at(id, revision)
  if (data !== undefined) return { revision, data }
  if (revision >= least_revision || record.revision < least_revision) return undefined
  // The record was changed after the restore: both sides have edited the state that was restored.
  const restored = yield* bases.before(id, least_revision)
  return restored !== undefined && restored.revision < revision ? restored : undefined
})

const conflicting = Effect.fnUntracedEager(function* (
  draft: Draft,
  syncAdapter: SyncAdapter,
  bases: Bases,
  entry: Entry,
  id: string,
  reason: SyncConflict["reason"]
): Effect.fn.Return<Outcome> {
  const record = yield* recordOf(draft, syncAdapter, id)
  const server =
    record === undefined ? null : changeOf(record, record.deleted ? null : yield* syncAdapter.data(draft, id))
  const base = record === undefined ? undefined : yield* baseOf(draft, bases, entry, id, record, server?.data)
  const conflict: SyncConflict = {
    type: entry.type,
    id,
    reason,
    mutation_id: entry.mutation_id,
    revision: record?.revision ?? null,
    client_revision: entry.revision,
    server,
    client: entry.raw,
    base: base ?? null
  }
  const bytes = JSON.stringify(conflict).length
  return { status: "conflict", type: entry.type, id, bytes, revision: conflict.revision, conflict }
})

const applied = Effect.fnUntracedEager(function* (draft: Draft, type: string, id: string): Effect.fn.Return<Outcome> {
  const { bytes, revision } = (yield* draft.get(records, type, id))!
  return { status: "applied", type, id, bytes, revision }
})

/**
 * Applies an entry of a push to the draft, or returns its conflict (contract 6). `bases`: the records of its type at
 * earlier revisions.
 */
export const apply = Effect.fnUntracedEager(function* (
  draft: Draft,
  syncAdapter: SyncAdapter,
  bases: Bases,
  entry: Entry
): Effect.fn.Return<Outcome, SheafError, Principal> {
  const { op, revision, type } = entry
  const prefix = prefixes[type]!
  const id = entry.id ?? (op === "upsert" && revision === 0 ? draft.newId(prefix) : undefined)
  if (id === undefined) return yield* Invalid.field("id", "required", "is required")
  const state = entry.id === undefined ? undefined : yield* syncAdapter.state(draft, id)
  const conflict = (reason: SyncConflict["reason"]) => conflicting(draft, syncAdapter, bases, entry, id, reason)

  if (state === undefined) {
    if (op === "delete") return yield* NotFound.of(type)
    if (revision > 0) return yield* conflict("unknown_revision")
    if (entry.id !== undefined && !Ids.isClientMade(prefix, id)) {
      return yield* Invalid.field("id", "invalid", `must be ${prefix}_ and 16 to 40 of [0-9A-Za-z_-]`)
    }
    // A record that a limited caller does not reach may have the id.
    const isTaken = draft.reach !== undefined && (yield* draft.get(records, type, id)) !== undefined
    if (isTaken) return yield* NotFound.of(type)
    // The id may be that of a record that a restore has taken away.
    const first = entry.id === undefined ? 1 : draft.revisionAfter(0)
    yield* syncAdapter.create(draft, { id, revision: first }, entry.data)
    return yield* applied(draft, type, id)
  }

  const duplicate = { status: "duplicate", type, id, revision: state.revision } as const
  if (op === "delete") {
    if (!state.live) return duplicate
    if (revision === 0) {
      return yield* Invalid.field("revision", "required", "must be that of the record, at least 1, for a deletion")
    }
    if (revision > state.revision) return yield* conflict("unknown_revision")
    if (revision < state.revision) return yield* conflict("stale_revision")
    yield* syncAdapter.delete(draft, id)
    return yield* applied(draft, type, id)
  }

  if (revision > state.revision) return yield* conflict("unknown_revision")
  if (!state.live) {
    if (revision !== state.revision) return yield* conflict("deleted_on_server")
    yield* syncAdapter.revive(draft, id, state.revision, entry.data)
    return yield* applied(draft, type, id)
  }
  const input = yield* syncAdapter.read(entry.data)
  if (yield* syncAdapter.same(draft, id, input)) return duplicate
  if (revision === 0) return yield* conflict("already_exists")
  if (revision < state.revision) return yield* conflict("stale_revision")
  yield* syncAdapter.update(draft, id, input)
  return yield* applied(draft, type, id)
})
