import { Worker, workerData, type WorkerOptions } from "node:worker_threads"
import type { Step } from "./StepBack.ts"

/** What a thread is begun with. */
interface Beginning {
  readonly as: Step
  readonly entry: string
  readonly given: unknown
}

/** A module of a thread beside another one, as they lie in the sources, and in the bundle. */
export const besides = (url: string, name: string): URL =>
  new URL(`./${name}${url.endsWith(".ts") ? ".ts" : ".js"}`, url)

/** Deno loses what is said to a thread that still reads modules: there it begins with its own, and does not step back. */
const isDeno = process.versions["deno"] !== undefined

/** A thread that lets the main loop go before it, also while it reads its modules. It is `given` its `workerData`. */
export const begin = (entry: URL, as: Step, options: WorkerOptions): Worker => {
  const beginning: Beginning = { as, entry: entry.href, given: options.workerData }
  return new Worker(isDeno ? entry : besides(import.meta.url, "SteppingBack"), { ...options, workerData: beginning })
}

/** In a thread: what it was begun with. */
export const beginning = (): Beginning => workerData as Beginning
