import { Effect, Layer, Scope } from "effect"
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks"
import { Buckets, Registry } from "./Registry.ts"

/** Milliseconds between two measurements of the event loop. */
const resolution = 20
/** Milliseconds after which the measurements of the event loop start again. */
const lookBack = 15_000

const gcKinds: Readonly<Record<number, string>> = { 1: "minor", 2: "minor", 4: "major", 8: "incremental", 16: "weakcb" }

/** Metrics of the process: memory, CPU time, garbage collections, and the lag of the event loop. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const readings = new Registry(yield* Effect.context<never>())
    const scope = yield* Scope.Scope

    // Dashboards for Node.js use these names.
    readings.counter({ name: "process_cpu_seconds_total", description: "User and system CPU time in seconds" }, () => {
      const { system, user } = process.cpuUsage()
      return (system + user) / 1e6
    })
    const started = Math.round(Date.now() / 1000 - process.uptime())
    readings.gauge(
      { name: "process_start_time_seconds", description: "Start time of the process in Unix seconds" },
      () => started
    )
    readings.gauge({ name: "process_resident_memory_bytes", description: "Resident memory in bytes" }, () =>
      process.memoryUsage.rss()
    )
    readings.gauge(
      { name: "nodejs_heap_size_total_bytes", description: "Size of the V8 heap in bytes" },
      () => process.memoryUsage().heapTotal
    )
    readings.gauge(
      { name: "nodejs_heap_size_used_bytes", description: "Used bytes of the V8 heap" },
      () => process.memoryUsage().heapUsed
    )
    readings.gauge(
      { name: "nodejs_external_memory_bytes", description: "Bytes of buffers outside the heap" },
      () => process.memoryUsage().external
    )

    const delay = monitorEventLoopDelay({ resolution })
    delay.enable()
    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => delay.disable())
    )
    let since = performance.now()
    let last = { p50: 0, p99: 0, max: 0 }
    /** Resets the measurements when they are old, not after each read, so that several readers see the same values. */
    const lag = () => {
      // The monitor records the time between two ticks of a timer, which includes `resolution`.
      const seconds = (nanos: number) => Math.max(0, nanos / 1e9 - resolution / 1e3)
      if (delay.count > 0) {
        last = { p50: seconds(delay.percentile(50)), p99: seconds(delay.percentile(99)), max: seconds(delay.max) }
      }
      if (performance.now() - since > lookBack) {
        delay.reset()
        since = performance.now()
      }
      return last
    }
    const waits = "Recent lag of the event loop in seconds"
    readings.gauge({ name: "nodejs_eventloop_lag_p50_seconds", description: `${waits}: median` }, () => lag().p50)
    readings.gauge(
      { name: "nodejs_eventloop_lag_p99_seconds", description: `${waits}: 99th percentile` },
      () => lag().p99
    )
    readings.gauge({ name: "nodejs_eventloop_lag_max_seconds", description: `${waits}: maximum` }, () => lag().max)

    const collections = new Map<string, Buckets>()
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const kind = gcKinds[(entry as { readonly detail?: { readonly kind?: number } }).detail?.kind ?? 0] ?? "other"
        let seconds = collections.get(kind)
        if (seconds === undefined) {
          collections.set(kind, (seconds = new Buckets([0.001, 0.01, 0.1, 1])))
          readings.histogram(
            {
              name: "nodejs_gc_duration_seconds",
              description: "Seconds of garbage collections by kind",
              attributes: { kind }
            },
            seconds
          )
        }
        seconds.add(entry.duration / 1000)
      }
    })
    observer.observe({ entryTypes: ["gc"] })
    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => observer.disconnect())
    )
  })
)
