import { network } from "../client/Aborting.ts"
import type { Client } from "../client/Client.ts"
import { follow } from "../client/Follow.ts"
import type { Schemas } from "../client/Types.ts"
import { uploadFiles } from "./FileTransfer.ts"
import { pushAll } from "./PushRun.ts"
import { SharedRun } from "./SharedRun.ts"
import { StoreError, type SyncStore } from "./SyncStore.ts"
import type { SyncState } from "./SyncState.ts"

/** Milliseconds before a failed push is repeated, doubled with each failure in a row. */
const firstPause = 1_000
const longestPause = 60_000

interface Settings {
  readonly client: Client
  readonly data: SyncState
  readonly device: Schemas["DeviceInput"]
  readonly store: SyncStore
  readonly notify: (ids: ReadonlyArray<string>) => void
}

/** The exchange of changes with the server: when the app asks for it, and live. */
export class SyncConnection {
  private readonly settings: Settings
  private readonly pushing = new SharedRun(() => this.watched(() => this.push()))
  private readonly pulling = new SharedRun(() => this.watched(() => this.pull()))
  private running = 0
  private isLive = false
  private isStarted = false
  private failure: unknown
  private storeFailure: unknown
  /** Ends all requests. */
  private ending = new AbortController()
  private following: { readonly ending: AbortController; readonly ended: Promise<void> } | undefined
  private repetition: ReturnType<typeof setTimeout> | undefined
  private failedPushes = 0
  /** `state` shows why a sync fails. */
  private readonly online = () => void this.sync().catch(() => {})

  constructor(settings: Settings) {
    this.settings = settings
  }

  get status(): "offline" | "syncing" | "live" {
    return this.isLive ? "live" : this.running > 0 ? "syncing" : "offline"
  }

  get error(): unknown {
    return this.storeFailure ?? this.failure
  }

  async sync(): Promise<void> {
    await this.pushing.run()
    await this.pulling.run()
  }

  start(): void {
    this.isStarted = true
    network?.addEventListener("online", this.online)
    this.pushSoon()
    // `state` shows the failure, and following repeats the pull.
    this.pulling.run().catch(() => {})
  }

  async stop(): Promise<void> {
    this.isStarted = false
    network?.removeEventListener("online", this.online)
    clearTimeout(this.repetition)
    this.ending.abort(new DOMException("The sync was stopped", "AbortError"))
    await this.endFollowing()
    await Promise.all([this.pushing.ended(), this.pulling.ended()])
    this.ending = new AbortController()
  }

  /** Pushes what waits, and repeats that until it succeeds. */
  pushSoon(): void {
    if (!this.isStarted) return
    clearTimeout(this.repetition)
    this.pushing.run().then(
      () => {
        this.failedPushes = 0
      },
      () => {
        if (!this.isStarted) return
        // Clients that failed together do not come back together.
        const pause = Math.min(longestPause, firstPause * 2 ** this.failedPushes++) * (0.5 + Math.random() / 2)
        clearTimeout(this.repetition)
        this.repetition = setTimeout(() => this.pushSoon(), pause)
      }
    )
  }

  /** Stores what is only in memory. */
  async flush(): Promise<void> {
    try {
      await this.settings.data.save()
      this.storeFailure = undefined
    } catch (error) {
      this.storeFailure = error
      this.settings.notify([])
      throw error
    }
  }

  /** Runs a part of a sync, and shows in `state` that it runs and how it ended. */
  private async watched(task: () => Promise<void>): Promise<void> {
    this.running++
    this.settings.notify([])
    try {
      await task()
      this.failure = undefined
      this.storeFailure = undefined
    } catch (error) {
      if (error instanceof StoreError) this.storeFailure = error
      else if (!this.ending.signal.aborted) this.failure = error
      throw error
    } finally {
      this.running--
      this.settings.notify([])
    }
  }

  private async push(): Promise<void> {
    const { client, data, device, notify, store } = this.settings
    const { signal } = this.ending
    await pushAll({ client, replica: data, device, signal }, data.edits, notify)
    await uploadFiles({ client, state: data, store, signal })
  }

  private async pull(): Promise<void> {
    // A stream sends all changes.
    if (this.isLive) return
    await this.endFollowing()
    try {
      await this.take(this.ending.signal, true)
    } finally {
      if (this.isStarted) {
        const ending = new AbortController()
        this.following = { ending, ended: this.followLive(ending.signal) }
      }
    }
  }

  private async followLive(signal: AbortSignal): Promise<void> {
    try {
      await this.take(signal, false)
    } catch (error) {
      if (!signal.aborted) this.connected(error)
    }
  }

  private async endFollowing(): Promise<void> {
    this.following?.ending.abort()
    await this.following?.ended
    this.following = undefined
    this.isLive = false
  }

  /** Notes that the stream is connected, or why it is not. */
  private connected(error: unknown): void {
    this.isLive = error === undefined
    this.failure = error
    this.settings.notify([])
    if (this.isLive) this.pushSoon()
  }

  /** Takes all changes since the last ones, and follows unless `isOnce`. */
  private async take(signal: AbortSignal, isOnce: boolean): Promise<void> {
    const { client, data, device, notify } = this.settings
    const onConnection = (error: unknown) => this.connected(error)
    for await (const batch of follow(client, {
      cursor: data.cursor,
      types: data.types,
      device,
      isOnce,
      onConnection,
      signal
    })) {
      notify(data.follow(batch))
      await this.flush().catch((error: unknown) => {
        // A live state that cannot be stored is in memory: it is stored with the next change.
        if (isOnce) throw error
      })
    }
    signal.throwIfAborted()
  }
}
