import { beforeAll, describe, expect, it, vi } from "vitest"
import { Budget, sliceSteps } from "../../services/concurrency/Budget.ts"
import { stepsOf } from "../../services/sync/PushEntry.ts"
import { processorSeconds } from "../support/processorSeconds.ts"
import { send } from "../support/hostile/Sound.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

/** Combining marks above and below in turn: normalization sorts them, in time quadratic in their number. */
const marks = (bytes: number): string => "a" + "\u0301\u0316".repeat(Math.floor((bytes - 1) / 4))

/** Sends a request that must use less than 5 s of processor time. */
const soon = async (method: string, path: string, body: object) => {
  const { answer, seconds } = await processorSeconds(() => send(app, method, path, JSON.stringify(body)))
  expect(seconds, `${method} ${path}`).toBeLessThan(5)
  return answer
}

const note = (fields: object) => soon("POST", "/notes", { notebook_id: notebook, title: "costly", ...fields })

describe("a word of a megabyte of combining marks", () => {
  const word = marks(1_000_000)

  it("is stored and found like any other word", async () => {
    const { body, status } = await note({ title: "marks", body: `${word} behind` })
    expect(status).toBe(201)
    const found = await soon("POST", "/search", { query: "behind" })
    expect(found.body.hits.map((hit: any) => hit.id)).toEqual([body.id])
    const again = await soon("POST", "/search", { query: marks(4_000) })
    expect(again.body.hits.map((hit: any) => hit.id)).toEqual([body.id])
    expect(again.text.length).toBeLessThan(100_000)
  })

  it("is refused as a tag, also in a search", async () => {
    expect((await soon("POST", "/tags", { name: word })).status).toBe(422)
    expect((await note({ tags: [word, word] })).status).toBe(422)
    expect((await soon("POST", "/tags/merge", { sources: [word], target: word })).status).toBe(422)
    expect((await soon("POST", "/search", { query: "behind", tags: [word] })).status).toBe(422)
    expect((await soon("POST", "/search", { query: "behind", filters: { tags: [word] } })).status).toBe(422)
    const { body } = await soon("POST", "/sync/push", {
      changes: [
        { type: "tag", op: "upsert", data: { name: word } },
        { type: "note", op: "upsert", data: { notebook_id: notebook, title: "t", tags: [word] } }
      ]
    })
    expect(body.results.map((result: any) => result.status)).toEqual(["rejected", "rejected"])
  })

  it("is refused as a name, title, device, color and icon", async () => {
    expect((await note({ title: word })).status).toBe(422)
    expect((await soon("POST", "/notebooks", { name: word })).status).toBe(422)
    expect((await soon("POST", "/notebooks", { name: "n", color: word, icon: word })).status).toBe(422)
    await soon("POST", "/sync/pull", { device: { name: word, platform: word }, cursor: word, types: [word] })
    await soon("POST", "/search", { query: word })
  })
})

describe("a text that is too long for its field", () => {
  const spaces = " ".repeat(1_000_000)
  const fields: ReadonlyArray<readonly [path: string, field: string, more: object]> = [
    ["/notes", "title", { notebook_id: "nb_0000000000000000" }],
    ["/notes", "notebook_id", { title: "t" }],
    ["/notebooks", "name", {}],
    ["/notebooks", "parent_id", { name: "n" }],
    ["/tags", "name", {}],
    ["/templates", "name", {}],
    ["/api-keys", "name", {}],
    ["/attachments", "filename", { note_id: "nt_0000000000000000" }],
    ["/attachments", "content_type", { note_id: "nt_0000000000000000", filename: "f" }],
    ["/imports", "filename", { source: "markdown" }],
    ["/shares", "password", { note_id: "nt_0000000000000000" }],
    ["/workspaces", "name", {}],
    ["/search", "notebook_id", { query: "a" }]
  ]

  it.each(fields)("is refused because of its length: %s %s", async (path, field, more) => {
    const { body, status } = await send(app, "POST", path, JSON.stringify({ ...more, [field]: spaces }))
    expect([status, body.errors.map((error: any) => [error.field, error.code])]).toEqual([422, [[field, "too_long"]]])
  })

  it("is refused as a timestamp, address or time zone, although a shorter text of the same form is valid", async () => {
    const digits = (count: number) => `2099-01-01T00:00:00.${"0".repeat(count)}Z`
    const note_id = (await note({})).body.id
    const reminder = (remind_at: string) => app.call("POST", "/reminders", { note_id, remind_at })
    expect((await reminder(digits(40))).status).toBe(201)
    expect((await reminder(digits(50))).body.errors[0].code).toBe("invalid_timestamp")
    const invited = (email: string) => app.call("POST", `/workspaces/${app.workspace_id}/invitations`, { email })
    expect((await invited(`${" ".repeat(900)}a@sheaf.test`)).status).toBe(201)
    expect((await invited(`${" ".repeat(1_000)}b@sheaf.test`)).body.errors[0].code).toBe("invalid_email")
  })

  it("is not repeated in the problem", async () => {
    const name = "k".repeat(1_000_000)
    const strict = { prefer: "handling=strict" }
    const unknown = await send(app, "POST", "/tags", JSON.stringify({ name: "t", [name]: 1 }), strict)
    const variable = await send(
      app,
      "POST",
      "/templates/tp_0000000000000000/apply",
      JSON.stringify({ variables: { [name]: 1 } })
    )
    const push = { changes: [{ type: "note", op: "upsert", data: { notebook_id: `$${name}`, title: "t" } }] }
    const { body } = await send(app, "POST", "/sync/push", JSON.stringify(push))
    expect([unknown.body.code, variable.body.code]).toEqual(["unknown_field", "validation_failed"])
    expect(body.results[0].error.code).toBe("unresolved_reference")
    for (const answer of [unknown, variable, body.results[0]]) {
      expect(JSON.stringify(answer).length).toBeLessThan(2_000)
    }
  })
})

describe("a push", () => {
  it("yields to other work before each expensive entry", async () => {
    const created = vi.spyOn(Budget.prototype, "spend")
    const entries = Array.from({ length: 12 }, (_, index) => ({
      type: "note",
      op: "upsert",
      data: { notebook_id: notebook, title: `large ${index}`, body: "🙂 ".repeat(20_000) }
    }))
    const { body } = await send(app, "POST", "/sync/push", JSON.stringify({ changes: entries }))
    const [budget] = new Set(created.mock.contexts as Array<Budget>)
    created.mockRestore()
    expect(body.results.map((result: any) => result.status)).toEqual(Array(12).fill("applied"))
    expect(budget!.spent).toBeGreaterThan(12 * stepsOf(entries[0]))
    expect(budget!.longestSlice).toBeLessThan(sliceSteps + 3 * stepsOf(entries[0]))
  })

  it("counts the work of an entry by its values and texts, and stops at its limit", () => {
    const text = stepsOf({ body: "x".repeat(1_000_000) })
    const values = stepsOf({ tags: Array(5_000).fill(0) })
    expect([text, values].every((steps) => steps >= sliceSteps)).toBe(true)
    let looked = 0
    const item = {
      get a() {
        return ++looked
      }
    }
    stepsOf({ tags: Array.from({ length: 90_000 }, () => item) })
    expect(looked).toBeLessThan(10_000)
  })
})

describe("a search", () => {
  it("shows a short part of a long word", async () => {
    for (const middle of ["", "é", "éé", "𝕏", "x𝕏"])
      await note({ body: `needle${middle.repeat(200)}${"x".repeat(1_000_000)}` })
    const { body, text } = await soon("POST", "/search", { query: "needle", limit: 100 })
    expect(body.total).toBe(5)
    expect(text.length).toBeLessThan(100_000)
    for (const { snippet } of body.hits) {
      expect([snippet.isWellFormed(), snippet.startsWith("<mark>needle")], snippet).toEqual([true, true])
    }
  })

  it("is refused when it contains too many tags", async () => {
    const tags = Array.from({ length: 90_000 }, (_, index) => `t${index}`)
    for (const tags_match of ["all", "any"]) {
      expect((await soon("POST", "/search", { query: "costly", tags, tags_match })).status).toBe(422)
    }
    expect(
      (await soon("POST", "/search", { query: "costly", tags: tags.slice(0, 100), tags_match: "any" })).status
    ).toBe(201)
  })

  it("succeeds with only operators, quotes, or misspelt words", async () => {
    const queries = [
      `"`.repeat(4_000),
      "-".repeat(4_000),
      `-"a" `.repeat(800),
      "tag:".repeat(1_000),
      "(((((((((".repeat(400),
      "a ".repeat(2_000),
      Array.from({ length: 600 }, (_, index) => `wrnogword${index}`)
        .join(" ")
        .slice(0, 4_000),
      "語".repeat(4_000),
      "👨‍👩‍👧".repeat(500),
      "\u0e40".repeat(4_000),
      "ﷺ".repeat(4_000)
    ]
    for (const query of queries) {
      const { status } = await soon("POST", "/search", { query })
      expect(status, query.slice(0, 20)).toBe(201)
    }
  })
})

describe("a filter of 4 KB", () => {
  const longest = (piece: string) => piece.repeat(Math.floor(4_000 / piece.length))
  const filters = [
    longest("("),
    `${longest("(")}title:a`,
    `${longest("NOT ")}title:a`,
    `${longest("-")}title:a`,
    longest("a "),
    longest("title:a AND "),
    `${longest("title:a AND ")}title:a`,
    `title = "${longest("*a")}*"`,
    `title = "*${longest("%_")}*"`,
    `body:"${longest("\\\\")}"`,
    `title = "${longest("\\")}`,
    `id IN (${longest("a, ")}a)`,
    `word_count > ${longest("9")}`,
    `created_at > ${longest("2")}`,
    `title:"${marks(3_900)}"`,
    longest(`"`),
    longest("\u0000")
  ]

  it("gets a response with little work", async () => {
    for (const filter of filters) {
      const {
        answer: { status },
        seconds
      } = await processorSeconds(() => send(app, "GET", `/notes?filter=${encodeURIComponent(filter)}`, undefined))
      expect([200, 400], filter.slice(0, 40)).toContain(status)
      expect(seconds, filter.slice(0, 40)).toBeLessThan(5)
    }
  })
})

describe("headers and parameters of 15 000 characters", () => {
  const values = [
    " ",
    ",",
    ";",
    "=",
    '"',
    "*",
    "a,",
    ";q=",
    "a;q=0.5,",
    '\\"',
    'W/"",',
    "%",
    "(",
    "a ",
    "/",
    "text/*;q=1,",
    "-"
  ].map((piece) => `a${piece.repeat(Math.floor(14_000 / piece.length))}!`)
  const names = [
    "accept",
    "accept-encoding",
    "accept-language",
    "content-type",
    "prefer",
    "if-match",
    "if-none-match",
    "range",
    "cookie",
    "forwarded",
    "x-forwarded-for",
    "x-request-id",
    "idempotency-key",
    "device-id",
    "workspace-id",
    "last-event-id",
    "origin",
    "traceparent",
    "authorization"
  ]

  it("get a response with little work", async () => {
    const { seconds } = await processorSeconds(async () => {
      for (const name of names) {
        for (const value of values) {
          await send(
            app,
            name === "content-type" ? "POST" : "GET",
            "/tags",
            name === "content-type" ? "{}" : undefined,
            { [name]: value }
          )
        }
      }
      for (const name of ["sort", "filter", "limit", "cursor", "a"]) {
        for (const value of values)
          await send(
            app,
            "GET",
            `/tags?${name}=${encodeURIComponent(value).slice(0, 14_000).replace(/%.?$/, "")}`,
            undefined
          )
      }
    })
    expect(seconds).toBeLessThan(15)
  })
})
