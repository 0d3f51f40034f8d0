import type { MessagePort } from "node:worker_threads"
import { messageOf } from "../ErrorCause.ts"

/** Streams bytes from one thread to another. Each piece is acknowledged, so that only one is in transit at a time. */

type Sent =
  | { readonly piece: Uint8Array }
  | { readonly end: true }
  | { readonly failed: string; readonly fault?: FileFault["fault"] | undefined }

/** The bytes of a file are not available, and a retry does not help. */
export class FileFault extends Error {
  readonly fault: "missing" | "damaged"

  constructor(fault: FileFault["fault"]) {
    super(`the bytes of a file are ${fault}`)
    this.fault = fault
  }
}

/** Sends pieces. A promise resolves when the other side has taken the piece, and rejects when the port is closed. */
export class PortSink {
  readonly #port: MessagePort
  #taken: (() => void) | undefined
  #refused: ((error: Error) => void) | undefined
  #isClosed = false

  constructor(port: MessagePort) {
    this.#port = port
    port.on("message", () => {
      const taken = this.#taken
      this.#taken = undefined
      taken?.()
    })
    port.on("close", () => {
      this.#isClosed = true
      this.#refused?.(gone())
    })
  }

  #send(sent: Sent): Promise<void> {
    if (this.#isClosed) return Promise.reject(gone())
    return new Promise((resolve, reject) => {
      this.#taken = resolve
      this.#refused = reject
      this.#port.postMessage(sent)
    })
  }

  readonly take = (piece: Uint8Array): Promise<void> => this.#send({ piece })

  async end(): Promise<void> {
    await this.#send({ end: true })
    this.#port.close()
  }

  /** Makes the other side fail with the message of `reason`, without the stack, which is of no use to an operator. */
  async fail(reason: unknown): Promise<void> {
    await this.#send({
      failed: messageOf(reason),
      ...(reason instanceof FileFault && { fault: reason.fault })
    })
    this.#port.close()
  }
}

const gone = () => new Error("the other thread has closed the port")

/** Yields the pieces from the other thread. When the consumer stops, the port is closed, and the sender fails. */
export async function* fromPort(port: MessagePort): AsyncGenerator<Uint8Array> {
  const received: Array<Sent> = []
  let isClosed = false
  let wake = () => {}
  port.on("message", (sent: Sent) => {
    received.push(sent)
    wake()
  })
  port.on("close", () => {
    isClosed = true
    wake()
  })
  try {
    while (true) {
      const sent = received.shift()
      if (sent === undefined) {
        if (isClosed) throw new Error("the other thread ended before its last piece")
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      if ("failed" in sent) throw sent.fault === undefined ? new Error(sent.failed) : new FileFault(sent.fault)
      if ("end" in sent) {
        port.postMessage("taken")
        return
      }
      yield sent.piece
      port.postMessage("taken")
    }
  } finally {
    port.close()
  }
}

/** Sends a source to its end, or its error. */
export const sendAll = async (port: MessagePort, source: AsyncIterable<Uint8Array>): Promise<void> => {
  const sink = new PortSink(port)
  try {
    for await (const piece of source) await sink.take(piece)
    await sink.end()
  } catch (error) {
    await sink.fail(error).catch(() => {
      // The other side has closed the port.
    })
  }
}
