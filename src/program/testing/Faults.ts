import { Random } from "./Random.ts"
import { record } from "./Recording.ts"

/** Maximum milliseconds of the fault `latency`. */
const maxLatency = 100
/** Maximum number of chunks after which a stream is cut. */
const maxChunks = 10

/** Kinds of failures, each with its chance from 0 to 1. Requests to `/v2`, `/oauth` and `/mcp` are affected, and requests of webhooks. */
export interface FaultPlan {
  /** The same seed and the same order of requests give the same faults. */
  readonly seed: number
  /** A request waits, in real time, before it is processed: 100 ms at most. */
  readonly latency: number
  /** A request is refused before it changes anything: 503 with `Retry-After: 1`. */
  readonly unavailable: number
  /** A request is processed, and its connection closed instead of the response. */
  readonly lostResponses: number
  /** A live stream is cut after one of its first ten chunks. */
  readonly cutStreams: number
  /** A webhook request is sent twice. */
  readonly doubledDeliveries: number
  /** A webhook request fails with 503, and does not reach its receiver. */
  readonly failedDeliveries: number
}

export type FaultName = Exclude<keyof FaultPlan, "seed">

/** A fault that has happened. */
export interface HappenedFault {
  readonly fault: FaultName
  /** The method and path of the request, or the URL of the webhook. */
  readonly request: string
}

const none: FaultPlan = {
  seed: 1,
  latency: 0,
  unavailable: 0,
  lostResponses: 0,
  cutStreams: 0,
  doubledDeliveries: 0,
  failedDeliveries: 0
}

export const faultNames = Object.keys(none).filter((name): name is FaultName => name !== "seed")

/** Faults by chance. At first there are none. */
export class Faults {
  #plan = none
  #random = new Random(none.seed)
  /** Those that have happened, oldest first. */
  readonly happened: Array<HappenedFault> = []

  /** Replaces all faults: those that are not named do not happen. Throws a RangeError for a chance that is none. */
  set(plan: Partial<FaultPlan>): void {
    for (const [name, value] of Object.entries(plan)) {
      if (!Object.hasOwn(none, name)) throw new RangeError(`there is no fault ${name}: use ${faultNames.join(", ")}`)
      if (name === "seed" ? !Number.isInteger(value) : !(typeof value === "number" && value >= 0 && value <= 1)) {
        throw new RangeError(name === "seed" ? "seed must be a whole number" : `${name} must be a chance from 0 to 1`)
      }
    }
    this.#plan = { ...none, ...plan }
    this.#random = new Random(this.#plan.seed)
  }

  clear(): void {
    this.set({})
  }

  /** Returns a function that makes the faults what they are now. */
  save(): () => void {
    const [plan, random, happened] = [this.#plan, this.#random.copy(), [...this.happened]]
    return () => {
      this.#plan = plan
      this.#random = random.copy()
      this.happened.splice(0, this.happened.length, ...happened)
    }
  }

  get current(): FaultPlan {
    return this.#plan
  }

  /** Whether a fault happens to a request. */
  #happens(fault: FaultName, request: string): boolean {
    // No number is drawn for a fault that is not set, so that each fault has its own order.
    if (this.#plan[fault] === 0 || !this.#random.chance(this.#plan[fault])) return false
    record(this.happened, { fault, request })
    return true
  }

  ofDelivery(url: string): "failed" | "doubled" | undefined {
    if (this.#happens("failedDeliveries", url)) return "failed"
    return this.#happens("doubledDeliveries", url) ? "doubled" : undefined
  }

  /** The faults of a request to the API. */
  ofRequest(request: string) {
    const latency = this.#happens("latency", request) ? this.#random.between(1, maxLatency) : 0
    const isUnavailable = this.#happens("unavailable", request)
    return {
      /** Milliseconds. */
      latency,
      isUnavailable,
      isLost: !isUnavailable && this.#happens("lostResponses", request)
    }
  }

  /** The number of chunks of a stream that are sent before it is cut. */
  ofStream(request: string): number {
    return this.#happens("cutStreams", request) ? this.#random.between(1, maxChunks) : Infinity
  }
}
