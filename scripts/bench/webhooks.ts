import { type ChildProcessByStdio, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface, type Interface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { median } from "./median.ts"
import { seed, startSheaf } from "./Target.ts"

const hooks = 10
const changes = 1_000
/** Changes a second, where it is asked how soon they arrive. */
const pace = 50
/** As many as the dispatcher keeps under way. */
const connections = 64

/** Gets a second beside that, and how often each is measured. */
const gets = 200
/** A workspace that has as many webhooks as it can, and 10 000 changes a minute. */
const mostHooks = 200
const manyChanges = 10_000 / 60

const musts = { p50: 100, p99: 1_000, perSecond: 500, ratio: 0.5, gets: 2, writers: 2 } as const

/** Milliseconds that each took, in order, of so many that begin so many a second, whether those before have ended or not. */
const paced = async (perSecond: number, count: number, once: () => Promise<void>): Promise<ReadonlyArray<number>> => {
  const started = performance.now()
  const all: Array<Promise<number>> = []
  for (let at = 0; at < count; at++) {
    await sleep(Math.max(0, started + (at * 1000) / perSecond - performance.now()))
    const begun = performance.now()
    all.push(once().then(() => performance.now() - begun))
  }
  return (await Promise.all(all)).toSorted((one, other) => one - other)
}

const at = (sorted: ReadonlyArray<number>, share: number): number => sorted[Math.floor((sorted.length - 1) * share)]!

interface Seen {
  readonly count: number
  readonly seconds: number
  readonly latencies: ReadonlyArray<number>
}

class Receiver {
  readonly port: number
  private readonly child: ChildProcessByStdio<Writable, Readable, null>
  private readonly lines: Interface

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>, lines: Interface, port: number) {
    this.child = child
    this.lines = lines
    this.port = port
  }

  static async start(): Promise<Receiver> {
    const child = spawn(process.execPath, [join(import.meta.dirname, "hookReceiver.ts")], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    const lines = createInterface(child.stdout)
    const [port] = await once(lines, "line")
    return new Receiver(child, lines, Number(port))
  }

  private async ask(what: string): Promise<Seen> {
    this.child.stdin.write(`${what}\n`)
    const [line] = await once(this.lines, "line")
    return JSON.parse(line)
  }

  /** What came, once it is so much. */
  async all(count: number): Promise<Seen> {
    for (let tries = 0; tries < 1_200; tries++) {
      if ((await this.ask("count")).count >= count) return this.ask("all")
      await sleep(50)
    }
    throw new Error(`not ${count} webhooks came within a minute`)
  }

  stop(): void {
    this.child.stdin.end()
  }
}

/**
 * How soon changes reach ten endpoints on this machine, how many deliveries a second there are when more is to be sent
 * than can be, and how many a loop makes that signs and posts the same and stores nothing.
 */
export const measureWebhooks = async (
  directory: string,
  rounds: number
): Promise<{ readonly lines: string[]; readonly missed: string[] }> => {
  const sheaf = await startSheaf(directory, { env: { WEBHOOK_ALLOW: "127.0.0.1" } })
  const receiver = await Receiver.start()
  try {
    const [workspace, other] = await seed(directory, 2)
    const call = async (key: string, path: string, body?: object) => {
      const answer = await fetch(`http://127.0.0.1:${sheaf.port}/v2${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      if (!answer.ok) throw new Error(await answer.text())
      await answer.arrayBuffer()
    }
    const hook = (key: string, name: number) =>
      call(key, "/webhooks", { url: `http://127.0.0.1:${receiver.port}/${name}`, events: ["tag.created"] })
    let made = 0
    const change = (key = workspace!.key) => call(key, "/tags", { name: `bench-${made++}` })
    const writing = () => paced(manyChanges, changes, () => change(other!.key))
    // What runs first warms up the rest.
    await writing()
    const before = await writing()
    for (let name = 0; name < hooks; name++) await hook(workspace!.key, name)
    const beside = await writing()
    const arriving = async () => {
      await paced(pace, changes, () => change())
      return receiver.all(changes * hooks)
    }
    const read = () => paced(gets, gets * 3, () => call(workspace!.key, "/notes?limit=1"))
    const burst = async () => {
      for (let at = 0; at < changes; at += 20) await Promise.all(Array.from({ length: 20 }, () => change()))
      const { count, seconds } = await receiver.all(changes * hooks)
      return count / seconds
    }
    const bare = async () => {
      const count = changes * hooks
      const args = [join(import.meta.dirname, "bareHooks.ts"), receiver.port, hooks, count, connections].map(String)
      await promisify(execFile)(process.execPath, args)
      const { seconds } = await receiver.all(count)
      return count / seconds
    }
    // The first of each is warmed up by nothing before it.
    await burst()
    await bare()
    const latencies = (await arriving()).latencies.toSorted((one, two) => one - two)
    const slower: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      const quiet = await read()
      const [busy] = await Promise.all([read(), paced(pace, pace * 3, () => change())])
      await receiver.all(pace * 3 * hooks)
      slower.push(at(busy, 0.99) / at(quiet, 0.99))
      console.error(`gets p99 ${at(quiet, 0.99).toFixed(1)} ms, beside webhooks ${at(busy, 0.99).toFixed(1)} ms`)
    }
    const speeds: Array<{ readonly own: number; readonly bare: number }> = []
    for (let round = 0; round < rounds; round++) {
      const isFirst = round % 2 === 0
      const one = await (isFirst ? burst() : bare())
      const other = await (isFirst ? bare() : burst())
      speeds.push(isFirst ? { own: one, bare: other } : { own: other, bare: one })
      console.error(
        `round ${round + 1}/${rounds} webhooks ${speeds.at(-1)!.own.toFixed(0)}/s, bare ${speeds.at(-1)!.bare.toFixed(0)}/s`
      )
    }
    const own = median(speeds.map((each) => each.own))
    const ratio = median(speeds.map((each) => each.own / each.bare))
    for (let name = 0; name < mostHooks; name++) await hook(other!.key, name)
    const many = await writing()
    const told = (all: ReadonlyArray<number>) => `p50 ${at(all, 0.5).toFixed(1)} ms, p99 ${at(all, 0.99).toFixed(1)} ms`
    const missed = [
      ...(at(latencies, 0.5) < musts.p50 ? [] : [`webhooks p50 ${at(latencies, 0.5)} ms`]),
      ...(at(latencies, 0.99) < musts.p99 ? [] : [`webhooks p99 ${at(latencies, 0.99)} ms`]),
      ...(own >= musts.perSecond ? [] : [`webhooks ${own.toFixed(0)}/s < ${musts.perSecond}`]),
      ...(ratio >= musts.ratio ? [] : [`webhooks ${ratio.toFixed(2)} < ${musts.ratio} of a bare loop`]),
      ...(median(slower) <= musts.gets ? [] : [`webhooks p99 of gets ${median(slower).toFixed(2)} > ${musts.gets}`]),
      ...(at(many, 0.5) <= musts.writers * at(before, 0.5) ? [] : ["webhooks slow writers"])
    ]
    return {
      lines: [
        `webhooks: ${changes} changes, ${pace} a second, to ${hooks} endpoints: event to arrival p50 ${at(latencies, 0.5)} ms, p99 ${at(latencies, 0.99)} ms, at most ${latencies.at(-1)} ms`,
        `webhooks: meanwhile gets p99 ${median(slower).toFixed(2)} of quiet (${Math.min(...slower).toFixed(2)}–${Math.max(...slower).toFixed(2)})`,
        `webhooks: ${changes} changes at once: ${own.toFixed(0)} deliveries/s, ${ratio.toFixed(2)} of a loop that signs and posts and stores nothing`,
        `webhooks: ${manyChanges.toFixed(0)} changes a second: none anywhere ${told(before)}; ${hooks} in another workspace ${told(beside)}; ${mostHooks} in this one ${told(many)}`
      ],
      missed
    }
  } finally {
    receiver.stop()
    await sheaf.stop()
  }
}
