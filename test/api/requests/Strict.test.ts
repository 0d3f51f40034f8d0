import { beforeAll, describe, expect, it } from "vitest"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

const strict = { prefer: "handling=strict" }

const unknownOf = async (method: string, path: string, body: unknown) => {
  const answer = await app.call(method, path, body, strict)
  expect([answer.status, answer.body?.code], answer.text).toEqual([422, "unknown_field"])
  expect(answer.headers.get("preference-applied")).toBe("handling=strict")
  return answer.body.errors
}

describe("Prefer: handling=strict", () => {
  it("rejects unknown fields, each with its pointer", async () => {
    expect(await unknownOf("POST", "/notes", { notebook_id: notebook, title: "x", colour: "red", "a/b~c": 1 })).toEqual(
      [
        { field: "colour", pointer: "/colour", code: "unknown_field", message: "is not a known field" },
        { field: "a/b~c", pointer: "/a~1b~0c", code: "unknown_field", message: "is not a known field" }
      ]
    )
  })

  it("rejects unknown fields inside other fields", async () => {
    const errors = await unknownOf("POST", "/sync/pull", {
      device: { name: "x", platform: "y", colour: "red" },
      types: ["note"]
    })
    expect(errors).toMatchObject([{ field: "device.colour", pointer: "/device/colour" }])
  })

  it("reports at most a hundred of them", async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, 1]))
    expect(await unknownOf("POST", "/notes", many)).toHaveLength(100)
  })

  it("accepts every field of the resource, including read-only ones", async () => {
    const body = {
      id: "nt_mine",
      notebook_id: notebook,
      title: "x",
      version: 1,
      word_count: 7,
      created_at: "2020-01-01T00:00:00Z",
      updated_at: "2020-01-01T00:00:00Z"
    }
    const note = await app.call("POST", "/notes", body, strict)
    expect([note.status, note.body.word_count, note.headers.get("preference-applied")]).toEqual([
      201,
      0,
      "handling=strict"
    ])
    expect((await app.call("POST", "/notebooks", { name: "x", note_count: 3, id: "nb_x" }, strict)).status).toBe(201)
    expect((await app.call("PATCH", `/notes/${note.body.id}`, note.body, strict)).status).toBe(200)
    expect((await app.call("POST", "/search", { query: "x", hits: [], took_ms: 3 }, strict)).status).toBe(201)
  })

  it("accepts any field in an object without a schema", async () => {
    const changes = [
      { type: "note", op: "upsert", mutation_id: "m", data: { notebook_id: notebook, title: "x", own: true } }
    ]
    expect((await app.call("POST", "/sync/push", { changes }, strict)).status).toBe(201)
  })

  it("rejects unknown parameters", async () => {
    const answer = await app.call("GET", "/notes?limit=1&colour=red&limits=2", undefined, strict)
    expect(answer.body).toMatchObject({
      status: 400,
      code: "invalid_parameter",
      detail: "Unknown parameters: colour, limits (was limit meant?)"
    })
    expect(answer.body.allowed_parameters).toContain("limit")
    expect((await app.call("GET", "/notes?limit=1&sort=title", undefined, strict)).status).toBe(200)
    expect((await app.call("GET", "/tags/tg_none?x=1", undefined, strict)).status).toBe(400)
  })

  it("suggests the parameter that was probably meant", async () => {
    for (const [wrong, meant] of [
      ["fliter", "filter"],
      ["Limit", "limit"],
      ["cursr", "cursor"],
      ["sorts", "sort"]
    ]) {
      const { body } = await app.call("GET", `/notes?${wrong}=secret`, undefined, strict)
      expect(body.detail).toBe(`Unknown parameters: ${wrong} (was ${meant} meant?)`)
    }
    for (const far of ["f", "order", "x".repeat(10_000)]) {
      expect((await app.call("GET", `/notes?${far}=1`, undefined, strict)).body.detail).not.toContain("meant")
    }
  })

  it("handles malformed JSON and an absent body as usual", async () => {
    expect((await app.call("POST", "/notes", "{", strict)).body.code).toBe("malformed_json")
    expect((await app.call("POST", "/notes", "[1]", strict)).body.code).toBe("validation_failed")
    expect((await app.call("POST", "/sync/pull", undefined, strict)).status).toBe(201)
  })

  it("is recognised among other preferences", async () => {
    for (const prefer of ["respond-async, handling=strict", 'Handling="strict"; x=y', "wait=10,handling = strict"]) {
      expect((await app.call("GET", "/notes?x=1", undefined, { prefer })).status, prefer).toBe(400)
    }
  })

  it("is off by default: unknown fields are ignored, and no preference is applied", async () => {
    for (const headers of [
      {},
      { prefer: "handling=lenient" },
      { prefer: "handling=stricter" },
      { prefer: "return=minimal" }
    ]) {
      const answer = await app.call("POST", "/notes?x=1", { notebook_id: notebook, title: "x", colour: "red" }, headers)
      expect([answer.status, answer.headers.get("preference-applied"), answer.body.colour]).toEqual([
        201,
        null,
        undefined
      ])
    }
  })
})
