import { join } from "node:path"
import type { Measure, Measurement } from "./load.ts"
import { median } from "./median.ts"
import type { FilledWorkspace } from "./operations.ts"
import { type Redis, startRedis } from "./redis.ts"
import { HIGHEST_RATE_LIMIT, type PostgresConnection, startSheaf, type Target } from "./Target.ts"

interface Limited {
  readonly name: string
  readonly target: Omit<Target, "workspaces">
  readonly redis: Redis | undefined
  readonly results: Array<Measurement>
}

/** When Redis is silent the server counts in memory, and that would be measured instead. */
const mustUseRedis = async (port: number): Promise<void> => {
  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then((it) => it.text())
  if (!/^sheaf_redis_up(?:\{[^}]*\})? 1$/m.test(metrics)) throw new Error("the limiter does not use Redis")
}

const heads = ["limiter", "req/s", "p50 ms", "p99 ms", "/CPU-s", "with stores", "to off", "CPU to off", "p99 to off"]

const table = (all: ReadonlyArray<Limited>): Array<string> => {
  const row = (texts: ReadonlyArray<string>) => texts.map((it, at) => (at ? it.padStart(12) : it.padEnd(12))).join("")
  const lines = all.map(({ name, results }) => {
    const of = (key: keyof Measurement, digits: number) => median(results.map((it) => it[key])).toFixed(digits)
    const ratios = (key: keyof Measurement) => results.map((it, round) => it[key] / all[0]!.results[round]![key])
    const rates = ratios("requestsPerSecond")
    const toOff = [rates, ratios("perCpuSecond"), ratios("p99")].map((it) => median(it).toFixed(2))
    const own = [
      ...[name, of("requestsPerSecond", 0), of("p50", 2), of("p99", 2)],
      ...[of("perServerCpuSecond", 0), of("perCpuSecond", 0)]
    ]
    if (name === "off") return row(own)
    return `${row([...own, ...toOff])}  ${Math.min(...rates).toFixed(2)}–${Math.max(...rates).toFixed(2)}`
  })
  return [`${row(heads)}  least–most`, ...lines]
}

/**
 * What it costs to count requests: gets on three servers that differ in nothing but where they count, in turns. They are
 * nodes of one Sheaf, on the database and the notes of the one that is measured otherwise, so that no difference of the
 * data comes in.
 */
export const measureLimits = async ({
  dataDir,
  filled,
  measure,
  postgres,
  rounds,
  started
}: {
  readonly dataDir: string
  readonly postgres: PostgresConnection
  readonly filled: ReadonlyArray<FilledWorkspace>
  readonly rounds: number
  readonly measure: Measure
  readonly started: <A extends { readonly stop: () => Promise<void> }>(it: A) => A
}): Promise<Array<string>> => {
  const { host, port, user } = postgres
  const shared = {
    DATABASE_URL: `postgres://${user}@localhost:${port}/sheaf?host=${encodeURIComponent(host)}`,
    METRICS_TOKEN: ""
  }
  const start = async (name: string, env: Readonly<Record<string, string>>, redis?: Redis): Promise<Limited> => {
    const directory = join(dataDir, "limits", name)
    const target = started(await startSheaf(directory, { env: { ...shared, ...env } }))
    return { name, target, redis, results: [] }
  }
  const all = [await start("off", { RATE_LIMIT: "0" }), await start("in memory", { RATE_LIMIT: HIGHEST_RATE_LIMIT })]
  const found = await startRedis()
  if (!("missing" in found)) {
    const redis = started(found)
    all.push(await start("on Redis", { RATE_LIMIT: HIGHEST_RATE_LIMIT, REDIS_URL: redis.url }, redis))
  }
  for (let round = 0; round < rounds; round++) {
    for (let at = 0; at < all.length; at++) {
      const { name, redis, results, target } = all[(at + round) % all.length]!
      const measurement = await measure(target, "get", filled, redis === undefined ? {} : { redis: redis.pid })
      if (redis !== undefined) await mustUseRedis(target.port)
      console.error(`round ${round + 1}/${rounds} limits ${name} ${measurement.requestsPerSecond.toFixed(0)}/s`)
      results.push(measurement)
    }
  }
  const skipped = "missing" in found ? [`limits on Redis skipped: ${found.missing}`] : []
  return ["", "gets by where requests are counted; stores: PostgreSQL and Redis", ...table(all), ...skipped]
}
