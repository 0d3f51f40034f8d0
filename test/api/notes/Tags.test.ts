import { beforeAll, describe, expect, it } from "vitest"
import { invalid, notFound, scenarioOf, stale } from "../../support/Scenario.ts"
import { startApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const { act, app, given, refuse } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

const tag = (name: string, fields: object = {}) => given("POST", "/tags", { name, ...fields })
/** Creates a note with these tags; each at a different time, so that their ids are in order. */
const tagged = async (...tags: ReadonlyArray<string>) => {
  await app.advance("1 millis")
  return given("POST", "/notes", { notebook_id: notebook, title: tags.join(" "), body: "text", tags })
}
const taken = { status: 409, code: "already_exists" }

const badNames = [
  ["", "blank"],
  [" ", "blank"],
  ["two words", "invalid_tag"],
  ["tab\there", "invalid_tag"],
  ["no\u00a0break", "invalid_tag"],
  ["next\u0085line", "invalid_tag"],
  ["wide\u3000space", "invalid_tag"],
  ["a,b", "invalid_tag"],
  ["#a", "invalid_tag"],
  ["x".repeat(51), "too_long"],
  ["\u0958".repeat(26), "too_long"],
  ["a\ud800", "invalid_characters"]
] as const

describe("POST /tags", () => {
  it("creates a tag, returns 201 with all members, and appends tag.created", async () => {
    const { body, changes, status } = await act("POST", "/tags", { name: "Work", color: "#0AF" })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^tg_[0-9A-Za-z]{22}$/),
      name: "Work",
      color: "#00aaff",
      note_count: 0,
      created_at: "2026-03-01T12:00:00.000Z"
    })
    expect(changes).toEqual([["tag.created", body.id, 1]])
    expect((await app.call("GET", `/tags/${body.id}`)).body).toEqual(body)
  })

  it("treats a name in any case and normal form as equal, and keeps the first spelling in NFC", async () => {
    const { name } = await tag("Cre\u0301me")
    expect(name).toBe("Créme")
    for (const same of ["créme", "CRÉME", "CRE\u0301ME", "Créme"]) await refuse(taken, "POST", "/tags", { name: same })
    expect((await tag("Creme")).name).toBe("Creme")
  })

  it.each(badNames)("refuses the name %j", async (name, code) => {
    await refuse(invalid("name", code), "POST", "/tags", { name })
  })

  it("rejects a missing name and invalid colours", async () => {
    await refuse(invalid("name", "required"), "POST", "/tags", {})
    await refuse(invalid("name", "invalid_type"), "POST", "/tags", { name: null })
    await refuse(invalid("color", "invalid_color"), "POST", "/tags", { name: "c", color: "blue" })
  })

  it("accepts 50 astral characters", async () => {
    expect((await tag("🙂".repeat(50))).name).toBe("🙂".repeat(50))
  })
})

describe("GET /tags", () => {
  it("sorts by name without regard to case, counts the notes of each tag, and paginates", async () => {
    const one = await startApp()
    const here = scenarioOf(one)
    const [{ id: notebook_id }] = (await here.given("GET", "/notebooks")).data
    for (const name of ["beta", "Alpha", "gamma"]) {
      await one.advance("1 second")
      await here.given("POST", "/tags", { name })
    }
    await here.given("POST", "/notes", { notebook_id, title: "t", tags: ["gamma"], archived: true })
    const names = async (query: string) =>
      (await here.given("GET", `/tags?${query}`)).data.map((each: any) => each.name)
    expect(await names("")).toEqual(["Alpha", "beta", "gamma"])
    expect(await names("sort=-created_at")).toEqual(["gamma", "Alpha", "beta"])
    expect(await names("sort=-note_count,-name")).toEqual(["gamma", "beta", "Alpha"])
    const first = await here.given("GET", "/tags?limit=2")
    expect([first.data.length, first.has_more]).toEqual([2, true])
    const second = await here.given("GET", `/tags?limit=2&cursor=${first.next_cursor}`)
    expect(second).toMatchObject({ data: [{ name: "gamma", note_count: 1 }], has_more: false, next_cursor: null })
    await one.stop()
  })

  it.each(["tg_none", "%00", "Work"])("returns 404 for the tag id %j", async (id) => {
    await refuse(notFound, "GET", `/tags/${id}`)
    await refuse(notFound, "PATCH", `/tags/${id}`, { name: "n" })
    await refuse(notFound, "PATCH", `/tags/${id}`, { color: null })
    await refuse(notFound, "DELETE", `/tags/${id}`)
  })
})

describe("PATCH /tags/{id}", () => {
  it("renames a tag on all its notes, with one version each and the old name in the history", async () => {
    const { id } = await tag("Old", { color: "#123456" })
    const one = await tagged("first", "Old", "last")
    const two = await tagged("Old")
    const trashed = await tagged("Old")
    await given("DELETE", `/notes/${trashed.id}`)
    await app.advance("1 second")
    const { body, changes, status } = await act("PATCH", `/tags/${id}`, { name: "New" })
    expect([status, body]).toEqual([200, { ...body, id, name: "New", color: "#123456", note_count: 2 }])
    expect(changes).toEqual([
      ["tag.updated", id, 2],
      ["note.updated", one.id, 2],
      ["note.updated", two.id, 2]
    ])
    const after = await given("GET", `/notes/${one.id}`)
    expect(after).toMatchObject({ tags: ["first", "New", "last"], version: 2, body: "text" })
    expect(after.updated_at > one.updated_at).toBe(true)
    expect(
      (await given("GET", `/notes/${one.id}/versions`)).data.map((each: any) => [each.version, each.tags, each.body])
    ).toEqual([
      [2, ["first", "New", "last"], "text"],
      [1, ["first", "Old", "last"], "text"]
    ])
    await expectTruth(app)
  })

  it("renames only the case, also on the notes", async () => {
    const { id } = await tag("shout")
    const note = await tagged("shout")
    const { changes } = await act("PATCH", `/tags/${id}`, { name: "SHOUT" })
    expect(changes).toEqual([
      ["tag.updated", id, 2],
      ["note.updated", note.id, 2]
    ])
    expect((await given("GET", `/notes/${note.id}`)).tags).toEqual(["SHOUT"])
    const shout = await refuse(taken, "POST", "/tags", { name: "shout" })
    expect((await given("GET", `/tags/${shout.body.existing_id}`)).name.toLowerCase()).toBe("shout")
    await expectTruth(app)
  })

  it("changes the colour without changing a note", async () => {
    const { id } = await tag("coloured")
    await tagged("coloured")
    const { body, changes } = await act("PATCH", `/tags/${id}`, { color: "#FFF" })
    expect(body).toMatchObject({ color: "#ffffff", note_count: 1 })
    expect(changes).toEqual([["tag.updated", id, 2]])
    expect((await act("PATCH", `/tags/${id}`, { color: null, name: "coloured" })).changes).toEqual([
      ["tag.updated", id, 3]
    ])
  })

  it("requires no field, and appends no change if nothing differs", async () => {
    const before = await tag("same", { color: "#abc" })
    for (const input of [{}, before, { color: "#AABBCC" }, { name: "same" }]) {
      const { body, changes, status } = await act("PATCH", `/tags/${before.id}`, input)
      expect([status, body, changes]).toEqual([200, before, []])
    }
  })

  it("rejects a name of another tag, and invalid names", async () => {
    const { id } = await tag("mine")
    await tag("Theirs")
    await refuse(taken, "PATCH", `/tags/${id}`, { name: "theirs" })
    await refuse(invalid("name", "invalid_type"), "PATCH", `/tags/${id}`, { name: null })
    for (const [name, code] of badNames) await refuse(invalid("name", code), "PATCH", `/tags/${id}`, { name })
  })
})

it("returns an ETag that changes with every shown value, and honours If-None-Match and If-Match", async () => {
  const created = await act("POST", "/tags", { name: "entity" })
  const path = `/tags/${created.body.id}`
  const first = created.headers.get("etag")!
  expect((await app.call("GET", path, undefined, { "if-none-match": first })).status).toBe(304)
  await tagged("entity")
  const second = (await app.call("GET", path, undefined, { "if-none-match": first })).headers.get("etag")!
  expect(second).not.toBe(first)
  await refuse(stale, "PATCH", path, { name: "changed" }, { "if-match": first })
  await refuse(stale, "PATCH", path, { color: "#fff" }, { "if-match": first })
  await refuse(stale, "DELETE", path, undefined, { "if-match": first })
  const changed = await act("PATCH", path, { name: "changed" }, { "if-match": second })
  expect([changed.status, changed.changes.map(([type]) => type)]).toEqual([200, ["tag.updated", "note.updated"]])
  expect((await act("DELETE", path, undefined, { "if-match": changed.headers.get("etag")! })).status).toBe(200)
})

describe("DELETE /tags/{id}", () => {
  it("removes the tag from its notes, with one version each, and keeps the order of the others", async () => {
    const { id } = await tag("doomed")
    const one = await tagged("a", "doomed", "b")
    const two = await tagged("doomed")
    const { body, changes, status } = await act("DELETE", `/tags/${id}`)
    expect([status, body]).toEqual([200, { deleted: true, id }])
    expect(changes).toEqual([
      ["note.updated", one.id, 2],
      ["note.updated", two.id, 2],
      ["tag.deleted", id, 2]
    ])
    expect((await given("GET", `/notes/${one.id}`)).tags).toEqual(["a", "b"])
    expect((await given("GET", `/notes/${two.id}`)).tags).toEqual([])
    expect((await given("GET", `/notes/${one.id}/versions/1`)).tags).toEqual(["a", "doomed", "b"])
    await refuse(notFound, "DELETE", `/tags/${id}`)
    const again = await tag("doomed")
    expect(again.note_count).toBe(0)
    await expectTruth(app)
  })
})

describe("POST /tags/merge", () => {
  it("moves all notes of the sources to the target, and deletes the sources, in one transaction", async () => {
    const [a, b, target] = [await tag("ma"), await tag("mb"), await tag("Target")]
    const one = await tagged("x", "ma", "mb", "y")
    const two = await tagged("Target", "z", "mb")
    const three = await tagged("Target")
    await app.advance("1 second")
    const { body, changes, status } = await act("POST", "/tags/merge", {
      source_ids: [a.id, b.id],
      target_id: target.id
    })
    expect([status, body]).toEqual([201, { ...target, note_count: 3 }])
    expect(changes).toEqual([
      ["note.updated", one.id, 2],
      ["note.updated", two.id, 2],
      ["tag.merged", a.id, 2],
      ["tag.merged", b.id, 2]
    ])
    const after = await given("GET", `/notes/${one.id}`)
    expect(after).toMatchObject({ tags: ["x", "Target", "y"], version: 2 })
    expect(after.updated_at > one.updated_at).toBe(true)
    expect((await given("GET", `/notes/${two.id}`)).tags).toEqual(["Target", "z"])
    expect((await given("GET", `/notes/${three.id}`)).version).toBe(1)
    expect((await given("GET", `/notes/${one.id}/versions/1`)).tags).toEqual(["x", "ma", "mb", "y"])
    expect((await given("GET", `/tags/${target.id}`)).note_count).toBe(3)
    for (const { id } of [a, b]) await refuse(notFound, "GET", `/tags/${id}`)
    await expectTruth(app)
  })

  it("accepts names in any case instead of ids, as sources and target", async () => {
    await tag("na")
    const target = await tag("Into")
    const note = await tagged("na")
    const { body, status } = await act("POST", "/tags/merge", { sources: ["NA", "na"], target: "INTO" })
    expect([status, body]).toEqual([201, { ...target, note_count: 1 }])
    expect((await given("GET", `/notes/${note.id}`)).tags).toEqual(["Into"])
    const unused = await tag("unused")
    const { changes } = await act("POST", "/tags/merge", { source_ids: [unused.id], target: "into" })
    expect(changes).toEqual([["tag.merged", unused.id, 2]])
    await expectTruth(app)
  })

  it("leaves the target unchanged if it is the only source", async () => {
    const target = await tag("alone")
    await tagged("alone")
    const { body, changes, status } = await act("POST", "/tags/merge", {
      source_ids: [target.id],
      target_id: target.id
    })
    expect([status, body, changes]).toEqual([201, { ...target, note_count: 1 }, []])
  })

  it("rejects unknown and missing tags, and changes nothing", async () => {
    const [source, target] = [await tag("s"), await tag("t")]
    await tagged("s")
    const unknown = (field: string) =>
      ({ status: 422, code: "unresolved_reference", field: [field, "unknown"] }) as const
    await refuse(unknown("source_ids.1"), "POST", "/tags/merge", {
      source_ids: [source.id, "tg_none"],
      target_id: target.id
    })
    await refuse(unknown("sources.0"), "POST", "/tags/merge", { sources: ["unknown"], target: "t" })
    await refuse(unknown("target_id"), "POST", "/tags/merge", { source_ids: [source.id], target_id: "unknown" })
    await refuse(unknown("target"), "POST", "/tags/merge", { source_ids: [source.id], target: "unknown" })
    await refuse(invalid("source_ids", "required"), "POST", "/tags/merge", { target_id: target.id })
    await refuse(invalid("source_ids", "required"), "POST", "/tags/merge", { source_ids: [], target_id: target.id })
    await refuse(invalid("target_id", "required"), "POST", "/tags/merge", { source_ids: [source.id] })
    expect((await given("GET", `/tags/${source.id}`)).note_count).toBe(1)
    await expectTruth(app)
  })
})

describe("tags of notes in the trash", () => {
  /** Returns the id of the tag with this name. */
  const idOf = async (name: string) => {
    const { data } = await given("GET", `/tags?limit=100&filter=${encodeURIComponent(`name = "${name}"`)}`)
    return data[0].id as string
  }
  const trashed = async (...tags: ReadonlyArray<string>) => {
    const { id } = await tagged(...tags)
    await given("DELETE", `/notes/${id}`)
    return id as string
  }
  const restored = async (id: string) => (await given("POST", `/notes/${id}/restore`)).tags

  it("are updated when a tag is renamed, merged or deleted", async () => {
    const one = await trashed("t-gone", "t-old", "t-from", "t-stays")
    await tag("t-into")
    await given("DELETE", `/tags/${await idOf("t-gone")}`)
    await given("PATCH", `/tags/${await idOf("t-old")}`, { name: "t-new" })
    await given("POST", "/tags/merge", { sources: ["t-from"], target: "t-into" })
    const listed = (await given("GET", `/notes?filter=${encodeURIComponent("deleted_at:* AND tags:t-new")}`)).data
    expect(listed.map((each: any) => [each.id, each.tags])).toEqual([[one, ["t-new", "t-into", "t-stays"]]])
    expect(await restored(one)).toEqual(["t-new", "t-into", "t-stays"])
    await expectTruth(app)
  })

  it("stay the same tag when another tag receives its name", async () => {
    const [one, other, third] = [await trashed("u-a"), await trashed("u-b"), await trashed("u-gone")]
    await given("PATCH", `/tags/${await idOf("u-a")}`, { name: "u-c" })
    await given("PATCH", `/tags/${await idOf("u-b")}`, { name: "u-a" })
    await given("DELETE", `/tags/${await idOf("u-gone")}`)
    await tag("u-gone")
    expect([await restored(one), await restored(other), await restored(third)]).toEqual([["u-c"], ["u-a"], []])
    await expectTruth(app)
  })

  it("are not duplicated by a merge", async () => {
    const one = await trashed("v-one", "v-two", "V-ONE")
    await given("POST", "/tags/merge", { sources: ["v-one"], target: "v-two" })
    expect(await restored(one)).toEqual(["v-two"])
    await expectTruth(app)
  })

  it("are not counted", async () => {
    await trashed("w-one")
    expect((await given("PATCH", `/tags/${await idOf("w-one")}`, { name: "w-two" })).note_count).toBe(0)
    await expectTruth(app)
  })
})

describe("restored version of a note", () => {
  const versionOne = async (...tags: ReadonlyArray<string>) => {
    const { id } = await tagged(...tags)
    await given("PATCH", `/notes/${id}`, { tags: [] })
    return id as string
  }
  const idOf = async (name: string) =>
    (await given("GET", `/tags?limit=100&filter=${encodeURIComponent(`name = "${name}"`)}`)).data[0].id as string
  const restored = async (id: string) => (await given("POST", `/notes/${id}/versions/1/restore`)).tags

  it("has its tags by their current names, without deleted ones", async () => {
    const id = await versionOne("x-gone", "x-old", "x-from", "x-stays")
    await tag("x-into")
    await given("DELETE", `/tags/${await idOf("x-gone")}`)
    await given("PATCH", `/tags/${await idOf("x-old")}`, { name: "x-new" })
    await given("PATCH", `/tags/${await idOf("x-new")}`, { name: "x-newest" })
    await given("POST", "/tags/merge", { sources: ["x-from"], target: "x-into" })
    await given("PATCH", `/tags/${await idOf("x-into")}`, { name: "x-final" })
    expect((await given("GET", `/notes/${id}/versions/1`)).tags).toEqual(["x-gone", "x-old", "x-from", "x-stays"])
    expect(await restored(id)).toEqual(["x-newest", "x-final", "x-stays"])
    await expectTruth(app)
  })

  it("omits a tag that was merged into a deleted one", async () => {
    const id = await versionOne("y-from")
    await tag("y-into")
    await given("POST", "/tags/merge", { sources: ["y-from"], target: "y-into" })
    await given("DELETE", `/tags/${await idOf("y-into")}`)
    expect(await restored(id)).toEqual([])
    expect(await app.sql("SELECT name_key FROM former_tag_names WHERE name_key LIKE 'y-%'")).toEqual([])
    await expectTruth(app)
  })
})
