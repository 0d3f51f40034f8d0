import { constants, setPriority } from "node:os"
import { isMainThread } from "node:worker_threads"

/** A module of a worker beside another one, as they lie in the sources, and in the bundle. */
export const besides = (url: string, name: string): URL =>
  new URL(`./${name}${url.endsWith(".ts") ? ".ts" : ".js"}`, url)

/** Called by a worker when it starts: requests wait for the main thread, so it runs first. Only Linux has priorities of single threads. */
export const yieldToMainThread = (): void => {
  if (process.platform === "linux" && !isMainThread) setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)
}
