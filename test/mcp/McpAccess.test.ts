import { describe, expect, it } from "vitest"
import { connect } from "../support/mcp/McpClients.ts"
import { address, callTool, type McpWire, request, toolNames } from "../support/mcp/McpWire.ts"
import { guest } from "../support/people/People.ts"
import { startApp } from "../support/TestApp.ts"
import { useApp } from "../support/useApp.ts"

const { act, app, given } = useApp()

const tools = [
  "whoami",
  "list_notebooks",
  "list_tags",
  "create_notebook",
  "search_notes",
  "list_notes",
  "read_note",
  "note_history",
  "list_files",
  "read_file",
  "list_comments",
  "create_note",
  "edit_note",
  "move_note",
  "tag_notes",
  "trash_note",
  "restore_note",
  "create_reminder",
  "note_links",
  "list_tasks",
  "set_task",
  "undo_my_changes"
]
const readTools = tools.filter((name) => /^(whoami|list_.*|search_notes|read_.*|note_history|note_links)$/.test(name))

const owner = (query = ""): McpWire => ({ url: app.url, headers: { authorization: `Bearer ${app.key}` }, query })
const as = (headers: Readonly<Record<string, string>>): McpWire => ({ url: app.url, headers })

const note = async (body = "text"): Promise<string> => {
  const inbox = (await given("GET", "/notebooks")).data[0].id
  return (await given("POST", "/notes", { notebook_id: inbox, title: "Note", body })).id
}

describe("who may call which tool", () => {
  it("lists all tools for a caller who may write, in at most 1 KB a tool", async () => {
    expect(await toolNames(owner())).toEqual(tools)
    const { text } = await request(owner(), "tools/list")
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(tools.length * 1024)
  })

  it("marks tools that only read, and those that take something away, and has schemas that strict hosts accept", async () => {
    const { tools } = (await request(owner(), "tools/list")).body.result
    for (const { annotations, inputSchema, name, outputSchema } of tools) {
      expect(annotations.readOnlyHint, name).toBe(readTools.includes(name))
      expect(annotations.openWorldHint, name).toBe(false)
      expect(annotations.destructiveHint, name).toBe(["edit_note", "trash_note", "undo_my_changes"].includes(name))
      expect(inputSchema.additionalProperties, name).toBe(false)
      expect(inputSchema.properties, name).toBeTypeOf("object")
      // No list of types in any schema.
      expect(JSON.stringify({ inputSchema, outputSchema }), name).not.toContain('"type":[')
      expect(outputSchema.type, name).toBe("object")
    }
  })

  it("describes each argument, also within others", async () => {
    const undescribed = (schema: any, path: string): ReadonlyArray<string> =>
      Object.entries<any>(schema.properties ?? {}).flatMap(([name, member]) => [
        ...(member.description === undefined ? [`${path}.${name}`] : []),
        ...undescribed(member, `${path}.${name}`),
        ...undescribed(member.items ?? {}, `${path}.${name}`)
      ])
    const list = (await request(owner(), "tools/list")).body.result.tools
    expect(list.flatMap(({ inputSchema, name }: any) => undescribed(inputSchema, name))).toEqual([])
  })

  it("has the tools for files for a key with their scope", async () => {
    const reader = as((await guest(app, { scopes: ["files:read"] })).headers)
    expect(await toolNames(reader)).toEqual(["whoami", "list_files", "read_file"])
  })

  it.each([
    ["a key with scopes to read", { scopes: ["notes:read"] }],
    ["a viewer", { role: "viewer", scopes: ["notes:read", "notes:write"] }]
  ])("has no tool that writes for %s", async (_, options) => {
    const reader = as((await guest(app, options)).headers)
    expect(await toolNames(reader)).toEqual(readTools)
    const id = await note()
    const seq = await app.seq()
    expect(await callTool(reader, "edit_note", { note_id: id, version: 1, append: "x" })).toBeUndefined()
    expect(await app.changesAfter(seq)).toEqual([])
  })

  it("has only whoami for a key without scopes for notes, and no name without the scope profile", async () => {
    const stranger = as((await guest(app, { scopes: ["webhooks:read"] })).headers)
    expect(await toolNames(stranger)).toEqual(["whoami"])
    expect((await callTool(stranger, "whoami"))?.value).toMatchObject({ name: null, timezone: null, can_write: false })
  })

  it("narrows every caller to reading by ?mode=read, and refuses any other query", async () => {
    expect(await toolNames(owner("?mode=read"))).toEqual(readTools)
    expect((await callTool(owner("?mode=read"), "whoami"))?.value.can_write).toBe(false)
    for (const query of ["?mode=all", "?Mode=read", "?x=1", "?mode=read&mode=all"]) {
      expect(await request(owner(query), "tools/list"), query).toMatchObject({
        status: 400,
        body: { code: "invalid_parameter", detail: "The only parameter is mode=read", allowed_parameters: ["mode"] }
      })
    }
    const client = await connect("1.x", { ...app, url: app.url, key: app.key, query: "?mode=read" })
    expect((await client.tools()).map(({ name }) => name)).toEqual(readTools)
  })

  it("shows no note of another workspace", async () => {
    const id = await note()
    const stranger = as((await guest(app, { elsewhere: true })).headers)
    expect(await callTool(stranger, "read_note", { note_id: id })).toMatchObject({
      isError: true,
      value: { code: "not_found" }
    })
    expect((await callTool(stranger, "list_notes"))?.value.notes).toEqual([])
  })
})

describe("requests", () => {
  it("need a credential: 401 with the scheme, as in the API", async () => {
    const { body, headers, status } = await request(as({}), "tools/list")
    expect({ status, code: body.code }).toEqual({ status: 401, code: "authentication_required" })
    expect(headers.get("www-authenticate")).toMatch(/^Bearer realm="sheaf", resource_metadata="/)
    const wrong = await request(as({ authorization: "Bearer sfk_wrong" }), "tools/list")
    expect(wrong).toMatchObject({ status: 401, body: { code: "invalid_token" } })
  })

  it("of scripts of other origins are refused, in each revision", async () => {
    const foreign = { origin: "http://elsewhere.test" }
    expect((await request(owner(), "tools/list", {}, foreign)).status).toBe(403)
    const legacy = { "mcp-protocol-version": "2025-11-25" }
    expect((await request(owner(), "tools/list", {}, { ...foreign, ...legacy })).status).toBe(403)
    expect((await request(owner(), "tools/list", {}, { origin: "http://sheaf.test" })).status).toBe(200)
  })

  it("count against the rate limit, like those of the API, and get its headers", async () => {
    const limited = await startApp({ settings: { rateLimit: 2 } })
    try {
      const wire = { url: limited.url, headers: { authorization: `Bearer ${limited.key}` } }
      await limited.call("GET", "/notebooks")
      const { headers, status } = await request(wire, "tools/list")
      expect({ status, remaining: headers.get("ratelimit-remaining") }).toEqual({ status: 200, remaining: "0" })
      expect(headers.get("access-control-allow-origin")).toBeNull()
      expect(await request(wire, "tools/list")).toMatchObject({ status: 429, body: { code: "rate_limited" } })
    } finally {
      await limited.stop()
    }
  })

  it("are at most 1 MiB", async () => {
    const text = "x".repeat(1_048_576)
    const { body, status } = await request(owner(), "tools/call", { name: "create_note", arguments: { text } })
    expect({ status, code: body.code }).toEqual({ status: 413, code: "payload_too_large" })
  })

  it("of earlier revisions need one JSON-RPC message, and notifications get no body", async () => {
    const send = (body: string, version = "2025-06-18") =>
      fetch(address(app.url), {
        method: "POST",
        headers: {
          authorization: `Bearer ${app.key}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": version
        },
        body
      })
    expect((await send("{")).status).toBe(400)
    expect((await send("[]")).status).toBe(400)
    expect((await send('{"jsonrpc":"2.0","method":"notifications/initialized"}')).status).toBe(202)
    const ping = await send('{"jsonrpc":"2.0","id":"p","method":"ping"}')
    expect(await ping.json()).toEqual({ jsonrpc: "2.0", id: "p", result: {} })
    const shake = await send(
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}'
    )
    expect(shake.headers.get("mcp-session-id")).toBeNull()
    const shaken: any = await shake.json()
    expect(shaken.result.protocolVersion).toBe("2025-06-18")
    const unknown = await send('{"jsonrpc":"2.0","id":1,"method":"prompts/list"}')
    const missing: any = await unknown.json()
    expect(missing.error.code).toBe(-32601)
    expect((await send('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', "2024-11-05")).status).toBe(400)
    const long = await send(JSON.stringify({ jsonrpc: "2.0", id: "x".repeat(30_000), method: "ping" }))
    expect(long.status).toBe(400)
  })

  it.each(["GET", "HEAD", "PUT", "DELETE"])("of the method %s are 405, and Allow has the others", async (method) => {
    const response = await fetch(address(app.url), { method, headers: owner().headers })
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"])
    const text = await response.text()
    if (method !== "HEAD") expect(JSON.parse(text).code).toBe("method_not_allowed")
  })

  it("of the method OPTIONS get the allowed methods", async () => {
    const response = await fetch(address(app.url), { method: "OPTIONS" })
    expect([response.status, response.headers.get("allow")]).toEqual([204, "POST, OPTIONS"])
  })

  it.each(["2024-11-05", "2099-01-01"])("of the revision %s are refused, with the supported ones", async (version) => {
    const { body, status } = await request(owner(), "tools/list", {}, { "mcp-protocol-version": version })
    const data = { supported: ["2026-07-28", "2025-11-25", "2025-06-18"], requested: version }
    expect({ status, code: body.error.code, data: body.error.data }).toEqual({ status: 400, code: -32022, data })
    expect(body.error.message).toContain("2026-07-28, 2025-11-25, 2025-06-18")
  })

  it.each(["*/*", "application/*", "application/json", "text/event-stream, application/json;q=0.5"])(
    "that accept %s get JSON",
    async (accept) => {
      const { headers, status } = await request(owner(), "tools/list", {}, { accept })
      expect([status, headers.get("content-type")]).toEqual([200, "application/json"])
    }
  )

  it("of other media types are refused with a problem", async () => {
    expect(await request(owner(), "tools/list", {}, { accept: "text/event-stream" })).toMatchObject({
      status: 406,
      body: { code: "not_acceptable", acceptable: ["application/json"] }
    })
    expect(await request(owner(), "tools/list", {}, { "content-type": "text/plain" })).toMatchObject({
      status: 415,
      body: { code: "unsupported_media_type" }
    })
  })

  it("refuse unknown and wrong arguments, and name them", async () => {
    const seq = await app.seq()
    const unknown = await callTool(owner(), "list_tags", { limit: 3 })
    expect(unknown).toMatchObject({
      isError: true,
      value: { code: "validation_failed", errors: [{ field: "limit", code: "unknown_field" }] }
    })
    const wrong = await callTool(owner(), "edit_note", { note_id: 3, append: "x" })
    expect(wrong?.value.errors.map(({ field }: any) => field)).toEqual(["note_id", "version"])
    expect(await app.changesAfter(seq)).toEqual([])
  })
})

describe("writes", () => {
  it("name the tool in the audit log, and so do refused calls", async () => {
    const id = await note()
    await callTool(owner(), "edit_note", { note_id: id, version: 1, append: "x" })
    await callTool(owner(), "edit_note", { note_id: id, version: 1, append: "x" })
    const entries = (await given("GET", "/audit-log?filter=action=tool.called&limit=1")).data
    expect(entries).toMatchObject([
      { action: "tool.called", resource_type: "api_key", metadata: { tool: "edit_note", records: [id] } }
    ])
    const reader = await guest(app, { scopes: ["notes:read"] })
    await callTool(as(reader.headers), "trash_note", { note_id: id, version: 1 })
    await app.advance("1 hour")
    await app.idle()
    const refused = await given("GET", `/audit-log?filter=action=auth.refused AND resource_id=${reader.key_id}`)
    expect(refused.data).toMatchObject([{ metadata: { counts: { insufficient_scope: 1 }, tools: { trash_note: 1 } } }])
  })

  it("happen once for a mutation_id, and refuse it for other arguments", async () => {
    const id = await note()
    const edit = { note_id: id, version: 1, append: "once", mutation_id: "m1" }
    const first = await callTool(owner(), "edit_note", edit)
    const again = await callTool(owner(), "edit_note", edit)
    expect(first?.value).toMatchObject({ version: 2 })
    expect(again?.value).toMatchObject({ id, version: 2, lines: first?.value.lines })
    expect(await given("GET", `/notes/${id}`)).toMatchObject({ version: 2, body: "text\n\nonce" })
    const other = await callTool(owner(), "edit_note", { ...edit, append: "twice" })
    expect(other).toMatchObject({ isError: true, value: { code: "idempotency_key_reused" } })
    const created = { notebook_id: (await given("GET", "/notebooks")).data[0].id, title: "Once", mutation_id: "m1" }
    const one = await callTool(owner(), "create_note", created)
    expect((await callTool(owner(), "create_note", created))?.value.id).toBe(one?.value.id)
    const tags = { note_ids: [id, one?.value.id], add: ["repeated"], mutation_id: "m2" }
    const tagged = await callTool(owner(), "tag_notes", tags)
    expect((await callTool(owner(), "tag_notes", tags))?.value.notes).toEqual(tagged?.value.notes)
  })

  it("run again with the mutation_id of a failed call", async () => {
    const id = await note()
    const stale = { note_id: id, version: 7, append: "x", mutation_id: "m3" }
    expect((await callTool(owner(), "edit_note", stale))?.value.code).toBe("precondition_failed")
    expect((await callTool(owner(), "edit_note", stale))?.value.code).toBe("precondition_failed")
  })

  it("that are stale get the current section, with which the next call succeeds", async () => {
    const id = await note("# One\n\na\n\n# Two\n\nb\n")
    await act("PATCH", `/notes/${id}`, { body: "# One\n\na\n\n# Two\n\nb\nby a person\n" })
    const edit = { note_id: id, replacements: [{ old_text: "b\n", new_text: "c\n" }] }
    const refused = await callTool(owner(), "edit_note", { ...edit, version: 1 })
    expect(refused?.value).toMatchObject({
      code: "precondition_failed",
      current_version: 2,
      section: { from_line: 5, text: "# Two\n\nb\nby a person\n", next: null }
    })
    const version = refused?.value.current_version
    expect(await callTool(owner(), "edit_note", { ...edit, version })).toMatchObject({ isError: false })
    expect((await given("GET", `/notes/${id}`)).body).toBe("# One\n\na\n\n# Two\n\nc\nby a person\n")
  })

  it.each([
    ["# One\n\na\n\n# Two\n\nbuy milk\n", "# One\n\na\n\nmore\n\n# Two\n\nbuy oat milk\n", "# Two\n\nbuy oat milk\n"],
    ["one\nbuy milk\n", "one\nbuy oat milk\n", "one\nbuy oat milk\n"]
  ])("that are stale get the section where the text was: %j", async (before, after, section) => {
    const id = await note(before)
    await act("PATCH", `/notes/${id}`, { body: after })
    const replacements = [{ old_text: "buy milk", new_text: "buy bread" }]
    const refused = await callTool(owner(), "edit_note", { note_id: id, version: 1, replacements })
    expect(refused?.value).toMatchObject({ code: "precondition_failed", section: { text: section } })
  })

  it("refuse a text that occurs never or twice, and change nothing", async () => {
    const id = await note("one\ntwo\none\n")
    const edit = (old_text: string) =>
      callTool(owner(), "edit_note", {
        note_id: id,
        version: 1,
        append: "x",
        replacements: [{ old_text, new_text: "" }]
      })
    expect((await edit("one"))?.value).toMatchObject({ code: "validation_failed", found_in_lines: [1, 3] })
    expect((await edit("three"))?.value).toMatchObject({ code: "validation_failed", found_in_lines: [] })
    expect((await callTool(owner(), "edit_note", { note_id: id, version: 1 }))?.value.code).toBe("validation_failed")
    expect((await given("GET", `/notes/${id}`)).version).toBe(1)
  })
})
