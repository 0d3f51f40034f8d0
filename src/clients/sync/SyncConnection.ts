import { pause, pauseAfter } from "../client/Aborting.ts"
import type { Client } from "../client/Client.ts"
import { isProblem } from "../client/ClientProblem.ts"
import { follow } from "../client/Follow.ts"
import type { Schemas } from "../client/Types.ts"
import { type Event, next, type Phase } from "./ConnectionPhase.ts"
import { uploadFiles } from "./FileTransfer.ts"
import { pushAll } from "./PushRun.ts"
import { SharedRun } from "./SharedRun.ts"
import { StoreError, type SyncStore } from "./SyncStore.ts"
import type { SyncState } from "./SyncState.ts"

/** Maximum milliseconds before a failed push or a refused stream is repeated. */
const longestPause = 60_000

interface Settings {
  readonly client: Client
  readonly data: SyncState
  readonly device: Schemas["DeviceInput"]
  readonly store: SyncStore
  readonly notify: (ids: ReadonlyArray<string>) => void
}

/** The last failure, until the work succeeds. */
interface Failures {
  store?: unknown
  pull?: unknown
  push?: unknown
}

/** The exchange of changes with the server: when the app asks for it, and live. */
export class SyncConnection {
  readonly #settings: Settings
  readonly #pushing = new SharedRun(() => this.#watched("push", () => this.#push()))
  readonly #pulling = new SharedRun(() => this.#watched("pull", () => this.#pull()))
  #phase: Phase = "idle"
  /** What the server has sent since the engine was opened or stopped: first whose records it has, then all changes. */
  #received: "workspace" | "changes" | undefined
  #running = 0
  readonly #failures: Failures = {}
  /** Ends all requests. */
  #ending = new AbortController()
  #stopping: Promise<void> | undefined
  #following: { readonly ending: AbortController; readonly ended: Promise<void> } | undefined
  #repetition: ReturnType<typeof setTimeout> | undefined
  #failedPushes = 0
  /** The attachments whose notes are in the trash. Their files wait there. */
  readonly #trashed = new Set<string>()

  /** Whether the last attempt to reach the server has failed. */
  #isUnreached = false

  constructor(settings: Settings) {
    this.#settings = settings
    settings.client.watchers.add(this.#reached)
  }

  get status(): "offline" | "syncing" | "synced" {
    if (this.#isUnreached || (this.#running === 0 && this.#received !== "changes")) return "offline"
    const isBehind = this.#running > 0 || this.error !== undefined || this.#settings.data.edits.size > 0
    return isBehind ? "syncing" : "synced"
  }

  readonly #reached = (isReached: boolean): void => {
    if (this.#isUnreached === !isReached) return
    this.#isUnreached = !isReached
    this.#settings.notify([])
  }

  /** Ends what the engine has begun with its client. */
  close(): Promise<void> {
    this.#settings.client.watchers.delete(this.#reached)
    return this.stop()
  }

  get error(): unknown {
    return this.#failures.store ?? this.#failures.pull ?? this.#failures.push
  }

  async sync(): Promise<void> {
    const { signal } = this.#ending
    /** Runs a part, unless a stop has come since the call. */
    const run = async (part: SharedRun) => {
      signal.throwIfAborted()
      await part.run()
    }
    this.#failedPushes = 0
    this.#trashed.clear()
    const [pushed] = await Promise.allSettled([run(this.#pushing)])
    if (pushed.status === "rejected") this.#repeatPush()
    // A push that fails does not keep others' changes away, and its failure is the first.
    const [pulled] = await Promise.allSettled([run(this.#pulling)])
    for (const each of [pushed, pulled]) if (each.status === "rejected") throw each.reason
    // After a restore of the server, the pull has found what is to be pushed again.
    if (this.#settings.data.edits.size > 0 || this.#hasFile()) await run(this.#pushing)
  }

  /** Whether the note of a file has come back from the trash. */
  #hasFile(): boolean {
    const { data } = this.#settings
    const isBack = (id: string) => data.uploads.has(id) && data.known(id)?.op === "upsert" && !data.edits.isRefused(id)
    return [...this.#trashed].some(isBack)
  }

  get #isStarted(): boolean {
    return this.#phase === "behind" || this.#phase === "live"
  }

  /** Enters the phase that follows from an event. A start begins the exchange, at once or after a stop that is running. */
  #move(event: Event): void {
    const wasStarted = this.#isStarted
    this.#phase = next(this.#phase, event)
    if (wasStarted || !this.#isStarted) return
    this.pushSoon()
    // `state` shows the failure, and following repeats the pull.
    this.#pulling.run().catch(() => {})
  }

  start(): void {
    this.#move("start")
  }

  stop(): Promise<void> {
    this.#move("stop")
    clearTimeout(this.#repetition)
    this.#ending.abort(new DOMException("The sync was stopped", "AbortError"))
    return (this.#stopping ??= this.#end())
  }

  async #end(): Promise<void> {
    await Promise.all([this.#endFollowing(), this.#pushing.ended(), this.#pulling.ended()])
    this.#ending = new AbortController()
    this.#stopping = this.#received = undefined
    this.#move("end")
  }

  /** Pushes what waits, and repeats that until it succeeds. */
  pushSoon(): void {
    if (!this.#isStarted) return
    clearTimeout(this.#repetition)
    this.#pushing.run().then(
      () => {
        this.#failedPushes = 0
      },
      () => this.#repeatPush()
    )
  }

  #repeatPush(): void {
    if (!this.#isStarted) return
    clearTimeout(this.#repetition)
    this.#repetition = setTimeout(() => this.pushSoon(), pauseAfter(this.#failedPushes++, longestPause))
  }

  /** Stores what is only in memory. */
  async flush(): Promise<void> {
    try {
      await this.#settings.data.save()
      this.#failures.store = undefined
    } catch (error) {
      this.#failures.store = error
      this.#settings.notify([])
      throw error
    }
  }

  /** Runs a part of a sync, and shows in `state` that it runs and how it ended. */
  async #watched(part: "pull" | "push", task: () => Promise<void>): Promise<void> {
    this.#running++
    this.#settings.notify([])
    try {
      await task()
      this.#failures[part] = undefined
      await this.flush()
    } catch (error) {
      if (error instanceof StoreError) this.#failures.store = error
      else if (!this.#ending.signal.aborted) this.#failures[part] = error
      throw error
    } finally {
      this.#running--
      this.#settings.notify([])
    }
  }

  /** Rejects with a StoreError if the store has the records of another workspace than that of the client. */
  async #check(signal: AbortSignal): Promise<void> {
    if (this.#received) return
    const { client, data } = this.#settings
    const { workspace_id } = await client.call<Partial<Schemas["NewestCursor"]>>("getSyncCursor", {}, { signal })
    // Earlier servers do not return it.
    if (workspace_id !== undefined) data.bind(workspace_id)
    this.#received ??= "workspace"
  }

  async #push(): Promise<void> {
    const { client, data, device, notify, store } = this.#settings
    const { signal } = this.#ending
    await this.#check(signal)
    if (data.isRestoring) await this.#pullAgain()
    const settings = { client, replica: data, device, ...data.selection, cursor: () => data.cursor, signal }
    const pushEdits = () => pushAll(settings, data.edits, notify)
    await pushEdits().catch(async (error: unknown) => {
      // Records from the time after the backup come before own edits, which would replace them.
      if (!isProblem(error, "cursor_expired", "invalid_cursor")) throw error
      await this.#pullAgain()
      await pushEdits()
    })
    await uploadFiles({ client, state: data, store, trashed: this.#trashed, signal })
  }

  /** Pulls after a restore of the server, whose stream has ended or will end. */
  #pullAgain(): Promise<void> {
    this.#move("lose")
    return this.#pulling.run()
  }

  async #pull(): Promise<void> {
    // A stream sends all changes.
    if (this.#phase === "live") return
    await this.#endFollowing()
    try {
      await this.#check(this.#ending.signal)
      await this.#take(this.#ending.signal, true)
      this.#received = "changes"
    } finally {
      if (this.#isStarted) {
        const ending = new AbortController()
        this.#following = { ending, ended: this.#followLive(ending.signal) }
      }
    }
  }

  /** Follows until the signal. A refusal of the server, such as of a credential, may end too. */
  async #followLive(signal: AbortSignal): Promise<void> {
    for (let attempts = 0; !signal.aborted; attempts++) {
      try {
        await this.#check(signal)
        await this.#take(signal, false)
      } catch (error) {
        if (!signal.aborted) this.#connected(error)
      }
      await pause(pauseAfter(attempts, longestPause), signal)
    }
  }

  async #endFollowing(): Promise<void> {
    this.#following?.ending.abort()
    await this.#following?.ended
    this.#move("lose")
  }

  /** Notes that the stream is connected, or why it is not. */
  #connected(error: unknown): void {
    if (error === undefined) {
      this.#move("connect")
      this.#received = "changes"
      // Failures without a network, one for each edit, do not count any more.
      this.#failedPushes = 0
      this.pushSoon()
    } else {
      this.#move("lose")
      if (isProblem(error, "no_response")) this.#reached(false)
    }
    this.#failures.pull = error
    this.#settings.notify([])
  }

  /** Takes all changes since the last ones, and follows unless `isOnce`. */
  async #take(signal: AbortSignal, isOnce: boolean): Promise<void> {
    const { client, data, device, notify } = this.#settings
    const onConnection = (error: unknown) => this.#connected(error)
    const options = { cursor: data.cursor, ...data.selection, device, isOnce, onConnection, signal }
    for await (const batch of follow(client, options)) {
      notify(data.follow(batch))
      if (!isOnce && this.#hasFile()) this.pushSoon()
      await this.flush().catch((error: unknown) => {
        // A live state that cannot be stored is in memory: it is stored with the next change.
        if (isOnce) throw error
      })
    }
    signal.throwIfAborted()
  }
}
