import { Metric } from "effect"

const seconds = Metric.gauge("sheaf_queue_overdue_seconds", {
  description: "How long the oldest row of a queue that is due has waited to be tried, of all nodes; 0 without one"
})

/** Reports since when, in Unix milliseconds, the oldest row of a queue is due: Infinity where none is. */
export const report = (queue: string, now: number, due_at: number) =>
  Metric.update(Metric.withAttributes(seconds, { queue }), Math.max(0, now - due_at) / 1000)
