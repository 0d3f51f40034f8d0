import { beforeAll, beforeEach, describe, expect, it } from "vitest"
import { guest } from "../../support/people/People.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let notebook: string
let made = 0

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

const newId = (prefix: string) => `${prefix}_made-by-a-client-${String(++made).padStart(6, "0")}`

const push = async (...changes: Array<unknown>) => {
  const answer = await app.call("POST", "/sync/push", { changes })
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

const pull = async (cursor: string) => (await app.call("POST", "/sync/pull", { cursor, limit: 500 })).body

const write = async (title: string, more: object = {}) =>
  (await app.call("POST", "/notes", { notebook_id: notebook, title, ...more })).body

const upsert = (id: string | undefined, revision: number | undefined, data: object, more: object = {}) => ({
  type: "note",
  op: "upsert",
  ...(id === undefined ? {} : { id }),
  ...(revision === undefined ? {} : { revision }),
  data,
  ...more
})

const statuses = (body: any) => body.results.map(({ status }: any) => status)

let seq: number
beforeEach(async () => {
  seq = await app.seq()
})

const types = async () => (await app.changesAfter(seq)).map(({ type }) => type)

describe("POST /sync/push of new records", () => {
  it("accepts ids of the client or creates them, and returns the stored records", async () => {
    const id = newId("nt")
    const body = await push(
      upsert(id, undefined, { notebook_id: notebook, title: "Mine", body: "two words" }, { mutation_id: "create-1" }),
      upsert(undefined, 0, { notebook_id: notebook, title: "Yours" })
    )
    expect(body).toMatchObject({ has_more: false, conflicts: [], device_id: null })
    expect(body.results).toMatchObject([
      { index: 0, mutation_id: "create-1", type: "note", id, status: "applied", revision: 1 },
      { index: 1, mutation_id: null, type: "note", id: expect.stringMatching(/^nt_/), status: "applied", revision: 1 }
    ])
    expect(body.changes).toMatchObject([
      { type: "note", id, op: "upsert", revision: 1, data: { title: "Mine", word_count: 2, version: 1, tags: [] } },
      { type: "note", id: body.results[1].id, op: "upsert", data: { title: "Yours", body: "" } }
    ])
    expect((await app.call("GET", `/notes/${id}`)).body).toEqual(body.changes[0].data)
    expect(await types()).toEqual(["note.created", "note.created"])
  })

  it("resolves references by client_ref between notebooks, notes and tags", async () => {
    const body = await push(
      { type: "notebook", op: "upsert", client_ref: "outer", data: { name: "Outer" } },
      {
        type: "notebook",
        op: "upsert",
        client_ref: "inner",
        data: { name: "Inner", parent_id: "$outer", color: "#ABC" }
      },
      upsert(undefined, 0, { notebook_id: "$inner", title: "Inside", tags: ["from-push"] }, { client_ref: "note" }),
      { type: "note", op: "upsert", id: "$note", revision: 1, data: { pinned: true } },
      { type: "tag", op: "upsert", data: { name: "lonely", color: "#123456" } },
      upsert(undefined, 0, { notebook_id: "$nowhere", title: "Lost" })
    )
    expect(statuses(body)).toEqual(["applied", "applied", "applied", "applied", "applied", "rejected"])
    const [outer, inner, note, again, tag, lost] = body.results
    expect(again).toMatchObject({ id: note.id, revision: 2 })
    expect(lost.error).toMatchObject({ code: "unresolved_reference", errors: [{ pointer: "/data/notebook_id" }] })
    expect((await app.call("GET", `/notebooks/${inner.id}`)).body).toMatchObject({
      parent_id: outer.id,
      color: "#aabbcc",
      note_count: 1
    })
    expect((await app.call("GET", `/notes/${note.id}`)).body).toMatchObject({
      notebook_id: inner.id,
      pinned: true,
      tags: ["from-push"]
    })
    expect((await app.call("GET", `/tags/${tag.id}`)).body).toMatchObject({ name: "lonely" })
  })

  it("rejects invalid ids, and applies the other entries", async () => {
    const good = { notebook_id: notebook, title: "Good" }
    const bad = [
      "nt_short",
      "nb_made-by-a-client-x0001",
      `nt_${"x".repeat(41)}`,
      "nt_with space in the id",
      "nt_nul\0nul\0nul\0nul\0",
      ""
    ]
    const body = await push(
      ...bad.map((id) => upsert(id, 0, good)),
      upsert(undefined, 0, good, { mutation_id: "nul\0" }),
      upsert(undefined, 0, good, { mutation_id: "" }),
      upsert(newId("nt"), 0, good)
    )
    expect(statuses(body)).toEqual([...Array(8).fill("rejected"), "applied"])
    expect(body.results[0]).toMatchObject({ type: "note", id: "nt_short", revision: null })
  })
})

describe("POST /sync/push of edits", () => {
  it("accepts partial data, in order, with revision or base_revision", async () => {
    const note = await write("Before", { body: "kept" })
    const body = await push(upsert(note.id, 1, { title: "Once" }), {
      type: "note",
      op: "upsert",
      id: note.id,
      base_revision: 2,
      data: { title: "Twice" }
    })
    expect(body.results).toMatchObject([
      { status: "applied", revision: 2 },
      { status: "applied", revision: 3 }
    ])
    expect(body.changes).toMatchObject([{ revision: 3, data: { title: "Twice", body: "kept" } }])
    expect((await app.call("GET", `/notes/${note.id}`)).body).toMatchObject({
      title: "Twice",
      body: "kept",
      version: 3
    })
    expect(await app.changesAfter(seq + 1)).toMatchObject([
      { type: "note.updated", version: 2, data: { fields: ["title"] } },
      { type: "note.updated", version: 3 }
    ])
  })

  it("accepts a resource as it was pulled, and ignores read-only fields", async () => {
    const note = await write("Whole", { tags: ["whole"] })
    const { body: folder } = await app.call("POST", "/notebooks", { name: "Whole", color: "#123456" })
    const body = await push(upsert(note.id, 1, { ...note, version: 99, word_count: 99, title: "Whole again" }), {
      type: "notebook",
      op: "upsert",
      id: folder.id,
      revision: 1,
      data: folder
    })
    expect(statuses(body)).toEqual(["applied", "duplicate"])
    expect(body.changes).toMatchObject([
      { data: { title: "Whole again", version: 2, word_count: 0, tags: ["whole"] } },
      { id: folder.id, revision: 1, data: { name: "Whole" } }
    ])
  })

  it("creates a note with the time at which it was made offline, and ignores that of a note that exists", async () => {
    const at = "2026-02-03T04:05:06.789Z"
    const id = newId("nt")
    const data = { notebook_id: notebook, title: "Offline", created_at: "2026-02-03T05:05:06.789+01:00" }
    const body = await push(upsert(id, 0, data), upsert(id, 0, data), upsert(id, 1, { created_at: "nonsense" }))
    expect(statuses(body)).toEqual(["applied", "duplicate", "duplicate"])
    expect(body.changes[0].data).toMatchObject({ created_at: at, version: 1 })
    expect(Date.parse(body.changes[0].data.updated_at)).toBeGreaterThan(Date.parse(at))
    await push(upsert(id, 1, { title: "Renamed", created_at: new Date(0).toISOString() }))
    expect((await app.call("GET", `/notes/${id}`)).body).toMatchObject({ title: "Renamed", created_at: at })
  })

  it("creates a note now if the clock of the client is a little ahead, or it states no time", async () => {
    const [{ now }] = await app.sql("SELECT max(occurred_at) AS now FROM changes")
    const ahead = new Date(Date.parse(now) + 4 * 60_000).toISOString()
    const create = (created_at: unknown) => upsert(undefined, 0, { notebook_id: notebook, title: "Now", created_at })
    const body = await push(create(ahead), create(null))
    expect(statuses(body)).toEqual(["applied", "applied"])
    for (const { data } of body.changes) expect(data.created_at).toBe(data.updated_at)
  })

  it("rejects a note that was created in the future or before 1970", async () => {
    const create = (created_at: string) => upsert(undefined, 0, { notebook_id: notebook, title: "When", created_at })
    const { results } = await push(create("2999-01-01T00:00:00Z"), create("1969-12-31T23:59:59.999Z"))
    const refused = (message: RegExp) => ({
      status: "rejected",
      error: {
        code: "validation_failed",
        errors: [
          {
            field: "data.created_at",
            pointer: "/data/created_at",
            code: "out_of_range",
            message: expect.stringMatching(message)
          }
        ]
      }
    })
    expect(results).toMatchObject([refused(/in the future/), refused(/before 1970/)])
    expect(await types()).toEqual([])
  })

  it("rejects an invalid entry with a problem, and applies the others", async () => {
    const note = await write("Fine")
    const body = await push(
      upsert(note.id, 1, { title: "Still fine" }),
      upsert(note.id, 2, { title: "x".repeat(201) }),
      { type: "poem", op: "upsert", data: {} },
      { type: "note", op: "explode", id: note.id },
      "no entry at all",
      null,
      { type: "note", op: "delete", id: "nt_never-there-0000000" },
      { type: "note", op: "delete", id: note.id },
      upsert(note.id, 2, { body: "and fine" })
    )
    expect(statuses(body)).toEqual(["applied", ...Array(7).fill("rejected"), "applied"])
    expect(body.results.map(({ index }: any) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(body.results[1].error).toMatchObject({
      type: expect.stringMatching(/\/v2\/errors\/validation_failed$/),
      title: expect.any(String),
      status: 422,
      code: "validation_failed",
      detail: expect.any(String),
      errors: [{ pointer: "/data/title", code: "too_long" }]
    })
    expect(body.results[2].error.errors).toMatchObject([{ pointer: "/type" }])
    expect(body.results[6].error).toMatchObject({ status: 404, code: "not_found" })
    expect(body.results[7].error.errors).toMatchObject([{ pointer: "/revision", code: "required" }])
  })

  it("deletes records, and returns duplicate for deleted ones", async () => {
    const note = await write("Going")
    const gone = { type: "note", op: "delete", id: note.id, revision: 1 }
    const body = await push(gone)
    expect(body.changes).toMatchObject([{ id: note.id, op: "delete", revision: 2, data: null }])
    expect((await app.call("GET", `/notes/${note.id}`)).status).toBe(404)
    expect((await push(gone)).results).toMatchObject([{ status: "duplicate", revision: 2 }])
    expect(await types()).toEqual(["note.created", "note.deleted"])
  })

  it("deletes a notebook with its notes, among other entries", async () => {
    const inner = (await app.call("POST", "/notebooks", { name: "Doomed" })).body
    const note = await write("Doomed too", { notebook_id: inner.id })
    const other = await write("Bystander")
    const body = await push(
      upsert(other.id, 1, { title: "Before" }),
      { type: "notebook", op: "delete", id: inner.id, revision: 1 },
      upsert(note.id, 1, { title: "Too late" }),
      upsert(other.id, 2, { title: "After" })
    )
    expect(statuses(body)).toEqual(["applied", "applied", "conflict", "applied"])
    expect(body.conflicts).toMatchObject([{ id: note.id, reason: "deleted_on_server" }])
    expect((await app.call("GET", `/notebooks/${inner.id}`)).status).toBe(404)
    expect((await app.call("GET", `/notes/${other.id}`)).body).toMatchObject({ title: "After", version: 3 })
  })

  it("renames a tag, among entries that succeed, fail or conflict", async () => {
    const note = await write("Carrier", { tags: ["old-name"] })
    const tag = (await app.call("GET", "/tags?limit=100")).body.data.find(({ name }: any) => name === "old-name")
    await app.call("POST", "/tags", { name: "taken" })
    const id = newId("nt")
    const rename = (name: string, revision: number) => ({
      type: "tag",
      op: "upsert",
      id: tag.id,
      revision,
      data: { name }
    })
    const body = await push(
      upsert(id, 0, { notebook_id: notebook, title: "First", tags: ["old-name"] }, { mutation_id: "rename-0" }),
      rename("taken", 1),
      { ...rename("new-name", 1), mutation_id: "rename-2" },
      upsert(note.id, 1, { title: "Stale: the rename came before" }),
      upsert(note.id, 2, { title: "Carried on" }),
      upsert(note.id, 3, { title: "" }),
      rename("newer-name", 2)
    )
    expect(statuses(body)).toEqual(["applied", "rejected", "applied", "conflict", "applied", "rejected", "applied"])
    expect(body.results[1].error).toMatchObject({
      status: 409,
      code: "already_exists",
      existing_id: expect.stringMatching(/^tg_/)
    })
    expect((await app.call("GET", `/notes/${note.id}`)).body).toMatchObject({
      title: "Carried on",
      tags: ["newer-name"],
      version: 4
    })
    expect((await app.call("GET", `/notes/${id}`)).body).toMatchObject({ tags: ["newer-name"], version: 3 })
    expect((await app.call("GET", `/tags/${tag.id}`)).body).toMatchObject({ name: "newer-name", note_count: 2 })
    const again = await push({ ...rename("new-name", 1), mutation_id: "rename-2" })
    expect(again.results).toMatchObject([{ status: "duplicate", revision: 2 }])
  })

  it("restores a record by an upsert at the revision of its tombstone: trashed, purged, notebook or tag", async () => {
    const trashed = await write("Trashed", { body: "text", tags: ["stays"] })
    const purged = await write("Purged")
    await app.call("DELETE", `/notes/${trashed.id}`)
    await app.call("DELETE", `/notes/${purged.id}?permanent=true`)
    const { body: folder } = await app.call("POST", "/notebooks", { name: "Folder" })
    const { body: tag } = await app.call("POST", "/tags", { name: "comes-back" })
    await app.call("DELETE", `/notebooks/${folder.id}`)
    await app.call("DELETE", `/tags/${tag.id}`)
    const body = await push(
      upsert(trashed.id, 2, { title: "Back" }),
      upsert(purged.id, 2, { notebook_id: notebook, title: "New" }),
      { type: "notebook", op: "upsert", id: folder.id, revision: 2, data: { name: "Folder again" } },
      { type: "tag", op: "upsert", id: tag.id, revision: 2, data: { name: "comes-back" } }
    )
    expect(statuses(body)).toEqual(["applied", "applied", "applied", "applied"])
    expect((await app.call("GET", `/notes/${trashed.id}`)).body).toMatchObject({
      title: "Back",
      body: "text",
      tags: ["stays"]
    })
    expect((await app.call("GET", `/notes/${purged.id}`)).body).toMatchObject({ title: "New", version: 3 })
    expect((await app.call("GET", `/notebooks/${folder.id}`)).body.name).toBe("Folder again")
    // A note restored from the trash and changed has a version for each of the two.
    expect(body.results.map(({ revision }: any) => revision)).toEqual([4, 3, 3, 3])
  })

  it("increases the revision by one when it restores a record unchanged", async () => {
    const note = await write("As it was")
    await app.call("DELETE", `/notes/${note.id}`)
    const { results } = await push(upsert(note.id, 2, { title: "As it was" }))
    expect(results).toMatchObject([{ status: "applied", revision: 3 }])
    const { body } = await app.call("GET", `/notes/${note.id}/versions`)
    expect(body.data.map(({ version }: any) => version)).toEqual([3, 2, 1])
    const late = await push(upsert(note.id, 2, { title: "Too late" }))
    expect(late.results).toMatchObject([{ status: "conflict", revision: 3 }])
  })
})

describe("response of a push", () => {
  it("contains the cursor of the head after it", async () => {
    const { cursor } = await push(upsert(undefined, 0, { notebook_id: notebook, title: "Head" }))
    expect((await pull(cursor)).changes).toEqual([])
    const note = await write("After")
    expect((await pull(cursor)).changes).toMatchObject([{ id: note.id }])
  })

  it("is 422 for more than 500 entries, or a missing list", async () => {
    const many = await app.call("POST", "/sync/push", { changes: Array.from({ length: 501 }, () => ({})) })
    expect(many.body).toMatchObject({ status: 422, errors: [{ pointer: "/changes" }] })
    expect((await app.call("POST", "/sync/push", {})).body).toMatchObject({
      status: 422,
      errors: [{ pointer: "/changes", code: "required" }]
    })
    expect((await push()).results).toEqual([])
  })

  it("contains results for 500 entries", async () => {
    const ids = Array.from({ length: 500 }, () => newId("nt"))
    const body = await push(...ids.map((id, index) => upsert(id, 0, { notebook_id: notebook, title: `Bulk ${index}` })))
    expect(new Set(statuses(body))).toEqual(new Set(["applied"]))
    expect(body.changes.map(({ id }: any) => id)).toEqual(ids)
  })

  it("is independent of equal ids in another workspace", async () => {
    const id = newId("nb")
    const other = await guest(app, { elsewhere: true })
    const changes = [{ type: "notebook", op: "upsert", id, data: { name: "Twin" } }]
    expect(statuses(await push(...changes))).toEqual(["applied"])
    const there = await app.call("POST", "/sync/push", { changes }, other.headers)
    expect(statuses(there.body)).toEqual(["applied"])
  })

  it("is 403 for a viewer and for a key without notes:write", async () => {
    const viewer = await guest(app, { role: "viewer" })
    expect((await app.call("POST", "/sync/push", { changes: [] }, viewer.headers)).body).toMatchObject({
      status: 403,
      code: "insufficient_role"
    })
    const reader = await guest(app, { scopes: ["notes:read"] })
    expect((await app.call("POST", "/sync/push", { changes: [] }, reader.headers)).body).toMatchObject({
      code: "insufficient_scope"
    })
  })
})

describe("POST /sync/push of large texts", () => {
  const megabyte = 1_000_000
  const limit = 32 * 1024 * 1024
  const tooMuch = { status: 413, code: "payload_too_large", limit_bytes: limit }

  it("rejects entries above the limit of one push, and applies them in the next", async () => {
    const { id } = await write("Large", { body: "x".repeat(megabyte) })
    const edits = Array.from({ length: 40 }, (_, at) =>
      upsert(id, at + 1, { title: `Edit ${at}` }, { mutation_id: `${id}-${at}` })
    )
    const first = await push(...edits)
    const applied = statuses(first).lastIndexOf("applied") + 1
    expect(applied).toBeGreaterThan(20)
    expect(statuses(first)).toEqual(edits.map((_, at) => (at < applied ? "applied" : "rejected")))
    expect(first.results.at(-1).error).toMatchObject(tooMuch)
    expect(JSON.stringify(first).length).toBeLessThan(limit + 2 * megabyte)
    // The same entries again: those already applied count once, because they have one record.
    const second = await push(...edits)
    expect(statuses(second)).toEqual(edits.map((_, at) => (at < applied ? "duplicate" : "applied")))
    expect((await app.call("GET", `/notes/${id}`)).body).toMatchObject({ title: "Edit 39", version: 41 })
  })

  it("counts the three texts of a conflict by their length in JSON, and reads no more of them", async () => {
    const { id } = await write("Disputed", { body: "\u0001".repeat(megabyte) })
    await app.call("PATCH", `/notes/${id}`, { title: "Theirs" })
    const { body: result } = await app.call("POST", "/sync/push", {
      changes: Array.from({ length: 10 }, (_, at) => upsert(id, 1, { title: `Mine ${at}` }))
    })
    // Each conflict has twelve megabytes.
    expect(statuses(result)).toEqual([...Array(3).fill("conflict"), ...Array(7).fill("rejected")])
    expect(result.results.at(-1).error).toMatchObject(tooMuch)
  })

  it("reads large and trashed notes in several batches", async () => {
    const ids = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => (await write(`Many ${at}`, { body: "y".repeat(megabyte) })).id)
    )
    await app.call("DELETE", `/notes/${ids[11]}`)
    const body = await push(
      ...ids.map((id, at) => upsert(id, at === 11 ? 2 : 1, { pinned: true })),
      ...ids.map((id) => upsert(id, 1, { archived: true }))
    )
    expect(statuses(body)).toEqual([
      ...Array(12).fill("applied"),
      ...Array(5).fill("conflict"),
      ...Array(7).fill("rejected")
    ])
  })

  it("rejects an entry with too many values, and no other", async () => {
    const tags = Array.from({ length: 20_000 }, (_, at) => `t${at}`)
    const body = await push(
      upsert(undefined, 0, { notebook_id: notebook, title: "Tagged", tags }),
      upsert(undefined, 0, { notebook_id: notebook, title: "Plain" })
    )
    expect(statuses(body)).toEqual(["rejected", "applied"])
    expect(body.results[0].error.errors).toMatchObject([{ field: "data", code: "too_many" }])
  })
})
