import { isDeepStrictEqual } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Random } from "../../src/program/testing/Random.ts"
import { eventually } from "../support/flows/eventually.ts"
import { Fleet } from "../support/replicas/Fleet.ts"
import { RedisServer, whyNoRedis } from "../support/servers/RedisServer.ts"
import { isSlow, rounds } from "../support/Slow.ts"

const missing = whyNoRedis()
const first = Number(process.env["REPLICAS_SEED"] ?? 1)
const seeds = Array.from(
  { length: Number(process.env["REPLICAS_RUNS"] ?? rounds(1, 100)) },
  (_, index) => first + index
)
const chances = { client: 3, server: 2, leap: 1, nothing: 1 }

describe("replicas of sheaf/sync, RxDB and TanStack DB, whose processes and servers are killed", () => {
  let redis: RedisServer | undefined
  beforeAll(async () => {
    if (missing === "") redis = await RedisServer.start()
  })
  afterAll(() => redis?.stop())

  // Every other seed has two nodes.
  it.each(seeds)("end equal to the server, and lose no typed word (seed %i)", async (seed) => {
    const nodes = redis !== undefined && seed % 2 === 1 ? 2 : 1
    const [processes, replicas] = isSlow ? [7, 20] : [3, 6]
    const fleet = await Fleet.start({ seed, nodes, redis: redis?.url, processes, replicas })
    try {
      const random = new Random(seed)
      const events = Array.from({ length: 10 }, () => random.weighted(chances))
      for (const event of isSlow ? events : (["client", "leap"] as const)) await fleet.round(event)
      let seen = await fleet.records()
      const different = () => seen.replicas.filter(([, records]) => !isDeepStrictEqual(records, seen.server))
      await eventually("all replicas are equal to the server", async () => {
        seen = await fleet.records()
        return different().length === 0
      }).catch((error: unknown) => {
        for (const each of different()) expect(each).toEqual([each[0], seen.server])
        throw error
      })
      expect(fleet.refused).toEqual([])
      expect(await fleet.lostWords()).toEqual([])
    } finally {
      await fleet.stop()
    }
  })
})
