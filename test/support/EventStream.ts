import { type ClientRequest, type IncomingMessage, request } from "node:http"
import { contract } from "./Contract.ts"
import type { TestApp } from "./TestApp.ts"

export interface StreamEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: any
}

/**
 * Waits for a promise while the clocks of the Apps advance by 100 ms per round trip to the database. Events whose
 * notification was missed arrive when the log is polled, by the clock.
 */
export const meanwhile = async <A>(apps: ReadonlyArray<TestApp>, awaited: Promise<A>): Promise<A> => {
  let isOver = false
  const over = () => void (isOver = true)
  awaited.then(over, over)
  while (!isOver) {
    for (const app of apps) {
      await app.advance("100 millis")
      await app.sql("SELECT 1")
    }
  }
  return awaited
}

/** A client of `GET /sync/stream` on its own socket, which can be paused and closed. */
export class EventStream {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly events: Array<StreamEvent> = []
  /** Number of comment lines received. */
  comments = 0
  /** Milliseconds of the `retry` field. */
  retry: number | undefined
  /** The body of a response that is not a stream. */
  text = ""
  closed = false
  private readonly call: ClientRequest
  private readonly response: IncomingMessage
  private waiting: Array<() => void> = []

  private constructor(call: ClientRequest, response: IncomingMessage) {
    this.call = call
    this.response = response
    this.status = response.statusCode!
    this.headers = response.headers
    let rest = ""
    response.setEncoding("utf8")
    response.on("data", (piece: string) => {
      this.text = this.status === 200 ? "" : this.text + piece
      const blocks = (rest + piece).split("\n\n")
      rest = blocks.pop()!
      for (const block of blocks) this.read(block)
      this.wake()
    })
    const end = () => {
      this.closed = true
      this.wake()
    }
    response.on("end", end).on("error", end).on("close", end)
  }

  /** Opens a stream with the App's key; `last` is sent as `Last-Event-ID`. */
  static open(
    app: TestApp,
    options: {
      readonly cursor?: string
      readonly types?: string
      readonly notebooks?: string
      readonly last?: string
      readonly headers?: Record<string, string>
    } = {}
  ): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const { cursor, notebooks, types } = options
      const query = new URLSearchParams({
        ...(cursor && { cursor }),
        ...(types !== undefined && { types }),
        ...(notebooks !== undefined && { notebooks })
      })
      const call = request(
        `${app.url}/sync/stream?${query}`,
        {
          agent: false,
          headers: {
            authorization: `Bearer ${app.key}`,
            ...(options.last === undefined ? {} : { "last-event-id": options.last }),
            ...options.headers
          }
        },
        (response) => resolve(new EventStream(call, response))
      )
      call.on("error", reject).end()
    })
  }

  private read(block: string) {
    let id: string | undefined
    let event = "message"
    let data = ""
    for (const line of block.split("\n")) {
      if (line.startsWith(":")) this.comments++
      const [, field, value] = /^(\w+): (.*)$/.exec(line) ?? []
      if (field === "id") id = value
      if (field === "event") event = value!
      if (field === "data") data += value
      if (field === "retry") this.retry = Number(value)
    }
    if (data === "") return
    const received = { event, data: JSON.parse(data), ...(id === undefined ? {} : { id }) }
    contract.checkEvent(received)
    this.events.push({ id, ...received })
  }

  private wake() {
    const all = this.waiting
    this.waiting = []
    for (const each of all) each()
  }

  /** Resolves once the condition holds; rejects if the stream ends first. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.closed) throw new Error("the stream has ended")
      await new Promise<void>((resolve) => this.waiting.push(resolve))
    }
  }

  /** Resolves when the stream has ended. */
  async ended(): Promise<void> {
    while (!this.closed) await new Promise<void>((resolve) => this.waiting.push(resolve))
  }

  /** The `change` events so far. */
  get changes(): ReadonlyArray<StreamEvent> {
    return this.events.filter(({ event }) => event === "change")
  }

  /** The id that a browser would send when it reconnects. */
  get lastId(): string | undefined {
    return this.events.findLast(({ id }) => id !== undefined)?.id
  }

  pause() {
    this.response.pause()
  }

  resume() {
    this.response.resume()
  }

  close() {
    this.call.destroy()
  }
}
