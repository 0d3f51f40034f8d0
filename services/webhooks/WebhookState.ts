import { type Fiber, Latch } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import type { Target } from "../outgoing/Outgoing.ts"
import type { Due, Endpoint, Tried } from "./Attempts.ts"
import type { Made } from "./DeliveryRows.ts"

/** Maximum number of pending deliveries per webhook, first attempts and retries (contract 9). */
export const mostWaiting = 1_000
/** Maximum number of characters of their bodies. The last delivery may exceed it. */
export const mostWaitingChars = 8 * 1024 * 1024
/** Milliseconds after which the response of an endpoint is slow. */
export const slowAfter = 1_000
/** Maximum number of concurrent deliveries per webhook: `few` if its endpoint is slow or the last delivery failed. */
export const concurrency = { most: 8, few: 2 } as const
/**
 * Maximum number of concurrent deliveries to fast and to slow endpoints: in total, per owner, and per workspace and
 * origin, which many workspaces may share.
 */
export const permits = {
  fast: { permits: 96, permitsPerGroup: 48, permitsPerKey: 8 },
  slow: { permits: 400, permitsPerGroup: 200, permitsPerKey: 6 }
} as const
/** The same for tests and retries whose callers wait. */
export const requested = { permits: 32, permitsPerGroup: 16, permitsPerKey: 2 } as const
/** Milliseconds after which a delivery is stored without a result. Before, it is stored together with its result. */
const hiddenFor = 1_000
/** Number of log entries after which the position is stored, also without deliveries. */
const mostUnstored = 1_000
/** Results are stored together, after this number of results or of milliseconds. */
export const settleCount = 100
export const settleAfter = 100
/** Bounds of the number of deliveries made at a time: about as many as are sent before they are stored as pending. */
const fewest = 10
const most = 100
/** Maximum number of characters of bodies that are made or loaded at a time. The first delivery may exceed it. */
export const takenChars = 256 * 1024

/** The settings of a webhook. */
export interface Config extends Endpoint {
  readonly active: boolean
  /** When it ends with a credential, in milliseconds since 1970; `Infinity` if it does not. */
  readonly ends_at: number
  /** The event types that it receives, and the resources whose events it may receive. */
  readonly types: ReadonlySet<string>
  readonly resources: ReadonlySet<string>
}

/** The deliveries of a webhook that are to be stored, with its new position in the log. */
export interface Unstored {
  readonly position: number
  readonly deliveries: ReadonlyArray<readonly [Due, Tried | undefined]>
}

/** The key by which deliveries share permits: an owner, then a workspace and the origin of a URL. */
export type PermitKey = readonly [owner: string, place: string]

export const permitKey = (owner: string, workspace_id: WorkspaceId, { origin }: Target): PermitKey => [
  owner,
  `${workspace_id} ${origin}`
]

/** The webhooks of a workspace that this node processes. */
export class HookedWorkspace {
  readonly id: WorkspaceId
  /** See `ownerOf`. */
  readonly owner: string
  readonly hooks = new Set<WebhookState>()

  constructor(id: WorkspaceId, owner: string) {
    this.id = id
    this.owner = owner
  }
}

/** A webhook that this node processes. No other node holds it while there is work. */
export class WebhookState {
  readonly workspace: HookedWorkspace
  readonly id: string
  readonly wake = Latch.makeUnsafe()
  /** Undefined if the webhook was deleted or not read yet. */
  config: Config | undefined
  /** Deliveries are made up to this seq. */
  position = 0
  /** The position that is stored. */
  stored = 0
  /** The last known seq of the log. */
  head = 0
  /** Deliveries that are not stored yet, in the order of the log. */
  private unstored: Array<Made> = []
  /** Number of deliveries that are made at a time. */
  ahead = fewest
  /** Whether few entries of the log page that was read last led to deliveries. */
  isSparse = false
  /** Whether the webhook or its deliveries were changed, so that it must be read again. */
  isStale = true
  /** Number of pending deliveries, and the characters of their bodies. */
  waiting = 0
  waitingChars = 0
  /** When the next delivery that is not in memory is due; null if there is none. */
  due_at: string | null = null
  failing_since: string | null = null
  /** Whether the last delivery failed, or none was sent yet. */
  isFailing = true
  /** Retries that are due: they are sent before first attempts. */
  due: Array<Due> = []
  /** First attempts, in the order of the log. */
  queue: Array<Due> = []
  /** Deliveries that are being sent. */
  readonly running: Array<Due> = []
  /** The key of the permit that it waits for. */
  waitsFor: PermitKey | undefined
  results: Array<readonly [Due, Tried]> = []
  /** Whether its fiber waits for work, instead of reading or writing. */
  isWaiting = false
  finished = 0
  /** Whether no more attempts start, because the service stops or the hold was lost. */
  isEnding = false
  fiber: Fiber.Fiber<void> | undefined
  private timer: NodeJS.Timeout | undefined

  /** When the hold expires unless it is renewed, in milliseconds since 1970. */
  held_until: number
  /** Whether the endpoint responded slowly, or nothing was sent yet. */
  isSlow: boolean

  constructor(workspace: HookedWorkspace, id: string, held_until: number, isSlow: boolean) {
    this.workspace = workspace
    this.id = id
    this.held_until = held_until
    this.isSlow = isSlow
  }

  get workspace_id(): WorkspaceId {
    return this.workspace.id
  }

  get key(): string {
    return keyOf(this.workspace_id, this.id)
  }

  get room(): number {
    return this.waitingChars >= mostWaitingChars ? 0 : mostWaiting - this.waiting
  }

  get isBehind(): boolean {
    return this.position < this.head
  }

  /** Whether more deliveries must be made from the log while those in memory are sent. */
  get isToRefill(): boolean {
    return this.queue.length * 2 < this.ahead && this.isBehind && this.room > 0
  }

  /** Whether a delivery in memory waits to be sent. */
  get hasNext(): boolean {
    return this.due.length > 0 || this.queue.length > 0
  }

  /** Whether no delivery is running or waiting in memory, and all results are stored. */
  get isIdle(): boolean {
    return !this.hasNext && this.running.length === 0 && this.results.length === 0
  }

  /** Whether retries are due that are not in memory. They are loaded before first attempts are sent. */
  isDueAgain(now: number): boolean {
    return this.due.length === 0 && this.due_at !== null && Date.parse(this.due_at) <= now
  }

  /** Whether it may send another delivery. */
  maySend(now: number): boolean {
    if (this.isDueAgain(now)) return false
    const isOn =
      this.config?.active === true &&
      now < this.config.ends_at &&
      !this.isStale &&
      !this.isEnding &&
      now < this.held_until
    const atOnce = this.isSlow || this.isFailing ? concurrency.few : concurrency.most
    return isOn && this.hasNext && this.running.length < atOnce
  }

  /** Returns the next delivery to send. Only called if `maySend`. */
  next(): Due {
    const due = (this.due.shift() ?? this.queue.shift())!
    this.running.push(due)
    return due
  }

  look(): void {
    this.isStale = true
    this.wake.openUnsafe()
  }

  grown(seq: number): void {
    if (seq <= this.head) return
    this.head = seq
    // Otherwise each change would wake each webhook of the workspace, also those with enough deliveries in memory.
    if (this.isToRefill) this.wake.openUnsafe()
  }

  /** Adds deliveries that were made from the log up to a position. */
  made(deliveries: ReadonlyArray<Made>, position: number): void {
    this.position = Math.max(this.position, position)
    this.unstored.push(...deliveries)
    this.queue.push(...deliveries)
    this.waiting += deliveries.length
    for (const { body } of deliveries) this.waitingChars += body.length
    this.storeSoon()
  }

  /** Sets the number of stored pending deliveries and of the characters of their bodies. */
  waits(count: number, chars: number): void {
    this.waiting = count + this.unstored.length
    this.waitingChars = this.unstored.reduce((sum, { body }) => sum + body.length, chars)
  }

  /**
   * Returns what must be stored now: results, and deliveries that were made before the last of them or have waited for
   * long; all deliveries if the webhook is idle. Undefined if there is nothing to store.
   */
  toStore(isIdle = false): Unstored | undefined {
    if (!isIdle) this.ahead = Math.min(most, Math.max(fewest, 2 * this.results.length))
    const results = this.results.splice(0)
    const came = new Set(results.map(([due]) => due))
    const long = performance.now() - hiddenFor
    const count = 1 + this.unstored.findLastIndex((each) => isIdle || came.has(each) || each.madeAt <= long)
    const made = this.unstored.splice(0, count).filter((each) => !came.has(each))
    // Results stay in the order in which attempts ended, because a failure counts from the last success.
    const deliveries = [...made.map((each) => [each, undefined] as const), ...results]
    const position = this.unstored.length === 0 ? this.position : this.unstored[0]!.seq - 1
    const isMoved = position - this.stored >= (isIdle ? 1 : mostUnstored)
    return deliveries.length > 0 || isMoved ? { position, deliveries } : undefined
  }

  /** Drops deliveries that are not stored. The next node that holds the webhook makes them again. */
  drop(): void {
    this.waiting -= this.unstored.length
    for (const { body } of this.unstored) this.waitingChars -= body.length
    this.unstored = []
  }

  /** Wakes the webhook soon if something is not stored. */
  storeSoon(): void {
    if (this.results.length === 0 && this.unstored.length === 0) return
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.wake.openUnsafe()
    }, settleAfter)
  }

  /** Whether it is read, or sends, stores or makes deliveries, or is about to. */
  get isBusy(): boolean {
    return !this.isWaiting || this.wake.isOpen() || !this.isIdle || (this.isBehind && this.room > 0)
  }

  /** Stores results now, instead of waiting for more. */
  settleSoon(): void {
    if (this.results.length === 0) return
    this.close()
    this.wake.openUnsafe()
  }

  /** Called when an attempt has ended. Its result is stored soon. */
  ended(due: Due, tried: Tried | undefined): void {
    this.running.splice(this.running.indexOf(due), 1)
    if (tried === undefined) {
      this.wake.openUnsafe()
      return
    }
    this.results.push([due, tried])
    this.isFailing = tried.status !== "succeeded"
    this.isSlow = tried.latency_ms > slowAfter
    this.storeSoon()
    if (this.isToSettle || this.isToRefill) this.wake.openUnsafe()
  }

  /** Whether results or deliveries should be stored now. */
  get isToSettle(): boolean {
    if (this.position - this.stored >= mostUnstored) return true
    if (this.results.length === 0 && this.unstored.length === 0) return false
    return this.results.length >= settleCount || this.timer === undefined || this.isEnding
  }

  close(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }
}

export const keyOf = (workspace_id: string, id: string): string => `${workspace_id} ${id}`
