import { Exit } from "effect"
import type { Dispatcher } from "undici"
import { NoResponse, noResponse, type Outcome, type OutgoingResponse, Refused } from "./OutgoingResponse.ts"

/** A name leads to an address that is not allowed. */
export class RefusedAddress extends Error {}

type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const flat = (headers: Headers): Record<string, string> => {
  const all: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) all[name] = typeof value === "string" ? value : value.join(", ")
  }
  return all
}

const nothing = new Uint8Array(0)

/**
 * Handles one request and its response through undici's callbacks, without a stream, a signal and a fiber per request.
 * It calls `ended` once, inside undici's own call stack: the callback must defer its work.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number
  readonly #ended: (outcome: Outcome) => void
  readonly #timer: NodeJS.Timeout
  isOver = false
  #controller: Dispatcher.DispatchController | undefined
  /** 0 before a response begins. */
  #status = 0
  #headers: Headers = {}
  readonly #chunks: Array<Uint8Array> = []
  #size = 0

  constructor(maxBytes: number, timeout: number, ended: (outcome: Outcome) => void) {
    this.#maxBytes = maxBytes
    this.#ended = ended
    // In real time, like the sockets.
    this.#timer = setTimeout(() => {
      const message = `there was no complete response within ${timeout / 1000} s`
      this.#end(Exit.fail(new NoResponse({ code: "timeout", message, begun: this.#begun })))
      this.#breakOff()
    }, timeout)
  }

  /** Ends it without calling back. Returns whether it had not ended yet. */
  abandon(): boolean {
    if (this.isOver) return false
    this.isOver = true
    clearTimeout(this.#timer)
    this.#breakOff()
    return true
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The exchange ended before it had a connection.
    if (this.isOver) this.#breakOff()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Informational responses (1xx) are ignored.
    if (status < 200) return
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size <= this.#maxBytes) return
    this.#end(Exit.succeed(this.#received))
    // The rest is not read.
    this.#breakOff()
  }

  onResponseEnd(): void {
    this.#end(Exit.succeed(this.#received))
  }

  onResponseError(_: unknown, error: Error): void {
    if (error instanceof RefusedAddress) return this.#end(Exit.fail(new Refused({ message: error.message })))
    const failure = noResponse(error, this.#begun)
    this.#end(failure === undefined ? Exit.die(error) : Exit.fail(failure))
  }

  #end(outcome: Outcome): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.#timer)
    this.#ended(outcome)
  }

  /** The state of the connection is unknown, so it ends too. */
  #breakOff(): void {
    this.#controller?.abort(new Error("the exchange has ended"))
  }

  get #begun(): OutgoingResponse | undefined {
    return this.#status === 0 ? undefined : this.#received
  }

  get #received(): OutgoingResponse {
    const isCut = this.#size > this.#maxBytes
    const whole =
      this.#size === 0 ? nothing : this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    const body = isCut ? whole.subarray(0, this.#maxBytes) : whole
    return { status: this.#status, headers: flat(this.#headers), body, isCut }
  }
}
