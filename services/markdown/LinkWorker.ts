import { isMainThread, parentPort } from "node:worker_threads"
import { yieldToMainThread } from "../concurrency/WorkerModule.ts"
import { linksOf } from "./Links.ts"
import type { FileLink, LinkedText } from "./Rendered.ts"

const found = (text: LinkedText): ReadonlyArray<FileLink> | undefined => {
  try {
    return linksOf(text)
  } catch {
    // Nested too deeply for the stack: there is no result.
    return undefined
  }
}

/** The thread that finds links (`GuardedWorker`). */
if (!isMainThread && parentPort !== null) {
  yieldToMainThread()
  const port = parentPort
  port.on("message", (texts: ReadonlyArray<LinkedText>) => port.postMessage(texts.map(found)))
}
