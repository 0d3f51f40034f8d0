import { isMainThread, parentPort } from "node:worker_threads"
import { yieldToMainThread } from "../../concurrency/WorkerModule.ts"
import { convert, type Work } from "../formats/Convert.ts"

/** The thread that makes notes of imports Markdown (`ConvertThread`): one note after the other. */
if (!isMainThread && parentPort !== null) {
  yieldToMainThread()
  const port = parentPort
  port.on("message", (work: Work) => {
    convert(work).then(
      (made) => port.postMessage(made),
      // Nested too deeply for the stack: the answer is that there is none.
      () => port.postMessage(null)
    )
  })
}
