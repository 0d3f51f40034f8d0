import { constants, setPriority } from "node:os"
import { isMainThread, parentPort } from "node:worker_threads"

/** The URL of a worker's module in the folder of another module, in the sources or in the bundle. */
export const workerModule = (url: string, name: string): URL =>
  new URL(`./${name}${url.endsWith(".ts") ? ".ts" : ".js"}`, url)

/**
 * Called by a worker when it starts. It lowers the priority of the worker's thread, because requests wait for the main
 * thread. Only Linux has a priority per thread.
 */
export const yieldToMainThread = (): void => {
  if (process.platform === "linux" && !isMainThread) setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)
}

/**
 * The same for a thread of `GuardedThread`, which ends itself when the guard asks: terminating a thread at the moment in which
 * it makes a stream of zlib would abort the whole process (`node_zlib.cc`, "close before init").
 */
export const beginGuarded = (): void => {
  yieldToMainThread()
  parentPort?.once("message", () => process.exit()).unref()
}
