import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startApp, type TestApp } from "../TestApp.ts"

let app: TestApp
let notebook: string

beforeAll(async () => {
  app = await startApp()
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})
afterAll(() => app.stop())

describe("POST /notes", () => {
  it("stores a note, answers 201 with all its members, and appends note.created", async () => {
    const seq = await app.seq()
    const { body, headers, status } = await app.call("POST", "/notes", {
      notebook_id: notebook,
      title: "First",
      body: "two words"
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({ notebook_id: notebook, title: "First", version: 1, word_count: 2, tags: [] })
    expect(headers.get("etag")).toBe(`"${body.id}:1"`)
    expect((await app.call("GET", `/notes/${body.id}`)).body).toEqual(body)
    expect(await app.changesAfter(seq)).toMatchObject([
      { type: "note.created", resource: "note", resource_id: body.id, version: 1 }
    ])
  })
})
