/** A parser of server-sent events, and a listener that records the changes that it receives. */
import { setTimeout as sleep } from "node:timers/promises"
import { type ChangeEntry, type Client, DemoError } from "./client.ts"

export interface ServerSentEvent {
  readonly event: string
  readonly data: string
  readonly id: string | undefined
}

/** The event-stream parser of the HTML standard, fed with pieces of text as they arrive. */
export class EventParser {
  lastEventId: string | undefined
  retry = 3000
  #rest = ""
  #started = false
  #event = ""
  #data: string[] = []
  #id: string | undefined

  feed(text: string): ServerSentEvent[] {
    this.#rest += text
    if (!this.#started && this.#rest !== "") {
      this.#started = true
      this.#rest = this.#rest.replace(/^\uFEFF/, "")
    }
    const events: ServerSentEvent[] = []
    // A CR at the very end may be the first half of CRLF, so it stays in the rest.
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ""
    for (const line of lines) {
      if (line !== "") this.#field(line)
      else {
        this.lastEventId = this.#id ?? this.lastEventId
        if (this.#data.length > 0) {
          events.push({
            event: this.#event || "message",
            data: this.#data.join("\n"),
            id: this.#id
          })
        }
        this.#event = ""
        this.#data = []
        this.#id = undefined
      }
    }
    return events
  }

  /** Discards an incomplete event after the connection has ended. */
  reset(): void {
    this.#rest = ""
    this.#started = false
    this.#event = ""
    this.#data = []
    this.#id = undefined
  }

  #field(line: string): void {
    const colon = line.indexOf(":")
    if (colon === 0) return // a comment: the server's ping
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (name === "event") this.#event = value
    else if (name === "data") this.#data.push(value)
    else if (name === "id" && !value.includes("\0")) this.#id = value
    else if (name === "retry" && /^\d+$/.test(value)) this.retry = Number(value)
  }
}

export const changeKey = (id: string, revision: number): string => `${id}@${revision}`

export class Listener {
  /** Keys of the watched changes in the order of arrival. */
  readonly seen: string[] = []
  /** The arrival of each, by `performance.now()`. */
  readonly times = new Map<string, number>()
  readonly problems: string[] = []
  others = 0
  reconnects = 0
  failure: Error | undefined
  #ready = false
  readonly #client: Client
  readonly #cursor: string
  readonly #watched: ReadonlySet<string>
  readonly #parser = new EventParser()
  readonly #revisions = new Map<string, number>()
  readonly #ids = new Set<string>()
  readonly #abort = new AbortController()

  constructor(client: Client, cursor: string, watched: ReadonlySet<string>) {
    this.#client = client
    this.#cursor = cursor
    this.#watched = watched
  }

  /** Returns when the server has sent `ready`: changes that are pushed from then on must arrive. */
  async open(): Promise<void> {
    const first = await this.#client.stream(this.#cursor, undefined, this.#abort.signal)
    void this.#run(first).catch((error: Error) => {
      if (!this.#abort.signal.aborted) this.failure = error
    })
    const deadline = performance.now() + 10_000
    while (!this.#ready && this.failure === undefined && performance.now() < deadline) await sleep(5)
    if (this.failure !== undefined) throw this.failure
    if (!this.#ready) throw new DemoError("GET /sync/stream sent no `ready` event within 10 s")
  }

  close(): void {
    this.#abort.abort()
  }

  /** Waits for these changes; returns those that did not arrive in time. */
  async until(keys: readonly string[], milliseconds: number): Promise<string[]> {
    const deadline = performance.now() + milliseconds
    let missing = keys.filter((key) => !this.times.has(key))
    while (missing.length > 0 && this.failure === undefined && performance.now() < deadline) {
      await sleep(10)
      missing = missing.filter((key) => !this.times.has(key))
    }
    return missing
  }

  async #run(first: Response): Promise<void> {
    let response = first
    for (;;) {
      await this.#read(response)
      if (this.#abort.signal.aborted) return
      this.reconnects += 1
      if (this.reconnects > 5) throw new DemoError("the stream ended more than five times")
      this.#parser.reset()
      await sleep(this.#parser.retry)
      response = await this.#client.stream(this.#cursor, this.#parser.lastEventId, this.#abort.signal)
    }
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder()
    const pieces = response.body?.getReader()
    for (;;) {
      const piece = await pieces?.read().catch(() => undefined) // a broken connection: resume
      if (piece?.value === undefined) return
      for (const event of this.#parser.feed(decoder.decode(piece.value, { stream: true }))) this.#take(event)
    }
  }

  #take({ event, data, id }: ServerSentEvent): void {
    if (event === "ready") this.#ready = true
    if (event !== "change") return
    const entry = JSON.parse(data) as ChangeEntry
    if (!this.#watched.has(entry.id)) {
      this.others += 1
      return
    }
    const key = changeKey(entry.id, entry.revision)
    const before = this.#revisions.get(entry.id) ?? 0
    if (this.times.has(key)) this.problems.push(`${key} arrived twice`)
    else if (entry.revision <= before) this.problems.push(`${key} arrived after revision ${before}`)
    if (id === undefined || id === "") this.problems.push(`${key} has no event id to resume from`)
    else if (this.#ids.has(id)) this.problems.push(`${key} has the event id of an earlier change`)
    if (id !== undefined) this.#ids.add(id)
    this.#revisions.set(entry.id, Math.max(before, entry.revision))
    this.times.set(key, this.times.get(key) ?? performance.now())
    this.seen.push(key)
  }
}
