import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { effective, limitedScopes } from "../../../services/identity/Scopes.ts"
import { type NotebookRow, notebooks } from "../../../services/notes/notebooks/Notebook.ts"
import { notes } from "../../../services/notes/NoteTable.ts"
import { systemActor } from "../../../services/writer/Actor.ts"
import type { Draft } from "../../../services/writer/Draft.ts"
import { Writer } from "../../../services/writer/Writer.ts"
import { callTool, toolNames } from "../../support/mcp/McpWire.ts"
import { limitedKey } from "../../support/reach/LimitedKey.ts"
import { limitedOperations } from "../../support/reach/LimitedOperations.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const start = () => limitedKey(app)

describe("an API key that reaches some notebooks", () => {
  it("shows what it reaches, also after a rotation, and refuses notebooks that do not exist", async () => {
    const { given, key, notebooks, team } = await start()
    expect(key.notebooks).toEqual(notebooks)
    expect(key.scopes.toSorted()).toEqual(limitedScopes.toSorted())
    expect((await given("GET", `/api-keys/${key.id}`)).notebooks).toEqual(notebooks)
    expect((await given("POST", `/api-keys/${key.id}/rotate`, {})).notebooks).toEqual(notebooks)
    const unknown = [{ id: "nb_0123456789abcdefghij", access: "read", include_subnotebooks: true }]
    const refused = await app.call("POST", "/api-keys", { name: "x", notebooks: unknown }, team.owner.headers)
    expect([refused.status, refused.body.code]).toEqual([422, "unresolved_reference"])
    const none = await app.call("POST", "/api-keys", { name: "x", notebooks: [] }, team.owner.headers)
    expect(none.status).toBe(422)
  })

  it("has by default the scopes that its operations need, and no other", () => {
    const all = effective(limitedScopes)
    const operations = limitedOperations()
    expect(operations.filter(({ scopes }) => !scopes.some((scope) => all.has(scope)))).toEqual([])
    // One of many scopes is enough for events.
    const needed = new Set(operations.flatMap(({ scopes }) => (scopes.length < 3 ? scopes : [])))
    expect([...needed].toSorted()).toEqual([...all].toSorted())
  })

  it("reads these notebooks, and the tags, tasks and properties in them", async () => {
    const { ask, below, closed, home, note, secret } = await start()
    const own = [await note(home, "One", { tags: ["red"] }), await note(below, "Two"), await note(closed, "Three")]
    const hidden = await note(secret, "Four", { tags: ["red", "blue"], body: "---\nkind: x\n---\n- [ ] hidden" })
    const ids = async (path: string) => (await ask("GET", path)).body.data.map(({ id }: any) => id).toSorted()
    expect(await ids("/notes")).toEqual(own.toSorted())
    expect(await ids("/notebooks")).toEqual([home, below, closed].toSorted())
    expect((await ask("GET", `/notebooks/${home}`)).body.parent_id).toBe(null)
    const { data } = (await ask("GET", "/tags")).body
    expect(data.map(({ name, note_count }: any) => [name, note_count])).toEqual([["red", 1]])
    expect((await ask("GET", "/tasks")).body.data).toEqual([])
    expect((await ask("GET", "/properties")).body.data).toEqual([])
    for (const path of [
      `/notes/${hidden}`,
      `/notes/${hidden}/rendered`,
      `/notes/${hidden}/versions`,
      `/notebooks/${secret}`
    ])
      expect([path, (await ask("GET", path)).status]).toEqual([path, 404])
  })

  it("writes only in notebooks that it may write to, and moves nothing out of them", async () => {
    const { ask, below, closed, given, home, note, secret } = await start()
    const [own, read, hidden] = [await note(home, "One"), await note(closed, "Two"), await note(secret, "Three")]
    expect((await ask("PATCH", `/notes/${own}`, { title: "New", notebook_id: below })).status).toBe(200)
    expect((await ask("POST", "/notes", { notebook_id: below, title: "Made", tags: ["own"] })).status).toBe(201)
    expect((await ask("POST", `/notes/${own}/comments`, { body: "seen" })).status).toBe(201)
    const before = await app.sql("SELECT workspace_id, seq FROM heads ORDER BY 1")
    const refused: ReadonlyArray<readonly [method: string, path: string, body: object | undefined, status: number]> = [
      ["PATCH", `/notes/${own}`, { notebook_id: closed }, 404],
      ["PATCH", `/notes/${own}`, { notebook_id: secret }, 422],
      ["PATCH", `/notes/${read}`, { title: "Other", links: "update" }, 404],
      ["PATCH", `/notes/${read}`, { title: "Other" }, 404],
      ["PATCH", `/notes/${hidden}`, { title: "Other" }, 404],
      ["POST", `/notes/${read}/edits`, { append: "more" }, 404],
      ["DELETE", `/notes/${read}`, undefined, 404],
      ["DELETE", `/notes/${read}?permanent=true`, undefined, 404],
      ["DELETE", `/notes/${hidden}?permanent=true`, undefined, 404],
      ["POST", `/notes/${read}/archive`, {}, 404],
      ["POST", `/notes/${read}/comments`, { body: "x" }, 404],
      ["POST", `/notes/${hidden}/comments`, { body: "x" }, 404],
      ["POST", "/notes", { notebook_id: closed, title: "x" }, 404],
      ["POST", "/notes", { notebook_id: secret, title: "x" }, 422],
      ["POST", "/notes", { title: "x" }, 422],
      ["POST", "/reminders", { note_id: read, remind_at: "2030-01-01T00:00:00.000Z", channel: "webhook" }, 404],
      ["DELETE", `/notebooks/${home}`, undefined, 404],
      ["DELETE", `/notebooks/${closed}`, undefined, 404],
      ["DELETE", `/notebooks/${secret}`, undefined, 404],
      ["DELETE", `/notebooks/${below}?move_notes_to=${closed}`, undefined, 404],
      ["DELETE", `/notebooks/${below}?move_notes_to=${secret}`, undefined, 422],
      ["POST", "/tags", { name: "x" }, 403],
      ["GET", "/webhooks", undefined, 403],
      ["GET", "/api-keys", undefined, 403],
      ["POST", "/exports", { scope: "workspace", format: "json" }, 403]
    ]
    for (const [method, path, body, status] of refused) {
      const response = await ask(method, path, body)
      expect([method, path, body, response.status]).toEqual([method, path, body, status])
    }
    expect(await app.sql("SELECT workspace_id, seq FROM heads ORDER BY 1")).toEqual(before)
    expect((await given("GET", `/notes/${read}`)).title).toBe("Two")
  })

  it("writes nothing else in whatever way a method writes", async () => {
    const { given, home, secret, team } = await start()
    const { id } = await given("POST", "/notes", { notebook_id: secret, title: "One" })
    const reach = [{ id: home, access: "write" as const, include_subnotebooks: true }]
    const write = (method: (draft: Draft) => Effect.Effect<unknown>) =>
      app.run(
        Effect.flatMap(Effect.service(Writer), (writer) =>
          Effect.flip(writer.write(team.id, { actor: { ...systemActor, reach } }, method))
        )
      )
    const row = { id: "nb_0123456789abcdefghij", name: "x", name_key: "x", color: null, icon: null, parent_id: null }
    const made: NotebookRow = { ...row, note_count: 0, revision: 1, created_at: "2026-01-01", updated_at: "2026-01-01" }
    const refused = await Promise.all([
      // Before it reads anything.
      write((draft) => Effect.asVoid(Effect.succeed(draft.add(notebooks, made)))),
      write((draft) => Effect.sync(() => draft.remove(notes, id)))
    ])
    expect(refused).toMatchObject([{ code: "not_found" }, { code: "not_found" }])
    expect((await given("GET", `/notes/${id}`)).title).toBe("One")
  })

  it("deletes notebooks inside its own, and restores them there", async () => {
    const { around, ask, below, given, home, note, secret } = await start()
    const [own, other] = [await note(below, "One", { tags: ["red"] }), await note(home, "Two")]
    const status = async (method: string, path: string, body?: object) => (await ask(method, path, body)).status
    expect(await status("DELETE", `/notebooks/${below}`)).toBe(200)
    expect(await status("GET", `/notebooks/${below}`)).toBe(404)
    expect((await ask("GET", "/notes?filter=deleted_at:*")).body.data).toMatchObject([{ id: own }])
    expect((await ask("POST", `/notebooks/${below}/restore`)).body).toMatchObject({ parent_id: home, note_count: 1 })
    expect((await ask("GET", `/notes/${own}`)).body).toMatchObject({ notebook_id: below, tags: ["red"] })
    expect(await status("DELETE", `/notebooks/${below}?move_notes_to=${home}`)).toBe(200)
    expect((await ask("GET", `/notes/${own}`)).body.notebook_id).toBe(home)
    for (const parent_id of [null, around, secret]) {
      const refused = await status("POST", `/notebooks/${below}/restore`, { parent_id })
      expect([parent_id, refused]).toEqual([parent_id, parent_id === null ? 404 : 422])
    }
    // Deletions by others, of a notebook that it reaches and of one that it does not.
    await given("DELETE", `/notebooks/${home}`)
    await given("DELETE", `/notebooks/${secret}`)
    expect(await status("GET", `/notes/${other}`)).toBe(404)
    for (const id of [home, below, secret]) expect(await status("POST", `/notebooks/${id}/restore`)).toBe(404)
    await given("POST", `/notebooks/${home}/restore`)
    expect((await ask("POST", `/notebooks/${home}/restore`)).body.parent_id).toBe(null)
    expect((await ask("POST", `/notebooks/${below}/restore`)).body.parent_id).toBe(home)
  })

  it("loses what is moved out of its notebooks, and gets what is moved into them", async () => {
    const { around, ask, below, given, note, secret } = await start()
    const [own, hidden] = [await note(below, "One"), await note(secret, "Two")]
    await given("PATCH", `/notes/${hidden}`, { notebook_id: below })
    expect((await ask("GET", `/notes/${hidden}`)).status).toBe(200)
    await given("POST", `/notebooks/${below}/move`, { parent_id: around })
    for (const id of [own, hidden]) {
      expect((await ask("GET", `/notes/${id}`)).status).toBe(404)
      expect((await ask("PATCH", `/notes/${id}`, { title: "x" })).status).toBe(404)
    }
  })

  it("searches its notebooks, without a word of the others", async () => {
    const { around, ask, below, given, home, note, secret } = await start()
    const own = await note(home, "Umbrella", { body: "yellow parasol" })
    await note(secret, "Umbrella stand", { body: "xylophone umbrella", tags: ["music"] })
    const search = async (query: string) => {
      const { hits, suggestion, total } = (await ask("POST", "/search", { query })).body
      return [hits.map(({ id }: any) => id), total, suggestion]
    }
    expect(await search("umbrella")).toEqual([[own], 1, undefined])
    // Not the likeliest correction of the whole workspace.
    expect(await search("xylophon")).toEqual([[], 0, undefined])
    expect(await search("yelow")).toEqual([[own], 1, undefined])
    const suggested = (await ask("GET", "/search/suggest?q=u")).body.data
    expect(suggested.map(({ text }: any) => text)).toEqual(["Umbrella"])
    expect((await ask("GET", "/search/suggest?q=mu")).body.data).toEqual([])
    const late = await note(below, "Late umbrella")
    expect((await search("umbrella"))[1]).toBe(2)
    await given("PATCH", `/notes/${late}`, { notebook_id: secret })
    expect((await search("umbrella"))[1]).toBe(1)
    const further = await note(below, "Third umbrella")
    expect((await search("umbrella"))[1]).toBe(2)
    await given("POST", `/notebooks/${below}/move`, { parent_id: around })
    expect(await search("umbrella")).toEqual([[own], 1, undefined])
    await given("POST", `/notebooks/${below}/move`, { parent_id: home })
    expect((await search("third"))[0]).toEqual([further])
  })

  it("calls the tools of MCP", async () => {
    const { closed, headers, home, note, secret } = await start()
    const wire = { url: app.url, headers }
    const [own, hidden] = [await note(home, "Own"), await note(secret, "Hidden")]
    const names = await toolNames(wire)
    expect(names).toEqual(expect.arrayContaining(["whoami", "search_notes", "read_note", "edit_note", "create_note"]))
    expect(names).toContain("undo_my_changes")
    expect((await callTool(wire, "whoami"))!.value.notebooks).toEqual({ [home]: "write", [closed]: "read" })
    expect((await callTool(wire, "read_note", { note_id: own }))!.value.title).toBe("Own")
    expect((await callTool(wire, "read_note", { note_id: hidden }))!.value.code).toBe("not_found")
    const { notes } = (await callTool(wire, "list_notes"))!.value
    expect(notes.map(({ id }: { readonly id: string }) => id)).toEqual([own])
    const [one, two] = [
      await callTool(wire, "create_note", { notebook_id: home, title: "One" }),
      await callTool(wire, "move_note", { note_id: own, notebook_id: secret })
    ]
    expect([one!.isError, two!.value.code]).toEqual([false, "unresolved_reference"])
  })

  it("has no tools that write if it only reads its notebooks", async () => {
    const { closed, given } = await start()
    const notebooks = [{ id: closed, access: "read", include_subnotebooks: false }]
    const { secret } = await given("POST", "/api-keys", { name: "reads", notebooks })
    const wire = { url: app.url, headers: { authorization: `Bearer ${secret}` } }
    const names = await toolNames(wire)
    expect(names).toEqual(expect.arrayContaining(["whoami", "read_note"]))
    for (const name of ["create_note", "edit_note", "move_note"]) expect(names).not.toContain(name)
    expect((await callTool(wire, "whoami"))!.value.can_write).toBe(false)
  })
})
