import { Context, Effect, Layer } from "effect"
import { RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import type { Unavailable } from "../Errors.ts"
import { traced } from "../Traced.ts"
import { renderThread } from "./MarkdownThread.ts"
import { type NoteText, plainly, type Rendered } from "./Rendered.ts"
import { RenderedCache } from "./RenderedCache.ts"

/** A longer body is rendered by a thread of its own, so that short ones do not wait for it. */
const long = 64 * 1024

/** What a note may take: others wait meanwhile. A megabyte of prose takes about half of it. */
const bounds = {
  short: { mostMillis: 1_000, mostMegabytes: 128, isKept: true },
  long: { mostMillis: 6_000, mostMegabytes: 384, isKept: false }
}

/** Two workspaces may have a note of the same id, as one that was exported and came in elsewhere. */
const keyIn = (workspace_id: string, key: string): string => `${workspace_id} ${key}`

/** Of rendered notes, over all workspaces. */
const mostCached = 32 * 1024 * 1024

const semaphore = () =>
  new RoundRobinSemaphore({
    permits: 1,
    maxWaiting: 100,
    maxWaitingPerKey: 20,
    detail: "Too many notes are being rendered"
  })

/**
 * Renders notes, off the main loop: workspaces take turns. A note of which nothing can be made within the bounds is shown
 * as its plain text. `key` names all that it is made of within its workspace: what was made of the same is not made again.
 */
export class Markdown extends Context.Service<
  Markdown,
  {
    /** What was made before, if it is still held. */
    readonly known: (workspace_id: string, key: string) => Rendered | undefined
    readonly render: (workspace_id: string, key: string, note: NoteText) => Effect.Effect<Rendered, Unavailable>
    /** How many bytes of rendered notes are held. */
    readonly held: () => number
  }
>()("sheaf/markdown/Markdown") {
  static readonly layer = Layer.effect(
    Markdown,
    Effect.gen(function* () {
      const cache = new RenderedCache(mostCached)
      const lanes = {
        short: { thread: renderThread(bounds.short), semaphore: semaphore() },
        long: { thread: renderThread(bounds.long), semaphore: semaphore() }
      }
      yield* Effect.addFinalizer(() =>
        Effect.promise(() => Promise.all([lanes.short.thread.end(), lanes.long.thread.end()]))
      )

      const render = traced("Markdown.render")((workspace_id: string, key: string, note: NoteText) => {
        const lane = note.body.length > long ? lanes.long : lanes.short
        const whole = keyIn(workspace_id, key)
        const made = Effect.suspend(() => {
          // Others may have asked for the same while this one waited.
          const known = cache.get(whole)
          if (known !== undefined) return Effect.succeed(known)
          return Effect.map(
            Effect.promise(() => lane.thread.run(note)),
            (found) => {
              const rendered = found ?? plainly(note)
              cache.keep(whole, rendered)
              return rendered
            }
          )
        })
        // The thread is busy until it answers, whoever waits for that.
        return lane.semaphore.withPermit(workspace_id, Effect.uninterruptible(made))
      })

      return Markdown.of({
        known: (workspace_id, key) => cache.get(keyIn(workspace_id, key)),
        render,
        held: () => cache.bytes
      })
    })
  )
}
