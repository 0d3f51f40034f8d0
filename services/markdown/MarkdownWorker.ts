import { isMainThread, parentPort } from "node:worker_threads"
import { linksOf } from "./Links.ts"
import { render } from "./Render.ts"
import type { Asked } from "./MarkdownThread.ts"

/** The thread that renders (`WorkThread`): one note after the other. */
if (!isMainThread && parentPort !== null) {
  const port = parentPort
  port.on("message", (asked: Asked) => {
    try {
      port.postMessage("render" in asked ? render(asked.render) : linksOf(asked.links))
    } catch {
      // Nested too deeply for the stack: the answer is that there is none.
      port.postMessage(null)
    }
  })
}
