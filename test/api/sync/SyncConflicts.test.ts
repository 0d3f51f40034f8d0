import { beforeAll, beforeEach, describe, expect, it } from "vitest"
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

const write = async (title: string, more: object = {}) =>
  (await app.call("POST", "/notes", { notebook_id: notebook, title, ...more })).body

const edit = async (id: string, data: object) => (await app.call("PATCH", `/notes/${id}`, data)).body

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

describe("repeated push", () => {
  it("with the same mutation_id returns the same result", async () => {
    const entry = upsert(
      undefined,
      0,
      { notebook_id: notebook, title: "Once" },
      { mutation_id: "once", client_ref: "n" }
    )
    const first = await push(entry, upsert("$n", 1, { body: "more" }, { mutation_id: "more" }))
    const again = await push(entry, upsert("$n", 1, { body: "more" }, { mutation_id: "more" }))
    expect(again.results).toEqual(first.results.map((result: any) => ({ ...result, status: "duplicate" })))
    expect(again).toMatchObject({ changes: first.changes, conflicts: [] })
    expect(await types()).toEqual(["note.created", "note.updated"])
    const twice = await push({ ...entry, mutation_id: "twice" }, { ...entry, mutation_id: "twice" })
    expect(statuses(twice)).toEqual(["applied", "duplicate"])
    expect(twice.results[1].id).toBe(twice.results[0].id)
  })

  it("of values equal after normalization is a duplicate", async () => {
    const decomposed = "cafe\u0301"
    const note = await write("Forms")
    const entries = [
      { type: "tag", op: "upsert", id: "tg_in-another-form-1", data: { name: decomposed, color: "#ABC" } },
      {
        type: "note",
        op: "upsert",
        id: "nt_in-another-form-1",
        data: { notebook_id: notebook, title: "Forms", tags: [decomposed] }
      },
      {
        type: "reminder",
        op: "upsert",
        id: "rm_in-another-form-1",
        data: { note_id: note.id, remind_at: "2026-12-01T10:00:00+01:00" }
      }
    ]
    expect(statuses(await push(...entries))).toEqual(["applied", "applied", "applied"])
    expect(statuses(await push(...entries))).toEqual(["duplicate", "duplicate", "duplicate"])
  })

  it("of current values is a duplicate at any revision", async () => {
    const note = await write("Same", { tags: ["one", "two"] })
    await edit(note.id, { body: "since" })
    const seq = await app.seq()
    const body = await push(
      upsert(note.id, 1, { title: "Same", tags: ["ONE", "two"] }),
      upsert(note.id, 0, { title: "Same" })
    )
    expect(body.results).toMatchObject([
      { status: "duplicate", revision: 2 },
      { status: "duplicate", revision: 2 }
    ])
    expect(await app.seq()).toBe(seq)
  })

  it("is recognised per device, but not after a rejection or conflict", async () => {
    const note = await write("Conflicted")
    await edit(note.id, { title: "Moved on" })
    const entry = upsert(note.id, 1, { title: "Mine" }, { mutation_id: "try" })
    expect(statuses(await push(entry))).toEqual(["conflict"])
    expect(statuses(await push({ ...entry, revision: 2 }))).toEqual(["applied"])
    const create = upsert(undefined, 0, { notebook_id: notebook, title: "Per device" }, { mutation_id: "per-device" })
    const by = (device: string) => ({ device: { id: device, name: "Phone" }, changes: [create] })
    const one = await app.call("POST", "/sync/push", by("sy_phone-number-one-0001"))
    const other = await app.call("POST", "/sync/push", by("sy_phone-number-two-0002"))
    const again = await app.call("POST", "/sync/push", by("sy_phone-number-one-0001"))
    expect([one, other, again].map(({ body }) => body.results[0].status)).toEqual(["applied", "applied", "duplicate"])
    expect(again.body.results[0].id).toBe(one.body.results[0].id)
    expect(one.body).toMatchObject({
      device_id: "sy_phone-number-one-0001",
      changes: [{ device_id: "sy_phone-number-one-0001" }]
    })
  })
})

describe("conflict", () => {
  it("stale_revision: contains the server's record, the client's entry and the base that it edited", async () => {
    const note = await write("WriterCache", { body: "base text", tags: ["t"] })
    await edit(note.id, { title: "Server" })
    await edit(note.id, { pinned: true })
    const client = upsert(note.id, 1, { title: "Client", body: "mine" }, { mutation_id: "stale" })
    const { changes, conflicts, results } = await push(client)
    expect(changes).toEqual([])
    expect(results).toMatchObject([{ mutation_id: "stale", id: note.id, status: "conflict", revision: 3 }])
    expect(conflicts).toMatchObject([
      {
        type: "note",
        id: note.id,
        reason: "stale_revision",
        mutation_id: "stale",
        revision: 3,
        client_revision: 1,
        server: {
          type: "note",
          id: note.id,
          op: "upsert",
          revision: 3,
          data: { title: "Server", pinned: true, version: 3 }
        },
        base: { revision: 1, data: { title: "WriterCache", body: "base text", tags: ["t"], pinned: false, version: 1 } }
      }
    ])
    expect(conflicts[0].client).toEqual(client)
    expect((await app.call("GET", `/notes/${note.id}`)).body).toMatchObject({ title: "Server", body: "base text" })
  })

  it("does not keep the next edit in the push from being applied at a guessed revision, which another client made", async () => {
    const note = await write("Guessed", { body: "first" })
    expect(statuses(await push(upsert(note.id, 1, { title: "A" }), upsert(note.id, 2, { body: "B" })))).toEqual([
      "applied",
      "applied"
    ])
    await edit(note.id, { body: "Theirs" })
    const answer = await push(upsert(note.id, 3, { title: "C" }), upsert(note.id, 4, { body: "Mine" }))
    expect(statuses(answer)).toEqual(["conflict", "applied"])
  })

  it("contains the base of its revision, also after an edit in the same push that locks the workspace", async () => {
    const attic = (await app.call("POST", "/notebooks", { name: "Attic" })).body
    const note = await write("One", { body: "first" })
    await edit(note.id, { title: "Two" })
    const answer = await push(
      upsert(note.id, 2, { body: "second" }),
      { type: "notebook", op: "delete", id: attic.id, revision: 1 },
      upsert(note.id, 1, { body: "third" })
    )
    expect(statuses(answer)).toEqual(["applied", "applied", "conflict"])
    expect(answer.conflicts[0].base).toMatchObject({ revision: 1, data: { title: "One", body: "first" } })
    expect(answer.conflicts[0].server.data).toMatchObject({ title: "Two", body: "second" })
  })

  it("appends sync.conflict once per server revision, however often it is pushed", async () => {
    const note = await write("Edited")
    await edit(note.id, { title: "Edited again" })
    const client = upsert(note.id, 1, { title: "Client" })
    for (let times = 0; times < 3; times++) expect(statuses(await push(client))).toEqual(["conflict"])
    const raised = async () => (await app.changesAfter(seq)).filter(({ type }) => type === "sync.conflict")
    expect(await raised()).toMatchObject([
      { resource: "note", resource_id: note.id, data: { reason: "stale_revision" } }
    ])
    await edit(note.id, { title: "And again" })
    await push(client)
    expect(await raised()).toHaveLength(2)
  })

  it("deleted_on_server: contains the tombstone and the base that was edited", async () => {
    const note = await write("Deleted")
    await app.call("DELETE", `/notes/${note.id}`)
    expect((await push(upsert(note.id, 1, { title: "Edit" }))).conflicts).toMatchObject([
      {
        reason: "deleted_on_server",
        revision: 2,
        client_revision: 1,
        server: { op: "delete", revision: 2, data: null },
        base: { revision: 1, data: { title: "Deleted" } }
      }
    ])
  })

  it("already_exists: is returned for a create with the id of another record", async () => {
    const note = await write("Taken")
    const create = { notebook_id: notebook, title: "Mine" }
    expect((await push(upsert(note.id, 0, create), upsert(note.id, undefined, create))).conflicts).toMatchObject([
      { reason: "already_exists", revision: 1, client_revision: 0, base: null },
      { reason: "already_exists" }
    ])
  })

  it("unknown_revision: is returned for a future revision, or a record that never existed", async () => {
    const note = await write("Known")
    const never = newId("nt")
    expect(
      (
        await push(
          upsert(note.id, 9, { title: "Future" }),
          upsert(never, 1, { title: "Never" }),
          { type: "note", op: "delete", id: note.id, revision: 9 },
          { type: "note", op: "delete", id: note.id, revision: 1 }
        )
      ).conflicts
    ).toMatchObject([
      { id: note.id, reason: "unknown_revision", revision: 1, base: null, server: { revision: 1 } },
      { id: never, reason: "unknown_revision", revision: null, server: null, base: null },
      { id: note.id, reason: "unknown_revision" }
    ])
  })

  it("has the same form for a notebook", async () => {
    const { body: folder } = await app.call("POST", "/notebooks", { name: "N1" })
    await app.call("PATCH", `/notebooks/${folder.id}`, { name: "N2" })
    const entry = { type: "notebook", op: "upsert", id: folder.id, revision: 1, data: { name: "N3" } }
    const [conflict] = (await push(entry)).conflicts
    expect(conflict).toMatchObject({
      reason: "stale_revision",
      revision: 2,
      server: { data: { name: "N2" } },
      base: null
    })
    expect(conflict.server.data).not.toHaveProperty("note_count")
  })
})
