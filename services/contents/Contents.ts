import { Clock, Context, Deferred, Effect, Layer, Schedule } from "effect"
import { BackgroundWork } from "../concurrency/BackgroundWork.ts"
import { RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import { Database, orUnavailable } from "../database/Database.ts"
import { ago } from "../database/DeleteInBatches.ts"
import { Unavailable } from "../Errors.ts"
import { contentThread } from "../markdown/contents/ContentThread.ts"
import { mayHaveContent } from "../markdown/contents/ContentSigns.ts"
import { traced } from "../Traced.ts"
import { behindSince, changedAfter, isComplete, Outrun, pageSize, stateOf, writePage } from "./ContentStore.ts"
import { rowsOf } from "./ContentRows.ts"
import * as LinkResolution from "./LinkResolution.ts"

/** Maximum number of rows that are written at a time; a single note may have more. */
const maxRows = 5_000
/** Time that a request waits for notes that are being read. */
const patience = "10 seconds"
/** Maximum number of tries of a page whose notes or rows others change at the same time. */
const maxTries = 50
/** Maximum number of workspaces that are read on, and milliseconds without a request after which one is not. */
const maxFollowed = 500
const followedFor = 10 * 60_000
const followInterval = "2 seconds"
/** Milliseconds after which all notes are read again: the log, which has the changes of files, is kept for 90 days. */
const maxAge = 60 * 24 * 3600_000
/** Milliseconds after which changes are read without a request, so that the words of earlier texts end. */
const maxBehind = 24 * 3600_000

const busy = new Unavailable({
  code: "overloaded",
  detail: "The links, tasks and properties of the workspace are being read",
  retry_after: 5
})

/**
 * Keeps the contents of notes up to date: rows for their links, tasks and properties, which follow from the texts (contract
 * 5, Contents of notes). They are read from the log when they are asked for, and some time after that, so that writes do not
 * wait for them. A parser in a thread of its own reads the texts.
 */
export class Contents extends Context.Service<
  Contents,
  {
    /** Returns once the rows of a workspace have all that was written before. Fails with 503 if that takes long. */
    readonly catchUp: (workspace_id: string) => Effect.Effect<void, Unavailable>
    /** Whether a line is a task with this text behind its box, as the parser reads it. */
    readonly isTask: (text: string) => Effect.Effect<boolean>
    /** Reads the workspaces that have rows and have changed, but were not read for a day. */
    readonly readOn: Effect.Effect<void>
  }
>()("sheaf/contents/Contents") {
  static readonly layer = Layer.effect(
    Contents,
    Effect.gen(function* () {
      // The rows are those of all notes, whichever request asks for them first.
      const { whole: read, write } = yield* Database
      const thread = contentThread()
      yield* Effect.addFinalizer(() => Effect.promise(() => thread.end()))
      const scope = yield* Effect.scope
      const resolve = LinkResolution.make(read, write)
      /** Workspaces take turns. */
      const semaphore = new RoundRobinSemaphore({
        permits: 1,
        permitsPerGroup: 1,
        maxWaiting: 1_000,
        maxWaitingPerKey: 10,
        detail: "The contents of many notes are being read"
      })
      const running = new Map<string, Deferred.Deferred<void, Unavailable>>()
      /** The last request of each workspace, the oldest first. */
      const followed = new Map<string, number>()
      /** Maximum number of notes in the next page of a workspace: fewer after one that was too much work. */
      const most = new Map<string, number>()

      const stateNow = Effect.fnUntraced(function* (workspace_id: string) {
        const now = new Date(yield* Clock.currentTimeMillis).toISOString()
        return { now, state: yield* orUnavailable(stateOf(read, workspace_id, now)) }
      })

      /** Reads a page of changed notes, or resolves some links. Returns whether the rows are complete up to `head`. */
      const step = Effect.fnUntraced(function* (workspace_id: string, head: number) {
        const { now, state } = yield* stateNow(workspace_id)
        if (state === undefined || isComplete(state, head)) return true
        const isFresh = state.read_epoch === state.epoch && Date.parse(state.read_at!) > Date.parse(now) - maxAge
        const from = isFresh ? state.seq : 0
        // Links are resolved before the last page, so that they do not wait for the end of many writes.
        const isLast = state.head - from <= pageSize
        if (isFresh && (from >= state.head || (state.is_due && isLast))) {
          if (yield* resolve(workspace_id, state, now)) return false
          // Notes that were due have gone to the trash, which the log after this state has.
          if (from >= state.head) return yield* new Outrun()
        }
        const page = { state, from, isFresh, most: most.get(workspace_id) ?? pageSize }
        const { notes, until } = yield* orUnavailable(changedAfter(read, workspace_id, page))
        const texts = notes.flatMap(({ body, gone, id }) =>
          gone || body === null || !mayHaveContent(body) ? [] : [{ id, body }]
        )
        const contents =
          texts.length === 0 ? [] : yield* Effect.promise(() => thread.run(texts.map(({ body }) => body)))
        const rows = rowsOf(notes, new Map(texts.map(({ id }, index) => [id, contents?.[index]])))
        const isMuch =
          contents === undefined || rows.links.length + rows.tasks.length + rows.properties.length > maxRows
        if (isMuch && texts.length > 1) {
          most.set(workspace_id, Math.ceil(notes.length / 10))
          return false
        }
        yield* writePage(write, workspace_id, { ...page, notes, rows, until, now })
        most.set(workspace_id, Math.min(pageSize, page.most * 2))
        return false
      })

      const steps = Effect.fnUntraced(function* (workspace_id: string, head: number) {
        for (let tries = 0, isDone = false; !isDone;) {
          isDone = yield* semaphore.withPermit(workspace_id, step(workspace_id, head)).pipe(
            Effect.tap(() => Effect.sync(() => (tries = 0))),
            Effect.catchTag("Outrun", () => (++tries < maxTries ? Effect.succeed(false) : Effect.fail(busy)))
          )
        }
      })

      /** Reads up to a place in the log, in the background: the work continues when a request ends. */
      const run = (workspace_id: string, head: number) =>
        Effect.suspend(() => {
          const known = running.get(workspace_id)
          if (known !== undefined) return Deferred.await(known)
          const done = Deferred.makeUnsafe<void, Unavailable>()
          running.set(workspace_id, done)
          return steps(workspace_id, head).pipe(
            Effect.onExit((exit) =>
              Effect.sync(() => {
                running.delete(workspace_id)
                most.delete(workspace_id)
                Deferred.doneUnsafe(done, exit)
              })
            ),
            Effect.forkIn(scope),
            Effect.andThen(Deferred.await(done))
          )
        })

      /** Reads up to the present end of the log. A run that began earlier may end before that. */
      const readAll = Effect.fnUntraced(function* (workspace_id: string) {
        let head: number | undefined
        while (true) {
          const { state } = yield* stateNow(workspace_id)
          if (state === undefined || isComplete(state, (head ??= state.head))) return
          yield* run(workspace_id, head)
        }
      })

      const catchUp = traced("Contents.catchUp")(function* (workspace_id: string) {
        followed.delete(workspace_id)
        followed.set(workspace_id, yield* Clock.currentTimeMillis)
        if (followed.size > maxFollowed) followed.delete(followed.keys().next().value!)
        yield* Effect.timeoutOrElse(readAll(workspace_id), { duration: patience, orElse: () => Effect.fail(busy) })
      })

      const round = (yield* BackgroundWork).rounds("contents")
      const follow = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        for (const [workspace_id, since] of followed) {
          if (since < now - followedFor) followed.delete(workspace_id)
          else yield* readAll(workspace_id)
        }
      })
      yield* round(follow).pipe(
        // The next request reads on, or fails as well.
        Effect.catchCause((cause) => Effect.logDebug("contents of notes were not read", cause)),
        Effect.repeat(Schedule.spaced(followInterval)),
        Effect.forkScoped
      )

      const readOn = Effect.gen(function* () {
        const behind = yield* behindSince(read, yield* ago(maxBehind))
        // A failure does not stop the others.
        yield* Effect.validate(behind, ({ workspace_id }) => readAll(workspace_id), { discard: true })
      })

      const isTask = (text: string) =>
        Effect.map(
          Effect.promise(() => thread.run([`- [ ] ${text}`])),
          (contents) => {
            const [task, ...others] = contents?.[0]?.tasks ?? []
            return task?.text.trim() === text.trim() && others.length === 0
          }
        )

      return Contents.of({ catchUp, isTask, readOn: Effect.orDie(readOn) })
    })
  )
}
