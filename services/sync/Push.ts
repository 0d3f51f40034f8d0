import { Context, Effect, Layer, Result } from "effect"
import { Budget } from "../concurrency/Budget.ts"
import { RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import {
  type BadRequest,
  type Expired,
  Forbidden,
  Invalid,
  type NotFound,
  type SheafError,
  TooLarge,
  type Unavailable
} from "../Errors.ts"
import { notes } from "../notes/NoteTable.ts"
import { Principal } from "../Principal.ts"
import { records } from "../writer/LogEntry.ts"
import { type Actor, actorOf, withVia } from "../writer/Actor.ts"
import { Database, runSql } from "../database/Database.ts"
import type { Draft } from "../writer/Draft.ts"
import { replayed, type Write } from "../writer/ReplayedResult.ts"
import { Secrets } from "../secrets/Secrets.ts"
import type { Need } from "../writer/Mailboxes.ts"
import { type Bases, recordOf } from "../records/SyncAdapter.ts"
import { Writer } from "../writer/Writer.ts"
import { traced } from "../Traced.ts"
import { allAt, cursorLife, Cursors } from "./Cursor.ts"
import { Devices } from "./Devices.ts"
import { Sync } from "./Sync.ts"
import { isLimited, reachOf } from "./SyncReach.ts"
import { SyncAdapters } from "./SyncAdapters.ts"
import { keyOf, mutations, raise, rememberedBy } from "./Mutations.ts"
import { changeOf, decodeEntry, mayBeId, prefixes, stepsOf, textOf } from "./PushEntry.ts"
import { apply, type PushResult } from "./PushOutcome.ts"
import { bytesOf, entriesOf, maxAhead, type Named, namedBy, readAhead, recordsOf } from "./PushReading.ts"
import * as PushReplay from "./PushReplay.ts"
import { keptPush, type Pushed } from "./PushReplay.ts"
import type { ChangeEntry, PushRequest, SyncConflict } from "./SyncObject.ts"

const maxChanges = 500

/** Maximum number of bytes of records that a push reads and returns. Further entries must be sent in another push. */
const maxHeld = 32 * 1024 * 1024

/** Maximum number of named records that are read at once whatever their size. */
const few = 4

/** Steps of a budget for each byte of a record in the response. */
const stepsPerByte = 0.25

const isFull = new TooLarge({
  code: "payload_too_large",
  detail: "This push has reached its limit: send this change again in another push",
  extra: { limit_bytes: maxHeld }
})

/** The types that a limited credential can push. */
const limitedTypes: ReadonlySet<string> = new Set(["note", "notebook", "attachment", "comment", "reminder"])

const tooFar = new Forbidden({
  code: "insufficient_scope",
  detail: `A credential for some notebooks pushes only these types: ${[...limitedTypes].join(", ")}`,
  extra: { required_scopes: [] }
})

/** The actor of an entry that is not decoded yet. A copy of a note that the caller does not reach is a note of its own. */
const actorOfEntry = Effect.fnUntracedEager(function* (draft: Draft, actor: Actor, raw: unknown) {
  const mutation_id = textOf(raw, "mutation_id")
  const copied = textOf(raw, "conflict_of")
  const isKnown =
    copied !== undefined &&
    (draft.reach === undefined || (mayBeId(copied) && (yield* draft.get(notes, copied)) !== undefined))
  return withVia(actor, {
    by: "sync",
    ...(mutation_id === undefined ? {} : { mutation_id }),
    ...(isKnown ? { conflict_of: copied } : {})
  })
})

/**
 * Push (contract 6): applies the entries in their order, each as an ordinary edit, to one draft of the workspace's
 * writer. An invalid entry affects only itself. An entry whose record has a newer state on the server is returned as a
 * conflict.
 */
export class Push extends Context.Service<
  Push,
  {
    readonly push: (
      request: PushRequest
    ) => Effect.Effect<Pushed, BadRequest | Expired | Invalid | NotFound | Unavailable, Principal>
  }
>()("sheaf/sync/Push") {
  static readonly layer = Layer.effect(
    Push,
    Effect.gen(function* () {
      const { read } = yield* Database
      const writer = yield* Writer
      const devices = yield* Devices
      const syncAdapters = yield* SyncAdapters
      const sync = yield* Sync
      const cursors = new Cursors(yield* Secrets)
      const replay = PushReplay.make(read)

      /** Pushes whose records exceed one read: at most two run at a time, to bound the memory that they hold. */
      const largePushes = new RoundRobinSemaphore({
        permits: 2,
        permitsPerKey: 1,
        maxWaiting: 200,
        maxWaitingPerKey: 20,
        detail: "Too many large pushes are waiting"
      })

      /** Whether an entry needs the head locked: decided before the push, because a write cannot lock it later. */
      const needsLock = (raw: unknown): boolean => {
        const type = textOf(raw, "type")
        return type !== undefined && Object.hasOwn(prefixes, type) && syncAdapters.of(type).isLocked(...changeOf(raw))
      }

      /** Applies the entries one after the other. Undoes only the writes of an entry that fails. */
      const run = Effect.fnUntraced(function* (draft: Draft, request: PushRequest, source: string) {
        const { changes: entries, notebooks } = request
        const { actor } = draft
        const references = new Map<string, string>()
        /** The records that the response contains: those of applied entries and of duplicates. */
        const stored = new Map<string, Named>()
        const conflicts: Array<SyncConflict> = []
        const results: Array<PushResult> = []
        const allBases = new Map<string, Bases>()
        const bases = (type: string): Bases => {
          let found = allBases.get(type)
          if (found === undefined) allBases.set(type, (found = syncAdapters.of(type).bases(draft)))
          return found
        }
        const applied = (draft: Draft, raw: unknown) =>
          Effect.flatMapEager(decodeEntry(raw, references), (entry) =>
            draft.reach === undefined || limitedTypes.has(entry.type)
              ? apply(draft, syncAdapters.of(entry.type), bases(entry.type), entry)
              : Effect.fail(tooFar)
          )

        const named = yield* recordsOf(syncAdapters, draft, source, entries)
        let held = 0
        let ahead = 0
        const budget = new Budget()
        const hold = (bytes: number) => {
          held += bytes
          budget.spend(bytes * stepsPerByte)
        }
        const store = (type: string, id: string) => stored.set(`${type} ${id}`, { type, id })
        /** Adds the record of a duplicate to the response. A record that the response has already costs nothing. */
        const storeDuplicate = Effect.fnUntracedEager(function* (type: string, id: string) {
          if (stored.has(`${type} ${id}`)) return
          const record = yield* recordOf(draft, syncAdapters.of(type), id)
          if (record === undefined && draft.reach !== undefined) return
          store(type, id)
          if (record !== undefined && !record.deleted) hold(record.bytes)
        })
        for (const [index, raw] of entries.entries()) {
          if (budget.spend(stepsOf(raw))) {
            yield* Effect.yieldNow
            budget.resume()
          }
          if (index === ahead && held < maxHeld) {
            const { next, read } = yield* readAhead(syncAdapters, draft, bases, named, index)
            ahead = next
            held += read
          }
          const mutation_id = textOf(raw, "mutation_id") ?? null
          const reference = textOf(raw, "client_ref")
          const remembered = yield* rememberedBy(draft, source, raw)
          if (remembered !== undefined && held < maxHeld) {
            results.push({ ...remembered, index, status: "duplicate" })
            if (reference !== undefined) references.set(reference, remembered.id)
            yield* storeDuplicate(remembered.type, remembered.id)
            continue
          }
          draft.actor = yield* actorOfEntry(draft, actor, raw)
          const outcome =
            held >= maxHeld
              ? Result.fail<SheafError>(isFull)
              : yield* Effect.matchEager(
                  draft.attempt((draft) => draft.withinReach(() => applied(draft, raw))),
                  { onFailure: (error: SheafError) => Result.fail(error), onSuccess: (done) => Result.succeed(done) }
                )
          if (Result.isFailure(outcome)) {
            const error = outcome.failure
            if (error._tag === "Unavailable") return yield* error
            const type = textOf(raw, "type") ?? null
            const id = textOf(raw, "id") ?? null
            results.push({ index, mutation_id, type, id, status: "rejected", revision: null, error })
            continue
          }
          const done = outcome.success
          if (reference !== undefined) references.set(reference, done.id)
          const { id, revision, status, type } = done
          const result = { index, mutation_id, type, id, status, revision }
          results.push(result)
          if (done.status === "duplicate") {
            yield* storeDuplicate(type, id)
            continue
          }
          hold(done.bytes)
          if (done.status === "conflict") {
            conflicts.push(done.conflict)
            // Nothing is known of a record that a limited caller does not reach.
            if (draft.reach === undefined || done.conflict.server !== null) yield* raise(draft, source, done.conflict)
            continue
          }
          store(type, id)
          const key = keyOf(raw)
          if (key === undefined) continue
          draft.put(mutations, { source_id: source, mutation_id: key, result, created_at: draft.now })
        }
        if (notebooks !== undefined) draft.actor = { ...actor, reach: reachOf(notebooks) }
        const changes = yield* entriesOf(syncAdapters, draft, bases, [...stored.values()])
        // What a client does not keep is gone for it, although it may write there.
        const kept = (change: ChangeEntry) => notebooks === undefined || limitedTypes.has(change.type)
        return {
          changes: changes.map((each) => (kept(each) ? each : { ...each, op: "delete" as const, data: null })),
          conflicts,
          results
        }
      })

      const push = traced("Push.push")(function* (request: PushRequest) {
        const principal = yield* Principal
        if (request.changes.length > maxChanges) {
          return yield* Invalid.field("changes", "too_many", `must have at most ${maxChanges} entries`)
        }
        if (request.notebooks !== undefined && principal.reach !== undefined) return yield* isLimited
        const { workspace_id } = principal
        const device_id = yield* devices.syncing(request.device)
        // A device has the mutations of all credentials that name it: one that is limited knows its own alone.
        const source = principal.reach === undefined ? (device_id ?? principal.credential_id) : principal.credential_id
        const needs: Array<Need> = []
        const named: Array<Named> = []
        /** The keys of the mutations of entries that name no record. */
        const unnamed: Array<string> = []
        for (const raw of request.changes) {
          const [key, record] = [keyOf(raw), namedBy(raw)]
          if (key !== undefined) needs.push([mutations, source, key])
          if (record !== undefined) named.push(record)
          else if (key !== undefined) unnamed.push(key)
        }
        for (const { id, type } of named) {
          needs.push([records, type, id])
          if (named.length <= few) needs.push(...syncAdapters.of(type).needs(id))
        }
        const actor = { ...actorOf(principal), device_id }
        const isLocked = request.changes.some(needsLock)
        const reached = yield* sync.reach.now
        const write: Write<Draft> = (method) =>
          (isLocked ? writer.writeLocked : writer.write)(workspace_id, { actor, needs }, method)
        const written = replayed({
          write,
          kept: keptPush,
          // Earlier versions stored the whole response.
          again: (kept) =>
            "applied" in kept ? replay(workspace_id, kept, request.changes) : Effect.succeed(kept as unknown as Pushed),
          method: Effect.fnUntraced(function* (
            draft: Draft
          ): Effect.fn.Return<Pushed, BadRequest | Expired | Unavailable, Principal> {
            if (typeof request.cursor === "string") yield* sync.confirm(request.cursor)
            const { changes, conflicts, results } = yield* run(draft, request, source)
            const [head] = yield* runSql<{ epoch: string }>(read, "SELECT epoch FROM heads WHERE workspace_id = $1", [
              workspace_id
            ])
            const cursor = cursors.encode(workspace_id, {
              epoch: head!.epoch,
              seq: draft.head.seq,
              floor: 0,
              types: undefined,
              issued_at: draft.millis,
              as_of: draft.millis,
              resync: false,
              within: reached === undefined ? undefined : { reached, after: allAt }
            })
            const cursor_expires_at = new Date(draft.millis + cursorLife).toISOString()
            return { cursor, changes, has_more: false, conflicts, cursor_expires_at, device_id, results }
          })
        })
        return yield* named.length + unnamed.length > few &&
        (yield* bytesOf(read, workspace_id, named, source, unnamed)) > maxAhead
          ? largePushes.withPermit(workspace_id, written)
          : written
      })

      return Push.of({ push })
    })
  )
}
