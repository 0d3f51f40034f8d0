import { Effect } from "effect"
import { Invalid, NotFound, type SheafError } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { Principal } from "../Principal.ts"
import { type RecordRow, records } from "../storage/Change.ts"
import type { Draft } from "../storage/Draft.ts"
import type { Bases } from "../storage/Pushable.ts"
import type { Pushables } from "./Pushables.ts"
import { type Entry, prefixes } from "./PushEntries.ts"
import type { ChangeEntry, SyncConflict } from "./SyncObject.ts"

/** What became of an entry that was not refused. */
type Answer =
  | { readonly status: "applied"; readonly id: string; readonly revision: number; readonly change: ChangeEntry }
  | { readonly status: "duplicate"; readonly id: string; readonly revision: number }
  | { readonly status: "conflict"; readonly id: string; readonly conflict: SyncConflict }

const entryOf = (record: RecordRow, data: object | null): ChangeEntry => ({
  type: record.type,
  id: record.id,
  op: data === null ? "delete" : "upsert",
  revision: record.revision,
  data,
  changed_at: record.changed_at,
  actor_id: record.actor_id,
  device_id: record.device_id
})

/**
 * What makes an entry of a push the write that it means, as things stand in the draft, or the conflict that it is
 * (contract 6). `bases`: by type, the records as they were, which conflicts are told with.
 */
export const make = (pushables: Pushables["Service"]) => {
  const conflict = Effect.fnUntraced(function* (
    draft: Draft,
    bases: ReadonlyMap<string, Bases>,
    entry: Entry,
    id: string,
    reason: SyncConflict["reason"]
  ): Effect.fn.Return<Answer> {
    const pushable = pushables.of(entry.type)
    const record = yield* draft.get(records, entry.type, id)
    const server =
      record === undefined ? null : entryOf(record, record.deleted ? null : yield* pushable.data(draft, id))
    // A revision that the record never had may be larger than any that the database can be asked for.
    const base =
      entry.revision === 0 || record === undefined || entry.revision > record.revision
        ? undefined
        : yield* bases.get(entry.type)!.at(id, entry.revision)
    return {
      status: "conflict",
      id,
      conflict: {
        type: entry.type,
        id,
        reason,
        mutation_id: entry.mutation_id,
        revision: record?.revision ?? null,
        client_revision: entry.revision,
        server,
        client: entry.raw,
        base: base === undefined ? null : { revision: entry.revision, data: base }
      }
    }
  })

  const applied = Effect.fnUntraced(function* (draft: Draft, type: string, id: string, data: object | null) {
    const record = (yield* draft.get(records, type, id))!
    return { status: "applied", id, revision: record.revision, change: entryOf(record, data) } as const
  })

  return Effect.fnUntraced(function* (
    draft: Draft,
    bases: ReadonlyMap<string, Bases>,
    entry: Entry
  ): Effect.fn.Return<Answer, SheafError, Principal> {
    const { op, revision, type } = entry
    const prefix = prefixes[type]!
    const pushable = pushables.of(type)
    const id = entry.id ?? (op === "upsert" && revision === 0 ? Ids.make(prefix, draft.millis) : undefined)
    if (id === undefined) return yield* Invalid.field("id", "required", "is required")
    const state = entry.id === undefined ? undefined : yield* pushable.state(draft, id)

    if (op === "delete") {
      if (state === undefined) return yield* NotFound.of(type)
      if (!state.live) return { status: "duplicate", id, revision: state.revision }
      if (revision === 0) return yield* Invalid.field("revision", "required", "is required to delete")
      if (revision > state.revision) return yield* conflict(draft, bases, entry, id, "unknown_revision")
      if (revision < state.revision) return yield* conflict(draft, bases, entry, id, "stale_revision")
      yield* pushable.delete(id)
      // What others hang on may have to stay, emptied.
      return yield* applied(draft, type, id, yield* pushable.data(draft, id))
    }

    if (state === undefined) {
      if (revision > 0) return yield* conflict(draft, bases, entry, id, "unknown_revision")
      if (entry.id !== undefined && !Ids.isClientMade(prefix, id)) {
        return yield* Invalid.field("id", "invalid", `must be ${prefix}_ and 16 to 40 of [0-9A-Za-z_-]`)
      }
      yield* pushable.create({ id, revision: 1 }, entry.data)
      return yield* applied(draft, type, id, yield* pushable.data(draft, id))
    }

    if (revision > state.revision) return yield* conflict(draft, bases, entry, id, "unknown_revision")
    if (!state.live) {
      if (revision !== state.revision) return yield* conflict(draft, bases, entry, id, "deleted_on_server")
      yield* pushable.revive(draft, id, state.revision, entry.data)
      return yield* applied(draft, type, id, yield* pushable.data(draft, id))
    }
    const input = yield* pushable.read(entry.data)
    if (yield* pushable.same(draft, id, input)) return { status: "duplicate", id, revision: state.revision }
    if (revision === 0) return yield* conflict(draft, bases, entry, id, "already_exists")
    if (revision < state.revision) return yield* conflict(draft, bases, entry, id, "stale_revision")
    yield* pushable.update(id, input)
    return yield* applied(draft, type, id, yield* pushable.data(draft, id))
  })
}
