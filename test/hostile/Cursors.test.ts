import { beforeAll, describe, expect, it } from "vitest"
import { guest } from "../support/people/People.ts"
import { aged } from "../support/devices/SyncCursors.ts"
import { EventStream } from "../support/EventStream.ts"
import type { ApiResponse } from "../support/TestApp.ts"
import { expectSound } from "../support/hostile/Sound.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
  for (let number = 0; number < 4; number++) {
    await app.call("POST", "/notes", {
      notebook_id: notebook,
      title: `note ${number}`,
      body: "word",
      tags: [`tag${number}`]
    })
    await app.call("POST", "/notebooks", { name: `notebook ${number}` })
  }
})

type Ask = (cursor: string, headers?: Record<string, string>) => Promise<ApiResponse>

const sound = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  expectSound(await app.call(method, path, body, headers), `${method} ${path.slice(0, 200)}`)

/** Each operation that accepts a cursor, with a function that issues a valid one for it. */
const places: ReadonlyArray<readonly [name: string, issue: () => Promise<string>, ask: Ask]> = [
  ...["/notes", "/notebooks", "/tags"].map(
    (path) =>
      [
        `GET ${path}`,
        async () => (await sound("GET", `${path}?limit=1`)).body.next_cursor,
        (cursor: string, headers?: Record<string, string>) =>
          sound("GET", `${path}?limit=1&cursor=${encodeURIComponent(cursor)}`, undefined, headers)
      ] as const
  ),
  [
    "POST /search",
    async () => (await sound("POST", "/search", { query: "word", limit: 1 })).body.next_cursor,
    (cursor, headers) => sound("POST", "/search", { query: "word", limit: 1, cursor }, headers)
  ],
  [
    "POST /sync/pull",
    async () => (await sound("POST", "/sync/pull", { limit: 1 })).body.cursor,
    (cursor, headers) => sound("POST", "/sync/pull", { cursor, limit: 1 }, headers)
  ],
  [
    "GET /sync/stream",
    async () => (await sound("GET", "/sync/cursor")).body.cursor,
    async (cursor, headers = {}) => {
      const stream = await EventStream.open(app, { cursor: encodeURIComponent(cursor), headers })
      if (stream.status === 200) {
        stream.close()
        return { status: 200, headers: new Headers(), text: "", body: undefined }
      }
      await stream.ended()
      const { headers: sent, status, text } = stream
      const answer = { status, headers: new Headers(sent as Record<string, string>), text, body: JSON.parse(text) }
      return expectSound(answer, "GET /sync/stream")
    }
  ]
]

const refused = ["invalid_cursor", "cursor_mismatch"]

describe.each(places)("a cursor of %s", (name, issue, ask) => {
  const isGood = async (cursor: string) => expect([200, 201], name).toContain((await ask(cursor)).status)
  const isRefused = async (cursor: string, headers?: Record<string, string>) => {
    const { body, status } = await ask(cursor, headers)
    expect([status, refused.includes(body?.code)], `${name} ${cursor.slice(0, 100)}`).toEqual([400, true])
  }

  it("is valid as issued", async () => isGood(await issue()))

  it("is refused with any single bit changed", async () => {
    const cursor = await issue()
    const bytes = Buffer.from(cursor, "base64url")
    // Fewer requests for the stream, because each needs its own connection.
    const step = name.includes("stream") ? 29 : 3
    for (let bit = 0; bit < bytes.length * 8; bit += step) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      await isRefused(flipped.toString("base64url"))
    }
  })

  it("is refused when it is truncated, extended, repeated or invented", async () => {
    const cursor = await issue()
    const { length } = cursor
    for (const left of [1, 2, 8, length >> 1, length - 4, length - 2]) await isRefused(cursor.slice(0, left))
    const forged = Buffer.from(JSON.stringify(["x", 1])).toString("base64url")
    const made = [
      cursor + cursor,
      `${cursor}AAAA`,
      `AAAA${cursor}`,
      "0",
      "null",
      "../../etc/passwd",
      "' OR 1=1 --",
      forged,
      "A".repeat(length),
      "\0",
      "é",
      "🙂",
      "x".repeat(3_000)
    ]
    for (const each of made) await isRefused(each)
  })

  it("is refused in another workspace", async () => {
    const { headers } = await guest(app, { elsewhere: true })
    await isRefused(await issue(), headers)
  })

  it("is refused by other operations", async () => {
    const cursor = await issue()
    for (const [other, , askOther] of places) {
      // Pull and stream share the order of the log, so each accepts the cursors of the other.
      if (other === name || (other.includes("/sync/") && name.includes("/sync/"))) continue
      const { body, status } = await askOther(cursor)
      expect([status, refused.includes(body?.code)], `${name} in ${other}`).toEqual([400, true])
    }
  })

  it("is refused with a size of one megabyte, by the limits of bodies or headers", async () => {
    const long = "A".repeat(1_048_576)
    if (name.startsWith("POST")) return isRefused(long)
    // Request headers are limited to 16 KiB: the connection ends with 431 before the request is handled.
    const path = new URL(`${app.url}${name.slice(4)}?cursor=${long}`)
    const outcome = await fetch(path, { headers: { authorization: `Bearer ${app.key}` } }).then(
      ({ status }) => status,
      () => "closed"
    )
    expect([431, "closed"]).toContain(outcome)
    await isGood(await issue())
  })
})

describe("a sync cursor", () => {
  it("is 410 with a resync cursor after a day, and without one after 90 days", async () => {
    const cursor: string = (await sound("GET", "/sync/cursor")).body.cursor
    const day = 24 * 3600_000
    for (const [name, , ask] of places.slice(-2)) {
      const expired = await ask(await aged(app, cursor, day))
      expect([expired.status, expired.body.code], name).toEqual([410, "cursor_expired"])
      expect((await ask(expired.body.resync_cursor)).status, name).toBeLessThan(300)
      expect((await ask(await aged(app, cursor, 90 * day))).body, name).toMatchObject({
        code: "cursor_expired",
        resync_cursor: null
      })
    }
  })

  it("is refused with other types", async () => {
    const { cursor } = (await sound("POST", "/sync/pull", { types: ["note"] })).body
    expect((await sound("POST", "/sync/pull", { cursor })).body.code).toBe("cursor_mismatch")
    expect((await sound("POST", "/sync/pull", { cursor, types: ["note", "tag"] })).body.code).toBe("cursor_mismatch")
  })

  it("is 410 after a restored backup", async () => {
    const cursor: string = (await sound("GET", "/sync/cursor")).body.cursor
    await app.sql("UPDATE heads SET epoch = 'restored' WHERE workspace_id = $1", [app.workspace_id])
    expect((await sound("POST", "/sync/pull", { cursor })).body).toMatchObject({
      code: "cursor_expired",
      resync_cursor: null
    })
  })
})
