import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { concurrency } from "../../services/webhooks/WebhookState.ts"
import { eventually } from "../support/flows/eventually.ts"
import { call, type Server } from "../support/flows/Wire.ts"
import { freePort } from "../support/servers/freePort.ts"
import { HookSink, verified } from "../support/servers/HookSink.ts"
import { endPrograms, Program } from "../support/servers/Program.ts"
import { isSlow, rounds } from "../support/Slow.ts"
import { startApp } from "../support/TestApp.ts"
import { usedDataDir } from "../support/servers/UsedDataDir.ts"

const places: Array<string> = []
afterAll(async () => {
  await endPrograms()
  for (const place of places) rmSync(place, { recursive: true, force: true })
})

/** Returns all items of a list, page by page. */
const all = async (server: Server, path: string): Promise<ReadonlyArray<any>> => {
  const found: Array<any> = []
  let cursor = ""
  do {
    const { body } = await call(server, "GET", `${path}${path.includes("?") ? "&" : "?"}limit=100${cursor}`)
    found.push(...body.data)
    cursor = body.has_more ? `&cursor=${body.next_cursor}` : ""
  } while (cursor !== "")
  return found
}

describe("kill -9 while webhooks are sent", () => {
  const changes = rounds(120, 1_000)

  it("loses and changes no event, delays no other endpoint, and keeps a correct delivery log", async () => {
    const place = mkdtempSync(join(tmpdir(), "sheaf-webhooks-"))
    places.push(place)
    const env = {
      DATA_DIR: await usedDataDir(join(place, "data")),
      PORT: String(await freePort()),
      RATE_LIMIT: "0",
      WEBHOOK_ALLOW: "127.0.0.1"
    }
    let program = new Program(env)
    const server = await program.server()
    const sink = await HookSink.start()
    const failed = new Set<string>()
    // It never responds.
    const open = { now: 0, max: 0 }
    sink.responses.set("/slow", (_, response) => {
      open.max = Math.max(open.max, ++open.now)
      response.once("close", () => open.now--)
    })
    sink.responses.set("/failing", ({ id }, response) => {
      // Each event succeeds at the second attempt.
      response.writeHead(failed.has(id) ? 200 : 500).end()
      failed.add(id)
    })
    sink.responses.set("/gone", 410)
    sink.responses.set("/moved", (_, response) => response.writeHead(302, { location: sink.url("/target") }).end())
    const hooks: Record<string, any> = {}
    for (const name of ["good", "slow", "failing", "gone", "moved"]) {
      const answer = await call(server, "POST", "/webhooks", { url: sink.url(`/${name}`), events: ["tag.created"] })
      expect(answer.status).toBe(201)
      hooks[name] = answer.body
    }

    const write = async (from: number, to: number) => {
      for (let at = from; at < to; at += 20) {
        await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            // An interrupted request is repeated with its key until it succeeds.
            eventually(`tag ${at + index}`, async () => {
              const input = { name: `tag-${at + index}` }
              const key = { "idempotency-key": input.name }
              const answer = await call(server, "POST", "/tags", input, key).catch(() => undefined)
              return answer?.status === 201
            })
          )
        )
      }
    }
    const writing = write(0, changes)
    for (const part of isSlow ? [changes / 4, changes / 2] : [changes / 4]) {
      await sink.until(`${part} at the good endpoint`, () => sink.on("/good").length >= part)
      await program.kill("SIGKILL")
      program = new Program(env)
      await program.url()
    }
    await writing
    const events = (await all(server, "/events?sort=occurred_at&filter=type=tag.created")).map(({ id }) => id as string)
    expect(events).toHaveLength(changes)

    const came = (path: string) => new Set(sink.on(path).map(({ id }) => id))
    await sink.until("the good endpoint received all events", () => came("/good").size >= changes)
    expect(came("/slow").size).toBeGreaterThan(0)
    expect(open.max).toBeLessThanOrEqual(concurrency.most)
    expect([...came("/good")].toSorted()).toEqual(events.toSorted())
    await sink.until("the failing endpoint received all events twice", () => sink.on("/failing").length >= 2 * changes)
    expect([...came("/failing")].toSorted()).toEqual(events.toSorted())
    for (const path of ["/good", "/failing"]) {
      const bodies = new Map<string, string>()
      for (const each of sink.on(path)) {
        expect(each.raw).toBe(bodies.get(each.id) ?? each.raw)
        bodies.set(each.id, each.raw)
      }
    }
    for (const each of sink.on("/good").slice(0, 50)) expect(verified(hooks["good"].secret, each)).toEqual(each.body)
    expect(sink.on("/target")).toEqual([])

    for (const name of ["good", "failing"]) {
      const path = `/webhooks/${hooks[name].id}/deliveries`
      const deliveries = await eventually(`all deliveries of ${name} are stored`, async () => {
        const found = await all(server, path)
        const taken = found.filter(({ status }) => status === "succeeded")
        return found.every(({ status }) => status !== "pending") && taken.length === changes && found
      })
      const taken = deliveries.filter(({ status }) => status === "succeeded")
      expect(taken.map(({ event_id }) => event_id).toSorted()).toEqual(events.toSorted())
      for (const { status, status_code } of deliveries) if (status === "failed") expect(status_code).toBe(500)
      for (const { attempt, event_id, status_code } of taken) {
        expect(status_code).toBe(200 + 4 * Number(name === "good"))
        // An attempt that the crash interrupted is not counted.
        expect(attempt).toBeLessThanOrEqual(sink.on(`/${name}`).filter(({ id }) => id === event_id).length)
      }
    }
    const gone = (await call(server, "GET", `/webhooks/${hooks["gone"].id}`)).body
    expect(gone).toMatchObject({ active: false, disabled_reason: "gone" })
    const moved = await all(server, `/webhooks/${hooks["moved"].id}/deliveries`)
    expect(moved.some(({ error, status }) => status === "failed" && error === "the endpoint responded with 302")).toBe(
      true
    )
    expect(moved.filter(({ status }) => status === "pending").length).toBeLessThanOrEqual(1_000)
    await sink.stop()
    expect(await program.kill("SIGTERM")).toBe(0)
  })
})

describe("two processes that send webhooks", () => {
  it("share the work, and send each event once", async () => {
    const settings = { webhookAllow: ["127.0.0.1"] }
    const one = await startApp({ clock: "live", settings })
    const other = await startApp({ clock: "live", settings, databaseOf: one })
    const sink = await HookSink.start()
    try {
      for (let at = 0; at < 6; at++) {
        const input = { url: sink.url(`/${at}`), events: ["tag.created"] }
        expect((await [one, other][at % 2]!.call("POST", "/webhooks", input)).status).toBe(201)
      }
      for (let at = 0; at < 200; at += 10) {
        await Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            [one, other][index % 2]!.call("POST", "/tags", { name: `tag-${at + index}` })
          )
        )
      }
      await sink.until("all endpoints received all events", () => sink.received.length >= 6 * 200)
      for (let at = 0; at < 6; at++) {
        const ids = sink.on(`/${at}`).map(({ id }) => id)
        expect([ids.length, new Set(ids).size]).toEqual([200, 200])
      }
    } finally {
      await sink.stop()
      await other.stop()
      await one.stop()
    }
  })
})
