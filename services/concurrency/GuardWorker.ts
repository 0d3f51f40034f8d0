import { isMainThread, parentPort } from "node:worker_threads"
import type { FromGuard, ToGuard } from "./GuardedWorker.ts"
import { LimitedWorker } from "./LimitedWorker.ts"

/** The thread that starts and watches the workers of `GuardedWorker`. */
if (!isMainThread && parentPort !== null) {
  const port = parentPort
  const workers = new Map<number, LimitedWorker<unknown, unknown>>()
  port.on("message", (message: ToGuard) => {
    if ("end" in message) {
      void workers.get(message.end)?.end()
      workers.delete(message.end)
      return
    }
    const { bounds, entry, id, task, worker } = message
    const limited = workers.get(worker) ?? new LimitedWorker(new URL(entry), bounds)
    workers.set(worker, limited)
    void limited.run(task).then((made) => port.postMessage({ id, made } satisfies FromGuard))
  })
}
