import { expect, it } from "vitest"
import { MergedMetrics } from "../../src/server/metrics/MergedMetrics.ts"

const textOf = (requests: number, memory: number) => `# HELP requests_total Requests
# TYPE requests_total counter
requests_total{route="/a b",status="2xx"} ${requests}
# HELP seconds Durations
# TYPE seconds histogram
seconds_bucket{le="1"} ${requests}
seconds_bucket{le="+Inf"} ${requests}
seconds_count ${requests}
# HELP memory_bytes Memory
# TYPE memory_bytes gauge
memory_bytes ${memory}
memory_bytes{kind="heap"} ${memory / 2}
`

it("adds up counters and histograms, also of workers that have ended, and labels gauges", () => {
  const metrics = new MergedMetrics()
  metrics.take(1, textOf(2, 100))
  metrics.take(2, textOf(3, 200))
  metrics.take(1, textOf(4, 110))
  metrics.end(1)
  metrics.take(3, textOf(1, 50))
  expect(metrics.text).toBe(`# HELP requests_total Requests
# TYPE requests_total counter
requests_total{route="/a b",status="2xx"} 8
# HELP seconds Durations
# TYPE seconds histogram
seconds_bucket{le="1"} 8
seconds_bucket{le="+Inf"} 8
seconds_count 8
# HELP memory_bytes Memory
# TYPE memory_bytes gauge
memory_bytes{worker="2"} 200
memory_bytes{kind="heap",worker="2"} 100
memory_bytes{worker="3"} 50
memory_bytes{kind="heap",worker="3"} 25
`)
})
