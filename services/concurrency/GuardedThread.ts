import { MessageChannel, type MessagePort, receiveMessageOnPort, type TransferListItem } from "node:worker_threads"
import { endThread, nextNumber, startThread } from "./Guard.ts"
import type { HeapLimit } from "./HeapLimit.ts"

interface Options {
  readonly entry: URL
  readonly heap: HeapLimit
  /** The thread has it as `workerData`, with a port `control` for messages. */
  readonly data: object
  /** Ports in `data`. */
  readonly moved?: ReadonlyArray<TransferListItem>
}

/** A thread with messages in both directions, started and watched by the thread that watches others. */
export class GuardedThread<To, From> {
  /** Called with each message of the thread. */
  onMessage: (message: From) => void = () => {}
  /** Called once when the thread has ended, after its last message; with the reason if it has failed. */
  onEnd: (failure: string | undefined) => void = () => {}
  readonly #number = nextNumber()
  readonly #port: MessagePort
  readonly #ended = Promise.withResolvers<void>()

  constructor({ data, entry, heap, moved = [] }: Options) {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.on("message", (message: From) => this.onMessage(message))
    startThread(
      {
        thread: this.#number,
        entry: entry.href,
        heap,
        workerData: { ...data, control: port2 },
        moved: [port2, ...moved]
      },
      (failure) => {
        // The end of a thread may be known before its last messages are.
        for (let last = receiveMessageOnPort(port1); last !== undefined; last = receiveMessageOnPort(port1)) {
          this.onMessage(last.message as From)
        }
        port1.close()
        this.onEnd(failure)
        this.#ended.resolve()
      }
    )
  }

  send(message: To, moved: ReadonlyArray<TransferListItem> = []): void {
    this.#port.postMessage(message, [...moved])
  }

  /** The process may exit while the thread runs. */
  unref(): void {
    this.#port.unref()
  }

  /** Ends the thread, and resolves when it has ended. */
  end(): Promise<void> {
    endThread(this.#number)
    return this.#ended.promise
  }
}
