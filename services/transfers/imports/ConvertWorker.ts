import { isMainThread, parentPort } from "node:worker_threads"
import { yieldToMainThread } from "../../concurrency/WorkerModule.ts"
import { convert, type Work } from "../formats/Convert.ts"

/** The thread that converts notes of imports to Markdown, one at a time (`ConvertThread`). */
if (!isMainThread && parentPort !== null) {
  yieldToMainThread()
  const port = parentPort
  port.on("message", (work: Work) => {
    convert(work).then(
      (made) => port.postMessage(made),
      // Nested too deeply for the stack: there is no result.
      () => port.postMessage(null)
    )
  })
}
