import { Context, Effect, Exit, Layer, Logger, Redacted, Scope } from "effect"
import { Redis } from "ioredis"
import { createServer } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { RateCounters } from "../../../services/limits/RateCounters.ts"
import * as SharedCounters from "../../../services/limits/SharedCounters.ts"
import { Throttles } from "../../../services/limits/Throttles.ts"
import { Secrets } from "../../../services/secrets/Secrets.ts"
import { eventually } from "../../support/flows/eventually.ts"
import { RedisServer, whyNoRedis } from "../../support/servers/RedisServer.ts"

const missing = whyNoRedis()

interface Node {
  readonly counters: RateCounters["Service"]
  readonly throttles: Throttles["Service"]
  readonly lines: ReadonlyArray<string>
}

describe.skipIf(missing !== "")(`counters in Redis${missing}`, () => {
  let redis: RedisServer
  const scopes: Array<Scope.Closeable> = []

  beforeAll(async () => {
    redis = await RedisServer.start()
  })
  afterEach(async () => {
    for (const scope of scopes.splice(0)) await Effect.runPromise(Scope.close(scope, Exit.void))
  })
  afterAll(() => redis?.stop())

  const node = async (): Promise<Node> => {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel}: ${String(message)}`))
    const secrets = Secrets.layer({ current: Redacted.make(new Uint8Array(32).fill(1)), previous: undefined })
    const layer = Throttles.layer({ perMinute: undefined }).pipe(
      Layer.provideMerge(Layer.merge(SharedCounters.layer(Redacted.make(redis.url)), secrets)),
      Layer.provide(Logger.layer([logger]))
    )
    const scope = Effect.runSync(Scope.make())
    scopes.push(scope)
    const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
    return { counters: Context.get(context, RateCounters), throttles: Context.get(context, Throttles), lines }
  }

  const inRedis = async <A>(use: (client: Redis) => Promise<A>): Promise<A> => {
    const client = new Redis(redis.url)
    try {
      return await use(client)
    } finally {
      client.disconnect()
    }
  }

  const over = (key: string) =>
    inRedis((client) => eventually("the window's end", async () => (await client.exists(key)) === 0))

  /** Waits until Redis is in use again. */
  const shared = ({ counters }: Node) => eventually("Redis in use", () => counters.isShared!())

  it("count exactly when several nodes count at once", async () => {
    const nodes = [await node(), await node(), await node()].map(({ counters }) => counters.counter("exact", 60_000))
    const counted = await Promise.all(
      Array.from({ length: 3000 }, (_, index) => Effect.runPromise(nodes[index % 3]!.add("key")))
    )
    expect(counted.map(({ count }) => count).sort((a, b) => a - b)).toEqual(counted.map((_, index) => index + 1))
    for (const { left } of counted) {
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThanOrEqual(60_000)
    }
    expect((await Effect.runPromise(nodes[0]!.refund("key"))).count).toBe(2999)
  })

  it("count two keys together, and not the second once the first is above its limit", async () => {
    const both = [await node(), await node()].map(({ counters }) => counters.counter("both", 60_000))
    const counted = await Promise.all(
      Array.from({ length: 12 }, (_, index) => Effect.runPromise(both[index % 2]!.addBoth("own", 10, "all")))
    )
    const counts = (of: 0 | 1) => counted.map((pair) => pair[of].count).sort((a, b) => a - b)
    expect(counts(0)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    expect(counts(1)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10])
    expect((await Effect.runPromise(both[0]!.addBoth("other", 10, "all")))[1].count).toBe(11)
    expect((await Effect.runPromise(both[1]!.look("all"))).count).toBe(11)
  })

  it("end with their window, and subtract nothing after it", async () => {
    const { counters } = await node()
    const counter = counters.counter("short", 50)
    await Effect.runPromise(counter.add("key"))
    await over("sheaf:limit:short:key")
    expect(await Effect.runPromise(counter.refund("key"))).toEqual({ count: 0, left: 50 })
    expect((await Effect.runPromise(counter.add("key"))).count).toBe(1)
    await over("sheaf:limit:short:key")
  })

  it("contain no e-mail addresses", async () => {
    const { throttles } = await node()
    await Effect.runPromise(Effect.exit(throttles.logIn("mary@sheaf.test", "192.0.2.1", Effect.fail("wrong"))))
    await Effect.runPromise(Effect.exit(throttles.logIn("mary@sheaf.test", "192.0.2.1", Effect.interrupt)))
    await Effect.runPromise(throttles.mail("mary@sheaf.test", "192.0.2.1"))
    const keys = await inRedis((client) => client.keys("*"))
    expect(keys.filter((key) => /login|mail/.test(key))).toHaveLength(4)
    expect(keys.join("\n")).not.toMatch(/mary/)
  })

  it("count per node, without delay, while Redis is down, and are shared again when it is back", async () => {
    const one = await node()
    const other = await node()
    const [here, there] = [one, other].map(({ counters }) => counters.counter("dead", 60_000))
    const add = (counter = here!) => Effect.runPromise(counter.add("key")).then(({ count }) => count)
    expect([await add(here), await add(there)]).toEqual([1, 2])
    expect(one.counters.isShared?.()).toBe(true)

    await redis.kill()
    // The node may not have noticed yet; every call is counted in either case.
    await Promise.all(Array.from({ length: 100 }, () => add()))
    // From here on, no call waits.
    expect(Effect.runSync(here!.add("key")).count).toBe(101)
    expect(one.counters.isShared?.()).toBe(false)

    await redis.start()
    await Promise.all([shared(one), shared(other)])
    expect([await add(here), await add(there)]).toEqual([1, 2])
    for (const { lines } of [one, other]) {
      expect(lines.map((line) => line.split(":", 2).join(":"))).toEqual([
        "Info: Redis can be reached",
        "Warn: Redis cannot be reached",
        "Info: Redis can be reached"
      ])
    }
  })

  it("wait once when Redis is silent, and then no more until it replies", async () => {
    const alone = await node()
    const { counters, lines } = alone
    const counter = counters.counter("silent", 60_000)
    await Effect.runPromise(counter.add("key"))
    redis.signal("SIGSTOP")
    try {
      expect(counters.isShared?.()).toBe(true)
      expect(() => Effect.runSync(counter.add("waiting"))).toThrow()
      await Effect.runPromise(counter.add("key"))
      for (let count = 2; count <= 200; count++) expect(Effect.runSync(counter.add("key")).count).toBe(count)
    } finally {
      redis.signal("SIGCONT")
    }
    await shared(alone)
    expect(lines).toHaveLength(3)
  })

  it("count per node when Redis is down at the start, and are shared once it is up", async () => {
    await redis.kill()
    const alone = await node()
    const { counters, lines } = alone
    expect(lines).toEqual([expect.stringMatching(/^Warn: Redis cannot be reached.*ECONNREFUSED/)])
    const counter = counters.counter("late", 60_000)
    expect((await Effect.runPromise(counter.add("key"))).count).toBe(1)
    await redis.start()
    await shared(alone)
    expect(lines).toHaveLength(2)
  })

  it("log once that Redis cannot be reached, however often they try to connect", async () => {
    let tries = 0
    const hangingUp = createServer((socket) => {
      tries++
      socket.destroy()
    })
    await redis.kill()
    await new Promise<void>((resolve) => hangingUp.listen(Number(new URL(redis.url).port), "127.0.0.1", resolve))
    try {
      const { lines } = await node()
      await eventually("a third try", () => tries >= 3)
      expect(lines).toHaveLength(1)
    } finally {
      await new Promise((resolve) => hangingUp.close(resolve))
      await redis.start()
    }
  })

  it("count per node while Redis cannot write", async () => {
    const alone = await node()
    const { counters } = alone
    const counter = counters.counter("full", 60_000)
    await inRedis((client) => client.config("SET", "maxmemory", "1"))
    expect((await Effect.runPromise(counter.add("key"))).count).toBe(1)
    expect(counters.isShared?.()).toBe(false)
    await inRedis((client) => client.config("SET", "maxmemory", "0"))
    await shared(alone)
  })
})
