import { beforeAll, describe, expect, it } from "vitest"
import { send } from "../support/hostile/Sound.ts"
import { sampled } from "../support/Slow.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

/** The maximum size of a note's body in bytes (contract 2). */
const limit = 1_048_576

const escaped = (text: string): string =>
  `"${text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`

/** Texts with an exact length in bytes of UTF-8, and their form in JSON. */
const kinds: ReadonlyArray<readonly [name: string, of: (bytes: number) => string, json: (text: string) => string]> = [
  ["ASCII", (bytes) => "a".repeat(bytes), JSON.stringify],
  ["CJK", (bytes) => "語".repeat(Math.floor(bytes / 3)) + "x".repeat(bytes % 3), JSON.stringify],
  ["emoji", (bytes) => "🙂".repeat(Math.floor(bytes / 4)) + "x".repeat(bytes % 4), JSON.stringify],
  ["escaped ASCII, six times as long", (bytes) => "<".repeat(bytes), escaped],
  ["escaped CJK", (bytes) => "語".repeat(Math.floor(bytes / 3)) + "x".repeat(bytes % 3), escaped],
  ["escaped emoji", (bytes) => "🙂".repeat(Math.floor(bytes / 4)) + "x".repeat(bytes % 4), escaped],
  ["control characters", (bytes) => "\u0001".repeat(bytes), JSON.stringify],
  ["quotes and backslashes", (bytes) => `"\\`.repeat(Math.floor(bytes / 2)) + "x".repeat(bytes % 2), JSON.stringify]
]

describe.each(sampled(kinds, 2))("%s", (_, of, json) => {
  const most = of(limit)
  const more = of(limit + 1)
  const stored = async (id: string) => (await app.call("GET", `/notes/${id}`)).body.body === most
  const note = (text: string) => `{"notebook_id":"${notebook}","title":"large","body":${json(text)}}`

  it("of 1 048 576 bytes is stored unchanged by POST and PATCH, and one byte more is refused", async () => {
    const made = await send(app, "POST", "/notes", note(most))
    expect([made.status, made.body.body === most]).toEqual([201, true])
    expect(await stored(made.body.id)).toBe(true)
    const { body: small } = await app.call("POST", "/notes", { notebook_id: notebook, title: "small" })
    const grown = await send(app, "PATCH", `/notes/${small.id}`, `{"body":${json(most)}}`)
    expect([grown.status, grown.body.body === most]).toEqual([200, true])
    expect(await stored(small.id)).toBe(true)
    for (const [method, path, body] of [
      ["POST", "/notes", note(more)],
      ["PATCH", `/notes/${small.id}`, `{"body":${json(more)}}`]
    ] as const) {
      const { body: problem, status } = await send(app, method, path, body)
      expect([status, problem.errors]).toEqual([422, [expect.objectContaining({ field: "body", code: "too_long" })]])
    }
    expect(await stored(small.id)).toBe(true)
  })

  it("of 1 048 576 bytes is pushed and pulled unchanged, and one byte more is rejected", async () => {
    const cursor: string = (await app.call("GET", "/sync/cursor")).body.cursor
    const entry = (text: string) => `{"type":"note","op":"upsert","data":${note(text)}}`
    // Two of the longest texts fit into the 16 MiB of a push.
    const { body, status } = await send(app, "POST", "/sync/push", `{"changes":[${entry(more)},${entry(most)}]}`)
    expect([status, body.results.map((result: any) => result.status)]).toEqual([201, ["rejected", "applied"]])
    expect(body.results[0].error.errors[0]).toMatchObject({ field: "data.body", code: "too_long" })
    expect(body.changes[0].data.body === most).toBe(true)
    const { body: pulled } = await app.call("POST", "/sync/pull", { cursor })
    expect([pulled.changes.length, pulled.changes[0].data.body === most]).toEqual([1, true])
  })
})

describe("a request", () => {
  const tooLarge = async (method: string, path: string, bytes: number, most: number) => {
    const { body, status } = await send(app, method, path, " ".repeat(bytes - 2) + "{}")
    const refusal = { status: 413, code: "payload_too_large", limit_bytes: most }
    bytes > most ? expect(body).toMatchObject(refusal) : expect([200, 201, 400, 404, 422]).toContain(status)
  }

  it("may have 7 MiB, or 16 MiB for a push, and is 413 with one byte more", async () => {
    const json = 7 * 1024 * 1024
    const push = 16 * 1024 * 1024
    for (const [method, path] of [
      ["POST", "/notes"],
      ["PATCH", "/notes/nt_none"],
      ["POST", "/search"],
      ["POST", "/sync/pull"]
    ] as const) {
      await tooLarge(method, path, json, json)
      await tooLarge(method, path, json + 1, json)
    }
    await tooLarge("POST", "/sync/push", push, push)
    await tooLarge("POST", "/sync/push", push + 1, push)
  })

  it("that is large gets the position of a JSON error, and its unknown fields in strict mode", async () => {
    const strict = { prefer: "handling=strict" }
    const note = `"notebook_id":"${notebook}","title":"t","body":"${"x".repeat(200_000)}"`
    for (const [path, body] of [
      ["/notes", (more: string) => `{${note}\n${more}}`],
      ["/sync/push", (more: string) => `{"changes":[{"type":"note","op":"upsert","data":{${note}}}]\n${more}}`]
    ] as const) {
      const broken = await send(app, "POST", path, body(",]"))
      const position = body("").indexOf("\n") + 2
      expect(broken.body).toMatchObject({ status: 400, code: "malformed_json", position })
      expect(broken.body.detail).toContain("line 2, column 2")
      const strictly = (more: string) => send(app, "POST", path, body(more), strict)
      expect((await strictly(`,"mystery":1`)).body).toMatchObject({
        code: "unknown_field",
        errors: [{ field: "mystery" }]
      })
      expect((await strictly("")).status).toBe(201)
    }
  })
})
