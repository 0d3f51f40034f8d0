import { isMainThread, parentPort } from "node:worker_threads"
import { yieldToMainThread } from "../../concurrency/WorkerModule.ts"
import { mentionIn, type NamedText } from "./NameMentions.ts"
import { contentsOf } from "./TextContents.ts"

const read = (text: string | NamedText) => {
  try {
    return typeof text === "string" ? contentsOf(text) : mentionIn(text)
  } catch {
    // Nested too deeply for the stack: there is no result.
    return undefined
  }
}

/** The thread that reads the contents of notes, and finds mentions (`GuardedWorker`). */
if (!isMainThread && parentPort !== null) {
  yieldToMainThread()
  const port = parentPort
  port.on("message", (texts: ReadonlyArray<string | NamedText>) => port.postMessage(texts.map(read)))
}
