/** Measures one operation: each connection sends its next request as soon as it has the previous response. */
import { setTimeout as sleep } from "node:timers/promises"
import { Connection } from "./Connection.ts"
import type { Caller, Operation } from "./operations.ts"
import { cpuSeconds, type Processes } from "./processes.ts"

export interface Measurement {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Processor time of a request in microseconds: of the server alone, and with PostgreSQL. */
  readonly server: number
  readonly all: number
}

export const quantile = (values: ReadonlyArray<number>, q: number): number => {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Infinity
}

export const measure = async (
  { check, request, status }: Operation,
  /** That of the server, or of the server of a caller. */
  port: number | ((index: number) => number),
  callers: ReadonlyArray<Caller>,
  processes: Processes,
  { seconds, warmUp }: { readonly seconds: number; readonly warmUp: number }
): Promise<Measurement> => {
  let isRunning = true
  let latencies: number[] = []
  const run = async (caller: Caller, index: number): Promise<void> => {
    // A new connection per measurement, because servers close connections that are idle for seconds.
    const connection = new Connection(typeof port === "number" ? port : port(index))
    while (isRunning) {
      const began = performance.now()
      const reply = await connection.exchange(request(caller))
      latencies.push(performance.now() - began)
      if (reply.status !== status) throw new Error(`not ${status}:\n${reply.head}\n\n${reply.body}`)
      check(reply, caller)
    }
    connection.close()
  }
  const time = async (): Promise<Measurement> => {
    await sleep(warmUp * 1000)
    latencies = []
    const [began, before] = [performance.now(), cpuSeconds(processes)]
    await sleep(seconds * 1000)
    const [ended, after] = [performance.now(), cpuSeconds(processes)]
    const measured = latencies
    isRunning = false
    const micros = (seconds: number): number => (seconds * 1e6) / measured.length
    const server = micros(after.server - before.server)
    return {
      perSecond: (measured.length * 1000) / (ended - began),
      p50: quantile(measured, 0.5),
      p99: quantile(measured, 0.99),
      server,
      all: server + micros(after.stores - before.stores)
    }
  }
  const [measurement] = await Promise.all([time(), ...callers.map(run)])
  return measurement
}
