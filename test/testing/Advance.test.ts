import fc from "fast-check"
import { createServer, type RequestListener } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { epoch, Sheaf } from "../../src/program/testing/Sheaf.ts"
import { isSlow, rounds } from "../support/Slow.ts"
import { call, given, noteIn } from "./KitClient.ts"

const postgres = inject("postgres")
const second = 1_000
const hour = 3600 * second
const day = 24 * hour

const iso = (millis: number): string => new Date(millis).toISOString()

/** Starts a receiver of webhooks, which ends with the test. */
const receiver = async (listener: RequestListener) => {
  const server = createServer((request, response) => {
    request.resume().once("end", () => listener(request, response))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

describe("advance", () => {
  it("fires reminders at their times, which their mails have", async () => {
    await using sheaf = await Sheaf.start({ postgres })
    const note_id = await noteIn(sheaf, "Plants")
    for (const days of [1, 8, 30]) {
      await given(sheaf, "POST", "/reminders", { note_id, remind_at: iso(epoch + days * day), channel: "email" })
    }
    await sheaf.advance("31 days")
    expect(sheaf.mails.map(({ created_at }) => created_at)).toEqual([1, 8, 30].map((days) => iso(epoch + days * day)))
  })

  it("retries webhook requests until the last attempt", async () => {
    using failing = await receiver((_, response) => response.writeHead(500).end())
    await using sheaf = await Sheaf.start({ postgres })
    await given(sheaf, "POST", "/webhooks", { url: failing.url, events: ["note.created"] })
    await noteIn(sheaf, "Sent often")
    await sheaf.advance("31 days")
    expect(sheaf.deliveries.map(({ status }) => status)).toEqual(Array(10).fill(500))
    const ids = new Set(sheaf.deliveries.map(({ headers }) => headers["webhook-id"]))
    expect(ids.size).toBe(1)
  })

  it("ends what has a term: sessions, deleted notes, cursors", async () => {
    await using sheaf = await Sheaf.start({ postgres })
    const person = { email: "anna@example.org", password: "a long enough password", display_name: "Anna" }
    const { access_token } = await given(sheaf, "POST", "/auth/register", person)
    const note = await noteIn(sheaf, "Old")
    await given(sheaf, "DELETE", `/notes/${note}`)
    const { cursor } = await given(sheaf, "POST", "/sync/pull", {})
    await sheaf.advance("31 days")
    const headers = { authorization: `Bearer ${access_token}` }
    expect((await call(sheaf, "GET", "/me", undefined, headers)).body.code).toBe("token_expired")
    expect((await call(sheaf, "POST", `/notes/${note}/restore`)).body.code).toBe("restore_window_expired")
    await sheaf.advance("90 days")
    expect((await call(sheaf, "POST", "/sync/pull", { cursor })).body.code).toBe("cursor_expired")
    expect((await call(sheaf, "POST", `/notes/${note}/restore`)).body.code).toBe("not_found")
  })

  it("sets the clock back, and adds up when moves are requested at the same time", async () => {
    await using sheaf = await Sheaf.start({ postgres })
    const created = async () => (await given(sheaf, "GET", `/notes/${await noteIn(sheaf, "Now")}`)).created_at
    await sheaf.advance("2 hours")
    await sheaf.advance("-1 hour")
    expect(await created()).toBe(iso(epoch + hour))
    await Promise.all([sheaf.advance("1 hour"), sheaf.advance("2 hours"), sheaf.advance("3 hours")])
    expect(await created()).toBe(iso(epoch + 7 * hour))
  })

  it("is refused beyond 1970 and a hundred years, for what is no duration, and after the instance has stopped", async () => {
    await using sheaf = await Sheaf.start({ postgres })
    for (const far of ["Infinity", "-36500 days", "36600 days"] as const) {
      await expect(sheaf.advance(far)).rejects.toThrow("between 1970 and a hundred years after its start")
      await expect(sheaf.move(far)).rejects.toThrow("between 1970 and a hundred years after its start")
    }
    for (const nonsense of ["nonsense", "", null, Number.NaN]) {
      const refused = sheaf.advance(nonsense as "1 second")
      await expect(refused).rejects.toThrow("a duration is a number and a unit, such as 31 days or -1 hour")
    }
    // Whole milliseconds: ids begin with the time.
    await sheaf.advance(0.4)
    await sheaf.advance("1777 millis")
    expect(await noteIn(sheaf, "Later")).toMatch(/^nt_[0-9A-Za-z]{22}$/)
    await sheaf.stop()
    await expect(sheaf.advance("1 second")).rejects.toThrow("this Sheaf has stopped")
  })

  it("is refused without the test clock", async () => {
    await using sheaf = await Sheaf.start({ postgres, clock: "live" })
    await expect(sheaf.advance("1 second")).rejects.toThrow("the clock of this instance is not the test clock")
  })

  it("fires the same reminders, in the same order, in one move and in many", async () => {
    await using one = await Sheaf.start({ postgres })
    await using many = await Sheaf.start({ postgres })
    const times = fc.array(fc.integer({ min: 1, max: 72 * 3600 }), { minLength: 1, maxLength: 12 })
    const moves = fc.array(fc.integer({ min: 1, max: 48 }), { minLength: 1, maxLength: 4 })
    let start = epoch
    const titles = async (sheaf: Sheaf, seconds: ReadonlyArray<number>) => {
      for (const after of seconds) {
        const note_id = await noteIn(sheaf, `${after} s`)
        const remind_at = iso(start + after * second)
        await given(sheaf, "POST", "/reminders", { note_id, remind_at, channel: "email" })
      }
    }
    const subjects = (sheaf: Sheaf, seen: number) => sheaf.mails.slice(seen).map(({ subject }) => subject)
    await fc.assert(
      fc.asyncProperty(times, moves, async (seconds, steps) => {
        const seen = one.mails.length
        await Promise.all([titles(one, seconds), titles(many, seconds)])
        const total = steps.reduce((sum, hours) => sum + hours, 0)
        await one.advance(total * hour)
        for (const hours of steps) await many.advance(hours * hour)
        start += total * hour
        const due = seconds.filter((after) => after <= total * 3600).length
        expect(subjects(one, seen)).toHaveLength(subjects(many, seen).length)
        expect(subjects(one, seen).length).toBeGreaterThanOrEqual(due)
        expect(subjects(one, seen).toSorted()).toEqual(subjects(many, seen).toSorted())
      }),
      { numRuns: rounds(1, 50), seed: 42 }
    )
  })

  it("passes 31 days with 1 000 reminders, 100 webhooks and a full trash", async () => {
    using failing = await receiver((_, response) => response.writeHead(500).end())
    await using sheaf = await Sheaf.start({ postgres })
    const [inbox] = (await given(sheaf, "GET", "/notebooks")).data
    const [count, hooks] = isSlow ? [1_000, 100] : [50, 10]
    const notes = async (title: string, more: object) => {
      const ids: Array<string> = []
      for (let from = 0; from < count; from += 50) {
        const changes = Array.from({ length: 50 }, (_, index) => ({
          type: "note",
          op: "upsert",
          revision: 0,
          data: { notebook_id: inbox.id, title: `${title} ${from + index}`, ...more }
        }))
        const { results } = await given(sheaf, "POST", "/sync/push", { device_id: "sy_0000000000000000", changes })
        ids.push(...results.map(({ id }: { id: string }) => id))
      }
      return ids
    }
    const reminded = await notes("Reminded", {})
    const trashed = await notes("Trashed", {})
    const step = Math.floor((30 * day) / count)
    for (const [index, note_id] of reminded.entries()) {
      const remind_at = iso(epoch + hour + index * step)
      await given(sheaf, "POST", "/reminders", { note_id, remind_at, channel: "email" })
    }
    for (const id of trashed) await given(sheaf, "DELETE", `/notes/${id}`)
    for (let index = 0; index < hooks; index++) {
      const url = index % 2 === 0 ? `${failing.url}${index}` : `https://hooks.example/${index}`
      await given(sheaf, "POST", "/webhooks", { url, events: ["template.created"] })
    }
    await given(sheaf, "POST", "/templates", { name: "Sent to all", body: "" })
    await sheaf.advance("31 days")
    expect(sheaf.mails.filter(({ subject }) => subject.startsWith("Reminder"))).toHaveLength(count)
    expect(sheaf.deliveries).toHaveLength((hooks / 2) * 10 + hooks / 2)
    expect((await call(sheaf, "POST", `/notes/${trashed[0]}/restore`)).body.code).toBe("restore_window_expired")
  })
})

describe("idle", () => {
  let release = () => {}
  let sheaf: Sheaf
  beforeAll(async () => {
    sheaf = await Sheaf.start({ postgres })
  })
  afterAll(() => sheaf.stop())

  it("waits for a receiver of webhooks, and names the work that does not end", async () => {
    const held = Promise.withResolvers<void>()
    release = held.resolve
    using slow = await receiver((_, response) => void held.promise.then(() => response.writeHead(200).end()))
    await given(sheaf, "POST", "/webhooks", { url: slow.url, events: ["note.created"] })
    await noteIn(sheaf, "Slow")
    await expect(sheaf.idle("100 millis")).rejects.toThrow(
      "background work has not ended within 100ms: webhook deliveries"
    )
    // The clock moves all the same.
    await sheaf.move("1 second")
    release()
    await sheaf.idle()
    expect(sheaf.deliveries).toMatchObject([{ status: 200 }])
  })

  it("waits for imports and exports", async () => {
    await noteIn(sheaf, "Exported")
    const { id } = await given(sheaf, "POST", "/exports", { format: "json", scope: "workspace" })
    await sheaf.idle()
    expect((await given(sheaf, "GET", `/exports/${id}`)).status).toBe("ready")
  })
})
