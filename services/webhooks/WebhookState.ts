import { Latch } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { seqOfEvent } from "../writer/LogEntry.ts"
import type { Due, Endpoint, Tried } from "./Attempts.ts"
import { type PermitKey, permitKey } from "./Permits.ts"
import * as WebhookPhase from "./WebhookPhase.ts"

/** Maximum number of pending deliveries per webhook, first attempts and retries (contract 9). */
export const maxWaiting = 1_000
/** Maximum number of characters of their bodies. The last delivery may exceed it. */
const maxWaitingChars = 8 * 1024 * 1024
/** Milliseconds after which the response of an endpoint is slow. */
const slowAfter = 1_000
/** Maximum number of concurrent deliveries per webhook: `few` if its endpoint is slow or the last delivery failed. */
export const concurrency = { most: 8, few: 2 } as const
/** Milliseconds after which a delivery is stored without a result. Before, it is stored together with its result. */
const hiddenFor = 1_000
/** Number of log entries after which the position is stored, also without deliveries. */
const maxUnstored = 1_000
/** Results are stored together, after this number of results or of milliseconds. */
const settleCount = 100
const settleAfter = 100
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

/** The stored state of a webhook: its settings, and its queue. */
export interface Stored {
  readonly config: Config
  readonly position: number
  readonly head: number
  /** Number of pending deliveries, the characters of their bodies, and when the first of them is due. */
  readonly waiting: number
  readonly chars: number
  readonly due_at: number
  readonly failing_since: number
}

/** The webhooks of a workspace that this node holds, by id. */
export interface HookedWorkspace {
  readonly id: WorkspaceId
  /** See `ownerOf`. */
  readonly owner: string
  readonly hooks: Map<string, WebhookState>
}

const charsOf = (deliveries: ReadonlyArray<Due>): number => deliveries.reduce((sum, { body }) => sum + body.length, 0)

/** A webhook that this node holds: its phase, its place in the log, and its deliveries in memory. */
export class WebhookState {
  readonly workspace: HookedWorkspace
  readonly id: string
  /** When the hold expires unless it is renewed, in milliseconds since 1970. */
  held_until: number
  /** Whether the endpoint responded slowly, or nothing was sent yet. */
  isSlow: boolean
  /** Whether the last delivery failed, or none was sent yet. */
  isFailing = true
  phase: WebhookPhase.Phase = "stale"
  /** Open while its fiber has something to do. */
  readonly wake = Latch.makeUnsafe()
  /** Undefined if the webhook was deleted or not read yet. */
  config: Config | undefined
  /** Deliveries are made up to this seq; the position that is stored; the last known seq of the log. */
  position = 0
  stored = 0
  head = 0
  /** Number of deliveries that are made at a time. */
  ahead = fewest
  /** Whether few entries of the log page that was read last led to deliveries. */
  isSparse = false
  /** Number of pending deliveries, and the characters of their bodies. */
  waiting = 0
  #waitingChars = 0
  /** When the next delivery that is not in memory is due, and the first failure after the last success; or Infinity. */
  due_at = Infinity
  failing_since = Infinity
  /** Retries that are due: they are sent before first attempts. */
  due: Array<Due> = []
  /** First attempts, in the order of the log; and those of them that are not stored yet. */
  queue: Array<Due> = []
  #unstored: Array<Due> = []
  /** Deliveries that are being sent, and results that are not stored yet. */
  readonly running: Array<Due> = []
  results: Array<readonly [Due, Tried]> = []
  /** Number of stored results since old deliveries were deleted. */
  finished = 0
  /** The key of its permits while it has settings; and the one for which it waits. */
  key: PermitKey | undefined
  waitsFor: PermitKey | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(workspace: HookedWorkspace, id: string, held_until: number, isSlow: boolean) {
    this.workspace = workspace
    this.id = id
    this.held_until = held_until
    this.isSlow = isSlow
  }

  get workspace_id(): WorkspaceId {
    return this.workspace.id
  }

  get room(): number {
    return this.#waitingChars >= maxWaitingChars ? 0 : maxWaiting - this.waiting
  }

  /** Whether deliveries can be made from the log. */
  get isBehind(): boolean {
    return this.position < this.head && this.room > 0
  }

  /** Whether more deliveries must be made from the log while those in memory are sent. */
  get isToRefill(): boolean {
    return this.queue.length * 2 < this.ahead && this.isBehind
  }

  /** Whether a delivery in memory waits to be sent. */
  get hasNext(): boolean {
    return this.due.length > 0 || this.queue.length > 0
  }

  /** Whether no delivery is running or waiting in memory, and all results are stored. */
  get isIdle(): boolean {
    return !this.hasNext && this.running.length === 0 && this.results.length === 0
  }

  /** Whether its fiber reads, makes, sends or stores, or is about to. */
  get isBusy(): boolean {
    return this.phase !== "resting" || this.wake.isOpen() || !this.isIdle || this.isBehind
  }

  /** Whether results or deliveries should be stored now. */
  get isToSettle(): boolean {
    if (this.position - this.stored >= maxUnstored) return true
    if (this.results.length === 0 && this.#unstored.length === 0) return false
    return this.results.length >= settleCount || this.#timer === undefined || this.phase === "ending"
  }

  /** Whether retries are due that are not in memory. They are loaded before first attempts are sent. */
  isDueAgain(now: number): boolean {
    return this.due.length === 0 && this.due_at <= now
  }

  /** Whether it may send another delivery. */
  maySend(now: number): boolean {
    const isOn = this.phase === "sending" && now < (this.config?.ends_at ?? 0) && now < this.held_until
    const atOnce = this.isSlow || this.isFailing ? concurrency.few : concurrency.most
    return isOn && this.hasNext && this.running.length < atOnce && !this.isDueAgain(now)
  }

  /** Returns the next delivery to send. Only called if `maySend`. */
  next(): Due {
    const due = (this.due.shift() ?? this.queue.shift())!
    this.running.push(due)
    return due
  }

  apply(event: WebhookPhase.Event): void {
    this.phase = WebhookPhase.next(this.phase, event)
  }

  /** Applies an event of others than its fiber. */
  signal(event: "changed" | "end"): void {
    this.apply(event)
    this.wake.openUnsafe()
  }

  grown(seq: number): void {
    if (seq <= this.head) return
    this.head = seq
    // Otherwise each change would wake each webhook of the workspace, also those with enough deliveries in memory.
    if (this.isToRefill) this.wake.openUnsafe()
  }

  /** Completes a read. */
  read(stored: Stored | undefined): void {
    this.config = stored?.config
    this.apply(stored?.config.active === true ? "on" : "off")
    this.key = stored && permitKey(this.workspace.owner, this.workspace.id, stored.config.target)
    if (stored === undefined) return
    this.position = Math.max(this.position, stored.position)
    this.stored = stored.position
    this.head = Math.max(this.head, stored.head)
    this.waiting = stored.waiting + this.#unstored.length
    this.#waitingChars = stored.chars + charsOf(this.#unstored)
    this.due_at = stored.due_at
    this.failing_since = stored.failing_since
  }

  /** Adds deliveries that were made from the log up to a position. */
  made(deliveries: ReadonlyArray<Due>, position: number): void {
    this.position = Math.max(this.position, position)
    this.#unstored.push(...deliveries)
    this.queue.push(...deliveries)
    this.waiting += deliveries.length
    this.#waitingChars += charsOf(deliveries)
    this.#storeSoon()
  }

  /** Called when an attempt has ended, with its result if it could be made. The result is stored soon. */
  ended(due: Due, tried: Tried | undefined): void {
    this.running.splice(this.running.indexOf(due), 1)
    if (this.phase === "released") return
    if (tried === undefined) {
      this.wake.openUnsafe()
      return
    }
    this.results.push([due, tried])
    this.isFailing = tried.status !== "succeeded"
    this.isSlow = tried.latency_ms > slowAfter
    this.#storeSoon()
    if (this.isToSettle || this.isToRefill) this.wake.openUnsafe()
  }

  /**
   * Returns what must be stored now: results, and deliveries that were made before the last of them or have waited for
   * long; all deliveries if the webhook is idle. Undefined if there is nothing to store.
   */
  toStore(isIdle: boolean): Unstored | undefined {
    if (!isIdle) this.ahead = Math.min(most, Math.max(fewest, 2 * this.results.length))
    const results = this.results.splice(0)
    const came = new Set(results.map(([due]) => due))
    const long = performance.now() - hiddenFor
    const count = 1 + this.#unstored.findLastIndex((each) => isIdle || came.has(each) || each.readAt <= long)
    const made = this.#unstored.splice(0, count).filter((each) => !came.has(each))
    this.#storeSoon()
    // Results stay in the order in which attempts ended, because a failure counts from the last success.
    const deliveries = [...made.map((each) => [each, undefined] as const), ...results]
    const [first] = this.#unstored
    const position = first === undefined ? this.position : seqOfEvent(first.event_id) - 1
    const isMoved = position - this.stored >= (isIdle ? 1 : maxUnstored)
    return deliveries.length > 0 || isMoved ? { position, deliveries } : undefined
  }

  /** Completes a store. `failing_since` is undefined if nothing was stored, because another node holds the webhook. */
  settled({ deliveries, position }: Unstored, failing_since: number | undefined): void {
    if (failing_since === undefined) this.apply("end")
    else {
      this.stored = Math.max(this.stored, position)
      this.failing_since = failing_since
    }
    for (const [, tried] of deliveries) {
      if (tried !== undefined) this.finished++
      if (tried?.next === null) this.waiting--
      else if (tried !== undefined) this.due_at = Math.min(this.due_at, Date.parse(tried.next.next_attempt_at))
    }
    // The number is exact only after the webhook is read, and when nothing waits.
    if (this.waiting === 0) this.#waitingChars = 0
  }

  /** Wakes the webhook soon if something is not stored. */
  #storeSoon(): void {
    if (this.results.length === 0 && this.#unstored.length === 0) return
    this.#timer ??= setTimeout(() => this.storeNow(), settleAfter)
  }

  /** Stores now, instead of waiting for more results. */
  storeNow(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.wake.openUnsafe()
  }

  /** Drops deliveries, because no more attempts start. Those that are not stored are made from the log again. */
  drop(): void {
    this.due = []
    this.queue = []
  }

  /** Ends the hold. What is not stored is dropped: the next node that holds the webhook makes it again. */
  release(): void {
    this.apply("release")
    this.drop()
    this.waiting -= this.#unstored.length
    this.#waitingChars -= charsOf(this.#unstored)
    this.#unstored = []
    clearTimeout(this.#timer)
  }
}
