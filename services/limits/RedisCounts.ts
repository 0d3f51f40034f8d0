import { Redis } from "ioredis"
import type { Counted } from "./Windows.ts"

/** What is to be counted, and where its count goes: undefined when Redis is not there to count it. */
export interface Count {
  readonly key: string
  /** Milliseconds of its window. */
  readonly window: number
  readonly by: number
  /** Nothing is counted when the count before it is more than this. */
  readonly most?: number
  readonly resume: (counted: Counted | undefined) => void
}

/** Counts many keys at once; time is that of Redis, so that all nodes mean the same window. */
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

/** Longer than this nobody waits for Redis. */
const patience = 250
/** How often a Redis that is away is tried. */
const retry = 1000

interface Client extends Redis {
  readonly count: (keys: number, ...args: ReadonlyArray<string | number>) => Promise<ReadonlyArray<number>>
}

/**
 * Counts in Redis, all that comes in one turn of the event loop with one command. Once Redis was silent for too long or
 * has failed, nothing is asked of it until it has done a count of our own again, which is tried once a second.
 *
 * The times here are those of the outside world, not of `Clock`: how long a socket is silent.
 */
export class RedisCounts {
  private readonly client: Client
  private readonly onChange: (isUp: boolean, why: string) => void
  private queue: Array<Count> = []
  private readonly underway = new Set<ReadonlyArray<Count>>()
  private state: "starting" | "up" | "down" | "ended" = "starting"
  private lastError = "no answer"
  private isProbing = false
  private silences = 0
  private readonly timer: NodeJS.Timeout

  /** `onChange` is called with the first news whether Redis is there, and whenever that changes. */
  constructor(url: string, onChange: (isUp: boolean, why: string) => void) {
    this.onChange = onChange
    this.client = new Redis(url, {
      scripts: { count: { lua } },
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      connectTimeout: retry,
      retryStrategy: () => retry,
      connectionName: "sheaf"
    }) as Client
    this.client.on("error", (error: Error) => {
      this.lastError = error.message
    })
    this.client.on("ready", () => this.probe())
    this.client.on("close", () => this.lost())
    this.timer = setInterval(() => this.state !== "up" && this.reconnect(), retry).unref()
  }

  get isUp(): boolean {
    return this.state === "up"
  }

  /** Counts one after the other, and tells of them in their order. */
  add(...counts: ReadonlyArray<Count>): void {
    if (this.state !== "up") {
      for (const { resume } of counts) resume(undefined)
      return
    }
    if (this.queue.length === 0) setImmediate(() => this.send())
    this.queue.push(...counts)
  }

  end(): void {
    this.state = "ended"
    clearInterval(this.timer)
    this.abandon()
    this.client.disconnect()
  }

  private send(): void {
    const counts = this.queue
    if (counts.length === 0) return
    this.queue = []
    this.underway.add(counts)
    const args: Array<string | number> = []
    for (const { key } of counts) args.push(key)
    for (const { by, most, window } of counts) args.push(window, by, most ?? -1)
    // Where it was this process that was held up, the answer lies there already, and is read before that is called silence.
    const timeout = setTimeout(
      () =>
        setImmediate(() => {
          if (this.underway.has(counts)) this.lost(`no answer in ${patience} ms`)
        }),
      patience
    )
    this.client.count(counts.length, ...args).then(
      (results) => {
        clearTimeout(timeout)
        // Otherwise it came too late, and was counted here.
        if (!this.underway.delete(counts)) return
        for (const [index, { resume }] of counts.entries()) {
          resume({ count: results[2 * index]!, left: results[2 * index + 1]! })
        }
      },
      (error: Error) => {
        clearTimeout(timeout)
        if (this.underway.has(counts)) this.lost(error.message)
      }
    )
  }

  private lost(why?: string): void {
    if (this.state === "starting" || this.state === "up") {
      this.state = "down"
      this.onChange(false, why ?? this.lastError)
    }
    this.abandon()
  }

  /** Whoever waits goes on without Redis. */
  private abandon(): void {
    const waiting = [...this.underway].flat().concat(this.queue)
    this.underway.clear()
    this.queue = []
    for (const { resume } of waiting) resume(undefined)
  }

  private reconnect(): void {
    if (this.state === "starting") this.lost()
    if (this.client.status === "ready" && !this.isProbing) return this.probe()
    // Connected, and still silent: a new connection may come through where this one does not.
    const isSilent = this.isProbing || this.client.status === "connect"
    this.silences = isSilent ? this.silences + 1 : 0
    if (this.silences < 3) return
    this.silences = 0
    this.client.disconnect(true)
  }

  /** Does what a count does, so that it finds all that would hinder one: a replica, no memory, no rights. */
  private probe(): void {
    const began = performance.now()
    this.isProbing = true
    this.silences = 0
    this.client.count(1, `${prefix}probe`, retry, 1, -1).then(
      () => {
        this.isProbing = false
        if (performance.now() - began > patience || this.state === "up" || this.state === "ended") return
        this.state = "up"
        this.lastError = "the connection was closed"
        this.onChange(true, "")
      },
      (error: Error) => {
        this.isProbing = false
        this.lost(error.message)
      }
    )
  }
}

/** Before all keys of Sheaf. */
export const prefix = "sheaf:limit:"
