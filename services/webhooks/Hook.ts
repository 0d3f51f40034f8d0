import { type Fiber, Latch } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import type { Target } from "../outgoing/Outgoing.ts"
import type { Due, Endpoint, Tried } from "./Attempts.ts"
import type { Made } from "./DeliveryRows.ts"

/** At most so many deliveries of a webhook wait, made or to be tried again (contract 9), */
export const mostWaiting = 1_000
/** and so many characters of their bodies: one more is always taken. */
export const mostWaitingChars = 8 * 1024 * 1024
/** An endpoint that responds later than this is slow. */
export const slowAfter = 1_000
/** Deliveries of a webhook that are sent at a time: `few` where its endpoint is slow, or the last one failed. */
export const concurrency = { most: 8, few: 2 } as const
/**
 * Deliveries that are sent at a time, to fast endpoints and to slow ones: of all workspaces, of those of one owner, and of
 * one workspace to one origin, which may be the server of many others too.
 */
export const permits = {
  fast: { permits: 96, permitsPerGroup: 48, permitsPerKey: 8 },
  slow: { permits: 400, permitsPerGroup: 200, permitsPerKey: 6 }
} as const
/** Tests and retries that are sent at a time while their callers wait, counted in the same way. */
export const requested = { permits: 32, permitsPerGroup: 16, permitsPerKey: 2 } as const
/** What was made of the log is stored with what came of it, or when it has waited for so long; */
const hiddenFor = 1_000
/** that nothing was to be made of so many entries, when nothing else is to be stored. */
const mostUnstored = 1_000
/** Results are stored together: so many, or what came in so many milliseconds. */
export const settleCount = 100
export const settleAfter = 100
/** So many deliveries are made at a time: about as many as are sent until they would be stored as waiting. */
const fewest = 10
const most = 100
/** So many characters of bodies are made, or taken up, at a time: one more is always taken. */
export const takenChars = 256 * 1024

/** How a webhook is set up. */
export interface Config extends Endpoint {
  readonly active: boolean
  /** It ends then with a credential, in milliseconds; `Infinity` if with none. */
  readonly ends_at: number
  /** The types of event that it is told of, and of which resources. */
  readonly types: ReadonlySet<string>
  readonly resources: ReadonlySet<string>
}

/** What is to be stored of a webhook, up to a position in the log. */
export interface Unstored {
  readonly position: number
  readonly deliveries: ReadonlyArray<readonly [Due, Tried | undefined]>
}

/** The key by which deliveries share permits: an owner, and within it a workspace and the origin of a URL. */
export type PermitKey = readonly [owner: string, place: string]

export const permitKey = (owner: string, workspace_id: WorkspaceId, { origin }: Target): PermitKey => [
  owner,
  `${workspace_id} ${origin}`
]

/** The webhooks of a workspace that this node works on. */
export class HookedWorkspace {
  readonly id: WorkspaceId
  /** See `ownerOf`. */
  readonly owner: string
  readonly hooks = new Set<Hook>()

  constructor(id: WorkspaceId, owner: string) {
    this.id = id
    this.owner = owner
  }
}

/** A webhook that this node works on: it holds it alone, for as long as there is something to do. */
export class Hook {
  readonly workspace: HookedWorkspace
  readonly id: string
  readonly wake = Latch.makeUnsafe()
  /** Undefined once it is deleted, and before it was looked at. */
  config: Config | undefined
  /** The log has been made deliveries up to here, */
  position = 0
  /** this is stored up to here, */
  stored = 0
  /** and the log is known to reach to here. */
  head = 0
  /** What was made and is not stored yet, in the order of the log. */
  private unstored: Array<Made> = []
  /** Deliveries that are made at a time. */
  ahead = fewest
  /** Of the log it was told little, when last looked at. */
  isSparse = false
  /** It was changed, or its deliveries were: it is to be looked at again. */
  isStale = true
  /** Deliveries that wait, and the characters of their bodies. */
  waiting = 0
  waitingChars = 0
  /** When the next delivery is due that is not at hand; null when none is. */
  due_at: string | null = null
  failing_since: string | null = null
  /** Its last delivery failed, or none was sent yet. */
  isFailing = true
  /** Attempts that are due again: they are sent before first attempts. */
  due: Array<Due> = []
  /** First attempts, in the order of the log. */
  queue: Array<Due> = []
  /** Deliveries that are being sent: few. */
  readonly running: Array<Due> = []
  /** The key of the permit to send that it waits for. */
  waitsFor: PermitKey | undefined
  results: Array<readonly [Due, Tried]> = []
  finished = 0
  /** Nothing new is begun: the service ends, or the hold was lost. */
  isEnding = false
  fiber: Fiber.Fiber<void> | undefined
  private timer: NodeJS.Timeout | undefined

  /** The hold lapses then, in milliseconds, unless it is renewed. */
  held_until: number
  /** Its endpoint was slow to respond, or nothing was sent yet. */
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

  /** More is to be made of the log while what is at hand is sent. */
  get isToRefill(): boolean {
    return this.queue.length * 2 < this.ahead && this.isBehind && this.room > 0
  }

  /** Something is to be sent. */
  get hasNext(): boolean {
    return this.due.length > 0 || this.queue.length > 0
  }

  /** Nothing is sent or to be sent, and all results are stored. */
  get isIdle(): boolean {
    return !this.hasNext && this.running.length === 0 && this.results.length === 0
  }

  /** Attempts are due again that are not at hand: they are taken up before first ones are sent. */
  isDueAgain(now: number): boolean {
    return this.due.length === 0 && this.due_at !== null && Date.parse(this.due_at) <= now
  }

  /** Whether it may send one more. */
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

  /** What it sends next, where it may. */
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
    // While there is enough at hand, each change would wake each webhook of its workspace for nothing.
    if (this.isToRefill) this.wake.openUnsafe()
  }

  /** Deliveries were made of the log, up to a position. */
  made(deliveries: ReadonlyArray<Made>, position: number): void {
    this.position = Math.max(this.position, position)
    this.unstored.push(...deliveries)
    this.queue.push(...deliveries)
    this.waiting += deliveries.length
    for (const { body } of deliveries) this.waitingChars += body.length
    this.storeSoon()
  }

  /** So many wait that are stored. */
  waits(count: number, chars: number): void {
    this.waiting = count + this.unstored.length
    this.waitingChars = this.unstored.reduce((sum, { body }) => sum + body.length, chars)
  }

  /**
   * What is to be stored now: what came of tries, and whatever was made until the last of them or has waited for long; all
   * there is when nothing is to be sent. Undefined when nothing is.
   */
  toStore(isIdle = false): Unstored | undefined {
    if (!isIdle) this.ahead = Math.min(most, Math.max(fewest, 2 * this.results.length))
    const results = this.results.splice(0)
    const came = new Set(results.map(([due]) => due))
    const long = performance.now() - hiddenFor
    const count = 1 + this.unstored.findLastIndex((each) => isIdle || came.has(each) || each.madeAt <= long)
    const made = this.unstored.splice(0, count).filter((each) => !came.has(each))
    // Results in the order in which they ended: a failure after a success counts from then.
    const deliveries = [...made.map((each) => [each, undefined] as const), ...results]
    const position = this.unstored.length === 0 ? this.position : this.unstored[0]!.seq - 1
    const isMoved = position - this.stored >= (isIdle ? 1 : mostUnstored)
    return deliveries.length > 0 || isMoved ? { position, deliveries } : undefined
  }

  /** What was made and is not stored is made again by whoever holds it next. */
  drop(): void {
    this.waiting -= this.unstored.length
    for (const { body } of this.unstored) this.waitingChars -= body.length
    this.unstored = []
  }

  /** Has what is not stored looked at again. */
  storeSoon(): void {
    if (this.results.length === 0 && this.unstored.length === 0) return
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.wake.openUnsafe()
    }, settleAfter)
  }

  /** A try has ended. What came of it is stored soon. */
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

  /** Whether it is time to store what is to be stored. */
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
