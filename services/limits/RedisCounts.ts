import { Redis } from "ioredis"
import type { Counted } from "./Windows.ts"

/** A change of a count. `resume` gets the new count, or undefined when Redis does not count it. */
export interface Count {
  readonly key: string
  /** Milliseconds of the window. */
  readonly window: number
  readonly by: number
  /** Nothing is counted when the preceding count exceeds this. */
  readonly most?: number
  readonly resume: (counted: Counted | undefined) => void
}

/** Counts many keys at once. Redis gives the time, so that all nodes use the same windows. */
const lua = `
local results = {}
for i, key in ipairs(KEYS) do
  local window, by, most = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  if most >= 0 and results[2 * i - 3] > most then by = 0 end
  local left = redis.call("PTTL", key)
  local count
  if left > 0 then
    count = redis.call("INCRBY", key, by)
  else
    count = math.max(by, 0)
    left = window
    if by > 0 then redis.call("SET", key, by, "PX", window) end
  end
  results[2 * i - 1] = count
  results[2 * i] = left
end
return results`

/** Maximum milliseconds that a count waits for Redis. */
const replyTimeout = 250
/** Milliseconds between two attempts to connect to Redis. */
const retry = 1000

interface Client extends Redis {
  readonly count: (keys: number, ...args: ReadonlyArray<string | number>) => Promise<ReadonlyArray<number>>
}

/**
 * Counts in Redis, with one command for all counts of one turn of the event loop. After Redis has been silent for too
 * long or has failed, it gets no counts until a test count succeeds, which is tried once a second.
 *
 * The times here are real time, not that of `Clock`: how long a socket is silent.
 */
export class RedisCounts {
  readonly #client: Client
  readonly #onChange: (isUp: boolean, why: string) => void
  #queue: Array<Count> = []
  readonly #underway = new Set<ReadonlyArray<Count>>()
  #state: "starting" | "up" | "down" | "ended" = "starting"
  #lastError = "no reply"
  #isProbing = false
  #silences = 0
  readonly #timer: NodeJS.Timeout

  /** `onChange` is called when it is first known whether Redis is up, and whenever that changes. */
  constructor(url: string, onChange: (isUp: boolean, why: string) => void) {
    this.#onChange = onChange
    this.#client = new Redis(url, {
      scripts: { count: { lua } },
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      connectTimeout: retry,
      retryStrategy: () => retry,
      connectionName: "sheaf"
    }) as Client
    this.#client.on("error", (error: Error) => {
      this.#lastError = error.message
    })
    this.#client.on("ready", () => this.#probe())
    this.#client.on("close", () => this.#lost())
    this.#timer = setInterval(() => this.#state !== "up" && this.#reconnect(), retry).unref()
  }

  get isUp(): boolean {
    return this.#state === "up"
  }

  /** Counts one after the other, and calls `resume` in the same order. */
  add(...counts: ReadonlyArray<Count>): void {
    if (this.#state !== "up") {
      for (const { resume } of counts) resume(undefined)
      return
    }
    if (this.#queue.length === 0) setImmediate(() => this.#send())
    this.#queue.push(...counts)
  }

  end(): void {
    this.#state = "ended"
    clearInterval(this.#timer)
    this.#abandon()
    this.#client.disconnect()
  }

  #send(): void {
    const counts = this.#queue
    if (counts.length === 0) return
    this.#queue = []
    this.#underway.add(counts)
    const args: Array<string | number> = []
    for (const { key } of counts) args.push(key)
    for (const { by, most, window } of counts) args.push(window, by, most ?? -1)
    // When this process was busy, the reply may have arrived already: it is read before the timeout counts.
    const timeout = setTimeout(
      () =>
        setImmediate(() => {
          if (this.#underway.has(counts)) this.#lost(`no reply in ${replyTimeout} ms`)
        }),
      replyTimeout
    )
    this.#client.count(counts.length, ...args).then(
      (results) => {
        clearTimeout(timeout)
        // Otherwise the reply is late, and this process has counted.
        if (!this.#underway.delete(counts)) return
        for (const [index, { resume }] of counts.entries()) {
          resume({ count: results[2 * index]!, left: results[2 * index + 1]! })
        }
      },
      (error: Error) => {
        clearTimeout(timeout)
        if (this.#underway.has(counts)) this.#lost(error.message)
      }
    )
  }

  #lost(why?: string): void {
    if (this.#state === "starting" || this.#state === "up") {
      this.#state = "down"
      this.#onChange(false, why ?? this.#lastError)
    }
    this.#abandon()
  }

  /** Waiting counts continue without Redis. */
  #abandon(): void {
    const waiting = [...this.#underway].flat().concat(this.#queue)
    this.#underway.clear()
    this.#queue = []
    for (const { resume } of waiting) resume(undefined)
  }

  #reconnect(): void {
    if (this.#state === "starting") this.#lost()
    if (this.#client.status === "ready" && !this.#isProbing) return this.#probe()
    // Connected, but still silent: a new connection may work where this one does not.
    const isSilent = this.#isProbing || this.#client.status === "connect"
    this.#silences = isSilent ? this.#silences + 1 : 0
    if (this.#silences < 3) return
    this.#silences = 0
    this.#client.disconnect(true)
  }

  /** Counts a separate key, which fails for the same reasons as any count: a replica, no memory, no rights. */
  #probe(): void {
    const began = performance.now()
    this.#isProbing = true
    this.#silences = 0
    this.#client.count(1, `${prefix}probe`, retry, 1, -1).then(
      () => {
        this.#isProbing = false
        if (performance.now() - began > replyTimeout || this.#state === "up" || this.#state === "ended") return
        this.#state = "up"
        this.#lastError = "the connection was closed"
        this.#onChange(true, "")
      },
      (error: Error) => {
        this.#isProbing = false
        this.#lost(error.message)
      }
    )
  }
}

/** The prefix of all keys of Sheaf. */
export const prefix = "sheaf:limit:"
