import { describe, expect, it } from "vitest"
import { address, callTool, type McpWire } from "../support/mcp/McpWire.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp()

const owner = (): McpWire => ({ url: app.url, headers: { authorization: `Bearer ${app.key}` } })

const note = async (body = "text"): Promise<string> => {
  const inbox = (await given("GET", "/notebooks")).data[0].id
  return (await given("POST", "/notes", { notebook_id: inbox, title: "Note", body })).id
}

/** Sends a call of a tool, as a client of an earlier revision does. */
const send = async (body: string | Uint8Array<ArrayBuffer>) => {
  const headers = { authorization: `Bearer ${app.key}`, "content-type": "application/json" }
  const response = await fetch(address(app.url), { method: "POST", headers, body })
  return { status: response.status, body: (await response.json()) as any }
}

const callOf = (name: string, args: string, id = "1"): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`

describe("a body of a call", () => {
  it("that is not UTF-8 changes nothing", async () => {
    const seq = await app.seq()
    const inbox = (await given("GET", "/notebooks")).data[0].id
    const text = callOf("create_note", `{"notebook_id":"${inbox}","title":"Caf\u00e9"}`)
    const { body, status } = await send(new Uint8Array(Buffer.from(text, "latin1")))
    expect([status, body.code]).toEqual([400, "malformed_json"])
    expect(await app.changesAfter(seq)).toEqual([])
  })

  it("with too many or too deeply nested values is refused", async () => {
    const many = await send(callOf("tag_notes", `{"note_ids":["x"],"add":[${"1,".repeat(10_000)}1]}`))
    expect([many.status, many.body.code]).toEqual([422, "validation_failed"])
    const deep = await send(callOf("tag_notes", `{"add":${"[".repeat(100_000)}${"]".repeat(100_000)}}`))
    expect([deep.status, deep.body.code]).toEqual([400, "malformed_json"])
  })

  it.each([
    ["tools/call", {}, "name is required"],
    ["tools/call", { name: 1 }, "name must be a string"],
    ["tools/call", { name: "whoami", arguments: [] }, "arguments must be an object"],
    ["resources/read", {}, "uri is required"]
  ])("of an earlier revision for %s with %j is refused: %s", async (method, params, message) => {
    const { body } = await send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))
    expect(body).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32602, message } })
  })

  it("with a long id is refused before the call runs", async () => {
    const id = await note()
    const seq = await app.seq()
    const { body, status } = await send(
      callOf("edit_note", `{"note_id":"${id}","version":1,"append":"x"}`, "i".repeat(201))
    )
    expect([status, body.error.message]).toEqual([400, "An id has at most 200 characters"])
    expect(await app.changesAfter(seq)).toEqual([])
  })
})

describe("a mutation_id", () => {
  it("that is empty is refused", async () => {
    const id = await note()
    const refused = await callTool(owner(), "edit_note", { note_id: id, version: 1, append: "x", mutation_id: "" })
    expect(refused).toMatchObject({ isError: true })
  })

  it("of an applied edit, sent again with the version that it made, names that version", async () => {
    const id = await note()
    const edit = { note_id: id, version: 1, append: "x", mutation_id: "m1" }
    await callTool(owner(), "edit_note", edit)
    const seq = await app.seq()
    const again = await callTool(owner(), "edit_note", { ...edit, version: 2 })
    expect(again).toMatchObject({ isError: true, value: { code: "idempotency_key_reused" } })
    expect(again?.value.detail).toContain(`was applied, with version 2 of ${id} as its result. Read the note`)
    expect(await app.changesAfter(seq)).toEqual([])
  })

  it("of a call that changed some notes repeats only what failed", async () => {
    const [one, other] = [await note(), await note()]
    await given("DELETE", `/notes/${one}`)
    const args = { note_ids: [one, other], add: ["seen"], mutation_id: "m1" }
    const first = await callTool(owner(), "tag_notes", args)
    expect(first).toMatchObject({
      isError: false,
      value: { notes: [{ id: other, version: 2 }], failed: [{ id: one }] }
    })
    expect(await callTool(owner(), "tag_notes", args)).toMatchObject({ value: { notes: [{ id: other, version: 2 }] } })
    expect((await given("GET", `/notes/${other}`)).version).toBe(2)
  })
})
