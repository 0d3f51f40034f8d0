import { Context, Effect, Layer, Result } from "effect"
import { createHash } from "node:crypto"
import { Budget } from "../budgets/Budget.ts"
import { type BadRequest, Invalid, NotFound, type SheafError, type Unavailable } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import { Principal } from "../Principal.ts"
import { type RecordRow, records } from "../storage/Change.ts"
import { actorOf } from "../storage/Actor.ts"
import { Database, orUnavailable } from "../storage/Database.ts"
import type { Draft } from "../storage/Draft.ts"
import { Secrets } from "../storage/Secrets.ts"
import type { Bases } from "../storage/Pushable.ts"
import type { Need } from "../storage/Mailboxes.ts"
import { Writer } from "../storage/Writer.ts"
import { traced } from "../Traced.ts"
import { cursorLife, Cursors } from "./Cursor.ts"
import { Devices } from "./Devices.ts"
import { Pushables } from "./Pushables.ts"
import { mutations } from "./Mutations.ts"
import { few, heldEnough, jsonBytes, largePushes, maxAhead, maxHeld } from "./PushBounds.ts"
import { changeOf, type Entry, isMutationId, prefixes, textOf, understand } from "./PushEntries.ts"
import { askedBy, bytesOf, readAhead } from "./PushReading.ts"
import type { Pushed, PushResult } from "./PushResult.ts"
import type { ChangeEntry, PushRequest, SyncConflict } from "./SyncObject.ts"

const maxChanges = 500

/** Steps of an entry, and of a byte that it answers with. */
const entryCost = 1_000
const byteCost = 0.1

type Answer =
  | { readonly status: "applied"; readonly id: string; readonly revision: number; readonly change: ChangeEntry }
  | { readonly status: "duplicate"; readonly id: string; readonly revision: number }
  | { readonly status: "conflict"; readonly id: string; readonly conflict: SyncConflict }

/**
 * Push (contract 6): the entries in their order, each as the ordinary write that it is, all in one batch of the
 * workspace's writer. A bad entry hurts only itself; one that the server has moved past comes back as a conflict.
 */
export class Push extends Context.Service<
  Push,
  {
    /** `answered` makes the answer, while there is room for it. */
    readonly push: <A, E, R>(
      request: PushRequest,
      answered: (pushed: Pushed) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | BadRequest | Invalid | NotFound | Unavailable, R | Principal>
  }
>()("sheaf/sync/Push") {
  static readonly layer = Layer.effect(
    Push,
    Effect.gen(function* () {
      const { read } = yield* Database
      const writer = yield* Writer
      const devices = yield* Devices
      const pushables = yield* Pushables
      const cursors = new Cursors(yield* Secrets)
      const queue = largePushes()

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

      /** Whether an entry needs the head locked: known before the push begins, for a write cannot lock it later. */
      const needsLock = (raw: unknown): boolean => {
        const type = textOf(raw, "type")
        return type !== undefined && Object.hasOwn(prefixes, type) && pushables.of(type).isLocked(...changeOf(raw))
      }

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

      /** What an entry means, as things stand in the draft. */
      const apply = Effect.fnUntraced(function* (
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

      /** Raises `sync.conflict`, once for the same conflict however often it is pushed. */
      const tell = Effect.fnUntraced(function* (draft: Draft, source: string, told: SyncConflict) {
        const digest = createHash("sha256")
          .update(JSON.stringify([told.type, told.id, told.reason, told.revision, told.client_revision, told.client]))
          .digest("base64url")
        const key = `c:${digest}`
        if ((yield* draft.get(mutations, source, key)) !== undefined) return
        draft.put(mutations, { source_id: source, mutation_id: key, result: null, created_at: draft.now })
        draft.append({
          type: "sync.conflict",
          resource: told.type,
          resource_id: told.id,
          data: {
            reason: told.reason,
            revision: told.revision,
            client_revision: told.client_revision,
            mutation_id: told.mutation_id
          }
        })
      })

      /** The entries one after the other over the draft of the push. */
      const run = Effect.fnUntraced(function* (
        draft: Draft,
        entries: ReadonlyArray<unknown>,
        source: string,
        device_id: string | null
      ) {
        const references = new Map<string, string>()
        const changes: Array<ChangeEntry> = []
        const conflicts: Array<SyncConflict> = []
        const results: Array<PushResult> = []
        const bases = new Map(Object.keys(prefixes).map((type) => [type, pushables.of(type).bases(draft)]))
        const budget = new Budget()
        let held = 0
        let ahead = 0
        for (const [index, raw] of entries.entries()) {
          if (index === ahead && held < maxHeld) {
            const { next, read } = yield* readAhead(pushables, draft, bases, entries, index)
            ahead = next
            held += read
          }
          const mutation_id = textOf(raw, "mutation_id") ?? null
          const remembered =
            mutation_id === null || !isMutationId(mutation_id)
              ? undefined
              : yield* draft.get(mutations, source, `m:${mutation_id}`)
          if (remembered !== undefined) {
            const result = remembered.result!
            results.push({ ...result, index, status: "duplicate" })
            const ref = textOf(raw, "client_ref")
            if (ref !== undefined && result.id !== null) references.set(ref, result.id)
            continue
          }
          // Each entry is a write of its own inside this one: what fails takes back its own part only.
          const answer =
            held >= maxHeld
              ? Result.fail(heldEnough)
              : yield* Effect.result(
                  writer.write(draft.workspace_id, { actor: draft.actor }, () =>
                    Effect.flatMap(understand(raw, index, references), (entry) =>
                      Effect.map(apply(draft, bases, entry), (done) => [entry, done] as const)
                    )
                  )
                )
          if (answer._tag === "Failure") {
            const error = answer.failure
            if (error._tag === "Unavailable") return yield* error
            results.push({
              index,
              mutation_id,
              type: textOf(raw, "type") ?? null,
              id: textOf(raw, "id") ?? null,
              status: "rejected",
              revision: null,
              error
            })
            continue
          }
          const [entry, done] = answer.success
          if (entry.client_ref !== undefined) references.set(entry.client_ref, done.id)
          const result: PushResult = {
            index,
            mutation_id,
            type: entry.type,
            id: done.id,
            status: done.status,
            revision: done.status === "conflict" ? done.conflict.revision : done.revision
          }
          results.push(result)
          const bytes =
            done.status === "duplicate" ? 0 : jsonBytes(done.status === "conflict" ? done.conflict : done.change)
          held += bytes
          if (budget.spend(entryCost + bytes * byteCost)) {
            yield* Effect.yieldNow
            budget.resume()
          }
          if (done.status === "conflict") {
            conflicts.push(done.conflict)
            yield* tell(draft, source, done.conflict)
          } else if (done.status === "applied") {
            changes.push(done.change)
            if (mutation_id !== null) {
              draft.put(mutations, {
                source_id: source,
                mutation_id: `m:${mutation_id}`,
                result,
                created_at: draft.now
              })
            }
          }
        }
        const [head] = yield* orUnavailable(
          read.unsafe<{ epoch: string }>("SELECT epoch FROM heads WHERE workspace_id = $1", [draft.workspace_id])
        )
        return {
          cursor: cursors.encode(draft.workspace_id, {
            epoch: head!.epoch,
            seq: draft.head.seq,
            floor: 0,
            types: undefined,
            issued_at: draft.millis,
            resync: false
          }),
          changes,
          has_more: false as const,
          conflicts,
          cursor_expires_at: new Date(draft.millis + cursorLife).toISOString(),
          device_id,
          results
        }
      })

      const push = traced("Push.push")(function* <A, E, R>(
        request: PushRequest,
        answered: (pushed: Pushed) => Effect.Effect<A, E, R>
      ) {
        const principal = yield* Principal
        if (request.changes.length > maxChanges) {
          return yield* Invalid.field("changes", "too_many", `must have at most ${maxChanges} entries`)
        }
        const device_id = yield* devices.syncing(request.device)
        const source = device_id ?? principal.credential_id
        const needs: Array<Need> = []
        const asked = request.changes.flatMap((raw) => askedBy(raw) ?? [])
        for (const raw of request.changes) {
          const mutation_id = textOf(raw, "mutation_id")
          if (mutation_id !== undefined && isMutationId(mutation_id))
            needs.push([mutations, source, `m:${mutation_id}`])
        }
        for (const { id, type } of asked) {
          needs.push([records, type, id])
          if (asked.length <= few) needs.push(...pushables.of(type).needs(id))
        }
        const actor = { ...actorOf(principal), device_id }
        const write = request.changes.some(needsLock) ? writer.writeLocked : writer.write
        const written = Effect.flatMap(
          write(principal.workspace_id, { actor, needs }, (draft) => run(draft, request.changes, source, device_id)),
          answered
        )
        return yield* asked.length > few && (yield* bytesOf(read, principal.workspace_id, asked)) > maxAhead
          ? queue.run(principal.workspace_id, {}, written)
          : written
      })

      return Push.of({ push })
    })
  )
}
