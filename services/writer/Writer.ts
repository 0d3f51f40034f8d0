import { Clock, Context, Deferred, Effect, Fiber, Layer, Schedule } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { type NotFound, Unavailable } from "../Errors.ts"
import { Randomness } from "../Randomness.ts"
import { Principal, type PrincipalShape } from "../Principal.ts"
import { auditTool } from "./AuditTrail.ts"
import * as Batches from "./Batches.ts"
import { ChangeLog } from "./ChangeLog.ts"
import { Committer } from "./Committer.ts"
import { Database } from "../database/Database.ts"
import { type Actor, actorOf, withChangeSet } from "./Actor.ts"
import { changeSets, type Origin } from "./ChangeSetLog.ts"
import { inChangeSet } from "./ChangeSetWrite.ts"
import { CurrentDraft, type Draft } from "./Draft.ts"
import { lockedDraft, LockedDraft } from "./LockedDraft.ts"
import { type Attempt, CurrentAttempt, IdempotencyKeys, idempotencyKeys } from "./IdempotencyKeys.ts"
import { type Mailbox, Mailboxes, type Need, type Waiting, type WriteOptions } from "./Mailboxes.ts"

/** Maximum number of waiting writes of a workspace. */
const maxWaiting = 2_000

/**
 * The only way to write. While a workspace is written to, it has one writer on a node (an actor): a fiber that takes
 * the waiting writes, runs them one after the other over one draft, and has the committer store the draft. Another node
 * may do the same at the same time: the guard on the head, an optimistic lock, lets one of them through, and the other
 * runs its batch again on fresh reads (the third time with the head locked first). A write may therefore run more than
 * once, and must change nothing but the draft.
 */
export class Writer extends Context.Service<
  Writer,
  {
    /**
     * Runs `method` in the order of the workspace's writes, and returns once its changes are stored. A method that
     * fails changes nothing. Inside another write it shares that write's draft.
     */
    readonly write: <A, E, R>(
      workspace_id: WorkspaceId,
      options: WriteOptions,
      method: (draft: Draft) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Unavailable | NotFound, R>
    /**
     * Like `write`, but alone and with the head locked, for methods that need SQL. An outer write must be locked too.
     */
    readonly writeLocked: <A, E, R>(
      workspace_id: WorkspaceId,
      options: WriteOptions,
      method: (draft: LockedDraft) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Unavailable | NotFound, R>
    /** A write of the principal to its workspace. */
    readonly change: <A, E, R>(
      method: (draft: Draft) => Effect.Effect<A, E, R>,
      needs?: ReadonlyArray<Need>
    ) => Effect.Effect<A, E | Unavailable | NotFound, R | Principal>
    /** The same with the head locked. With an `origin`, it is a change set, unless the request names one. */
    readonly changeLocked: <A, E, R>(
      method: (draft: LockedDraft) => Effect.Effect<A, E, R>,
      needs?: ReadonlyArray<Need>,
      origin?: Origin
    ) => Effect.Effect<A, E | Unavailable | NotFound, R | Principal>
    /**
     * Runs an effect as one locked write of the principal to its workspace, of which nothing is stored. All writes and statements
     * of the effect are in its transaction.
     */
    readonly dryRun: <A, E, R>(
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Unavailable | NotFound, R | Principal>
    /**
     * Makes a workspace: stores its head and all that `method` puts into the draft, in one transaction. `method` may
     * read through `draft.sql`, and lock rows there that are outside of the workspace.
     */
    readonly begin: <A, E, R>(
      workspace_id: WorkspaceId,
      actor: Actor,
      method: (draft: LockedDraft) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Unavailable, R>
    /** Counts of what is held in memory, for tests and metrics. */
    readonly held: () => {
      readonly workspaces: number
      readonly active: number
      readonly rows: number
      /** Number of waiting writes. */
      readonly waiting: number
    }
  }
>()("sheaf/writer/Writer") {
  static readonly layer = Layer.effect(
    Writer,
    Effect.gen(function* () {
      const database = yield* Database
      const { write: sql } = database
      const committer = yield* Committer
      const log = yield* ChangeLog
      const keys = yield* IdempotencyKeys
      const clock = yield* Clock.Clock
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const randomness = yield* Randomness
      const mailboxes = new Mailboxes()
      const batches = Batches.make({ database, committer, log, clock, randomness, mailboxes })

      const work = Effect.fnUntraced(function* (mailbox: Mailbox) {
        while (mailbox.waiting.length > 0) yield* batches.process(mailbox)
        // In the same step as the check of what waits: a write added in between would wait for ever.
        mailbox.active = false
        mailbox.lastUsed = clock.currentTimeMillisUnsafe()
      })

      /** Starts a fiber in the writer's own context, since it outlives the caller and the caller's transaction. */
      const start = (mailbox: Mailbox) => {
        mailbox.active = true
        mailbox.fiber = fork(work(mailbox))
      }
      yield* Effect.addFinalizer(() => Fiber.interruptAll(mailboxes.activeFibers))

      const sweep = Effect.sync(() => mailboxes.sweep(clock.currentTimeMillisUnsafe()))
      yield* Effect.forkScoped(Effect.repeat(sweep, Schedule.spaced("10 seconds")))

      /** The write of a request with an idempotency key. The key of a further write ends with its number. */
      const underKey = <A, E, R>(
        attempt: Attempt,
        workspace_id: WorkspaceId,
        options: WriteOptions,
        locked: boolean,
        method: (draft: Draft) => Effect.Effect<A, E, R>
      ) => {
        const id = attempt.writes++ === 0 ? attempt.id : `${attempt.id}:${attempt.writes}`
        const needs: ReadonlyArray<Need> = [...(options.needs ?? []), [idempotencyKeys, id]]
        return submit(workspace_id, { ...options, needs }, locked, (draft) =>
          keys.once(attempt, id, draft, method)
        ).pipe(Effect.provideService(CurrentAttempt, undefined))
      }

      const submit = <A, E, R>(
        workspace_id: WorkspaceId,
        options: WriteOptions,
        locked: boolean,
        method: (draft: Draft) => Effect.Effect<A, E, R>,
        isDry = false
      ): Effect.Effect<A, E | Unavailable | NotFound, R> =>
        Effect.contextWith((context: Context.Context<R>): Effect.Effect<A, E | Unavailable | NotFound, R> => {
          const current = Context.get(context, CurrentDraft)
          if (current !== undefined && current.workspace_id === workspace_id) return current.attempt(method)
          if (current?.isDry === true) return Effect.die(new Error("a dry run writes to another workspace"))
          const attempt = Context.get(context, CurrentAttempt)
          if (attempt !== undefined) return underKey(attempt, workspace_id, options, locked, method)
          // The caller cannot be interrupted before it awaits, so that an active mailbox always has its fiber.
          return Effect.uninterruptibleMask((restore): Effect.Effect<A, E | Unavailable> => {
            const mailbox = mailboxes.of(workspace_id)
            if (mailbox.waiting.length >= maxWaiting) {
              return Effect.fail(
                new Unavailable({ code: "overloaded", detail: "Too many writes are waiting", retry_after: 1 })
              )
            }
            const waiting: Waiting = {
              // Runs in the caller's context, with the draft. A locked batch uses its own transaction, not the
              // caller's.
              run: (draft) =>
                Effect.updateContext(
                  Effect.suspend(() => draft.withinReach(() => method(draft))),
                  (own: Context.Context<never>) => {
                    const outer =
                      draft instanceof LockedDraft
                        ? Context.merge(own, Context.omit(sql.transactionService)(context))
                        : context
                    return Context.add(outer as Context.Context<R>, CurrentDraft, draft)
                  }
                ),
              options,
              locked,
              isDry,
              deferred: Deferred.makeUnsafe(),
              cancelled: false
            }
            mailbox.waiting.push(waiting)
            // If the caller goes away, a write that has not begun is cancelled; a write that has begun is completed.
            const result = Effect.onInterrupt(restore(Deferred.await(waiting.deferred) as Effect.Effect<A, E>), () =>
              Effect.sync(() => (waiting.cancelled = true))
            )
            if (!mailbox.active) start(mailbox)
            return result
          })
        })

      /** The options of a write, which also needs the row of its change set. */
      const needing = ({ actor, needs = [] }: WriteOptions): WriteOptions =>
        actor.change_set === undefined
          ? { actor, needs }
          : { actor, needs: [...needs, [changeSets, actor.change_set.id]] }

      const write: Writer["Service"]["write"] = (workspace_id, options, method) =>
        submit(workspace_id, needing(options), false, inChangeSet(options.actor, method))

      const writeLocked: Writer["Service"]["writeLocked"] = (workspace_id, options, method) =>
        submit(
          workspace_id,
          needing(options),
          true,
          inChangeSet(options.actor, (draft) => method(lockedDraft(draft)))
        )

      const actorIn = (principal: PrincipalShape, origin: Origin | undefined): Actor => {
        const actor = actorOf(principal)
        if (origin === undefined || actor.change_set !== undefined) return actor
        return withChangeSet(actor, { id: randomness.id("cs", clock.currentTimeMillisUnsafe()), origin })
      }

      return Writer.of({
        write,
        writeLocked,
        change: (method, needs = []) =>
          Effect.flatMap(Principal, (principal) =>
            write(principal.workspace_id, { actor: actorOf(principal), needs }, auditTool(principal, method))
          ),
        changeLocked: (method, needs = [], origin) =>
          Effect.flatMap(Principal, (principal) =>
            writeLocked(
              principal.workspace_id,
              { actor: actorIn(principal, origin), needs },
              auditTool(principal, method)
            )
          ),
        dryRun: (effect) =>
          Effect.flatMap(Principal, (principal) =>
            submit(
              principal.workspace_id,
              { actor: actorOf(principal) },
              true,
              (draft) => {
                draft.isDry = true
                return effect
              },
              true
            )
          ),
        begin: (workspace_id, actor, method) =>
          Effect.flatMap(CurrentDraft, (current) =>
            current?.isDry === true
              ? Effect.die(new Error("a dry run makes a workspace"))
              : batches.begin(workspace_id, actor, method)
          ),
        held: () => mailboxes.held
      })
    })
  )
}
