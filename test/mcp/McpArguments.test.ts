import { describe, expect, it } from "vitest"
import { callTool, type McpWire } from "../support/mcp/McpWire.ts"
import { guest } from "../support/people/People.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp()

const owner = (query = ""): McpWire => ({ url: app.url, headers: { authorization: `Bearer ${app.key}` }, query })

const call = async (tool: string, args: Readonly<Record<string, unknown>>, wire = owner()): Promise<any> =>
  await callTool(wire, tool, args)

const note = async (body = "# One\n\na\n\n# Two\n\nb\n"): Promise<string> => {
  const inbox = (await given("GET", "/notebooks")).data[0].id
  return (await given("POST", "/notes", { notebook_id: inbox, title: "Note", body })).id
}

describe("arguments without effect", () => {
  it.each<[tool: string, args: Readonly<Record<string, unknown>>, field: string]>([
    ["note_history", { compare_with: 1 }, "compare_with"],
    ["note_history", { diff_from: 1 }, "diff_from"],
    ["note_history", { version: 1, limit: 1 }, "limit"],
    ["note_history", { version: 1, cursor: "x" }, "cursor"],
    ["note_history", { version: 1, compare_with: 1 }, "compare_with"],
    ["read_note", { from_line: 3, to_line: 2 }, "to_line"],
    ["read_note", { section: "Two", to_line: 2 }, "to_line"],
    ["read_note", { section: "Two", from_line: 1 }, "from_line"],
    ["read_note", { section: "One", from_line: 6 }, "from_line"],
    ["read_note", { outline_from_line: 1, section: "One" }, "section"],
    ["read_note", { outline_from_line: 1, from_line: 1 }, "from_line"],
    ["edit_note", { version: 1, append: "" }, "append"],
    ["edit_note", { version: 1, prepend: "" }, "prepend"],
    ["edit_note", { version: 1, under_heading: { heading: "One", text: "" } }, "under_heading.text"],
    ["edit_note", { version: 1, append: "x", replacements: [] }, "replacements"],
    ["edit_note", { version: 1, append: "x", properties: {} }, "properties"],
    ["edit_note", { version: 1, replacements: [{ old_text: "a", new_text: "a" }] }, "replacements.0.new_text"],
    ["restore_note", { to_version: 1, version: 1, notebook_id: "nb_none" }, "notebook_id"],
    ["restore_note", { to_version: 1 }, "version"],
    ["restore_note", { notebook_id: "nb_none" }, "notebook_id"]
  ])("of %s are refused and named: %j", async (tool, args, field) => {
    const note_id = await note()
    const seq = await app.seq()
    const { isError, value } = await call(tool, { note_id, ...args })
    expect({ isError, code: value.code }).toEqual({ isError: true, code: "validation_failed" })
    expect(value.errors.map((each: any) => each.field)).toEqual([field])
    expect(await app.changesAfter(seq)).toEqual([])
  })

  it.each([
    [{}, "add"],
    [{ add: [], remove: ["x"] }, "add"],
    [{ add: ["x"], remove: ["X"] }, "remove"]
  ])("of tag_notes are refused and named: %j", async (tags, field) => {
    const { isError, value } = await call("tag_notes", { note_ids: [await note()], ...tags })
    expect({ isError, field: value.errors?.[0].field }).toEqual({ isError: true, field })
  })
})

describe("wrong values", () => {
  it("get a problem that names the possible ones", async () => {
    const note_id = await note()
    const reminder = await call("create_reminder", { note_id, remind_at: "2030-01-01T10:00:00Z", channel: "sms" })
    expect(reminder.value).toMatchObject({
      code: "validation_failed",
      detail: "channel must be one of: push, email, webhook",
      errors: [{ field: "channel", code: "invalid" }]
    })
    const empty = await call("edit_note", { note_id, version: 1, replacements: [{ old_text: "", new_text: "x" }] })
    expect(empty.value.detail).toBe("replacements.0.old_text must not be empty")
    const under_heading = { heading: "One", text: "x", position: "middle" }
    const edit = await call("edit_note", { note_id, version: 1, under_heading })
    expect(edit.value.detail).toBe("under_heading.position must be one of: start, end")
  })
})

describe("a heading", () => {
  const long = `Long ${"word ".repeat(40)}`.trim()

  it("that is longer than the outline shows is found by the text of the outline", async () => {
    const note_id = await note(`# ${long}\n\na\n\n# ${long.replace("Long", "Lone")}\n`)
    const [{ text: heading }] = (await call("read_note", { note_id })).value.outline
    expect(heading).toMatch(/^Long .{115}…$/)
    expect((await call("read_note", { note_id, section: `# ${heading}` })).value.text).toBe(`# ${long}\n\na\n\n`)
    const edit = await call("edit_note", { note_id, version: 1, under_heading: { heading, text: "b" } })
    expect(edit.isError).toBe(false)
    expect((await call("read_note", { note_id, section: heading })).value.text).toBe(`# ${long}\n\na\n\nb\n\n`)
  })

  it("that the outline shows twice is ambiguous, and one that it lacks is in the outline", async () => {
    const note_id = await note(`# ${long} one\n\n# ${long} two\n`)
    const [{ text: section }] = (await call("read_note", { note_id })).value.outline
    expect((await call("read_note", { note_id, section })).value.lines).toEqual([1, 3])
    const unknown = await call("read_note", { note_id, section: "None" })
    expect(unknown.value.detail).toBe("section is no heading of the note: the outline of read_note lists them")
    expect(unknown.value).not.toHaveProperty("lines")
  })
})

describe("an edit that would make the note too large", () => {
  it.each([
    [{ append: "x".repeat(100_000) }, "append"],
    [{ append: "x", under_heading: { heading: "One", text: "x".repeat(100_000) } }, "under_heading.text"]
  ])("is refused and names its longest text: %#", async (edit, field) => {
    const note_id = await note(`# One\n${"x".repeat(1_000_000)}`)
    const { value } = await call("edit_note", { note_id, version: 1, ...edit })
    expect(value.errors).toMatchObject([{ field, code: "too_long" }])
  })
})

describe("a note in the trash", () => {
  const calls = (note_id: string): ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> => [
    ["read_note", { note_id }],
    ["read_note", { note_id, version: 1 }],
    ["note_history", { note_id }],
    ["note_history", { note_id, version: 1 }],
    ["edit_note", { note_id, version: 1, append: "x" }],
    ["move_note", { note_id, notebook_id: "nb_none" }],
    ["trash_note", { note_id, version: 2 }],
    ["tag_notes", { note_ids: [note_id], add: ["x"] }],
    ["restore_note", { note_id, to_version: 1, version: 2 }],
    ["create_reminder", { note_id, remind_at: "2030-01-01T10:00:00Z" }]
  ]

  it("is named as such, with the tool that brings it back if the caller has it", async () => {
    const id = await note()
    await given("DELETE", `/notes/${id}`)
    const detail = "The note is in the trash"
    for (const [tool, args] of calls(id)) {
      const { value } = await call(tool, args)
      expect(value, tool).toMatchObject({ code: "not_found", detail: `${detail}: restore_note brings it back` })
    }
    expect((await call("read_note", { note_id: id }, owner("?mode=read"))).value).toMatchObject({ detail })
  })

  it("is restored once into another notebook, also if the call is repeated", async () => {
    const id = await note()
    await given("DELETE", `/notes/${id}`)
    const notebook_id = (await given("POST", "/notebooks", { name: "Other" })).id
    const restore = { note_id: id, notebook_id, mutation_id: "r1" }
    const restored = await call("restore_note", restore)
    expect(restored.value).toMatchObject({ id, version: 3, notebook_id })
    expect((await call("restore_note", restore)).value).toMatchObject({ id, version: 3, notebook_id })
  })

  it("does not exist in another workspace", async () => {
    const id = await note()
    await given("DELETE", `/notes/${id}`)
    const stranger = { url: app.url, headers: (await guest(app, { elsewhere: true })).headers }
    expect((await call("read_note", { note_id: id }, stranger)).value.detail).toBe("No such note")
  })
})

describe("archived and pinned notes", () => {
  it("are marked, and archived ones are listed by a filter alone", async () => {
    const id = await note("archived text")
    expect((await call("read_note", { note_id: id })).value).not.toHaveProperty("archived")
    await given("PATCH", `/notes/${id}`, { archived: true, pinned: true })
    const filter = `id = ${id}`
    const list = async (more = "") => (await call("list_notes", { filter: `${filter}${more}` })).value.notes
    expect(await list()).toEqual([])
    expect(await list(" AND archived=true")).toMatchObject([{ id, archived: true, pinned: true }])
    expect((await call("read_note", { note_id: id })).value).toMatchObject({
      archived: true,
      pinned: true
    })
    const earlier = (await call("read_note", { note_id: id, version: 1 })).value
    expect(earlier).toMatchObject({ version: 1, text: "archived text" })
    expect(earlier).not.toHaveProperty("archived")
  })
})
