import { MessageChannel, type MessagePort, type TransferListItem, Worker } from "node:worker_threads"
import type { HeapLimit } from "./HeapLimit.ts"
import type { Bounds } from "./LimitedWorker.ts"
import { workerModule } from "./WorkerModule.ts"

/** Milliseconds after which the guard without work ends, to free its memory and that of its workers. */
const idle = 20_000

/** To the guard. The sender chooses the numbers. */
export type ToGuard =
  /** A task for a worker, which the guard starts if it is new. */
  | {
      readonly id: number
      readonly worker: number
      readonly entry: string
      readonly bounds: Bounds
      readonly task: unknown
    }
  | { readonly endWorker: number }
  | {
      readonly thread: number
      readonly entry: string
      readonly heap: HeapLimit
      readonly workerData: object
      /** Objects in `workerData` that move to the thread. */
      readonly moved: ReadonlyArray<TransferListItem>
    }
  | { readonly endThread: number }

export type FromGuard =
  | { readonly id: number; readonly made: unknown }
  | { readonly ended: number; readonly failure: string | undefined }

/** The guard of this thread, with what it has to do. */
interface Running {
  readonly worker: Worker
  readonly port: MessagePort
}

const tasks = new Map<number, (made: unknown) => void>()
const threads = new Map<number, (failure: string | undefined) => void>()
let guard: Running | undefined
let idling: NodeJS.Timeout | undefined
let numbers = 0

/** A number that no other task, worker or thread has. */
export const nextNumber = (): number => numbers++

const start = (): Running => {
  // Ports are sent through a port: under Deno, ports that are sent through the worker have no Node events.
  const { port1: port, port2 } = new MessageChannel()
  const worker = new Worker(workerModule(import.meta.url, "GuardWorker"), { workerData: port2, transferList: [port2] })
  const started = { port, worker }
  const end = () => {
    if (guard !== started) return
    guard = undefined
    port.close()
    const lost = [...threads.values()]
    for (const resolve of tasks.values()) resolve(undefined)
    tasks.clear()
    threads.clear()
    // These may start the next guard.
    for (const ended of lost) ended("the thread that watches it has ended")
  }
  port.on("message", (message: FromGuard) => {
    if ("ended" in message) {
      const { ended, failure } = message
      threads.get(ended)?.(failure)
      threads.delete(ended)
    } else {
      const { id, made } = message
      tasks.get(id)?.(made)
      tasks.delete(id)
    }
    // A task keeps the process. What uses a thread has a port to it, and decides the same.
    if (tasks.size === 0) port.unref()
    if (tasks.size > 0 || threads.size > 0) return
    idling = setTimeout(() => {
      end()
      void worker.terminate()
    }, idle).unref()
  })
  worker.on("error", end)
  worker.on("exit", end)
  worker.unref()
  port.unref()
  return started
}

/**
 * Sends to the thread that does nothing but watch other threads: a busy main thread would look too late at their heaps,
 * and V8 ends the whole process when a heap grows too far.
 */
const send = (message: ToGuard, moved: ReadonlyArray<TransferListItem> = []): Running => {
  clearTimeout(idling)
  guard ??= start()
  guard.port.postMessage(message, [...moved])
  return guard
}

/** Runs a task in a worker of the guard. Returns undefined when it exceeds a limit or the worker fails. */
export const runTask = (task: Omit<Extract<ToGuard, { task: unknown }>, "id">): Promise<unknown> => {
  const id = nextNumber()
  const made = new Promise<unknown>((resolve) => tasks.set(id, resolve))
  send({ id, ...task }).port.ref()
  return made
}

export const endWorker = (worker: number): void => {
  if (guard !== undefined) send({ endWorker: worker })
}

/** Starts a thread. `ended` is called once, with the reason if the thread has failed. */
export const startThread = (
  thread: Extract<ToGuard, { moved: unknown }>,
  ended: (failure: string | undefined) => void
): void => {
  threads.set(thread.thread, ended)
  send(thread, thread.moved)
}

export const endThread = (thread: number): void => {
  if (threads.has(thread)) send({ endThread: thread })
}
