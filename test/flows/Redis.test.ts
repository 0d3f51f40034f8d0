import { Redacted } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { RedisServer, whyNoRedis } from "../support/servers/RedisServer.ts"
import { startApp, type TestApp, type TestAppOptions } from "../support/TestApp.ts"
import { eventually } from "../support/flows/eventually.ts"

const missing = whyNoRedis()

describe.skipIf(missing !== "")(`nodes that share a Redis${missing}`, () => {
  let redis: RedisServer
  const apps: Array<TestApp> = []

  beforeAll(async () => {
    redis = await RedisServer.start()
  })
  afterEach(async () => {
    // The last first, because the others use the database of the first one.
    for (const app of apps.splice(0).reverse()) await app.stop()
    vi.restoreAllMocks()
  })
  afterAll(() => redis?.stop())

  const start = async (settings: TestAppOptions["settings"], databaseOf?: TestApp): Promise<TestApp> => {
    const app = await startApp({
      ...(databaseOf === undefined ? {} : { databaseOf }),
      settings: { redisUrl: Redacted.make(redis.url), ...settings }
    })
    apps.push(app)
    return app
  }

  const two = async (settings: TestAppOptions["settings"]): Promise<readonly [TestApp, TestApp]> => {
    const one = await start(settings)
    return [one, await start(settings, one)]
  }

  const remaining = async (app: TestApp) => {
    const { headers, status } = await app.call("GET", "/tags")
    return { status, remaining: Number(headers.get("ratelimit-remaining")) }
  }

  const isUp = async (app: TestApp) => {
    const metrics = await app.call("GET", `${new URL(app.url).origin}/metrics`)
    return Number(/^sheaf_redis_up(?:\{[^}]*\})? (\d)$/m.exec(metrics.text)?.[1])
  }

  const wrong = { authorization: "Bearer sfk_000000000000000000000000000000000000" }

  it("share the rate limit of a credential", async () => {
    const both = await two({ rateLimit: 40 })
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => both[index % 2]!.call("GET", "/tags")))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(40)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20)
    const left = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers.get("ratelimit-remaining")))
    expect(left.sort((a, b) => b - a)).toEqual(Array.from({ length: 40 }, (_, index) => 39 - index))
    for (const { headers } of answers) {
      expect(Number(headers.get("ratelimit-reset"))).toBeGreaterThan(0)
      expect(Number(headers.get("retry-after") ?? 60)).toBeGreaterThanOrEqual(Number(headers.get("ratelimit-reset")))
    }
  })

  it("share the count of failed attempts of a client address", async () => {
    const [one, other] = await two({})
    for (let time = 0; time < 10; time++) {
      expect((await one.call("GET", "/tags", undefined, wrong)).status).toBe(401)
      expect((await other.call("GET", "/tags", undefined, wrong)).status).toBe(401)
    }
    for (const app of [one, other]) {
      expect((await app.call("GET", "/tags", undefined, wrong)).status).toBe(429)
      expect((await app.call("GET", "/tags")).status).toBe(200)
    }
  })

  it("count separately when Redis dies, and together when it is back, without failed requests", async () => {
    const lines: Array<string> = []
    for (const way of ["log", "warn", "error", "info"] as const) {
      vi.spyOn(console, way).mockImplementation((line: unknown) => void lines.push(String(line)))
    }
    const levels = () =>
      lines
        .map((line) => JSON.parse(line))
        .filter(({ message }) => /Redis/.test(message))
        .map(({ level }) => level)
    const [one, other] = await two({ rateLimit: 1_000_000, logLevel: "info" })
    expect([await isUp(one), await isUp(other)]).toEqual([1, 1])

    let isOver = false
    let succeeded = 0
    const traffic = [one, other, one, other].map(async (app) => {
      while (!isOver) {
        const { remaining: left, status } = await remaining(app)
        expect(status).toBe(200)
        expect(left).toBeGreaterThan(0)
        succeeded++
      }
    })
    await redis.kill()
    await eventually("both nodes run without Redis", async () => (await isUp(one)) + (await isUp(other)) === 0)
    const before = succeeded
    await eventually("requests succeed without Redis", () => succeeded > before + 40)
    await redis.start()
    await eventually("both nodes use Redis", async () => (await isUp(one)) + (await isUp(other)) === 2)
    isOver = true
    await Promise.all(traffic)

    expect(levels().sort()).toEqual(["INFO", "INFO", "INFO", "INFO", "WARN", "WARN"])
    const first = await remaining(one)
    expect((await remaining(other)).remaining).toBe(first.remaining - 1)
  })

  it("start without Redis, log a warning, and use it when it becomes available", async () => {
    await redis.kill()
    const lines: Array<string> = []
    for (const way of ["log", "warn", "error"] as const) {
      vi.spyOn(console, way).mockImplementation((line: unknown) => void lines.push(String(line)))
    }
    const app = await start({ rateLimit: 10, logLevel: "warn" })
    expect(lines.filter((line) => /Redis cannot be reached/.test(line))).toHaveLength(1)
    expect(await isUp(app)).toBe(0)
    expect(await remaining(app)).toEqual({ status: 200, remaining: 9 })
    await redis.start()
    await eventually("the node uses Redis", async () => (await isUp(app)) === 1)
    expect(await remaining(app)).toEqual({ status: 200, remaining: 9 })
  })
})
