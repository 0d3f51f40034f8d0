import { beforeAll, describe, expect, it } from "vitest"
import { Importing } from "../../support/Importing.ts"
import { callTool } from "../../support/mcp/McpWire.ts"
import { notebooks } from "../../support/Resources.ts"
import { notFound } from "../../support/Scenario.ts"
import { type Member, Team } from "../../support/people/Team.ts"
import { epoch } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app, refuse } = useApp()
let team: Team
let editor: Member
let notebook: string

beforeAll(async () => {
  team = await Team.start(app)
  editor = await team.member("editor", { name: "Ben" })
  notebook = await team.make(notebooks)
})

const as = async (caller: Member, method: string, path: string, body?: object) => {
  const { body: received, status, text } = await app.call(method, path, body, caller.headers)
  expect(status, text).toBeLessThan(300)
  return received
}

const note = (more: object = {}) => team.post("/notes", { notebook_id: notebook, title: "A note", ...more })

const activityOf = async (id: string, caller = team.owner): Promise<ReadonlyArray<any>> =>
  (await as(caller, "GET", `/notes/${id}/activity?limit=100`)).data

const summaryOf = async (id: string) =>
  (await activityOf(id)).map(({ fields, type, version }) => [type, version, ...(fields ?? [])])

const plain = {
  mutation_id: null,
  conflict_of: null,
  import_id: null,
  change_set_id: null,
  app: null,
  tool: null
}

describe("GET /notes/{id}/activity", () => {
  it("returns who changed a note, by which way, and the version that each change made", async () => {
    const { id } = await note({ body: "one" })
    await as(editor, "PATCH", `/notes/${id}`, { body: "two", title: "Titled" })
    const [edit, creation] = await activityOf(id)
    expect(edit).toEqual({
      id: expect.stringMatching(/^ev_/),
      type: "note.updated",
      resource_type: "note",
      resource_id: id,
      occurred_at: expect.any(String),
      actor: { kind: "user", user_id: editor.user_id, name: "Ben", api_key: null },
      device: { id: editor.device_id, name: null },
      via: { by: "api", ...plain },
      version: 2,
      fields: ["title", "body"],
      restored_from: null,
      deleted_version: null,
      conflict: null
    })
    expect(creation).toMatchObject({ type: "note.created", version: 1, actor: { user_id: team.owner.user_id } })
    expect(await as(editor, "GET", `/events/${edit.id}`)).toMatchObject({ type: "note.updated", resource_id: id })
    expect((await as(editor, "GET", `/notes/${id}/versions/${edit.version}`)).body).toBe("two")
  })

  it("shows the member, the key and the device only to callers who may read them", async () => {
    const { id } = await note()
    const key = await team.key("editor", ["notes:write"])
    await app.call(
      "PATCH",
      `/notes/${id}`,
      { body: "by a key" },
      { ...key.headers, "device-id": "sy_of-a-script-000001" }
    )
    const actors = async (caller: Member) => (await activityOf(id, caller)).map(({ actor }) => actor)
    const [{ api_key }] = await actors(team.owner)
    expect(api_key).toEqual({ id: key.key_id, name: expect.stringMatching(/^key-/) })
    // Another member does not see the key, and a key without scopes for members does not see names.
    expect((await actors(editor))[0]).toEqual({
      kind: "api_key",
      user_id: key.user_id,
      name: expect.any(String),
      api_key: null
    })
    expect(await actors(key)).toEqual([
      { kind: "api_key", user_id: key.user_id, name: null, api_key: null },
      { kind: "user", user_id: team.owner.user_id, name: null, api_key: null }
    ])
    // A member who has left has no name.
    await as(team.owner, "DELETE", `${team.members}/${key.member_id}`)
    expect((await actors(team.owner))[0]).toMatchObject({ kind: "api_key", user_id: key.user_id, name: null })
  })

  it("shows a conflict of a device, the merge that settled it, and the conflict copy", async () => {
    const { id } = await note({ body: "one" })
    await as(editor, "PATCH", `/notes/${id}`, { body: "two" })
    const push = (...changes: ReadonlyArray<object>) =>
      as(team.owner, "POST", "/sync/push", { device: { name: "Phone", platform: "ios" }, changes })
    const edit = { type: "note", op: "upsert", id, data: { body: "three" } }
    const { conflicts } = await push({ ...edit, revision: 1, mutation_id: "first" })
    expect(conflicts).toHaveLength(1)
    const copy = { notebook_id: notebook, title: "A note", body: "three" }
    const { results } = await push(
      { type: "note", op: "upsert", data: copy, mutation_id: "copy", conflict_of: id },
      { ...edit, data: { body: "merged" }, revision: 2, mutation_id: "merge", conflict_of: id }
    )
    const [merge, copied, conflict] = await activityOf(id)
    expect(merge).toMatchObject({
      type: "note.updated",
      version: 3,
      device: { name: "Phone" },
      via: { by: "sync", mutation_id: "merge", conflict_of: id }
    })
    expect(copied).toMatchObject({
      type: "note.created",
      resource_id: results[0].id,
      version: null,
      via: { by: "sync", mutation_id: "copy", conflict_of: id }
    })
    expect(conflict).toMatchObject({
      type: "sync.conflict",
      version: null,
      conflict: { reason: "stale_revision", version: 2, client_version: 1, mutation_id: "first" },
      via: { by: "sync", mutation_id: "first", conflict_of: null }
    })
    const [creation, ...none] = await activityOf(results[0].id)
    expect(none).toEqual([])
    expect(creation).toMatchObject({ version: 1, via: { conflict_of: id } })
    const refused = await push({ ...edit, revision: 3, mutation_id: "bad", conflict_of: "no id" })
    expect(refused.results[0]).toMatchObject({ status: "rejected", error: { errors: [{ field: "conflict_of" }] } })
  })

  it("shows moves, archiving, the trash, restores and deleted versions", async () => {
    const other = await team.make(notebooks)
    const { id } = await note({ body: "one", tags: ["activity"] })
    await team.patch(`/notes/${id}`, { notebook_id: other })
    await team.post(`/notes/${id}/versions/1/restore`)
    await team.post(`/notes/${id}/archive`)
    await team.post(`/notes/${id}/restore`)
    await as(team.owner, "DELETE", `/notes/${id}/versions/2`)
    const [{ id: tag }] = (await team.get(`/tags?filter=${encodeURIComponent('name="activity"')}`)).data
    await team.patch(`/tags/${tag}`, { name: "renamed" })
    await as(team.owner, "DELETE", `/notebooks/${other}?move_notes_to=${notebook}`)
    await as(team.owner, "DELETE", `/notes/${id}`)
    expect(await summaryOf(id)).toEqual([
      ["note.deleted", 8],
      ["note.updated", 7, "notebook_id"],
      ["note.updated", 6, "tags"],
      ["note.version_deleted", null],
      ["note.restored", 5, "archived"],
      ["note.archived", 4, "archived"],
      ["note.updated", 3],
      ["note.updated", 2, "notebook_id"],
      ["note.created", 1]
    ])
    const all = await activityOf(id)
    expect(all[3].deleted_version).toBe(2)
    expect(all[6]).toMatchObject({ fields: [], restored_from: 1 })
    // Deleting a notebook and restoring one are change sets.
    expect(all.map(({ via }) => ({ ...via, change_set_id: null }))).toEqual(all.map(() => ({ by: "api", ...plain })))
    await team.post(`/notes/${id}/restore`)
    expect((await summaryOf(id))[0]).toEqual(["note.restored", 9])
  })

  it("shows what belongs to the note, but not that it follows the note into the trash and back", async () => {
    const { id } = await note()
    await as(editor, "POST", `/notes/${id}/comments`, { body: "a secret remark" })
    await team.post("/attachments", { note_id: id, filename: "plan.pdf" })
    const reminder = await team.post("/reminders", { note_id: id, remind_at: "2031-05-01T08:00:00Z" })
    await team.post("/shares", { note_id: id })
    await as(team.owner, "DELETE", `/reminders/${reminder.id}`)
    await as(team.owner, "DELETE", `/notes/${id}`)
    await team.post(`/notes/${id}/restore`)
    const all = await activityOf(id)
    expect(all.map(({ resource_type, type }) => [type, resource_type])).toEqual([
      ["note.restored", "note"],
      ["note.deleted", "note"],
      ["reminder.deleted", "reminder"],
      ["share.created", "share"],
      ["reminder.created", "reminder"],
      ["attachment.created", "attachment"],
      ["comment.created", "comment"],
      ["note.created", "note"]
    ])
    expect(all[2]).toMatchObject({ resource_id: reminder.id, version: null, fields: null })
    expect(JSON.stringify(all)).not.toMatch(/secret remark|127\.0\.0\.1/)
  })

  it("shows imports with their id, tools of MCP with their name, and changes of the server without a user", async () => {
    const imported = await new Importing(team).all("markdown", "Imported.md", new TextEncoder().encode("text"))
    const filter = encodeURIComponent('title="Imported"')
    const [{ id }] = (await team.get(`/notes?filter=${filter}`)).data
    const wire = { url: app.url, headers: editor.headers }
    const edited = await callTool(wire, "edit_note", { note_id: id, version: 1, append: "a line" })
    expect(edited?.isError ?? false).toBe(false)
    await team.post("/reminders", { note_id: id, remind_at: new Date(epoch + 60_000).toISOString() })
    await app.advance("2 minutes")
    const [fired, , edit, creation] = await activityOf(id)
    expect(fired).toMatchObject({ type: "reminder.fired", actor: { kind: "server", user_id: null }, via: null })
    expect(edit).toMatchObject({ version: 2, actor: { name: "Ben" }, via: { by: "mcp", tool: "edit_note" } })
    expect(creation).toMatchObject({
      version: 1,
      actor: { kind: "user", user_id: team.owner.user_id },
      via: { by: "import", import_id: imported.id }
    })
  })

  it("continues by a cursor while the note changes", async () => {
    const { id } = await note({ body: "1" })
    for (const body of ["2", "3", "4"]) await team.patch(`/notes/${id}`, { body })
    const first = await team.get(`/notes/${id}/activity?limit=2`)
    await team.patch(`/notes/${id}`, { body: "5" })
    const second = await team.get(`/notes/${id}/activity?limit=2&cursor=${first.next_cursor}`)
    expect([first, second].map(({ data, has_more }) => [has_more, ...data.map(({ version }: any) => version)])).toEqual(
      [
        [true, 4, 3],
        [false, 2, 1]
      ]
    )
    expect(second.next_cursor).toBeNull()
    const other = await note()
    const path = `/notes/${other.id}/activity?cursor=${first.next_cursor}`
    expect((await app.call("GET", path, undefined, team.owner.headers)).body.code).toBe("cursor_mismatch")
  })

  it("is 404 in another workspace, and after the note was erased", async () => {
    const { id } = await note()
    await refuse(notFound, "GET", `/notes/${id}/activity`)
    await as(team.owner, "DELETE", `/notes/${id}?permanent=true`)
    const gone = await app.call("GET", `/notes/${id}/activity`, undefined, team.owner.headers)
    expect([gone.status, gone.body.code]).toEqual([404, "not_found"])
    // The log is kept for 90 days, the note for longer.
    const { id: old } = await note()
    await app.sql("UPDATE changes SET note_id = 'nt_elsewhere-00000001' WHERE note_id = $1", [old])
    expect(await activityOf(old)).toEqual([])
  })
})
