import { isMainThread, parentPort } from "node:worker_threads"
import { yieldToMainThread } from "../../concurrency/WorkerModule.ts"
import { contentsOf, type TextContents } from "./TextContents.ts"

const found = (body: string): TextContents | undefined => {
  try {
    return contentsOf(body)
  } catch {
    // Nested too deeply for the stack: there is no result.
    return undefined
  }
}

/** The thread that reads the contents of notes (`GuardedWorker`). */
if (!isMainThread && parentPort !== null) {
  yieldToMainThread()
  const port = parentPort
  port.on("message", (bodies: ReadonlyArray<string>) => port.postMessage(bodies.map(found)))
}
