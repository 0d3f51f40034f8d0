import { afterEach, describe, expect, it, vi } from "vitest"
import { type Batch, createClient, follow } from "../../src/clients/client/SheafClient.ts"
import {
  change,
  eventStream,
  eventText,
  FollowedServer,
  hanging,
  htmlPage,
  openStream,
  page,
  type Respond
} from "../support/devices/FollowedServer.ts"

afterEach(() => {
  vi.useRealTimers()
})

const isLast = ({ changes }: Batch) => changes.some(({ id }) => id === "last")
const problem = (code: string) => expect.objectContaining({ problem: expect.objectContaining({ code }) })

describe("follow returns each change once, when the server", () => {
  it("sends any characters, byte by byte", async () => {
    const body = "a\u2028\u2029\u0085\r\n\ndata: x\u{1F469}\u200D\u{1F680}"
    const bytes = new TextEncoder().encode(eventText("change", change("last", { body }), "c2"))
    const single = new ReadableStream({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]))
        controller.close()
      }
    })
    const server = new FollowedServer([() => page("c1")], [() => eventStream(single)], { isEnded: isLast })
    await server.ended
    expect(server.changes).toEqual([change("last", { body })])
  })

  it("sends lines, events, types and members of a later version", async () => {
    const text =
      ": comment\n\nretry: 1\nlater: field\nflag\n\n" +
      eventText("later", { any: "thing" }) +
      eventText("later", null, "c2") +
      eventText("change", { ...change("x", { later: 1 }), type: "card", op: "later", also: [] }, "c3").replaceAll(
        "\n",
        "\r\n"
      ) +
      eventText("change", change("last"), "c4")
    const server = new FollowedServer([() => page("c1")], [() => eventStream(text)], { isEnded: isLast })
    await server.ended
    expect(server.batches.map(({ cursor }) => cursor)).toEqual(["c1", "c2", "c3", "c4"])
    expect(server.changes).toMatchObject([{ id: "x", type: "card", data: { later: 1 }, also: [] }, { id: "last" }])
  })

  it.each([
    ["is no JSON", "id: c2\nevent: change\ndata: {\n\n"],
    ["is null", eventText("change", null, "c2")],
    ["has no cursor", eventText("change", change("x"))],
    ["has an empty cursor", eventText("change", change("x"), "")],
    ["breaks off", eventText("change", change("x"), "c2").slice(0, -1)]
  ])("sends a change that %s", async (_, text) => {
    const pages = [() => page("c1"), () => page("c2", [change("x"), change("last")])]
    const server = new FollowedServer(pages, [() => eventStream(text)], { isEnded: isLast })
    await server.ended
    expect(server.pulls).toEqual([undefined, "c1"])
    expect(server.changes.map(({ id }) => id)).toEqual(["x", "last"])
  })

  it("closes streams in an orderly way, or says bye and keeps them open", async () => {
    const pages = [() => page("c1"), () => page("c2", [change("x")]), () => page("c3", [change("last")])]
    const bye = () => openStream(eventText("bye", { reason: "slow" }))
    const server = new FollowedServer(pages, [() => eventStream(""), bye], { isEnded: isLast })
    await server.ended
    expect([server.pulls, server.streams, server.errors]).toEqual([[undefined, "c1", "c2"], ["c1", "c2"], []])
  })
})

describe("follow reports the error and tries again, when the server", () => {
  it.each<[string, Respond]>([
    ["a page of HTML", htmlPage],
    ["nothing", () => new Response(null, { status: 204 })],
    ["JSON", () => page("c")],
    ["a page of HTML and 403", () => new Response("<html>", { status: 403 })]
  ])("responds to the request of the stream with %s", async (_, stream) => {
    const pages = [() => page("c1"), () => page("c2", [change("last")])]
    const server = new FollowedServer(pages, [stream], { isEnded: isLast })
    await server.ended
    expect(server.errors).toEqual([problem("unexpected_response")])
  })

  it.each<[string, Respond]>([
    ["HTML", htmlPage],
    ["nothing", () => new Response(null, { status: 204 })],
    ["null", () => Response.json(null)],
    ["changes that are none", () => page("c1", [null])],
    ["the cursor that it received, and promises more", (_, cursor) => page(cursor ?? "c0", [change("x")], true)]
  ])("sends a page with %s", async (_, respond) => {
    const server = new FollowedServer([respond, respond, () => page("c1", [change("last")])], undefined, {
      cursor: "c0",
      isEnded: isLast
    })
    await server.ended
    expect(server.errors).toEqual([problem("unexpected_response"), problem("unexpected_response")])
    expect(server.pulls).toEqual(["c0", "c0", "c0"])
  })

  it("sends cursors that come again", async () => {
    let pulls = 0
    const server = new FollowedServer([() => page(`c${pulls++ % 3}`, [change("x")], true)], undefined, { isOnce: true })
    await expect(server.ended).rejects.toMatchObject({ problem: { code: "unexpected_response" } })
    expect(pulls).toBeLessThan(10)
  })

  it("sends a line or an event without an end", async () => {
    let sent = 0
    const endless = (text: string) => () => {
      const bytes = new TextEncoder().encode(text.repeat((1 << 20) / text.length))
      return eventStream(new ReadableStream({ pull: (controller) => (sent++, controller.enqueue(bytes)) }))
    }
    const pages = [() => page("c1"), () => page("c2"), () => page("c3", [change("last")])]
    const server = new FollowedServer(pages, [endless("x"), endless("data: x\n")], { isEnded: isLast })
    await server.ended
    expect(server.errors).toEqual([problem("unexpected_response"), problem("unexpected_response")])
    expect(sent).toBeLessThan(50)
  })

  it("sends a page without an end", async () => {
    const bytes = new TextEncoder().encode(" ".repeat(1 << 22))
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(bytes) })
    const endless = () => new Response(body, { headers: { "content-type": "application/json" } })
    const server = new FollowedServer([endless, () => page("c1", [change("last")])], undefined, { isEnded: isLast })
    await server.ended
    expect(server.errors).toEqual([problem("unexpected_response")])
  })
})

describe("in time, follow", () => {
  const fakeTime = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })

  it("waits longer after each failure, at most a minute, and shortly after progress", async () => {
    fakeTime()
    let isDown = true
    let pulls = 0
    const server = new FollowedServer(
      [() => (isDown ? Promise.reject(new TypeError("no network")) : page(`c${pulls++}`, [change("x")]))],
      [() => Promise.reject(new TypeError("no network"))],
      { longestWait: 60_000 }
    )
    await vi.advanceTimersByTimeAsync(3600_000)
    const waits = server.times.slice(1).map((time, index) => time - server.times[index]!)
    for (const [index, millis] of waits.entries()) {
      const longest = Math.min(60_000, 1_000 * 2 ** index)
      expect(millis).toBeGreaterThanOrEqual(Math.min(longest / 2, 60_000))
      expect(millis).toBeLessThanOrEqual(longest + 1)
    }
    expect(waits.length).toBeGreaterThan(50)
    expect(new Set(waits.slice(10)).size).toBeGreaterThan(1)
    isDown = false
    await vi.advanceTimersByTimeAsync(120_000)
    const [last, before] = server.times.toReversed()
    expect(last! - before!).toBeLessThanOrEqual(1_001)
    await server.end()
  })

  it("waits as long as Retry-After asks for, but not longer than the client may", async () => {
    fakeTime()
    const busy = { code: "overloaded", status: 503, detail: "Busy" }
    const server = new FollowedServer(
      [3600, 20, 0].map(
        (seconds) => () => Response.json(busy, { status: 503, headers: { "retry-after": `${seconds}` } })
      ),
      undefined,
      { longestWait: 60_000 }
    )
    await vi.advanceTimersByTimeAsync(100_000)
    expect(server.times.slice(1, 3).map((time) => Math.round((time - server.times[0]!) / 1000))).toEqual([60, 80])
    await server.end()
  })

  it("leaves connections on which nothing comes", async () => {
    fakeTime()
    const pages: Array<Respond> = [hanging, () => openPage(), () => page("c1"), () => page("c2")]
    const openPage = () => new Response(new ReadableStream(), { headers: { "content-type": "application/json" } })
    const streamed: Array<Respond> = [hanging, () => openStream(": ping\n\n"), () => openStream()]
    const server = new FollowedServer(pages, streamed)
    await vi.advanceTimersByTimeAsync(5 * 45_100)
    expect(server.errors).toEqual(Array.from({ length: 5 }, () => problem("no_response")))
    expect(server.streams).toEqual(["c1", "c2", "c2", "c2"])
    await server.end()
  })

  it("keeps a stream that is quiet but for its pings", async () => {
    fakeTime()
    let controller: ReadableStreamDefaultController<Uint8Array>
    const quiet = new ReadableStream<Uint8Array>({ start: (each) => void (controller = each) })
    const send = (text: string) => controller.enqueue(new TextEncoder().encode(text))
    const server = new FollowedServer([() => page("c1")], [() => eventStream(quiet)])
    for (let each = 0; each < 20; each++) {
      await vi.advanceTimersByTimeAsync(15_000)
      send(": ping\n\n")
    }
    send(eventText("change", change("x"), "c2"))
    await vi.advanceTimersByTimeAsync(1)
    expect([server.pulls.length, server.errors, server.changes.length]).toEqual([1, [], 1])
    await server.end()
  })
})

describe("the signal ends follow", () => {
  it.each<[string, Array<Respond>, Array<Respond>]>([
    ["during a pull", [hanging], []],
    ["in a page", [() => new Response(new ReadableStream(), { headers: { "content-type": "application/json" } })], []],
    ["during the request of the stream", [() => page("c1")], [hanging]],
    ["in the stream", [() => page("c1")], [() => openStream(eventText("ready", { cursor: "c1" }, "c1"))]],
    ["in a pause", [() => Promise.reject(new TypeError("no network"))], []]
  ])("%s", async (_, pages, streamed) => {
    const server = new FollowedServer(pages, streamed, { longestWait: 3600_000 })
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    await server.end()
    expect(server.pulls).toHaveLength(1)
  })

  it("between changes that have come together, and before it begins", async () => {
    const text = eventText("change", change("last"), "c2") + eventText("change", change("later"), "c3")
    const server = new FollowedServer([() => page("c1")], [() => openStream(text)], { isEnded: isLast })
    await server.ended
    expect(server.changes.map(({ id }) => id)).toEqual(["last"])
    const none = new FollowedServer([() => page("c1")], undefined, { signal: AbortSignal.abort() })
    await none.ended
    expect(none.pulls).toEqual([])
  })

  it("during a refresh of the session", async () => {
    const expired = { code: "token_expired", status: 401, detail: "Expired" }
    const session = { access_token: "a", refresh_token: "r" } as never
    const ending = new AbortController()
    const client = createClient({
      url: "http://server",
      session: { read: () => session, write: () => {} },
      fetch: async (url) => {
        if (!String(url).endsWith("/auth/refresh")) return Response.json(expired, { status: 401 })
        setImmediate(() => ending.abort())
        return new Promise(() => {})
      }
    })
    for await (const _ of follow(client, { signal: ending.signal })) throw new Error("there is no batch")
  })
})

it("an error of the app's own function ends follow", async () => {
  const text = eventText("reminder", { id: "rm_1" })
  const onReminder = () => {
    throw new RangeError("of the app")
  }
  const server = new FollowedServer([() => page("c1")], [() => eventStream(text)], { onReminder })
  await expect(server.ended).rejects.toThrow("of the app")
})

it("follow halves its pages while requests fail, and doubles them with each page that comes whole", async () => {
  const fails = () => Promise.reject(new TypeError("no network"))
  const more = (_: AbortSignal, cursor = "0") => page(`${Number(cursor) + 1}`, [change("x")], true)
  const pages = [...Array.from({ length: 10 }, () => fails), ...Array.from({ length: 10 }, () => more)]
  const server = new FollowedServer([...pages, fails, () => page("c", [change("last")])], undefined, {
    isEnded: isLast
  })
  await server.ended
  expect(server.limits.slice(0, 11)).toEqual([500, 250, 125, 62, 31, 15, 7, 3, 1, 1, 1])
  expect(server.limits.slice(11)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 500, 500, 250])
})
