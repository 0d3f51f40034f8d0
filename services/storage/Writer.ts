import { Cause, Clock, Context, Deferred, Effect, Exit, Fiber, Layer, Schedule, Scope } from "effect"
import { SqlError } from "effect/sql"
import { NotFound, Unavailable } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { PrincipalShape } from "../Principal.ts"
import { ChangeLog } from "./ChangeLog.ts"
import { Committer, isStored } from "./Committer.ts"
import { Database, isConnectionError } from "./Database.ts"
import { Base } from "./Base.ts"
import { type Actor, CurrentDraft, Draft } from "./Draft.ts"
import { type Attempt, CurrentAttempt, IdempotencyKeys, idempotencyKeys } from "./IdempotencyKeys.ts"
import * as Statement from "./Statement.ts"
import type { Table } from "./Table.ts"

/** A row that a write is known to need: what a batch needs is loaded for all its writes in one query. */
export type Need = readonly [table: Table<any>, ...key: ReadonlyArray<string>]

export interface WriteOptions {
  readonly actor: Actor
  readonly needs?: ReadonlyArray<Need>
  /** Uses set-based statements: runs alone, in a transaction that holds the head. */
  readonly locked?: boolean
}

interface Waiting {
  readonly run: (draft: Draft) => Effect.Effect<unknown, unknown>
  readonly options: WriteOptions
  locked: boolean
  readonly deferred: Deferred.Deferred<unknown, unknown>
  cancelled: boolean
}

interface Mailbox {
  readonly workspace_id: string
  readonly waiting: Array<Waiting>
  base: Base | undefined
  /** What of `keptBytes` is this one's. */
  bytes: number
  active: boolean
  /** The one that is at work, or was last. */
  fiber: Fiber.Fiber<void> | undefined
  lastUsed: number
}

/** Thrown by a write inside a write that needs the head locked: the outer one is run again so. */
class NeedsLock {
  readonly _tag = "NeedsLock"
}

const maxBatch = 200
const maxBatchRows = 400
const maxBatchBytes = 4 * 1024 * 1024
const maxWaiting = 2_000
/** Heads and resident rows are kept for so many rows over all workspaces, and so long. */
const maxKeptRows = 200_000
const keptFor = 5 * 60_000
/** Recently used rows are kept up to so many bytes over all workspaces; beyond, the next one to write keeps none. */
const maxKeptBytes = 64 * 1024 * 1024

/**
 * The only way to write. Each workspace has one fiber on a node while it is written to: it takes the waiting writes,
 * runs them one after the other over one draft, and has the committer store it. Another node may do the same at the
 * same time: the guard on the head lets one of them through, and the other runs its batch again on fresh reads (the
 * third time with the head locked first). A write may therefore run more than once: it must change nothing but the
 * draft.
 */
export class Writer extends Context.Service<Writer, {
  /**
   * Runs `method` in the order of the workspace and answers once its changes are stored. A failing method leaves
   * nothing behind. Inside another write it shares that one's draft.
   */
  readonly write: <A, E, R>(
    workspace_id: string,
    options: WriteOptions,
    method: (draft: Draft) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | Unavailable | NotFound, R>
  /**
   * A new workspace: its head and all that `method` puts into the draft, in one transaction. `method` may read through
   * `draft.sql`, and lock there what lies outside of the workspace.
   */
  readonly begin: <A, E, R>(
    workspace_id: string,
    actor: Actor,
    method: (draft: Draft) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | Unavailable, R>
  /** Workspaces whose state is held at hand: for tests and metrics. */
  readonly held: () => {
    readonly workspaces: number
    readonly active: number
    readonly rows: number
    /** Writes that wait for their turn. */
    readonly waiting: number
  }
}>()("sheaf/storage/Writer") {
  static readonly layer = Layer.effect(
    Writer,
    Effect.gen(function*() {
      const { read, write: sql } = yield* Database
      const committer = yield* Committer
      const log = yield* ChangeLog
      const keys = yield* IdempotencyKeys
      const scope = yield* Scope.Scope
      const clock = yield* Clock.Clock
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const mailboxes = new Map<string, Mailbox>()

      let keptBytes = 0

      /** What the next batch of the workspace begins with. */
      const hold = (mailbox: Mailbox, base: Base | undefined) => {
        if (base !== undefined && keptBytes - mailbox.bytes + base.recentBytes > maxKeptBytes) base.dropRecent()
        keptBytes += (base?.recentBytes ?? 0) - mailbox.bytes
        mailbox.bytes = base?.recentBytes ?? 0
        mailbox.base = base
      }

      const readBase = (client: typeof sql, workspace_id: string, lock: string) =>
        client.unsafe<{ seq: number; notes: number }>(
          `SELECT seq::float8 AS seq, notes::float8 AS notes FROM heads WHERE workspace_id = $1 ${lock}`,
          [workspace_id]
        ).pipe(
          Effect.flatMap(([head]) =>
            head === undefined ? Effect.fail(NotFound.of("workspace")) : Effect.succeed(new Base(head))
          )
        )

      const settle = (draft: Draft) => {
        if (draft.isEmpty) return Effect.void
        const { params, text } = Statement.make([draft])
        return Effect.map(sql.unsafe(text, params), (rows) => {
          if (rows.length !== 1) throw new Error("a locked head has moved")
          draft.settled()
        })
      }

      const draftOn = (mailbox: Mailbox, base: Base, locked: boolean) =>
        new Draft({
          workspace_id: mailbox.workspace_id,
          millis: clock.currentTimeMillisUnsafe(),
          sql: locked ? sql : read,
          locked,
          base,
          settle
        })

      /** Runs one write over the draft; a failure undoes its part and is kept for its caller. */
      const run = (draft: Draft, each: Waiting) =>
        Effect.suspend(() => {
          const mark = draft.mark()
          draft.actor = each.options.actor
          return Effect.map(Effect.exit(each.run(draft)), (exit) => {
            if (Exit.isFailure(exit)) draft.undo(mark)
            return answerOf(exit)
          })
        })

      const needsLock = (exit: Exit.Exit<unknown, unknown>) =>
        Exit.isFailure(exit) &&
        exit.cause.reasons.some((reason) => Cause.isDieReason(reason) && reason.defect instanceof NeedsLock)

      const publish = (draft: Draft, first: number, entries: Draft["appended"]) => {
        const { changesAccess, head, workspace_id } = draft
        if (head.seq > first - 1) log.publish({ workspace_id, first, last: head.seq, entries, changesAccess })
      }

      /**
       * An ordinary attempt: on what is held, guarded by the head. `refused`: PostgreSQL does not take the batch as it
       * is, for the sake of one write in it; nothing was stored.
       */
      const attempt = Effect.fnUntraced(function*(mailbox: Mailbox, batch: Array<Waiting>) {
        const base = mailbox.base ?? (yield* readBase(read, mailbox.workspace_id, ""))
        hold(mailbox, base)
        const draft = draftOn(mailbox, base, false)
        if ((yield* refusable(load(draft, batch))) === "refused") return "refused"
        const exits: Array<readonly [Waiting, Exit.Exit<unknown, unknown>]> = []
        for (let index = 0; index < batch.length; index++) {
          const each = batch[index]!
          if (each.cancelled) continue
          if (draft.rows >= maxBatchRows || draft.bytes >= maxBatchBytes) {
            // Full: the rest goes with the next batch, before what came later.
            mailbox.waiting.unshift(...batch.splice(index))
            break
          }
          const exit = yield* run(draft, each)
          if (needsLock(exit)) {
            each.locked = true
            mailbox.waiting.unshift(...batch.splice(index))
            break
          }
          exits.push([each, exit])
        }
        const outcome = draft.isEmpty
          // Answers that wrote nothing must hold too: another node may have written between two reads, or since.
          ? (exits.length === 0 ? "stored" : yield* committer.verify(draft))
          : yield* refusable(committer.store(draft))
        if (outcome !== "stored") {
          hold(mailbox, undefined)
          return outcome
        }
        hold(mailbox, draft.isEmpty ? base : draft.nextBase())
        publish(draft, draft.expected + 1, draft.appended)
        for (const [each, exit] of exits) Deferred.doneUnsafe(each.deferred, exit)
        return outcome
      })

      /** With the head locked first: nobody else can write to the workspace until this is committed. */
      const attemptLocked = Effect.fnUntraced(function*(mailbox: Mailbox, batch: Array<Waiting>) {
        hold(mailbox, undefined)
        for (const each of batch) {
          if (each.cancelled) continue
          let draft: Draft | undefined
          let first = 0
          let written: Draft["appended"] = []
          let answer: Exit.Exit<unknown> | undefined
          const once = sql.withTransaction(Effect.gen(function*() {
            const base = yield* readBase(sql, mailbox.workspace_id, "FOR UPDATE")
            first = base.head.seq + 1
            draft = draftOn(mailbox, base, true)
            yield* load(draft, [each])
            draft.actor = each.options.actor
            const value = yield* each.run(draft)
            written = draft.appended
            yield* settle(draft)
            // What was settled on the way is in the log alone; readers take such a stretch from there.
            if (written.length !== draft.head.seq - first + 1) written = []
            answer = Exit.succeed(value)
            return value
          }))
          let exit = answerOf(yield* Effect.exit(once))
          // All was done but for the commit: when its answer was lost, the log says whether it took place.
          if (Exit.isFailure(exit) && answer !== undefined) {
            const stored = yield* isStored(sql, draft!).pipe(
              Effect.retry({ while: isConnectionError, schedule: Schedule.exponential("20 millis", 2), times: 9 }),
              Effect.orElseSucceed(() => false)
            )
            if (stored) exit = answer
          }
          if (draft !== undefined && Exit.isSuccess(exit)) publish(draft, first, written)
          Deferred.doneUnsafe(each.deferred, exit)
        }
      })

      const load = (draft: Draft, batch: ReadonlyArray<Waiting>) => {
        const byTable = new Map<Table<any>, Array<ReadonlyArray<string>>>()
        for (const { options } of batch) {
          for (const [table, ...key] of options.needs ?? []) {
            const keys = byTable.get(table)
            keys === undefined ? byTable.set(table, [key]) : keys.push(key)
          }
        }
        if (byTable.size === 0) return Effect.void
        return Effect.forEach(byTable, ([table, keys]) => draft.load(table, keys), { concurrency: 4, discard: true })
      }

      const takeBatch = (mailbox: Mailbox): Array<Waiting> => {
        // A locked write goes alone.
        let count = 0
        while (count < mailbox.waiting.length && count < maxBatch && !mailbox.waiting[count]!.locked) count++
        return mailbox.waiting.splice(0, Math.max(count, 1)).filter((each) => !each.cancelled)
      }

      const carryOut = Effect.fnUntraced(function*(mailbox: Mailbox, batch: Array<Waiting>) {
        if (batch[0]!.locked) return yield* attemptLocked(mailbox, batch)
        for (let tries = 0; tries < 2; tries++) {
          const outcome = yield* attempt(mailbox, batch)
          if (outcome === "stored") return
          // Alone, only the guilty one fails.
          if (outcome === "refused") break
        }
        yield* attemptLocked(mailbox, batch)
      })

      const process = Effect.fnUntraced(function*(mailbox: Mailbox) {
        const batch = takeBatch(mailbox)
        if (batch.length === 0) return
        const exit = answerOf(yield* Effect.exit(carryOut(mailbox, batch)))
        if (Exit.isFailure(exit)) {
          hold(mailbox, undefined)
          for (const each of batch) Deferred.doneUnsafe(each.deferred, exit)
        }
      })

      const work = Effect.fnUntraced(function*(mailbox: Mailbox) {
        while (mailbox.waiting.length > 0) yield* process(mailbox)
        // In one step with the look at what waits: what came between the two would wait for ever.
        mailbox.active = false
        mailbox.lastUsed = clock.currentTimeMillisUnsafe()
      })

      /** In the writer's own context: the fiber outlives the caller that it is started for, and the caller's transaction. */
      const start = (mailbox: Mailbox) => {
        mailbox.active = true
        mailbox.fiber = fork(work(mailbox))
      }
      yield* Scope.addFinalizer(scope, Effect.suspend(() =>
        Fiber.interruptAll([...mailboxes.values()].flatMap((each) => each.active && each.fiber !== undefined ? [each.fiber] : []))))

      const mailboxOf = (workspace_id: string): Mailbox => {
        let mailbox = mailboxes.get(workspace_id)
        if (mailbox === undefined) {
          mailbox = { workspace_id, waiting: [], base: undefined, bytes: 0, active: false, fiber: undefined, lastUsed: 0 }
        } else {
          mailboxes.delete(workspace_id)
        }
        // Last in the map is last used: the sweep takes from the front.
        mailboxes.set(workspace_id, mailbox)
        return mailbox
      }

      /** Lets go of workspaces that are idle, and of the longest unused ones beyond the bound. */
      const sweep = Effect.sync(() => {
        const now = clock.currentTimeMillisUnsafe()
        let rows = 0
        for (const mailbox of mailboxes.values()) rows += 1 + (mailbox.base?.rows ?? 0)
        for (const mailbox of [...mailboxes.values()]) {
          if (mailbox.active) continue
          if (rows <= maxKeptRows && now - mailbox.lastUsed < keptFor) continue
          rows -= 1 + (mailbox.base?.rows ?? 0)
          hold(mailbox, undefined)
          mailboxes.delete(mailbox.workspace_id)
        }
      })
      yield* Effect.forkScoped(Effect.repeat(sweep, Schedule.spaced("10 seconds")))

      const nested = <A, E, R>(
        draft: Draft,
        options: WriteOptions,
        method: (draft: Draft) => Effect.Effect<A, E, R>
      ): Effect.Effect<A, E, R> =>
        Effect.suspend(() => {
          if (!draft.locked) {
            if (options.locked === true) return Effect.die(new NeedsLock())
            const mark = draft.mark()
            return Effect.onError(Effect.suspend(() => method(draft)), () => Effect.sync(() => draft.undo(mark)))
          }
          return Effect.gen(function*() {
            yield* draft.settle()
            const head = { ...draft.head }
            const inner = Effect.suspend(() => method(draft))
            return yield* sql.withTransaction(Effect.tap(inner, () => draft.settle())).pipe(
              Effect.catchTag("SqlError", Effect.die),
              Effect.onError(() => Effect.sync(() => draft.rewind(head)))
            ) as Effect.Effect<A, E, R>
          })
        })

      /** The write of a request under an idempotency key; a further one of the same request is remembered by its number. */
      const underKey = <A, E, R>(
        attempt: Attempt,
        workspace_id: string,
        options: WriteOptions,
        method: (draft: Draft) => Effect.Effect<A, E, R>
      ) => {
        const id = attempt.writes++ === 0 ? attempt.id : `${attempt.id}:${attempt.writes}`
        return write(
          workspace_id,
          { ...options, needs: [...options.needs ?? [], [idempotencyKeys, id]] },
          (draft) => keys.once(attempt, id, draft, method)
        ).pipe(Effect.provideService(CurrentAttempt, undefined))
      }

      const write = <A, E, R>(
        workspace_id: string,
        options: WriteOptions,
        method: (draft: Draft) => Effect.Effect<A, E, R>
      ): Effect.Effect<A, E | Unavailable | NotFound, R> =>
        Effect.contextWith((context: Context.Context<R>): Effect.Effect<A, E | Unavailable | NotFound, R> => {
          const current = Context.get(context, CurrentDraft)
          if (current !== undefined && current.workspace_id === workspace_id) return nested(current, options, method)
          const attempt = Context.get(context, CurrentAttempt)
          if (attempt !== undefined) return underKey(attempt, workspace_id, options, method)
          // Until it awaits, the caller cannot go away: a mailbox that is said to be active has its fiber.
          return Effect.uninterruptibleMask((restore): Effect.Effect<A, E | Unavailable> => {
            const mailbox = mailboxOf(workspace_id)
            if (mailbox.waiting.length >= maxWaiting) {
              return Effect.fail(
                new Unavailable({ code: "overloaded", detail: "Too many writes are waiting", retry_after: 1 })
              )
            }
            const waiting: Waiting = {
              // In the caller's context, with the draft; a locked batch keeps its own transaction, not the caller's.
              run: (draft) =>
                Effect.updateContext(Effect.suspend(() => method(draft)), (own: Context.Context<never>) => {
                  const outer = draft.locked
                    ? Context.merge(own, Context.omit(sql.transactionService)(context))
                    : context
                  return Context.add(outer as Context.Context<R>, CurrentDraft, draft)
                }),
              options,
              locked: options.locked ?? false,
              deferred: Deferred.makeUnsafe(),
              cancelled: false
            }
            mailbox.waiting.push(waiting)
            // A caller that goes away takes back what has not begun; what has, is carried through.
            const answer = Effect.onInterrupt(
              restore(Deferred.await(waiting.deferred) as Effect.Effect<A, E>),
              () => Effect.sync(() => waiting.cancelled = true)
            )
            if (!mailbox.active) start(mailbox)
            return answer
          })
        })

      const begin = <A, E, R>(
        workspace_id: string,
        actor: Actor,
        method: (draft: Draft) => Effect.Effect<A, E, R>
      ): Effect.Effect<A, E | Unavailable, R> =>
        Effect.suspend(() => {
          const mailbox = mailboxOf(workspace_id)
          const draft = draftOn(mailbox, new Base({ seq: 0, notes: 0 }), true)
          draft.actor = actor
          let entries: Draft["appended"] = []
          const born = sql.unsafe("INSERT INTO heads (workspace_id, seq, epoch, notes) VALUES ($1, 0, $2, 0)", [
            workspace_id,
            Ids.random(8)
          ])
          const filled = Effect.tap(Effect.provideService(method(draft), CurrentDraft, draft), () => {
            entries = draft.appended
            return settle(draft)
          })
          return sql.withTransaction(Effect.andThen(born, filled)).pipe(
            Effect.tap(() => Effect.sync(() => publish(draft, 1, entries))),
            Effect.exit,
            Effect.flatMap((exit) => answerOf(exit) as Exit.Exit<A, E | Unavailable>)
          )
        })

      return Writer.of({
        write,
        begin,
        held: () => {
          let active = 0
          let rows = 0
          let waiting = 0
          for (const mailbox of mailboxes.values()) {
            if (mailbox.active) active++
            waiting += mailbox.waiting.length
            rows += mailbox.base?.rows ?? 0
          }
          return { workspaces: mailboxes.size, active, rows, waiting }
        }
      })
    })
  )
}

/** A statement of a batch that PostgreSQL does not take, but for want of a connection. */
const refusable = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A | "refused", E> =>
  Effect.catchDefect(effect, (defect) => isConnectionError(defect) ? Effect.die(defect) : Effect.succeed("refused"))

/** What the caller hears: a lost connection and a lock that others hold can be waited out, other SQL failures cannot. */
const answerOf = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit)) return exit
  for (const reason of exit.cause.reasons) {
    const error = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    if (!SqlError.isSqlError(error)) continue
    const canWait = isConnectionError(error) || error.reason._tag === "LockTimeoutError"
    return canWait ? Exit.fail(Unavailable.database) : Exit.die(error)
  }
  return exit
}

/** The actor that the log notes for what a principal does. */
export const actorOf = (principal: PrincipalShape): Actor => ({
  user_id: principal.user_id,
  device_id: principal.device_id,
  ip: principal.ip,
  user_agent: principal.user_agent
})
