import { isMainThread, parentPort } from "node:worker_threads"
import { yieldToMainThread } from "../../services/concurrency/WorkerModule.ts"
import { describing } from "../openapi/Describing.ts"
import { Reference } from "./Reference.ts"
import type { AskedAt } from "./ReferenceThread.ts"

let document: Promise<object> | undefined
let reference: Reference | undefined

const made = async (asked: AskedAt): Promise<string | undefined> => {
  const described = await (document ??= describing(asked.publicUrl))
  if ("file" in asked) return JSON.stringify(described)
  reference ??= new Reference(described)
  return "slug" in asked ? reference.page(asked.slug) : reference.found(asked.query)
}

/** The thread that describes the API (`LimitedWorker`). */
if (!isMainThread && parentPort !== null) {
  yieldToMainThread()
  const port = parentPort
  port.on("message", (asked: AskedAt) => void made(asked).then((text) => port.postMessage({ text })))
}
