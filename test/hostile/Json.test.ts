import { beforeAll, describe, expect, it } from "vitest"
import { processorSeconds } from "../support/processorSeconds.ts"
import { BadInput, missing } from "../support/hostile/BadInput.ts"
import { each, send } from "../support/hostile/Sound.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()
let notebook: string
let note: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
  note = (await app.call("POST", "/notes", { notebook_id: notebook, title: "target" })).body.id
})

const routes = (): ReadonlyArray<readonly [method: string, path: string]> => [
  ["POST", "/notes"],
  ["PATCH", `/notes/${note}`],
  ["POST", "/sync/push"],
  ["POST", "/sync/pull"],
  ["POST", "/search"]
]

/** Requests with the JSON inside an unknown member, and as an entry of a push. */
const around = (json: Uint8Array) =>
  [
    [
      "POST",
      "/notes",
      Buffer.concat([Buffer.from(`{"notebook_id":"${notebook}","title":"t","unknown":`), json, Buffer.from("}")])
    ],
    ["POST", "/sync/push", Buffer.concat([Buffer.from(`{"changes":[`), json, Buffer.from("]}")])]
  ] as const

describe.skipIf(missing !== "")(`JSONTestSuite${missing}`, () => {
  const named = (prefix: string) => BadInput.json.filter(({ name }) => name.startsWith(prefix))

  it("accepts valid JSON, and validates its content", async () => {
    await each(named("y_"), async ({ bytes, name }) => {
      for (const [method, path] of routes()) {
        const { body, status } = await send(app, method, path, bytes)
        expect([200, 201, 422], `${name} to ${path}: ${body?.detail}`).toContain(status)
      }
      for (const [method, path, whole] of around(bytes)) {
        expect((await send(app, method, path, whole)).status, name).toBe(201)
      }
    })
  })

  it("refuses invalid JSON as malformed", async () => {
    // An empty file is an absent body, not a malformed one.
    const files = named("n_").filter(({ bytes }) => bytes.length > 0)
    expect(files.length).toBeGreaterThan(120)
    await each(files, async ({ bytes, name }) => {
      for (const [method, path] of routes()) {
        const { body, status } = await send(app, method, path, bytes)
        expect([status, body.code], `${name} to ${path}`).toEqual([400, "malformed_json"])
      }
    })
  })

  it("accepts or refuses JSON on which parsers may differ", async () => {
    await each(named("i_"), async ({ bytes, name }) => {
      for (const [method, path] of routes()) {
        expect([200, 201, 400, 422], name).toContain((await send(app, method, path, bytes)).status)
      }
      for (const [method, path, whole] of around(bytes)) {
        expect([201, 400], name).toContain((await send(app, method, path, whole)).status)
      }
    })
  })

  it("stores every string in it unchanged, or refuses it", async () => {
    const strict = new TextDecoder("utf-8", { fatal: true })
    const texts = [...named("y_string"), ...named("i_string")].flatMap(({ bytes, name }) => {
      try {
        const [value] = JSON.parse(strict.decode(bytes))
        return typeof value === "string" ? [{ name, value, json: bytes.toString().trim().slice(1, -1) }] : []
      } catch {
        return []
      }
    })
    expect(texts.length).toBeGreaterThan(30)
    await each(texts, async ({ json, name, value }) => {
      const { body, status } = await send(
        app,
        "POST",
        "/notes",
        `{"notebook_id":"${notebook}","title":"t","body":${json}}`
      )
      const isKept = value.isWellFormed() && !value.includes("\0")
      expect([status, body.body], name).toEqual(isKept ? [201, value] : [422, undefined])
      if (isKept) expect((await app.call("GET", `/notes/${body.id}`)).body.body, name).toBe(value)
    })
  })
})

describe("bytes that are not valid UTF-8", () => {
  const bad = [
    ...BadInput.notUtf8,
    { name: "lone continuation", bytes: Buffer.from([0x80]) },
    { name: "overlong slash", bytes: Buffer.from([0xc0, 0xaf]) },
    { name: "surrogate", bytes: Buffer.from([0xed, 0xa0, 0x80]) },
    { name: "beyond Unicode", bytes: Buffer.from([0xf5, 0x80, 0x80, 0x80]) }
  ]
  const json = (before: string, bytes: Uint8Array, after: string) =>
    Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)])

  it.each(bad)("$name in a body are refused, because they could not be stored unchanged", async ({ bytes }) => {
    const seq = await app.seq()
    for (const [method, path, before, after] of [
      ["POST", "/notes", `{"notebook_id":"${notebook}","title":"t","body":"a`, `z"}`],
      ["PATCH", `/notes/${note}`, `{"body":"a`, `z"}`],
      ["POST", "/tags", `{"name":"a`, `z"}`],
      [
        "POST",
        "/sync/push",
        `{"changes":[{"type":"note","op":"upsert","data":{"notebook_id":"${notebook}","title":"`,
        `"}}]}`
      ]
    ] as const) {
      const { body, status } = await send(app, method, path, json(before, bytes, after))
      expect([status, body.code], path).toEqual([400, "malformed_json"])
    }
    expect(await app.seq()).toBe(seq)
  })

  it.each(bad)("$name percent-encoded in URLs cause no error", async ({ bytes }) => {
    const part = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")
    for (const path of [
      `/notes/${part}`,
      `/notes?cursor=${part}`,
      `/notes?filter=${part}`,
      `/notes?sort=${part}`,
      `/search/suggest?q=${part}`,
      `/${part}`
    ]) {
      await send(app, "GET", path, undefined)
    }
    for (const path of [`/notebooks/${notebook}x?move_notes_to=${part}`, `/notes/${part}?permanent=${part}`]) {
      await send(app, "DELETE", path, undefined)
    }
  })
})

describe("deep and long JSON", () => {
  const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

  it.each([90, 1_000, 100_000])("nested %i levels deep causes no error, in any place", async (depth) => {
    for (const value of [deep("[", "]", depth), deep(`{"a":`, "}", depth).replace(":}", ":1}")]) {
      for (const [method, path] of routes()) await send(app, method, path, value)
      for (const field of ["title", "body", "tags", "data", "unknown"]) {
        for (const [method, path] of routes()) await send(app, method, path, `{"${field}":${value}}`)
      }
      const entry = (rest: string) => `{"changes":[{"type":"note","op":"upsert",${rest}}]}`
      for (const rest of [
        `"data":{"unknown":${value}}`,
        `"data":{"title":"t","notebook_id":"${notebook}","unknown":${value}}`,
        // A conflict returns the entry.
        `"id":"${note}","revision":9,"data":{"title":"u","unknown":${value}}`,
        `"id":"${note}","data":{"title":"u","unknown":${value}}`
      ])
        await send(app, "POST", "/sync/push", entry(rest))
      await send(app, "POST", "/sync/push", `{"changes":[${value}]}`)
    }
  })

  it.each([99_000, 1_000_000])("arrays of %i elements cause little work and a short response", async (length) => {
    const array = (element: string) => `[${`${element},`.repeat(length - 1)}${element}]`
    const zeros = array("0")
    for (const [method, path] of routes()) await send(app, method, path, zeros)
    const cases = [
      ["POST", "/notes", `{"notebook_id":"${notebook}","title":"t","tags":${zeros}}`],
      ["POST", "/notes", `{"notebook_id":"${notebook}","title":"t","tags":${array(`"t"`)}}`],
      ["POST", "/tags/merge", `{"target":"x","sources":${array(`"t"`)}}`],
      ["POST", "/sync/pull", `{"types":${array(`"x"`)}}`],
      ["POST", "/sync/pull", `{"types":${zeros}}`],
      ["POST", "/sync/push", `{"changes":${zeros}}`],
      ["POST", "/sync/push", `{"changes":${array("{}")}}`],
      ["POST", "/search", `{"query":"x","tags":${array(`"t"`)}}`]
    ] as const
    for (const [method, path, body] of cases) {
      const {
        answer: { text },
        seconds
      } = await processorSeconds(() => send(app, method, path, body))
      expect(seconds, `${method} ${path} ${body.slice(0, 60)}`).toBeLessThan(5)
      expect(text.length, `${method} ${path} ${body.slice(0, 60)}`).toBeLessThan(1024 * 1024)
    }
  })
})
