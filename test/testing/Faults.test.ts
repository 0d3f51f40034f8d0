import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest"
import type { FaultPlan } from "../../src/program/testing/Faults.ts"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { call, given, noteIn } from "./KitClient.ts"

const postgres = inject("postgres")
let sheaf: Sheaf
let notebook_id: string
beforeAll(async () => {
  sheaf = await Sheaf.start({ postgres })
  notebook_id = (await given(sheaf, "GET", "/notebooks")).data[0].id
})
beforeEach(() => {
  sheaf.faults.clear()
  sheaf.faults.happened.splice(0)
})
afterAll(() => sheaf.stop())

const titled = async (title: string): Promise<number> =>
  (await given(sheaf, "GET", `/notes?filter=${encodeURIComponent(`title = "${title}"`)}`)).data.length

describe("the fault", () => {
  it("unavailable refuses a request with 503 and Retry-After, and changes nothing", async () => {
    sheaf.faults.set({ unavailable: 1, lostResponses: 1 })
    const { body, headers, status } = await call(sheaf, "POST", "/notes", { notebook_id, title: "Refused" })
    expect([status, body.code, headers.get("retry-after")]).toEqual([503, "service_unavailable", "1"])
    sheaf.faults.clear()
    expect(await titled("Refused")).toBe(0)
    expect(sheaf.faults.happened).toEqual([{ fault: "unavailable", request: "POST /v2/notes" }])
  })

  it("lostResponses stores the change, and a repetition with the same key finds its response", async () => {
    sheaf.faults.set({ lostResponses: 1 })
    const headers = { "idempotency-key": "the-key-of-this-note" }
    const note = { notebook_id, title: "Lost" }
    await expect(call(sheaf, "POST", "/notes", note, headers)).rejects.toThrow("fetch failed")
    sheaf.faults.clear()
    expect(await titled("Lost")).toBe(1)
    const repeated = await call(sheaf, "POST", "/notes", note, headers)
    expect([repeated.status, repeated.headers.get("idempotent-replayed")]).toEqual([201, "true"])
    expect(await titled("Lost")).toBe(1)
  })

  it("latency delays requests", async () => {
    sheaf.faults.set({ latency: 1 })
    const begun = performance.now()
    for (let each = 0; each < 5; each++) await given(sheaf, "GET", "/notebooks")
    expect(sheaf.faults.happened).toHaveLength(5)
    // The delays of this seed are 250 ms together.
    expect(performance.now() - begun).toBeGreaterThan(100)
  })

  it("cutStreams cuts a live stream, which continues after its last event", async () => {
    const { cursor } = await given(sheaf, "POST", "/sync/pull", {})
    sheaf.faults.set({ cutStreams: 1 })
    const read = async (lastId: string) => {
      const headers = { authorization: `Bearer ${sheaf.key}`, "last-event-id": lastId }
      let text = ""
      let last = lastId
      const decoder = new TextDecoder()
      try {
        const response = await fetch(`${sheaf.url}/sync/stream`, { headers })
        for await (const chunk of response.body!) {
          text += decoder.decode(chunk)
          last = /[^]*^id: (\S+)$/m.exec(text)?.[1] ?? last
          await noteIn(sheaf, "Streamed")
        }
      } catch {
        return last
      }
      throw new Error("the stream ended without a cut")
    }
    const last = await read(cursor)
    expect(sheaf.faults.happened.map(({ fault }) => fault)).toContain("cutStreams")
    expect((await call(sheaf, "POST", "/sync/pull", { cursor: last })).status).toBe(201)
  })

  it("doubledDeliveries sends each webhook request twice, with the same id", async () => {
    const seen = sheaf.deliveries.length
    const hook = await given(sheaf, "POST", "/webhooks", {
      url: "https://hooks.example/twice",
      events: ["tag.created"]
    })
    sheaf.faults.set({ doubledDeliveries: 1 })
    await given(sheaf, "POST", "/tags", { name: "one" })
    await sheaf.idle()
    const ids = sheaf.deliveries.slice(seen).map(({ headers }) => headers["webhook-id"])
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
    await given(sheaf, "DELETE", `/webhooks/${hook.id}`)
  })

  it("failedDeliveries keeps requests from their receiver, until they are repeated without it", async () => {
    const seen = sheaf.deliveries.length
    await given(sheaf, "POST", "/webhooks", { url: "https://hooks.example/later", events: ["tag.created"] })
    sheaf.faults.set({ failedDeliveries: 1 })
    await given(sheaf, "POST", "/tags", { name: "two" })
    await sheaf.idle()
    sheaf.faults.clear()
    await sheaf.advance("10 seconds")
    expect(sheaf.deliveries.slice(seen).map(({ status }) => status)).toEqual([503, 204])
  })
})

describe("faults", () => {
  it("are the same for the same seed and requests", async () => {
    const run = async (plan: Partial<FaultPlan>) => {
      sheaf.faults.set(plan)
      const statuses: Array<number> = []
      for (let each = 0; each < 20; each++) statuses.push((await call(sheaf, "GET", "/me")).status)
      return statuses
    }
    const first = await run({ seed: 7, unavailable: 0.5 })
    expect(await run({ seed: 7, unavailable: 0.5 })).toEqual(first)
    expect(await run({ seed: 8, unavailable: 0.5 })).not.toEqual(first)
    expect(new Set(first)).toEqual(new Set([200, 503]))
  })

  it.each([
    [{ unavailable: 2 }, "unavailable must be a chance from 0 to 1"],
    [{ latency: Number.NaN }, "latency must be a chance from 0 to 1"],
    [{ latency: "1" as unknown as number }, "latency must be a chance from 0 to 1"],
    [{ seed: 0.5 }, "seed must be a whole number"],
    [{ flood: 1 }, /^there is no fault flood: use latency, unavailable, lostResponses, cutStreams, /]
  ])("refuse %j", (plan, message) => {
    sheaf.faults.set({ unavailable: 0.25 })
    expect(() => sheaf.faults.set(plan as Partial<FaultPlan>)).toThrow(message)
    expect(sheaf.faults.current.unavailable).toBe(0.25)
  })
})
