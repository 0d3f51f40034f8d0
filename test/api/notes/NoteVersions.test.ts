import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { notFound, stale, unresolved } from "../../support/Scenario.ts"
import { rounds } from "../../support/Slow.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const { act, app, given, refuse } = useApp()
let notebook: string
let made = 0

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

const note = (fields: object = {}) => given("POST", "/notes", { notebook_id: notebook, title: "A note", ...fields })

/** Creates a note with these bodies, one version each. */
const noteOfBodies = async (...bodies: ReadonlyArray<string>) => {
  const { id } = await note({ body: bodies[0] })
  for (const body of bodies.slice(1)) await given("PATCH", `/notes/${id}`, { body })
  return id as string
}

const badVersion = { status: 400, code: "invalid_parameter" }

describe("GET /notes/{id}/versions", () => {
  it("returns every version whole, newest first, including the current one", async () => {
    const other = await given("POST", "/notebooks", { name: "Other" })
    const { id } = await note({ body: "one", tags: ["first"] })
    await app.advance("1 second")
    await given("PATCH", `/notes/${id}`, { title: "Titled" })
    await given("PATCH", `/notes/${id}`, { tags: ["second"] })
    await given("PATCH", `/notes/${id}`, { body: "one two" })
    const last = await given("PATCH", `/notes/${id}`, { notebook_id: other.id })
    const { body, changes, status } = await act("GET", `/notes/${id}/versions`)
    expect([status, changes, body.has_more, body.next_cursor]).toEqual([200, [], false, null])
    expect(
      body.data.map((each: any) => [each.version, each.title, each.body, each.tags, each.notebook_id, each.word_count])
    ).toEqual([
      [5, "Titled", "one two", ["second"], other.id, 2],
      [4, "Titled", "one two", ["second"], notebook, 2],
      [3, "Titled", "one", ["second"], notebook, 1],
      [2, "Titled", "one", ["first"], notebook, 1],
      [1, "A note", "one", ["first"], notebook, 1]
    ])
    expect(body.data[0]).toEqual({
      version: 5,
      note_id: id,
      title: "Titled",
      body: "one two",
      tags: ["second"],
      notebook_id: other.id,
      word_count: 2,
      author_id: expect.stringMatching(/^us_/),
      created_at: last.updated_at,
      restored_from: null
    })
    expect(body.data[4].created_at < body.data[3].created_at).toBe(true)
    for (const version of body.data) {
      const one = await app.call("GET", `/notes/${id}/versions/${version.version}`)
      expect([one.status, one.body]).toEqual([200, version])
      expect(one.headers.get("etag")).toBe(`"${id}:${version.version}"`)
    }
  })

  it("paginates by cursor while new versions are created", async () => {
    const id = await noteOfBodies("1", "2", "3", "4", "5")
    const first = await given("GET", `/notes/${id}/versions?limit=2`)
    expect([first.data.map((each: any) => each.version), first.has_more]).toEqual([[5, 4], true])
    await given("PATCH", `/notes/${id}`, { body: "6" })
    const second = await given("GET", `/notes/${id}/versions?limit=2&cursor=${first.next_cursor}`)
    expect(second.data.map((each: any) => [each.version, each.body])).toEqual([
      [3, "3"],
      [2, "2"]
    ])
    const third = await given("GET", `/notes/${id}/versions?limit=2&cursor=${second.next_cursor}`)
    expect([third.data.map((each: any) => each.version), third.has_more, third.next_cursor]).toEqual([[1], false, null])
    const other = await note()
    await refuse(
      { status: 400, code: "cursor_mismatch" },
      "GET",
      `/notes/${other.id}/versions?cursor=${first.next_cursor}`
    )
    await refuse({ status: 400, code: "invalid_cursor" }, "GET", `/notes/${id}/versions?cursor=x`)
    await refuse({ status: 400, code: "invalid_limit" }, "GET", `/notes/${id}/versions?limit=0`)
    await given("DELETE", `/notes/${id}`)
    await refuse(notFound, "GET", `/notes/${id}/versions?limit=2&cursor=${first.next_cursor}`)
  })

  it("keeps the versions of a note in the trash", async () => {
    const id = await noteOfBodies("one", "two")
    await given("DELETE", `/notes/${id}`)
    await given("POST", `/notes/${id}/restore`)
    const { data } = await given("GET", `/notes/${id}/versions`)
    expect(data.map((each: any) => [each.version, each.body])).toEqual([
      [4, "two"],
      [3, "two"],
      [2, "two"],
      [1, "one"]
    ])
  })

  it.each(["0", "-1", "1.5", "01", "one", "1e1", "%31x", "9".repeat(30) + "x"])(
    "rejects the version %j",
    async (version) => {
      const { id } = await note()
      await refuse(badVersion, "GET", `/notes/${id}/versions/${version}`)
      await refuse(badVersion, "POST", `/notes/${id}/versions/${version}/restore`)
    }
  )

  it.each(["2", "2147483647", "2147483648", "9".repeat(30)])("returns 404 for the version %j", async (version) => {
    const { id } = await note()
    await refuse(notFound, "GET", `/notes/${id}/versions/${version}`)
    await refuse(notFound, "POST", `/notes/${id}/versions/${version}/restore`)
  })
})

describe("POST /notes/{id}/versions/{version}/restore", () => {
  it("restores the earlier content as a new version, and keeps the history", async () => {
    const { id } = await note({ title: "Then", body: "old words here", tags: ["old"], pinned: true })
    await given("PATCH", `/notes/${id}`, { title: "Now", body: "new", tags: ["new"], pinned: false })
    const { body, changes, headers, status } = await act("POST", `/notes/${id}/versions/1/restore`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ title: "Then", body: "old words here", tags: ["old"], word_count: 3, version: 3 })
    // Only title, body and tags are restored.
    expect(body.pinned).toBe(false)
    expect(headers.get("etag")).toBe(`"${id}:3"`)
    expect(changes).toEqual([["note.updated", id, 3]])
    const { data } = await given("GET", `/notes/${id}/versions`)
    expect(data.map((each: any) => [each.version, each.title, each.body, each.restored_from])).toEqual([
      [3, "Then", "old words here", 1],
      [2, "Now", "new", null],
      [1, "Then", "old words here", null]
    ])
    await expectTruth(app)
  })

  it("creates a new version even without changes, and clears restored_from in the next", async () => {
    const { id } = await note()
    await given("PATCH", `/notes/${id}`, { pinned: true })
    expect((await act("POST", `/notes/${id}/versions/1/restore`)).body.version).toBe(3)
    await given("PATCH", `/notes/${id}`, { title: "Next" })
    const { data } = await given("GET", `/notes/${id}/versions`)
    expect(data.map((each: any) => each.restored_from)).toEqual([null, 1, null, null])
  })

  it("leaves the note unchanged when the version is the current one", async () => {
    const before = await note()
    const { body, changes, status } = await act("POST", `/notes/${before.id}/versions/1/restore`, {})
    expect([status, body, changes]).toEqual([200, before, []])
  })

  it("honours If-Match", async () => {
    const id = await noteOfBodies("one", "two")
    await refuse(stale, "POST", `/notes/${id}/versions/1/restore`, undefined, { "if-match": `"${id}:1"` })
    const done = await act("POST", `/notes/${id}/versions/1/restore`, undefined, { "if-match": `"${id}:2"` })
    expect(done.body.version).toBe(3)
  })

  it("keeps every text, whatever edits are batched together", async () => {
    const edit = fc.record(
      {
        title: fc.constantFrom("one", "two", "three"),
        body: fc.constantFrom("", "short", "long ".repeat(2_000), "\u00e4".repeat(5_000))
      },
      { requiredKeys: [] }
    )
    const pushes = fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(pushes, fc.boolean(), async (batches, isLocked) => {
        const id = `nt_${String(++made).padStart(16, "0")}`
        const states = [{ title: "one", body: "short" }]
        const created = { type: "note", op: "upsert", id, data: { notebook_id: notebook, ...states[0] } }
        for (const [index, edits] of batches.entries()) {
          const changes: Array<object> = index === 0 ? [created] : []
          for (const data of edits) {
            const last = states.at(-1)!
            const next = { ...last, ...data }
            changes.push({ type: "note", op: "upsert", id, revision: states.length, data })
            if (next.title !== last.title || next.body !== last.body) states.push(next)
          }
          // Deleting a notebook takes a lock, under which each entry is stored separately.
          if (isLocked) {
            const gone = await given("POST", "/notebooks", { name: `Gone ${id} ${index}` })
            changes.splice(1, 0, { type: "notebook", op: "delete", id: gone.id, revision: 1 })
          }
          for (const { status } of (await given("POST", "/sync/push", { changes })).results) {
            expect(["applied", "duplicate"]).toContain(status)
          }
        }
        const { data } = await given("GET", `/notes/${id}/versions?limit=100`)
        expect(data.toReversed().map(({ body, title }: any) => ({ title, body }))).toEqual(states)
        expect(await given("GET", `/notes/${id}`)).toMatchObject(states.at(-1)!)
      }),
      { numRuns: rounds(8, 25) }
    )
    await expectTruth(app)
  })

  it("shares an unchanged body between versions", async () => {
    const id = await noteOfBodies("first", "second")
    for (const title of ["a", "b", "c"]) await given("PATCH", `/notes/${id}`, { title })
    await given("PATCH", `/notes/${id}`, { body: "third" })
    const { data } = await given("GET", `/notes/${id}/versions`)
    expect(data.map((each: any) => each.body)).toEqual(["third", "second", "second", "second", "second", "first"])
    expect((await act("POST", `/notes/${id}/versions/3/restore`)).body).toMatchObject({ body: "second", title: "a" })
  })
})

describe("POST /notes/{id}/duplicate", () => {
  it("copies the note at version 1, with (copy) after the title", async () => {
    const source = await given("PATCH", `/notes/${(await note({ body: "two words", tags: ["Both"] })).id}`, {
      title: "Mine"
    })
    const { body, changes, headers, status } = await act("POST", `/notes/${source.id}/duplicate`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      notebook_id: notebook,
      title: "Mine (copy)",
      body: "two words",
      tags: ["Both"],
      archived: false,
      version: 1,
      word_count: 2
    })
    expect(body.id).not.toBe(source.id)
    expect(headers.get("etag")).toBe(`"${body.id}:1"`)
    expect(changes).toEqual([["note.created", body.id, 1]])
    expect(await given("GET", `/notes/${source.id}`)).toEqual(source)
    expect((await given("GET", `/notes/${body.id}/versions`)).data).toHaveLength(1)
    await expectTruth(app)
  })

  it("limits the title to 200 code points, without splitting one", async () => {
    for (const [title, copy] of [
      ["x".repeat(193), `${"x".repeat(193)} (copy)`],
      ["x".repeat(194), `${"x".repeat(193)} (copy)`],
      ["🙂".repeat(200), `${"🙂".repeat(193)} (copy)`]
    ]) {
      const { id } = await note({ title })
      expect((await act("POST", `/notes/${id}/duplicate`)).body.title).toBe(copy)
    }
  })

  it("accepts another notebook, title and tags", async () => {
    const other = await given("POST", "/notebooks", { name: "Copies" })
    const { id } = await note({ tags: ["a"] })
    const overrides = { notebook_id: other.id, title: "As given", tags: [] }
    expect((await act("POST", `/notes/${id}/duplicate`, overrides)).body).toMatchObject(overrides)
    await refuse(unresolved("notebook_id"), "POST", `/notes/${id}/duplicate`, { notebook_id: "nb_none" })
    await refuse(stale, "POST", `/notes/${id}/duplicate`, {}, { "if-match": `"${id}:2"` })
    await expectTruth(app)
  })

  it("creates an active copy of an archived note", async () => {
    const { id } = await note({ archived: true })
    expect((await act("POST", `/notes/${id}/duplicate`)).body.archived).toBe(false)
  })
})
