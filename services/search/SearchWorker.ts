import { PgClient } from "@effect/sql-pg/PgClient"
import { Cause, Effect, Exit, type Fiber, Layer, Logger, ManagedRuntime, Option, References } from "effect"
import { Reactivity } from "effect/reactivity"
import { isMainThread, type MessagePort, workerData } from "node:worker_threads"
import { Budget, type Sliced, stepsPerMillisecond } from "../concurrency/Budget.ts"
import { CooperativeScheduler } from "../concurrency/CooperativeScheduler.ts"
import { received } from "../concurrency/SentSecrets.ts"
import { beginGuarded } from "../concurrency/WorkerModule.ts"
import { Unavailable } from "../Errors.ts"
import { type Address, clientOf } from "../database/Database.ts"
import { IndexRegistry } from "./IndexRegistry.ts"
import { notesOf } from "./IndexScope.ts"
import type { Find } from "./engine/query/MatchedTerms.ts"
import * as SearchFolder from "./SearchFolder.ts"
import type { Found, SearchQuery } from "./engine/query/SearchIndex.ts"
import { matchKinds } from "./SearchResult.ts"
import type {
  FoundHits,
  FromThread,
  ResultOf,
  SearchTask,
  SuggestTask,
  Task,
  ThreadData,
  ToThread
} from "./SearchThread.ts"
import { readNotes, type HitNote } from "./HitNotes.ts"
import { keyOf, RecentResults } from "./RecentResults.ts"
import { Highlighter } from "./engine/query/Snippet.ts"
import type { Suggestion } from "./engine/query/Suggestions.ts"

/** Maximum number of connections: some requests read the log while others read their hits. */
const connections = 2
/** Maximum steps to find notes, and to show a page of hits: a search ends within 3 s of work (contract 2). */
const findingSteps = 2_000 * stepsPerMillisecond
const showingSteps = 500 * stepsPerMillisecond

const explanationOf = (finds: ReadonlyArray<Find>) =>
  finds.flatMap(({ fields, kind, term, weight }) =>
    fields.map((field) => ({ term, kind: matchKinds[kind], field, weight: Math.round(weight * 1000) / 1000 }))
  )

/**
 * Adds the hits whose notes are in `notes` to `hits`, at their places. Returns the ids of notes whose bodies match only
 * after the part that was read.
 */
function* showing(
  { matches, query }: Found,
  notes: ReadonlyMap<string, HitNote>,
  explain: boolean,
  hits: Array<object | undefined>,
  budget: Budget
): Sliced<ReadonlyArray<string>> {
  const highlighter = new Highlighter(query)
  const behind: Array<string> = []
  for (const [place, { finds, id, score }] of matches.entries()) {
    const shown = notes.get(id)
    if (shown === undefined) continue
    const text = { title: shown.note.title, tags: shown.note.tags, body: shown.body }
    const { highlights, snippet } = yield* highlighter.highlighting(text, finds, budget)
    if (shown.hasMore && highlights.at(-1)?.field !== "body" && highlighter.isInBody(finds)) behind.push(id)
    const explanation = explain ? { explanation: explanationOf(finds) } : undefined
    hits[place] = { ...shown.note, score, snippet, highlights, ...explanation }
  }
  return behind
}

const queryOf = ({ filters, named, order, query }: SearchTask): SearchQuery => {
  const ids = named === undefined || named.ids === "" ? [] : named.ids.split(" ")
  return {
    ...filters,
    query,
    note_ids: named?.isFilter === true ? new Set(ids) : undefined,
    order: named?.isOrder === true ? ids : order
  }
}

const makeSearches = Effect.gen(function* () {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const indexes = yield* IndexRegistry
  const sql = yield* PgClient
  const scheduler = yield* CooperativeScheduler
  const recent = new RecentResults()

  const search = Effect.fnUntraced(function* (task: SearchTask): Effect.fn.Return<FoundHits, Unavailable> {
    const { explain, limit, offset, scope } = task
    const reads = notesOf(sql, scope)
    const finding = new Budget(findingSteps)
    const key = keyOf(task)
    const result = yield* indexes.search(scope, finding, function* (index, partial, place) {
      const known = recent.get(key, place)
      if (known !== undefined) return { known }
      const found = yield* index.searching(queryOf(task), offset, limit, finding)
      return { found, partial, place }
    })
    if (result === undefined) return { hits: "[]", total: 0, suggestion: undefined, partial: undefined }
    if (result.known !== undefined) return result.known
    const { found, partial, place } = result
    const hits: Array<object | undefined> = found.matches.map(() => undefined)
    const show = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, part: "beginning" | "whole") {
      const notes = yield* readNotes(reads, scope.workspace_id, ids, limit, part)
      const budget = new Budget(showingSteps)
      return yield* scheduler.run(scope.workspace_id, budget, () => showing(found, notes, explain, hits, budget))
    })
    const behind = yield* show(
      found.matches.map(({ id }) => id),
      "beginning"
    )
    if (behind.length > 0) yield* show(behind, "whole")
    const { suggestion, total } = found
    const shown = { hits: JSON.stringify(hits.filter((hit) => hit !== undefined)), total, suggestion, partial }
    // While an index is built, its notes change without the log.
    if (partial === undefined) recent.set(key, place, shown)
    return shown
  })

  const suggest = ({ limit, prefix, scope }: SuggestTask): Effect.Effect<ReadonlyArray<Suggestion>, Unavailable> => {
    const budget = new Budget(findingSteps)
    return Effect.map(
      indexes.search(scope, budget, (index) => index.suggesting(prefix, limit, budget)),
      (found) => found ?? []
    )
  }

  const resultOf = (task: Task): Effect.Effect<ResultOf<Task>, Unavailable> => {
    switch (task.kind) {
      case "search":
        return search(task)
      case "suggest":
        return suggest(task)
      case "remove":
        return Effect.as(
          Effect.sync(() => indexes.remove(task.workspace_id)),
          undefined
        )
    }
  }

  return { fork, indexes, resultOf }
})

const failureOf = (cause: Cause.Cause<unknown>) => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (!(error instanceof Unavailable)) return { defect: Cause.pretty(cause) }
  const { code, detail, retry_after } = error
  return { unavailable: { code, detail, retry_after } }
}

/** The main thread writes the log. */
const logTo = (port: MessagePort) =>
  Logger.layer([
    Logger.make<unknown, void>(({ cause, fiber, logLevel, message }) => {
      if (logLevel === "All" || logLevel === "None") return
      const annotations = {
        ...fiber.getRef(References.CurrentLogAnnotations),
        ...(cause.reasons.length > 0 ? { cause: Cause.pretty(cause) } : undefined)
      }
      port.postMessage({ log: { level: logLevel, message: String(message), annotations } } satisfies FromThread)
    })
  ])

/** Runs the tasks of the main thread (`SearchThread`) concurrently. Without a database the thread ends. */
const serve = async (port: MessagePort, data: ThreadData): Promise<void> => {
  const database = Effect.suspend(() => clientOf(received<Address>(data.address, ["url"]), "read", connections))
  const send = (message: FromThread): void => port.postMessage(message)
  const runtime = ManagedRuntime.make(
    SearchFolder.layer(data).pipe(
      Layer.provideMerge(IndexRegistry.layer({ ...data, caughtUp: (held) => send({ held }) })),
      Layer.provideMerge(CooperativeScheduler.layer),
      Layer.provideMerge(Layer.effect(PgClient, database)),
      Layer.provideMerge(logTo(port)),
      Layer.provide(Reactivity.layer)
    )
  )
  const running = new Map<number, Fiber.Fiber<ResultOf<Task>, Unavailable>>()

  const receive = (message: ToThread, { fork, indexes, resultOf }: Effect.Success<typeof makeSearches>): void => {
    if ("cancel" in message) {
      running.get(message.cancel)?.interruptUnsafe()
      return
    }
    const { id, task } = message
    const fiber = fork<ResultOf<Task>, Unavailable>(resultOf(task))
    running.set(id, fiber)
    fiber.addObserver((exit) => {
      running.delete(id)
      const held = indexes.held()
      send(Exit.isSuccess(exit) ? { id, result: exit.value, held } : { id, ...failureOf(exit.cause), held })
    })
  }

  const ready = runtime.runPromise(makeSearches)
  // Listens at once: Deno drops messages that arrive before there is a listener. When `ready` fails, the thread ends.
  port.on(
    "message",
    (message: ToThread) =>
      void ready.then(
        (searches) => receive(message, searches),
        () => {}
      )
  )
  await ready
}

if (!isMainThread) {
  beginGuarded()
  const { control, ...data } = workerData as ThreadData & { readonly control: MessagePort }
  await serve(control, data)
}
