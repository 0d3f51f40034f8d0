import { describe, expect, it } from "vitest"
import { invalid, notFound, scenarioOf, stale, unresolved } from "../../support/Scenario.ts"
import { startApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const { act, app, given, refuse } = useApp()

const notebook = (fields: object = {}) => given("POST", "/notebooks", { name: "A notebook", ...fields })
/** Creates each note at a different time, so that their ids are in order. */
const noteIn = async (notebook_id: string, fields: object = {}) => {
  await app.advance("1 millis")
  return given("POST", "/notes", { notebook_id, title: "A note", ...fields })
}

/** Creates notebooks inside each other, outermost first. */
const chain = async (length: number, parent_id: string | null = null) => {
  const ids: Array<string> = []
  for (let level = 0; level < length; level++) {
    ids.push((await notebook({ name: `Level ${level + 1}`, parent_id: ids.at(-1) ?? parent_id })).id)
  }
  return ids
}

const cycle = { status: 422, code: "notebook_cycle", field: ["parent_id", "cycle"] } as const
const tooDeep = { status: 422, code: "notebook_depth_exceeded", field: ["parent_id", "too_deep"] } as const

describe("POST /notebooks", () => {
  it("creates a notebook, returns 201 with all members, and appends notebook.created", async () => {
    const { body, changes, status } = await act("POST", "/notebooks", { name: "Plans", color: "#AbC", icon: "rocket" })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^nb_[0-9A-Za-z]{22}$/),
      name: "Plans",
      color: "#aabbcc",
      icon: "rocket",
      parent_id: null,
      note_count: 0,
      created_at: "2026-03-01T12:00:00.000Z",
      updated_at: "2026-03-01T12:00:00.000Z"
    })
    expect(changes).toEqual([["notebook.created", body.id, 1]])
    expect((await app.call("GET", `/notebooks/${body.id}`)).body).toEqual(body)
  })

  it("requires only a name, which need not be unique", async () => {
    const name = "🙂".repeat(100)
    const one = await notebook({ name })
    const two = await notebook({ name, color: null, icon: null, parent_id: null, note_count: 7, id: "nb_mine" })
    expect(one).toMatchObject({ name, color: null, icon: null, parent_id: null, note_count: 0 })
    expect(two).toEqual({ ...one, id: two.id })
    expect(two.id).not.toBe("nb_mine")
  })

  it.each([
    [{ name: undefined }, "name", "required"],
    [{ name: null }, "name", "invalid_type"],
    [{ name: " \n" }, "name", "blank"],
    [{ name: "🙂".repeat(101) }, "name", "too_long"],
    [{ name: "a\0" }, "name", "invalid_characters"],
    [{ color: "red" }, "color", "invalid_color"],
    [{ color: "#12" }, "color", "invalid_color"],
    [{ color: "#12345g" }, "color", "invalid_color"],
    [{ color: "123456" }, "color", "invalid_color"],
    [{ color: "#12345678" }, "color", "invalid_color"],
    [{ color: 255 }, "color", "invalid_type"],
    [{ icon: "no-such-icon" }, "icon", "unknown_icon"],
    [{ parent_id: "" }, "parent_id", "blank"]
  ])("refuses %j", async (fields, field, code) => {
    await refuse(invalid(field, code), "POST", "/notebooks", { name: "A notebook", ...fields })
  })

  it("returns the allowed icons", async () => {
    const { body } = await refuse(invalid("icon", "unknown_icon"), "POST", "/notebooks", { name: "n", icon: "x" })
    expect(body.errors[0].message).toMatch(/archive, bell, .*wrench/)
  })

  it("allows five levels, below existing notebooks", async () => {
    const ids = await chain(5)
    await refuse(tooDeep, "POST", "/notebooks", { name: "Level 6", parent_id: ids[4] })
    await refuse(unresolved("parent_id"), "POST", "/notebooks", { name: "Lost", parent_id: "nb_none" })
    await expectTruth(app)
  })
})

describe("GET /notebooks", () => {
  it("sorts by name without regard to case, and by each offered field, in pages", async () => {
    const one = await startApp()
    const here = scenarioOf(one)
    for (const name of ["beta", "Alpha", "gamma"]) {
      await one.advance("1 second")
      await here.given("POST", "/notebooks", { name })
    }
    const names = async (query: string) =>
      (await here.given("GET", `/notebooks?${query}`)).data.map((each: any) => each.name)
    const [alpha] = (await here.given("GET", "/notebooks")).data
    await here.given("POST", "/notes", { notebook_id: alpha.id, title: "t" })
    expect(await names("")).toEqual(["Alpha", "beta", "gamma", "Inbox"])
    expect(await names("sort=-name")).toEqual(["Inbox", "gamma", "beta", "Alpha"])
    expect(await names("sort=created_at")).toEqual(["Inbox", "beta", "Alpha", "gamma"])
    expect(await names("sort=-note_count,name")).toEqual(["Alpha", "beta", "gamma", "Inbox"])
    const first = await here.given("GET", "/notebooks?limit=3")
    await here.given("DELETE", `/notebooks/${first.data[2].id}`)
    await here.given("POST", "/notebooks", { name: "aaa" })
    const second = await here.given("GET", `/notebooks?limit=3&cursor=${first.next_cursor}`)
    expect([second.data.map((each: any) => each.name), second.has_more]).toEqual([["Inbox"], false])
    await one.stop()
  })

  it.each(["nb_none", "%00", "nt_0VCcGn8ijZ17WH8W10rqyN"])("returns 404 for the notebook id %j", async (id) => {
    await refuse(notFound, "GET", `/notebooks/${id}`)
    await refuse(notFound, "PATCH", `/notebooks/${id}`, { name: "n" })
    await refuse(notFound, "DELETE", `/notebooks/${id}`)
    await refuse(notFound, "POST", `/notebooks/${id}/move`, { parent_id: null })
  })
})

describe("PATCH /notebooks/{id}", () => {
  it("changes only supplied fields, and appends notebook.updated", async () => {
    const before = await notebook({ color: "#123456", icon: "book" })
    await app.advance("1 second")
    const { body, changes, status } = await act("PATCH", `/notebooks/${before.id}`, { name: "Renamed", color: null })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, name: "Renamed", color: null, updated_at: expect.any(String) })
    expect(body.updated_at > before.updated_at).toBe(true)
    expect(changes).toEqual([["notebook.updated", before.id, 2]])
  })

  it("requires no field, and appends no change if nothing differs", async () => {
    const before = await notebook({ color: "#abc" })
    for (const input of [{}, before, { color: "#AABBCC" }, { name: before.name, parent_id: null, icon: null }]) {
      const { body, changes, status } = await act("PATCH", `/notebooks/${before.id}`, input)
      expect([status, body, changes]).toEqual([200, before, []])
    }
    await refuse(invalid("name", "invalid_type"), "PATCH", `/notebooks/${before.id}`, { name: null })
    await refuse(invalid("name", "blank"), "PATCH", `/notebooks/${before.id}`, { name: "" })
    await refuse(invalid("icon", "unknown_icon"), "PATCH", `/notebooks/${before.id}`, { icon: "x" })
    await refuse(invalid("color", "invalid_color"), "PATCH", `/notebooks/${before.id}`, { color: "#" })
  })

  it("moves by parent_id with the same rules as a move", async () => {
    const [outer, inner] = await chain(2)
    const { id } = await notebook()
    const { body, changes } = await act("PATCH", `/notebooks/${id}`, { parent_id: inner, name: "Inside" })
    expect(body).toMatchObject({ parent_id: inner, name: "Inside" })
    expect(changes).toEqual([["notebook.moved", id, 2]])
    await refuse(cycle, "PATCH", `/notebooks/${outer}`, { parent_id: id })
    await refuse(unresolved("parent_id"), "PATCH", `/notebooks/${outer}`, { parent_id: "nb_none" })
    await refuse(tooDeep, "PATCH", `/notebooks/${outer}`, { parent_id: (await chain(3))[2] })
    await expectTruth(app)
  })
})

describe("POST /notebooks/{id}/move", () => {
  it("moves a notebook with its sub-notebooks, to another parent and to the top level", async () => {
    const [outer, inner] = await chain(2)
    const { id } = await notebook()
    const moved = await act("POST", `/notebooks/${outer}/move`, { parent_id: id })
    expect([moved.status, moved.body.parent_id, moved.changes]).toEqual([200, id, [["notebook.moved", outer, 2]]])
    expect((await given("GET", `/notebooks/${inner}`)).parent_id).toBe(outer)
    const again = await act("POST", `/notebooks/${outer}/move`, { parent_id: id })
    expect([again.status, again.body, again.changes]).toEqual([200, moved.body, []])
    const top = await act("POST", `/notebooks/${outer}/move`, { parent_id: null, name: "ignored" })
    expect(top.body).toMatchObject({ parent_id: null, name: "Level 1" })
    expect(top.changes).toEqual([["notebook.moved", outer, 3]])
  })

  it("requires parent_id", async () => {
    const { id } = await notebook()
    await refuse(invalid("parent_id", "required"), "POST", `/notebooks/${id}/move`, {})
    await refuse(invalid("parent_id", "invalid_type"), "POST", `/notebooks/${id}/move`, { parent_id: 1 })
    await refuse(unresolved("parent_id"), "POST", `/notebooks/${id}/move`, { parent_id: "nb_none" })
  })

  it("rejects a move into itself or one of its sub-notebooks", async () => {
    const ids = await chain(4)
    for (const parent_id of ids) await refuse(cycle, "POST", `/notebooks/${ids[0]}/move`, { parent_id })
    await refuse(cycle, "POST", `/notebooks/${ids[2]}/move`, { parent_id: ids[3] })
  })

  it("includes sub-notebooks in the depth limit", async () => {
    const [top] = await chain(3)
    const places = await chain(3)
    await refuse(tooDeep, "POST", `/notebooks/${top}/move`, { parent_id: places[2] })
    expect((await act("POST", `/notebooks/${top}/move`, { parent_id: places[1] })).status).toBe(200)
    await refuse(tooDeep, "POST", `/notebooks/${places[0]}/move`, { parent_id: (await notebook()).id })
    await expectTruth(app)
  })
})

describe("DELETE /notebooks/{id}", () => {
  it("deletes sub-notebooks too, and moves their notes to the trash", async () => {
    const [outer, middle, inner] = (await chain(3)) as [string, string, string]
    const sibling = await notebook({ parent_id: outer })
    const one = await noteIn(outer, { tags: ["inside"] })
    const two = await noteIn(inner, { archived: true, tags: ["inside", "deep"] })
    const three = await noteIn(inner)
    await given("DELETE", `/notes/${three.id}`)
    const { body, changes, status } = await act("DELETE", `/notebooks/${outer}`)
    expect([status, body]).toEqual([200, { deleted: true, id: outer }])
    expect(changes.slice(0, 2)).toEqual([
      ["note.deleted", one.id, 2],
      ["note.deleted", two.id, 2]
    ])
    // Children are deleted before their parents.
    expect(changes.slice(2).map(([type]) => type)).toEqual(Array(4).fill("notebook.deleted"))
    const order = changes.slice(2).map(([, id]) => id)
    expect(order.toSorted()).toEqual([outer, middle, inner, sibling.id].toSorted())
    expect(order.indexOf(inner)).toBeLessThan(order.indexOf(middle))
    expect(order.at(-1)).toBe(outer)
    for (const id of [outer, middle, inner, sibling.id]) await refuse(notFound, "GET", `/notebooks/${id}`)
    for (const note of [one, two]) await refuse(notFound, "GET", `/notes/${note.id}`)
    await expectTruth(app)
    // A note of the deleted notebooks can be restored with its whole history.
    const aim = await notebook()
    const back = await act("POST", `/notes/${two.id}/restore`, { notebook_id: aim.id })
    expect(back.body).toMatchObject({ notebook_id: aim.id, tags: ["inside", "deep"], version: 3, archived: false })
    expect((await given("GET", `/notes/${two.id}/versions`)).data.map((each: any) => each.notebook_id)).toEqual([
      aim.id,
      inner,
      inner
    ])
    await expectTruth(app)
  })

  it("moves the notes to another notebook with move_notes_to", async () => {
    const [outer, inner] = (await chain(2)) as [string, string]
    const aim = await notebook()
    const one = await noteIn(outer, { body: "kept", tags: ["moved"] })
    const two = await noteIn(inner, { archived: true })
    await given("PATCH", `/notes/${one.id}`, { title: "Titled" })
    const { changes, status } = await act("DELETE", `/notebooks/${outer}?move_notes_to=${aim.id}`)
    expect(status).toBe(200)
    expect(changes).toEqual([
      ["note.updated", one.id, 3],
      ["note.updated", two.id, 2],
      ["notebook.deleted", inner, 2],
      ["notebook.deleted", outer, 2]
    ])
    expect(await given("GET", `/notes/${one.id}`)).toMatchObject({
      notebook_id: aim.id,
      body: "kept",
      tags: ["moved"],
      version: 3
    })
    expect(await given("GET", `/notes/${two.id}`)).toMatchObject({ notebook_id: aim.id, archived: true })
    expect((await given("GET", `/notebooks/${aim.id}`)).note_count).toBe(2)
    expect(
      (await given("GET", `/notes/${one.id}/versions`)).data.map((each: any) => [
        each.version,
        each.body,
        each.notebook_id
      ])
    ).toEqual([
      [3, "kept", aim.id],
      [2, "kept", outer],
      [1, "kept", outer]
    ])
    await expectTruth(app)
  })

  it("rejects move_notes_to if that notebook does not exist or is deleted too", async () => {
    const [outer, inner] = (await chain(2)) as [string, string]
    await noteIn(inner)
    for (const target of [outer, inner, "nb_none", "", "%00"]) {
      await refuse(unresolved("move_notes_to"), "DELETE", `/notebooks/${outer}?move_notes_to=${target}`)
    }
    expect((await given("GET", `/notebooks/${inner}`)).note_count).toBe(1)
  })

  it("deletes an empty notebook", async () => {
    const { id } = await notebook()
    expect((await act("DELETE", `/notebooks/${id}`)).changes).toEqual([["notebook.deleted", id, 2]])
    await refuse(notFound, "DELETE", `/notebooks/${id}`)
  })
})

it("returns an ETag that changes with every shown value, and honours If-None-Match and If-Match", async () => {
  const created = await act("POST", "/notebooks", { name: "Tagged" })
  const { id } = created.body
  const path = `/notebooks/${id}`
  const get = (etag: string) => app.call("GET", path, undefined, { "if-none-match": etag })
  const first = created.headers.get("etag")!
  expect(first).toMatch(/^"[^"]+"$/)
  expect([(await get(first)).status, (await get(`W/${first}`)).status]).toEqual([304, 304])
  await noteIn(id)
  const counted = await get(first)
  expect([counted.status, counted.body.note_count]).toEqual([200, 1])
  const second = counted.headers.get("etag")!
  expect(second).not.toBe(first)
  for (const old of [first, `W/${second}`, '"other"']) {
    const { body } = await refuse(stale, "PATCH", path, { name: "Changed" }, { "if-match": old })
    expect(body.current_version).toBe(1)
    await refuse(stale, "POST", `${path}/move`, { parent_id: null }, { "if-match": old })
    await refuse(stale, "DELETE", path, undefined, { "if-match": old })
  }
  const changed = await act("PATCH", path, { name: "Changed" }, { "if-match": `"other", ${second}` })
  expect([changed.status, changed.changes]).toEqual([200, [["notebook.updated", id, 2]]])
  const moved = await act("POST", `${path}/move`, { parent_id: null }, { "if-match": changed.headers.get("etag")! })
  expect([moved.status, moved.headers.get("etag")]).toEqual([200, changed.headers.get("etag")])
  expect((await act("DELETE", path, undefined, { "if-match": moved.headers.get("etag")! })).status).toBe(200)
})

it("counts notes directly in a notebook, including archived ones, without deleted notes and sub-notebooks", async () => {
  const [outer, inner] = (await chain(2)) as [string, string]
  await noteIn(outer, { archived: true })
  const gone = await noteIn(outer)
  await noteIn(inner)
  await given("DELETE", `/notes/${gone.id}`)
  expect((await given("GET", `/notebooks/${outer}`)).note_count).toBe(1)
  await expectTruth(app)
})
