import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { seed, startSheaf } from "./Target.ts"

/** Second tries come after 5 s, a fifth sooner or later (contract 9). */
const latest = 6_000
/** Seconds for which changes are made, and for which second tries are waited for. */
const duration = 20
const rest = 8

type Kind = "healthy" | "failing" | "slow"

interface Scene {
  readonly name: string
  readonly hooks: Readonly<Record<Kind, number>>
  /** Changes a second. */
  readonly pace: number
  /** Changes that are made at once before. */
  readonly before?: number
}

const scenes: ReadonlyArray<Scene> = [
  { name: "one of each", hooks: { healthy: 1, failing: 1, slow: 1 }, pace: 20 },
  { name: "200 webhooks, 190 of them slow", hooks: { healthy: 5, failing: 5, slow: 190 }, pace: 5 },
  { name: "1 000 wait of the failing one", hooks: { healthy: 1, failing: 1, slow: 0 }, pace: 20, before: 1_100 }
]

const at = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.floor((sorted.length - 1) * share)] ?? NaN
const told = (all: ReadonlyArray<number>): string => {
  const sorted = all.toSorted((one, other) => one - other)
  return `p50 ${at(sorted, 0.5)}, p99 ${at(sorted, 0.99)}, at most ${at(sorted, 1)} ms (${sorted.length})`
}

/** Measures the delay of second attempts, and of first attempts to healthy endpoints, while other endpoints fail or are slow. */
export const measureRetries = async (
  directory: string
): Promise<{ readonly lines: string[]; readonly missed: string[] }> => {
  const arrivals = new Map<string, Array<number>>()
  const soon: Array<number> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const kind = request.url!.split("/")[2] as Kind
      if (kind === "slow") return setTimeout(() => response.writeHead(204).end(), 14_500).unref()
      const key = `${request.url} ${String(request.headers["webhook-id"])}`
      const times = arrivals.get(key) ?? []
      arrivals.set(key, [...times, Date.now()])
      if (kind === "healthy") {
        soon.push(Date.now() - Date.parse(JSON.parse(Buffer.concat(chunks).toString()).timestamp))
      }
      response.writeHead(kind === "healthy" ? 204 : 500).end()
      return undefined
    })
  }).listen(0, "127.0.0.1")
  const sheaf = await startSheaf(directory, { env: { WEBHOOK_ALLOW: "127.0.0.1" } })
  const lines: string[] = []
  const missed: string[] = []
  try {
    const workspaces = await seed(directory, scenes.length)
    for (const [index, { before = 0, hooks, name, pace }] of scenes.entries()) {
      const { key } = workspaces[index]!
      const post = async (path: string, body: object) => {
        const response = await fetch(`http://127.0.0.1:${sheaf.port}/v2${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify(body)
        })
        if (!response.ok) throw new Error(await response.text())
        await response.arrayBuffer()
      }
      const { port } = server.address() as AddressInfo
      for (const [kind, count] of Object.entries(hooks)) {
        for (let hook = 0; hook < count; hook++) {
          const url = `http://127.0.0.1:${port}/${index}.${hook}/${kind}`
          await post("/webhooks", { url, events: ["tag.created"] })
        }
      }
      let made = 0
      const change = () => post("/tags", { name: `retry-${index}-${made++}` })
      for (let count = 0; count < before; count += 20) await Promise.all(Array.from({ length: 20 }, change))
      if (before > 0) await sleep(rest * 1_000)
      arrivals.clear()
      soon.length = 0
      const started = performance.now()
      const all: Array<Promise<void>> = []
      for (let count = 0; count < pace * duration; count++) {
        await sleep(Math.max(0, started + (count * 1_000) / pace - performance.now()))
        all.push(change())
      }
      await Promise.all(all)
      await sleep(rest * 1_000)
      const gaps = [...arrivals]
        .filter(([path, times]) => path.includes("/failing/") && times.length > 1)
        .map(([, [first, second]]) => second! - first!)
      const single = [...arrivals].filter(([path, times]) => path.includes("/failing/") && times.length === 1).length
      lines.push(
        `retries, ${name}: second tries after ${told(gaps)}, ${single} without; to healthy endpoints ${told(soon)}`
      )
      console.error(lines.at(-1))
      if (Math.max(0, ...gaps) > latest + 1_000) missed.push(`second tries ${name}: ${Math.max(...gaps)} ms`)
    }
    return { lines, missed }
  } finally {
    server.closeAllConnections()
    server.close()
    await sheaf.stop()
  }
}
