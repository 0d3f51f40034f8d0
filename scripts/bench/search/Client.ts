import { Connection, header, type Reply, requestText } from "../Connection.ts"

const PATIENCE = 15 * 60_000

/** A request that the server refused. */
export class Refused extends Error {
  readonly status: number
  /** Seconds, if the response has this header. */
  readonly retryAfter: number | undefined

  constructor(request: string, { body, head, status }: Reply) {
    super(`${request}: ${status} ${body.toString().slice(0, 300)}`)
    this.status = status
    const seconds = header(head, "retry-after")
    this.retryAfter = seconds === undefined ? undefined : Number(seconds)
  }
}

/** A client of the API with its own connection and key, one request at a time. */
export class Client {
  readonly #port: number
  readonly #key: string
  #connection: Connection | undefined

  constructor(port: number, key: string) {
    this.#port = port
    this.#key = key
  }

  async call(method: string, path: string, body?: object): Promise<any> {
    // The server closes connections that are idle for long.
    if (this.#connection?.isOpen !== true) this.#connection = new Connection(this.#port, { timeout: PATIENCE })
    const reply = await this.#connection.exchange(requestText(this.#key, method, `/v2${path}`, body))
    if (reply.status >= 300) throw new Refused(`${method} ${path}`, reply)
    return JSON.parse(reply.body.toString())
  }

  /** Milliseconds from the request to the whole response. */
  async timed(method: string, path: string, body?: object): Promise<number> {
    const begun = performance.now()
    await this.call(method, path, body)
    return performance.now() - begun
  }

  /** Milliseconds of a search. */
  search(query: string): Promise<number> {
    return this.timed("POST", "/search", { query })
  }

  close(): void {
    this.#connection?.close()
  }
}
