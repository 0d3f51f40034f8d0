import { Context, Effect, Layer, Result } from "effect"
import { createHash } from "node:crypto"
import { type BadRequest, Invalid, type NotFound, type Unavailable } from "../Errors.ts"
import { Principal } from "../Principal.ts"
import { records } from "../storage/Change.ts"
import { actorOf } from "../storage/Actor.ts"
import { Database, orUnavailable } from "../storage/Database.ts"
import type { Draft } from "../storage/Draft.ts"
import { Secrets } from "../storage/Secrets.ts"
import type { Need } from "../storage/Mailboxes.ts"
import { Writer } from "../storage/Writer.ts"
import { traced } from "../Traced.ts"
import { cursorLife, Cursors } from "./Cursor.ts"
import { Devices } from "./Devices.ts"
import { Pushables } from "./Pushables.ts"
import { mutations } from "./Mutations.ts"
import * as PushAnswers from "./PushAnswers.ts"
import { few, heldEnough, largePushes, maxAhead, maxHeld } from "./PushBounds.ts"
import { changeOf, isMutationId, prefixes, textOf, understand } from "./PushEntries.ts"
import { askedBy, bytesOf, readAhead } from "./PushReading.ts"
import type { Pushed, PushResult } from "./PushResult.ts"
import type { ChangeEntry, PushRequest, SyncConflict } from "./SyncObject.ts"

const maxChanges = 500

/**
 * Push (contract 6): the entries in their order, each as the ordinary write that it is, all in one batch of the
 * workspace's writer. A bad entry hurts only itself; one that the server has moved past comes back as a conflict.
 */
export class Push extends Context.Service<
  Push,
  {
    readonly push: (
      request: PushRequest
    ) => Effect.Effect<Pushed, BadRequest | Invalid | NotFound | Unavailable, Principal>
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
      const apply = PushAnswers.make(pushables)
      const queue = largePushes()

      /** Whether an entry needs the head locked: known before the push begins, for a write cannot lock it later. */
      const needsLock = (raw: unknown): boolean => {
        const type = textOf(raw, "type")
        return type !== undefined && Object.hasOwn(prefixes, type) && pushables.of(type).isLocked(...changeOf(raw))
      }

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
          if (done.status !== "duplicate") {
            held += JSON.stringify(done.status === "conflict" ? done.conflict : done.change).length
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
            as_of: draft.millis,
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

      const push = traced("Push.push")(function* (request: PushRequest) {
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
        const written = write(principal.workspace_id, { actor, needs }, (draft) =>
          run(draft, request.changes, source, device_id)
        )
        return yield* asked.length > few && (yield* bytesOf(read, principal.workspace_id, asked)) > maxAhead
          ? queue.run(principal.workspace_id, {}, written)
          : written
      })

      return Push.of({ push })
    })
  )
}
