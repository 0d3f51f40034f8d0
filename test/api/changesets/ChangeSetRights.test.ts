import { describe, expect, it } from "vitest"
import { reverting } from "../../support/changesets/Reverting.ts"
import { Team } from "../../support/people/Team.ts"
import { useApp } from "../../support/useApp.ts"

const { app, given, refuse } = useApp()
const revert = reverting(given)

let count = 0
const newSet = (): string => `cs_${String(++count).padStart(20, "r")}`
const inbox = async (): Promise<string> => (await given("GET", "/notebooks")).data[0].id
const note = async (body: string): Promise<any> =>
  given("POST", "/notes", { notebook_id: await inbox(), title: "A note", body })
const read = (id: string): Promise<any> => given("GET", `/notes/${id}`)
const changed = async (set: string): Promise<any> => {
  const made = await note("before")
  const response = await app.call("PATCH", `/notes/${made.id}`, { body: "after" }, { "change-set": set })
  expect(response.status).toBe(200)
  return made
}

describe("the rights on a change set", () => {
  it("are those on notes: a viewer reads it, and only editors revert it", async () => {
    const team = await Team.start(app)
    const [viewer, editor] = [await team.member("viewer"), await team.member("editor")]
    const reader = await team.key("editor", ["notes:read"])
    const set = newSet()
    const [{ id: notebook_id }] = (await team.get("/notebooks")).data
    const body = { notebook_id, title: "t", body: "b" }
    const made = await app.call("POST", "/notes", body, { ...team.owner.headers, "change-set": set })
    expect(made.status).toBe(201)
    const status = async (method: string, path: string, headers: Record<string, string>, sent?: object) =>
      (await app.call(method, path, sent, headers)).status
    for (const { headers } of [viewer, reader, editor]) {
      expect(await status("GET", `/change-sets/${set}`, headers)).toBe(200)
      expect(await status("GET", `/change-sets/${set}/records`, headers)).toBe(200)
    }
    for (const { headers } of [viewer, reader])
      expect(await status("POST", `/change-sets/${set}/revert`, headers, {})).toBe(403)
    // Another workspace has no such set.
    expect(await status("GET", `/change-sets/${set}`, {})).toBe(404)
    expect(await status("GET", `/change-sets/${set}/records`, {})).toBe(404)
    expect(await status("POST", `/change-sets/${set}/revert`, {}, {})).toBe(404)
    // The set of another member.
    const own = { ...editor.headers, "change-set": set }
    expect(await status("PATCH", `/notes/${made.body.id}`, own, { title: "x" })).toBe(404)
    const revertIt = await app.call("POST", `/change-sets/${set}/revert`, {}, editor.headers)
    expect(revertIt.status).toBe(201)
    const outcome = `/reverts/${revertIt.body.id}`
    expect(await status("GET", outcome, {})).toBe(404)
    await expect.poll(async () => (await app.call("GET", outcome, undefined, viewer.headers)).body.status).toBe("done")
    expect(await status("GET", `/notes/${made.body.id}`, viewer.headers)).toBe(404)
  })

  it("end with the role of the author of a revert", async () => {
    const team = await Team.start(app)
    const editor = await team.member("editor")
    const set = newSet()
    const [{ id: notebook_id }] = (await team.get("/notebooks")).data
    const headers = { ...editor.headers, "change-set": set }
    const made = (await app.call("POST", "/notes", { notebook_id, title: "t" }, headers)).body
    await app.sql("UPDATE members SET role = 'viewer' WHERE workspace_id = $1 AND id = $2", [team.id, editor.member_id])
    const asked = await app.call("POST", `/change-sets/${set}/revert`, {}, editor.headers)
    if (asked.status === 201) {
      await app.idle()
      expect((await team.get(`/reverts/${asked.body.id}`)).status).toBe("failed")
    } else expect(asked.status).toBe(403)
    expect((await team.get(`/notes/${made.id}`)).title).toBe("t")
  })

  it("need a valid header, and a set that is not reverted", async () => {
    const set = newSet()
    const made = await changed(set)
    const path = `/notes/${made.id}`
    const invalid = { status: 400, code: "invalid_header" }
    for (const header of ["cs_short", "nt_00000000000000000000", `cs_${"x".repeat(41)}`, "cs_0000000000000000000!"])
      await refuse(invalid, "PATCH", path, { title: "x" }, { "change-set": header })
    await refuse(invalid, "GET", path, undefined, { "change-set": "cs_short" })
    await revert(set)
    // A read of a reverted set changes nothing in it.
    expect((await app.call("GET", path, undefined, { "change-set": set })).status).toBe(200)
    const stale = { status: 412, code: "precondition_failed" }
    await refuse(stale, "POST", `/change-sets/${set}/revert`, {}, { "if-match": '"no"' })
    const ended = { status: 409, code: "invalid_state" }
    await refuse(ended, "PATCH", path, { title: "x" }, { "change-set": set })
    await refuse(ended, "POST", "/sync/push", { changes: [] }, { "change-set": set })
  })
})

describe("a request of a change set", () => {
  it("that is repeated with its idempotency key is in the set once", async () => {
    const set = newSet()
    const headers = { "change-set": set, "idempotency-key": "once" }
    const body = { notebook_id: await inbox(), title: "Once" }
    const [first, second] = [
      await app.call("POST", "/notes", body, headers),
      await app.call("POST", "/notes", body, headers)
    ]
    expect(second.body).toEqual(first.body)
    expect(await given("GET", `/change-sets/${set}`)).toMatchObject({ records: 1, changes: 1 })
  })

  it("may be a push, whose repetition adds nothing", async () => {
    const set = newSet()
    const made = await note("before")
    const changes = [
      { type: "note", op: "upsert", id: made.id, revision: 1, mutation_id: "p-1", data: { body: "pushed" } },
      { type: "tag", op: "upsert", mutation_id: "p-2", data: { name: "pushed" } },
      { type: "notebook", op: "upsert", mutation_id: "p-3", data: { name: "" } }
    ]
    for (const _ of [1, 2])
      expect((await app.call("POST", "/sync/push", { changes }, { "change-set": set })).status).toBe(201)
    expect(await given("GET", `/change-sets/${set}`)).toMatchObject({ records: 2, changes: 2 })
    expect((await revert(set)).counts).toEqual([2, 0, 0])
    expect((await read(made.id)).body).toBe("before")
  })

  it("creates no set if it is refused", async () => {
    const set = newSet()
    const refused = await app.call("POST", "/notes", { notebook_id: "nb_none", title: "x" }, { "change-set": set })
    expect(refused.status).toBe(422)
    expect((await app.call("GET", `/change-sets/${set}`)).status).toBe(404)
  })
})

describe("a state that is erased", () => {
  it("is not kept: a deleted version, and a purged note", async () => {
    const set = newSet()
    const [version, purged] = [await changed(set), await changed(set)]
    await given("DELETE", `/notes/${version.id}/versions/1`)
    await given("DELETE", `/notes/${purged.id}?permanent=true`)
    const preview = await revert(set, { preview: true })
    const { records } = await revert(set)
    expect(records).toEqual(preview.records)
    expect(records[version.id]).toEqual(["kept", "not_kept", []])
    expect(records[purged.id]![0]).toBe("kept")
    expect(await read(version.id)).toMatchObject({ body: "after" })
  })

  it("ends with its set after 90 days", async () => {
    const set = newSet()
    const made = await changed(set)
    await app.call("POST", `/notes/${made.id}/comments`, { body: "x" }, { "change-set": set })
    const { id } = await revert(set)
    await app.advance("89 days")
    expect((await app.call("GET", `/change-sets/${set}`)).status).toBe(200)
    await app.advance("2 days")
    expect((await app.call("GET", `/change-sets/${set}`)).status).toBe(404)
    expect((await app.call("GET", `/reverts/${id}`)).status).toBe(404)
    for (const table of ["change_set_changes", "revert_outcomes", "reverts", "due_reverts"])
      expect(await app.sql(`SELECT * FROM ${table}`), table).toEqual([])
  })
})
