import {
  type Batch,
  type Change,
  createClient,
  follow,
  type FollowOptions
} from "../../../src/clients/client/SheafClient.ts"

export const change = (id: string, data: object = {}) => ({ type: "note", id, op: "upsert", revision: 1, data })
export const page = (cursor: string, changes: ReadonlyArray<unknown> = [], has_more = false) =>
  Response.json({ cursor, changes, has_more }, { status: 201 })
export const eventStream = (body: string | ReadableStream) =>
  new Response(body, { headers: { "content-type": "text/event-stream" } })
export const eventText = (event: string, data: unknown, id?: string) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
export const htmlPage = () => new Response("<html>", { headers: { "content-type": "text/html" } })
/** Without a response until it is aborted. */
export const hanging = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
/** A stream that stays open, and sends nothing after its first bytes. */
export const openStream = (text = "") =>
  eventStream(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) }))

export type Respond = (signal: AbortSignal, cursor: string | undefined) => Response | Promise<Response>

/** Follows a server of the test, whose last responses are repeated. */
export class FollowedServer {
  readonly pulls: Array<string | undefined> = []
  /** The maximum number of records of each pull. */
  readonly limits: Array<number> = []
  readonly streams: Array<string> = []
  /** Milliseconds of each pull. */
  readonly times: Array<number> = []
  readonly batches: Array<Batch> = []
  readonly errors: Array<unknown> = []
  readonly ended: Promise<void>
  private readonly ending = new AbortController()
  private readonly pages: Array<Respond>
  private readonly streamed: Array<Respond>

  constructor(
    pages: Array<Respond>,
    streamed: Array<Respond> = [() => openStream()],
    options: FollowOptions & { readonly longestWait?: number; readonly isEnded?: (batch: Batch) => boolean } = {}
  ) {
    this.pages = pages
    this.streamed = streamed
    const { isEnded, longestWait = 1, ...following } = options
    const client = createClient({
      url: "http://server",
      key: "k",
      retries: 0,
      longestWait,
      fetch: (url, init) => this.respond(String(url), init!)
    })
    const onConnection = (error: unknown) => void this.errors.push(error)
    const batches = follow(client, { onConnection, signal: this.ending.signal, ...following })
    this.ended = (async () => {
      for await (const batch of batches) {
        this.batches.push(batch)
        if (isEnded?.(batch) === true) this.ending.abort()
      }
    })()
  }

  get changes(): ReadonlyArray<Change> {
    return this.batches.flatMap(({ changes }) => changes)
  }

  end(): Promise<void> {
    this.ending.abort()
    return this.ended
  }

  private async respond(url: string, { body, headers, signal }: RequestInit): Promise<Response> {
    if (url.endsWith("/sync/pull")) {
      const { cursor, limit } = JSON.parse(String(body))
      this.limits.push(limit)
      this.times.push(performance.now())
      this.pulls.push(cursor)
      return (this.pages.length > 1 ? this.pages.shift()! : this.pages[0]!)(signal!, cursor)
    }
    this.streams.push((headers as Record<string, string>)["last-event-id"]!)
    return (this.streamed.length > 1 ? this.streamed.shift()! : this.streamed[0]!)(signal!, undefined)
  }
}
