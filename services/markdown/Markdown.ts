import { Context, type Duration, Effect, Layer, Option } from "effect"
import type { Bounds } from "../concurrency/LimitedWorker.ts"
import { RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import type { Unavailable } from "../Errors.ts"
import { traced } from "../Traced.ts"
import { renderThread } from "./MarkdownThread.ts"
import { type NoteText, plainly, type Rendered } from "./Rendered.ts"
import { RenderedCache } from "./RenderedCache.ts"

/** Characters above which a body is rendered in the lane of long notes, so that short ones do not wait for it. */
const long = 64 * 1024

interface Lane extends Bounds {
  /** Maximum number of notes that are rendered at a time. */
  readonly threads: number
}

/** The limits per note, because other notes wait meanwhile. A megabyte of prose takes about half the time of the long lane. */
const lanesOf: Readonly<Record<"short" | "long", Lane>> = {
  short: { threads: 2, maxMillis: 1_000, maxMegabytes: 128, isKept: true },
  long: { threads: 1, maxMillis: 6_000, maxMegabytes: 384, isKept: false }
}

/** Maximum bytes of cached rendered notes, over all workspaces. */
const maxCached = 32 * 1024 * 1024

/** Maximum number of notes that are remembered as heavy. */
const maxHeavy = 10_000

/** Maximum time that a page waits for its turn. After that it shows the plain text of its note. */
const soon: Duration.Input = "500 millis"

/** A note, and all that its rendering depends on except its text. */
export interface Version {
  readonly workspace_id: string
  readonly note_id: string
  readonly state: string
}

/** Who a note is rendered for. */
export interface Reader {
  /** The owner of the workspace. */
  readonly owner: string
  /** The network of a reader of a share, or the user who is a member. */
  readonly client: string
}

/** Two workspaces may have notes with the same id, such as an exported note and its import. */
const noteKey = ({ note_id, workspace_id }: Version): string => `${workspace_id} ${note_id}`
const keyOf = (version: Version): string => `${noteKey(version)} ${version.state}`

/** Worker threads that each render one note at a time, and a semaphore for them. */
const makeLane = ({ threads, ...bounds }: Lane) => {
  const all = Array.from({ length: threads }, () => renderThread(bounds))
  const idle = [...all]
  const semaphore = new RoundRobinSemaphore({
    permits: threads,
    maxWaiting: 100,
    maxWaitingPerKey: 20,
    detail: "Too many notes are being rendered"
  })
  return {
    semaphore,
    /** Returns undefined when the note cannot be rendered within the limits. Called with a permit. */
    run: (note: NoteText) => {
      const thread = idle.pop()!
      return Effect.ensuring(
        Effect.promise(() => thread.run(note)),
        Effect.sync(() => void idle.push(thread))
      )
    },
    end: () => Promise.all(all.map((thread) => thread.end()))
  }
}

/**
 * Renders notes, off the main loop. The owners of workspaces take turns, and for each owner the networks and users
 * that read notes of a workspace. A note that cannot be rendered within the limits is shown as its plain text, and goes to the
 * lane of long notes once it has changed. Rendered notes are cached.
 */
export class Markdown extends Context.Service<
  Markdown,
  {
    /** Returns the cached rendering, if there is one. */
    readonly known: (version: Version) => Rendered | undefined
    readonly render: (version: Version, reader: Reader, note: NoteText) => Effect.Effect<Rendered, Unavailable>
    /** The same without long waits: undefined when the note does not get its turn soon. */
    readonly renderSoon: (version: Version, reader: Reader, note: NoteText) => Effect.Effect<Rendered | undefined>
    /** The number of notes that wait for their turn. */
    readonly waiting: () => number
    /** Bytes of cached rendered notes. */
    readonly held: () => number
  }
>()("sheaf/markdown/Markdown") {
  static readonly layerOf = (bounds: typeof lanesOf) =>
    Layer.effect(
      Markdown,
      Effect.gen(function* () {
        const cache = new RenderedCache(maxCached)
        /** Short notes that exceeded the limits of the short lane. The oldest is evicted first. */
        const heavy = new Set<string>()
        const lanes = { short: makeLane(bounds.short), long: makeLane(bounds.long) }
        yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all([lanes.short.end(), lanes.long.end()])))

        const setHeavy = (note: string): void => {
          heavy.add(note)
          if (heavy.size > maxHeavy) heavy.delete(heavy.values().next().value!)
        }

        const render = traced("Markdown.render")((version: Version, { client, owner }: Reader, note: NoteText) => {
          const isLong = note.body.length > long || heavy.has(noteKey(version))
          const lane = isLong ? lanes.long : lanes.short
          const made = Effect.suspend(() => {
            // Another request may have rendered the same note while this one waited.
            const known = cache.get(keyOf(version))
            if (known !== undefined) return Effect.succeed(known)
            return Effect.map(lane.run(note), (found) => {
              if (found === undefined && !isLong) setHeavy(noteKey(version))
              const rendered = found ?? plainly(note)
              cache.keep(keyOf(version), rendered)
              return rendered
            })
          })
          // The thread is busy until it responds, even after the request has ended.
          return lane.semaphore.withPermit([owner, `${version.workspace_id} ${client}`], Effect.uninterruptible(made))
        })

        const known = (version: Version) => cache.get(keyOf(version))

        return Markdown.of({
          known,
          render,
          renderSoon: (version, reader, note) =>
            render(version, reader, note).pipe(
              Effect.timeoutOption(soon),
              Effect.catchTag("Unavailable", () => Effect.succeedNone),
              // A rendering that has begun is awaited, even beyond that time.
              Effect.map((rendered) => Option.getOrUndefined(rendered) ?? known(version))
            ),
          waiting: () => lanes.short.semaphore.waiting + lanes.long.semaphore.waiting,
          held: () => cache.bytes
        })
      })
    )

  static readonly layer = Markdown.layerOf(lanesOf)
}
