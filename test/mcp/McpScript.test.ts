import { describe, expect, it } from "vitest"
import { clientKinds, connect } from "../support/mcp/McpClients.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp()

const revisions = { "1.x": "2025-11-25", "2.x legacy": "2025-11-25", "2.x": "2026-07-28" } as const

describe.each(clientKinds)("the official client %s", (kind) => {
  it("finds, reads, edits, tags, moves, trashes and restores notes, and sets a reminder", async () => {
    const notebook = await given("POST", "/notebooks", { name: `Work ${kind}` })
    const other = await given("POST", "/notebooks", { name: `Done ${kind}` })
    const client = await connect(kind, app)
    expect(client.session()).toBeUndefined()
    expect(client.revision()).toBe(revisions[kind])
    expect(await client.tools()).toHaveLength(22)

    expect(await client.done("whoami")).toMatchObject({
      workspace_id: app.workspace_id,
      role: "owner",
      can_write: true
    })
    const { notebooks } = await client.done("list_notebooks")
    expect(notebooks).toContainEqual(
      expect.objectContaining({ id: notebook.id, name: `Work ${kind}`, parent_id: null, note_count: 0 })
    )

    const text = "# Tasks\n\n- one\n\n# Log\n"
    const made = await client.done("create_note", { notebook_id: notebook.id, title: kind, text, tags: ["work"] })
    expect(await client.done("read_note", { note_id: made.id })).toMatchObject({
      version: 1,
      lines: 5,
      outline: [
        { line: 1, level: 1, text: "Tasks" },
        { line: 5, level: 1, text: "Log" }
      ],
      from_line: 1,
      to_line: 5,
      text,
      next: null
    })
    const edit = {
      note_id: made.id,
      version: 1,
      replacements: [{ old_text: "- one", new_text: "- one!" }],
      under_heading: { heading: "Tasks", text: "- two" },
      append: "end",
      properties: { pinned: true }
    }
    expect(await client.done("edit_note", edit)).toMatchObject({ id: made.id, version: 2, lines: 7 })
    expect(await client.done("read_note", { note_id: made.id, section: "Tasks" })).toMatchObject({
      text: "# Tasks\n\n- one!\n- two\n\n"
    })
    expect(await client.call("edit_note", { ...edit, append: "again" })).toMatchObject({
      isError: true,
      value: { code: "precondition_failed", current_version: 2 }
    })

    const tags = { note_ids: [made.id, "nt_none"], add: ["new"], remove: ["WORK"] }
    expect(await client.done("tag_notes", tags)).toMatchObject({
      notes: [{ id: made.id, version: 3 }],
      failed: [{ id: "nt_none", code: "not_found" }]
    })
    expect(await client.done("move_note", { note_id: made.id, notebook_id: other.id })).toMatchObject({ version: 4 })
    expect((await client.done("list_tags")).tags).toContainEqual(
      expect.objectContaining({ name: "new", note_count: expect.any(Number) })
    )
    expect(await client.done("list_notes", { filter: `notebook_id=${other.id}` })).toMatchObject({
      notes: [{ id: made.id, title: kind, tags: ["new"], version: 4 }],
      next_cursor: null
    })

    const { next_cursor, versions } = await client.done("note_history", { note_id: made.id, limit: 3 })
    expect(versions.map(({ version }: any) => version)).toEqual([4, 3, 2])
    const rest = await client.done("note_history", { note_id: made.id, limit: 3, cursor: next_cursor })
    expect(rest).toMatchObject({ versions: [{ version: 1 }], next_cursor: null })
    expect(await client.done("note_history", { note_id: made.id, version: 2 })).toMatchObject({
      diff: [
        "- pinned: false",
        "+ pinned: true",
        "- last line break: yes",
        "+ last line break: no",
        "  1: # Tasks",
        "  2: ",
        "- 3: - one",
        "+ 3: - one!",
        "+ 4: - two",
        "  5: ",
        "  6: # Log",
        "+ 7: end"
      ],
      diff_next: null
    })

    expect(await client.done("trash_note", { note_id: made.id, version: 4 })).toMatchObject({ in_trash: true })
    expect((await client.done("list_notes", { filter: "deleted_at:*" })).notes[0]).toMatchObject({ id: made.id })
    expect(await client.done("restore_note", { note_id: made.id })).toMatchObject({ version: 6 })
    expect(await client.done("restore_note", { note_id: made.id, to_version: 1, version: 6 })).toMatchObject({
      version: 7
    })
    expect(await client.done("read_note", { note_id: made.id })).toMatchObject({ text })
    expect(await client.done("read_note", { note_id: made.id, version: 2 })).toMatchObject({ version: 2, lines: 7 })

    const reminder = { note_id: made.id, remind_at: "2030-01-01T10:00:00+02:00" }
    expect(await client.done("create_reminder", reminder)).toMatchObject({ remind_at: "2030-01-01T08:00:00.000Z" })
    await app.idle()
    expect(await client.done("search_notes", { query: `"- one"` })).toMatchObject({ searched_for: `"- one"` })
    expect((await client.resources()).map(({ uri }) => uri)).toEqual([
      "sheaf://filters",
      "sheaf://icons",
      "sheaf://event-types"
    ])
    expect(await client.resource("sheaf://event-types")).toContain("note.updated\n")
    await client.close()
  })
})
