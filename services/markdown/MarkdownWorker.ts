import { isMainThread, parentPort } from "node:worker_threads"
import { yieldToMainThread } from "../concurrency/WorkerModule.ts"
import { render } from "./Render.ts"
import type { NoteText } from "./Rendered.ts"

/** The thread that renders (`LimitedWorker`): one note after the other. */
if (!isMainThread && parentPort !== null) {
  yieldToMainThread()
  const port = parentPort
  port.on("message", (note: NoteText) => {
    try {
      port.postMessage(render(note))
    } catch {
      // Nested too deeply for the stack: the answer is that there is none.
      port.postMessage(null)
    }
  })
}
