import { pause } from "../client/Aborting.ts"
import type { Client } from "../client/Client.ts"
import { isProblem } from "../client/ClientProblem.ts"
import { follow } from "../client/Follow.ts"
import type { Schemas } from "../client/Types.ts"
import { uploadFiles } from "./FileTransfer.ts"
import { pushAll } from "./PushRun.ts"
import { SharedRun } from "./SharedRun.ts"
import { StoreError, type SyncStore } from "./SyncStore.ts"
import type { SyncState } from "./SyncState.ts"

/** Milliseconds before a failed push or a refused stream is repeated, doubled with each failure in a row. */
const firstPause = 1_000
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
  #running = 0
  #isLive = false
  #isStarted = false
  /** Whether the server has confirmed the workspace of the store. */
  #isChecked = false
  readonly #failures: Failures = {}
  /** Ends all requests. */
  #ending = new AbortController()
  #stopping: Promise<void> = Promise.resolve()
  #following: { readonly ending: AbortController; readonly ended: Promise<void> } | undefined
  #repetition: ReturnType<typeof setTimeout> | undefined
  #failedPushes = 0
  /** The attachments whose notes are in the trash. Their files wait there. */
  readonly #trashed = new Set<string>()

  /** Whether the last attempt to reach the server has failed. */
  #isUnreached = false
  /** Whether everything has come since the engine was opened or stopped. */
  #hasPulled = false

  constructor(settings: Settings) {
    this.#settings = settings
    settings.client.watchers.add(this.#reached)
  }

  get status(): "offline" | "syncing" | "synced" {
    if (this.#isUnreached || (this.#running === 0 && !this.#hasPulled)) return "offline"
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
    this.#failedPushes = 0
    this.#trashed.clear()
    // A push that fails does not keep others' changes away.
    const [pushed] = await Promise.allSettled([this.#pushing.run()])
    if (pushed.status === "rejected") this.#repeatPush()
    const [pulled] = await Promise.allSettled([this.#pulling.run()])
    for (const each of [pushed, pulled]) if (each.status === "rejected") throw each.reason
    // After a restore of the server, the pull has found what is to be pushed again.
    if (this.#settings.data.edits.size > 0 || this.#hasFile()) await this.#pushing.run()
  }

  /** Whether the note of a file has come back from the trash. */
  #hasFile(): boolean {
    const { data } = this.#settings
    const isBack = (id: string) => data.uploads.has(id) && data.known(id)?.op === "upsert" && !data.edits.isRefused(id)
    return [...this.#trashed].some(isBack)
  }

  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    void this.#stopping.then(() => {
      if (!this.#isStarted) return
      this.pushSoon()
      // `state` shows the failure, and following repeats the pull.
      this.#pulling.run().catch(() => {})
    })
  }

  stop(): Promise<void> {
    this.#isStarted = false
    this.#stopping = this.#stopping.then(() => this.#end())
    clearTimeout(this.#repetition)
    this.#ending.abort(new DOMException("The sync was stopped", "AbortError"))
    return this.#stopping
  }

  async #end(): Promise<void> {
    await this.#endFollowing()
    await Promise.all([this.#pushing.ended(), this.#pulling.ended()])
    await this.#endFollowing()
    this.#ending = new AbortController()
    this.#isChecked = false
    this.#hasPulled = false
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
    // Clients that failed together do not come back together.
    const millis = Math.min(longestPause, firstPause * 2 ** this.#failedPushes++) * (0.5 + Math.random() / 2)
    clearTimeout(this.#repetition)
    this.#repetition = setTimeout(() => this.pushSoon(), millis)
  }

  /** Stores what is only in memory. */
  async flush(): Promise<void> {
    try {
      await this.#settings.data.save()
      delete this.#failures.store
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
      delete this.#failures[part]
      delete this.#failures.store
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
    if (this.#isChecked) return
    const { client, data } = this.#settings
    const { workspace_id } = await client.call<Partial<Schemas["NewestCursor"]>>("getSyncCursor", {}, { signal })
    // Earlier servers do not return it.
    if (workspace_id !== undefined) data.bind(workspace_id)
    this.#isChecked = true
  }

  async #push(): Promise<void> {
    const { client, data, device, notify, store } = this.#settings
    const { signal } = this.#ending
    await this.#check(signal)
    if (data.isRestoring) await this.#pullAgain()
    const settings = { client, replica: data, device, cursor: () => data.cursor, signal }
    try {
      await pushAll(settings, data.edits, notify)
    } catch (error) {
      // Records from the time after the backup come before own edits, which would replace them.
      if (!isProblem(error, "cursor_expired") && !isProblem(error, "invalid_cursor")) throw error
      await this.#pullAgain()
      await pushAll(settings, data.edits, notify)
    }
    await uploadFiles({ client, state: data, store, trashed: this.#trashed, signal })
  }

  /** Pulls after a restore of the server, whose stream has ended or will end. */
  #pullAgain(): Promise<void> {
    this.#isLive = false
    return this.#pulling.run()
  }

  async #pull(): Promise<void> {
    // A stream sends all changes.
    if (this.#isLive) return
    await this.#endFollowing()
    try {
      await this.#check(this.#ending.signal)
      await this.#take(this.#ending.signal, true)
      this.#hasPulled = true
    } finally {
      if (this.#isStarted) {
        const ending = new AbortController()
        this.#following = { ending, ended: this.#followLive(ending.signal) }
      }
    }
  }

  /** Follows until the signal. A refusal of the server, such as of a credential, may end too. */
  async #followLive(signal: AbortSignal): Promise<void> {
    for (let millis = firstPause; !signal.aborted; millis = Math.min(longestPause, millis * 2)) {
      try {
        await this.#check(signal)
        await this.#take(signal, false)
      } catch (error) {
        if (!signal.aborted) this.#connected(error)
      }
      await pause(millis, signal)
    }
  }

  async #endFollowing(): Promise<void> {
    const following = this.#following
    following?.ending.abort()
    await following?.ended
    if (this.#following !== following) return
    this.#following = undefined
    this.#isLive = false
  }

  /** Notes that the stream is connected, or why it is not. */
  #connected(error: unknown): void {
    this.#isLive = error === undefined
    this.#hasPulled ||= this.#isLive
    if (isProblem(error, "no_response")) this.#reached(false)
    if (error === undefined) delete this.#failures.pull
    else this.#failures.pull = error
    this.#settings.notify([])
    if (!this.#isLive) return
    // Failures without a network, one for each edit, do not count any more.
    this.#failedPushes = 0
    this.pushSoon()
  }

  /** Takes all changes since the last ones, and follows unless `isOnce`. */
  async #take(signal: AbortSignal, isOnce: boolean): Promise<void> {
    const { client, data, device, notify } = this.#settings
    const onConnection = (error: unknown) => this.#connected(error)
    const options = { cursor: data.cursor, types: data.types, device, isOnce, onConnection, signal }
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
