import { Context, Effect, Layer, type LogLevel } from "effect"
import { existsSync } from "node:fs"
import { GuardedThread } from "../concurrency/GuardedThread.ts"
import { type Sent, sent } from "../concurrency/SentSecrets.ts"
import { workerModule } from "../concurrency/WorkerModule.ts"
import { Unavailable } from "../Errors.ts"
import { type Address, Database } from "../database/Database.ts"
import { NodeBus } from "../database/NodeBus.ts"
import type { Filters } from "./engine/query/Filters.ts"
import type { SearchQuery } from "./engine/query/SearchIndex.ts"
import type { Suggestion } from "./engine/query/Suggestions.ts"
import type { IndexScope } from "./IndexScope.ts"
import type { Partial } from "./WorkspaceIndex.ts"

/** The worker data of the search thread. */
export interface ThreadData {
  /** The address of PostgreSQL. */
  readonly address: Sent<Address>
  /** The directory of the index files, used by this node alone. */
  readonly directory: string
  /** Maximum bytes of memory of all indexes together. */
  readonly maxBytes: number
}

export interface SearchTask {
  readonly kind: "search"
  readonly scope: IndexScope
  readonly query: string
  readonly filters: Filters
  /** Ids of notes, separated by spaces: one text is sent faster than a set. */
  readonly named: { readonly ids: string; readonly isFilter: boolean; readonly isOrder: boolean } | undefined
  readonly order: SearchQuery["order"]
  readonly offset: number
  readonly limit: number
  readonly explain: boolean
}

export interface SuggestTask {
  readonly kind: "suggest"
  readonly scope: IndexScope
  readonly prefix: string
  readonly limit: number
}

/** Drops the index of a workspace: the next search builds it again. */
export interface RemoveTask {
  readonly kind: "remove"
  readonly workspace_id: string
}

export type Task = SearchTask | SuggestTask | RemoveTask

export interface FoundHits {
  /** JSON: an array of `Hit`. */
  readonly hits: string
  readonly total: number
  readonly suggestion: string | undefined
  /** Why the index does not have all notes of the workspace. */
  readonly partial: Partial
}

export type ResultOf<A extends Task> = A extends SearchTask
  ? FoundHits
  : A extends SuggestTask
    ? ReadonlyArray<Suggestion>
    : undefined

/** From the main thread to the search thread. */
export type ToThread = { readonly id: number; readonly task: Task } | { readonly cancel: number }

/** The indexes in the search thread. */
export interface Held {
  readonly workspaces: number
  /** Bytes of memory, approximately, and of files. */
  readonly bytes: number
  readonly files: number
  readonly fileBytes: number
  /** Number of indexes that were read from their files. */
  readonly loads: number
}

/** A log entry, which the main thread writes. */
interface LogEntry {
  readonly level: LogLevel.Severity
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** From the search thread to the main thread. */
export type FromThread =
  | { readonly log: LogEntry }
  /** The indexes in memory were caught up with the log. */
  | { readonly held: Held }
  | { readonly id: number; readonly result: unknown; readonly held: Held }
  | {
      readonly id: number
      readonly unavailable: Pick<Unavailable, "code" | "detail" | "retry_after">
      readonly held: Held
    }
  | { readonly id: number; readonly defect: string; readonly held: Held }

/** The columns of the indexes are outside of the heap. */
const heap = { maxMegabytes: 256, youngMegabytes: 12 }
/** Maximum number of threads that a task is sent to: another task may be the reason why the first thread died. */
const maxTries = 2

const restarted = new Unavailable({ code: "overloaded", detail: "The search was restarted", retry_after: 1 })

const nothing: Held = { workspaces: 0, bytes: 0, files: 0, fileBytes: 0, loads: 0 }

interface Request {
  readonly task: Task
  readonly resume: (result: Effect.Effect<unknown, Unavailable>) => void
  tries: number
}

/**
 * The thread that indexes and searches, so that neither blocks the main thread. It starts with the first search, or
 * with the server when there are index files. After it has died, the next search starts another thread, which reads the
 * files and the log again.
 */
export class SearchThread extends Context.Service<
  SearchThread,
  {
    /** Runs a task in the thread; interruption cancels it there. Fails with 503 when the thread or the database fails. */
    readonly run: <A extends Task>(task: A) => Effect.Effect<ResultOf<A>, Unavailable>
    /** The indexes as of the thread's last message. */
    readonly held: () => Held
    /**
     * Milliseconds, in real time, since the indexes in memory last had every change: usually at most two seconds. 0 if
     * there are none.
     */
    readonly lag: () => number
    /** Ends the thread as if it had died: for tests. */
    readonly kill: Effect.Effect<void>
  }
>()("sheaf/search/SearchThread") {
  static readonly layer = (options: Omit<ThreadData, "address">) =>
    Layer.effect(
      SearchThread,
      Effect.gen(function* () {
        const { address } = yield* Database
        const data: ThreadData = { ...options, address: sent(address) }
        const fork = Effect.runForkWith(yield* Effect.context<never>())
        const waiting = new Map<number, Request>()
        let lastId = 0
        let held = nothing
        let caughtUpAt = performance.now()
        let thread: GuardedThread<ToThread, FromThread> | undefined
        let isClosed = false

        const send = (message: ToThread) => thread?.send(message)

        const received = (message: FromThread) => {
          if ("log" in message) {
            const { annotations, level, message: text } = message.log
            return void fork(Effect.annotateLogs(Effect.logWithLevel(level)(text), annotations))
          }
          if (held.workspaces === 0 || !("id" in message)) caughtUpAt = performance.now()
          held = message.held
          if (!("id" in message)) return
          const request = waiting.get(message.id)
          waiting.delete(message.id)
          if ("result" in message) request?.resume(Effect.succeed(message.result))
          else if ("unavailable" in message) request?.resume(Effect.fail(new Unavailable(message.unavailable)))
          else request?.resume(Effect.die(new Error(message.defect)))
        }

        const start = () => {
          const entry = workerModule(import.meta.url, "SearchWorker")
          const started = new GuardedThread<ToThread, FromThread>({ entry, heap, data })
          started.onMessage = received
          started.onEnd = (failure) => {
            if (failure !== undefined) fork(Effect.logError("the search thread failed", failure))
            ended()
          }
          started.unref()
          return started
        }

        const ended = () => {
          thread = undefined
          held = nothing
          for (const [id, request] of waiting) {
            if (request.tries < maxTries && !isClosed) {
              post(id, request)
            } else {
              waiting.delete(id)
              request.resume(Effect.fail(restarted))
            }
          }
        }

        const post = (id: number, request: Request) => {
          request.tries++
          thread ??= start()
          send({ id, task: request.task })
        }

        // Started early, so that the first search after a restart does not wait for the thread.
        if (existsSync(options.directory)) thread = start()

        const kill = Effect.promise(async () => {
          await thread?.end()
        })
        yield* Effect.addFinalizer(() =>
          Effect.suspend(() => {
            isClosed = true
            return kill
          })
        )

        const run = <A extends Task>(task: A) =>
          Effect.callback<ResultOf<A>, Unavailable>((resume) => {
            const id = ++lastId
            // The thread sends the result of this task.
            const request: Request = {
              task,
              resume: (result) => resume(result as Effect.Effect<ResultOf<A>, Unavailable>),
              tries: 0
            }
            waiting.set(id, request)
            post(id, request)
            return Effect.sync(() => {
              if (waiting.delete(id)) send({ cancel: id })
            })
          })

        const bus = yield* NodeBus
        yield* bus.subscribe({
          // The next search of the workspace fails in the same way.
          reindex: (workspace_id) => void fork(Effect.ignore(run({ kind: "remove", workspace_id })))
        })

        return SearchThread.of({
          run,
          held: () => held,
          lag: () => (held.workspaces === 0 ? 0 : performance.now() - caughtUpAt),
          kill
        })
      })
    )
}
