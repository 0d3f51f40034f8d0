import { Metric } from "effect"

const seconds = Metric.gauge("sheaf_queue_overdue_seconds", {
  description: "How long the oldest due row of a queue has waited for a try, over all nodes; 0 if no row is due"
})

/**
 * Updates the metric. `due_at`: Unix milliseconds since when the oldest row of the queue is due; Infinity if none is.
 */
export const report = (queue: string, now: number, due_at: number) =>
  Metric.update(Metric.withAttributes(seconds, { queue }), Math.max(0, now - due_at) / 1000)
