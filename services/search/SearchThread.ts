import { Context, Effect, Layer, Redacted } from "effect"
import { Worker } from "node:worker_threads"
import { workerModule } from "../concurrency/WorkerModule.ts"
import { Unavailable } from "../Errors.ts"
import type { Note } from "../notes/Note.ts"
import { Database, orUnavailable } from "../storage/Database.ts"
import { ChangeLog, type Growth, type Prospect } from "../storage/ChangeLog.ts"
import type { Appended } from "../storage/Draft.ts"
import { NodeBus } from "../storage/NodeBus.ts"
import { indexedOf } from "./Entries.ts"
import type { Announced, Answer, Answered, Asked, Grown, Held, News, Request, ThreadData } from "./SearchMessages.ts"

/** What the thread may allocate beside the columns of its indexes, which count for themselves. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 12 }
/** A thread that dies over a request is asked once more, in a new one: it may have been another request's doing. */
const tries = 2

const lost = new Unavailable({
  code: "overloaded",
  detail: "The search was restarted",
  retry_after: 1
})

/** So many bytes of notes are told and not yet read; what more there is, is read from the log. */
const maxUnheard = 8 * 1024 * 1024
/** About what is told of a note beside its text. */
const noteBytes = 500

const isNote = ({ change, record }: Appended): boolean => change.resource === "note" && record !== null

/** The notes of a draft, each as it is in the end, where there are any and they take no more than that. */
const announcedOf = ({ entries, workspace_id }: Prospect, most: number): Announced | undefined => {
  const notes = new Map<string, Announced["notes"][number]>()
  let bytes = 0
  for (const entry of entries) {
    if (!isNote(entry)) continue
    const { change, record } = entry
    bytes += noteBytes + record!.bytes
    if (bytes > most) return undefined
    const id = change.resource_id
    notes.set(id, { id, note: record!.value === null ? undefined : indexedOf(record!.value as Note) })
  }
  if (notes.size === 0) return undefined
  return { workspace_id, witness: entries.at(-1)!.change.id, notes: [...notes.values()], bytes }
}

const grownOf = ({ entries, first, last, workspace_id }: Growth): Grown => {
  const isWhole = entries.length === last - first + 1
  const notes = isWhole ? entries.filter(isNote).length : undefined
  return { workspace_id, first, last, notes, witness: entries.at(-1)?.change.id }
}

const nothing: Held = { workspaces: 0, bytes: 0, loads: 0, catchUps: 0 }

interface Waiting {
  readonly request: Request
  readonly resume: (effect: Effect.Effect<unknown, Unavailable>) => void
  tried: number
}

/**
 * The thread that indexes and searches, so that neither holds up what the main loop does. It is begun with the first search,
 * or at once where somebody has searched before, and anew when it has died: it then reads the log again, so nothing is lost
 * with it.
 */
export class SearchThread extends Context.Service<
  SearchThread,
  {
    readonly ask: <A extends Asked>(asked: A) => Effect.Effect<Answer<A>, Unavailable>
    /** What it held when it last told. */
    readonly held: () => Held
    /** Ends the thread as if it had died: for tests. */
    readonly kill: Effect.Effect<void>
  }
>()("sheaf/search/SearchThread") {
  static readonly layer = Layer.effect(
    SearchThread,
    Effect.gen(function* () {
      const { address, read } = yield* Database
      const log = yield* ChangeLog
      const bus = yield* NodeBus
      const plainAddress = "url" in address ? { url: Redacted.value(address.url) } : { ...address }
      /** A row and no map, as in `SearchWorker`. */
      let waiting: Array<Waiting> = []
      let next = 1
      let held: Held = nothing
      /** Workspaces that the thread keeps up with as they are written to. */
      const kept = new Set<string>()
      let thread: Worker | undefined
      /** Bytes of news that the thread was told and holds. */
      let unheard = new Int32Array(new SharedArrayBuffer(4))
      let isOver = false

      const died = (dead: Worker) => {
        if (thread !== dead) return
        thread = undefined
        kept.clear()
        held = nothing
        const all = waiting
        waiting = all.filter(({ tried }) => tried < tries && !isOver)
        for (const each of all) {
          if (waiting.includes(each)) post(each)
          else each.resume(Effect.fail(lost))
        }
      }

      /** Takes out who waits for an answer. */
      const taken = (id: number): Waiting | undefined => {
        const place = waiting.findIndex(({ request }) => request.id === id)
        return place < 0 ? undefined : waiting.splice(place, 1)[0]
      }

      const begin = (): Worker => {
        unheard = new Int32Array(new SharedArrayBuffer(4))
        const workerData: ThreadData = { address: plainAddress, unheard }
        const made = new Worker(workerModule(import.meta.url, "SearchWorker"), {
          workerData,
          resourceLimits
        })
        made.on("message", (message: Answered) => {
          if ("held" in message) held = message.held
          if ("dropped" in message) for (const workspace_id of message.dropped) kept.delete(workspace_id)
          if (!("id" in message)) return
          const own = taken(message.id)
          if (own === undefined) return
          kept.add(own.request.asked.workspace_id)
          own.resume(
            "answer" in message
              ? Effect.succeed(message.answer)
              : "unavailable" in message
                ? Effect.fail(new Unavailable(message.unavailable))
                : Effect.die(new Error(message.defect))
          )
        })
        // What it says is told with its exit.
        made.on("error", () => died(made))
        made.on("exit", () => died(made))
        // A process that is otherwise done does not wait for it.
        made.unref()
        return made
      }

      const post = (each: Waiting) => {
        each.tried++
        thread ??= begin()
        thread.postMessage(each.request)
      }

      const tell = (news: News) => thread?.postMessage(news)
      log.observe({
        coming: (prospect) => {
          if (!kept.has(prospect.workspace_id)) return
          const coming = announcedOf(prospect, maxUnheard - Atomics.load(unheard, 0))
          if (coming === undefined) return
          Atomics.add(unheard, 0, coming.bytes)
          tell({ coming })
        },
        grown: (growth) => {
          if (kept.has(growth.workspace_id)) tell({ grown: grownOf(growth) })
        }
      })
      yield* bus.hear({
        log: (workspace_id, seq) => {
          const grown = { workspace_id, first: seq, last: seq, notes: undefined, witness: undefined }
          if (kept.has(workspace_id)) tell({ grown })
        }
      })

      // Where indexes are kept, the first search is not to wait for it.
      yield* orUnavailable(read.unsafe("SELECT 1 FROM search_snapshots LIMIT 1")).pipe(
        Effect.map((kept) => {
          if (kept.length > 0 && !isOver) thread ??= begin()
        }),
        Effect.catchTag("Unavailable", (error) => Effect.logDebug("kept search indexes were not looked for", error)),
        Effect.forkScoped
      )

      const kill = Effect.promise(async () => {
        await thread?.terminate()
      })
      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => {
          isOver = true
          return kill
        })
      )

      return SearchThread.of({
        ask: <A extends Asked>(asked: A) =>
          Effect.callback<Answer<A>, Unavailable>((resume) => {
            const id = next++
            const each: Waiting = {
              request: { id, asked },
              // The thread answers what it was asked.
              resume: (effect) => resume(effect as Effect.Effect<Answer<A>, Unavailable>),
              tried: 0
            }
            waiting.push(each)
            post(each)
            return Effect.sync(() => {
              if (taken(id) !== undefined) thread?.postMessage({ cancel: id })
            })
          }),
        held: () => held,
        kill
      })
    })
  )
}
