import { isMainThread, parentPort } from "node:worker_threads"
import { yieldToMainThread } from "../concurrency/WorkerModule.ts"
import { render } from "./Render.ts"
import type { NoteText } from "./Rendered.ts"

/** The thread that renders notes one after the other (`GuardedWorker`). */
if (!isMainThread && parentPort !== null) {
  yieldToMainThread()
  const port = parentPort
  port.on("message", (note: NoteText) => {
    try {
      port.postMessage(render(note))
    } catch {
      // Nested too deeply for the stack: there is no result.
      port.postMessage(null)
    }
  })
}
