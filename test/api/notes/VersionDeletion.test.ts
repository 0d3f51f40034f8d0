import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { notFound, stale } from "../../support/Scenario.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const { act, app, given, refuse } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await given("GET", "/notebooks")).data[0].id
})

/** Creates a note with one version per state; a string is a body, an object any change. */
const noteOf = async (first: string, ...later: ReadonlyArray<string | object>): Promise<string> => {
  const { id } = await given("POST", "/notes", { notebook_id: notebook, title: "A note", body: first })
  for (const each of later) await given("PATCH", `/notes/${id}`, typeof each === "string" ? { body: each } : each)
  return id
}
const bodies = async (id: string) =>
  (await given("GET", `/notes/${id}/versions?limit=100`)).data.map(({ body, version }: any) => [version, body])
const used = async (): Promise<number> => (await given("GET", "/usage")).text_bytes

describe("DELETE /notes/{id}/versions/{version}", () => {
  it("frees the text of an earlier version, and appends an event without changing the note", async () => {
    const id = await noteOf("first", "second one", "third")
    const before = await given("GET", `/notes/${id}`)
    const bytes = await used()
    const { cursor } = await given("GET", "/sync/cursor")
    const { body, changes, status } = await act("DELETE", `/notes/${id}/versions/2`)
    expect([status, body]).toEqual([200, { deleted: true, id, version: 2 }])
    expect(changes).toEqual([["note.version_deleted", id, null]])
    expect(await used()).toBe(bytes - "second one".length)
    expect(await bodies(id)).toEqual([
      [3, "third"],
      [1, "first"]
    ])
    expect(await given("GET", `/notes/${id}`)).toEqual(before)
    expect((await given("POST", "/sync/pull", { cursor })).changes).toEqual([])
    const [event] = (await given("GET", "/events?limit=1")).data
    expect(event).toMatchObject({
      type: "note.version_deleted",
      resource_type: "note",
      resource_id: id,
      data: { version: 2 }
    })
    await expectTruth(app)
  })

  it("makes the version unavailable for reads, restores and as the base of pushes", async () => {
    const id = await noteOf("first", "second", "third")
    await given("DELETE", `/notes/${id}/versions/2`)
    await refuse(notFound, "GET", `/notes/${id}/versions/2`)
    await refuse(notFound, "POST", `/notes/${id}/versions/2/restore`)
    await refuse(notFound, "DELETE", `/notes/${id}/versions/2`)
    const stalePush = (revision: number) => ({ type: "note", op: "upsert", id, revision, data: { title: "late" } })
    const { conflicts } = await given("POST", "/sync/push", { changes: [stalePush(2), stalePush(1)] })
    expect(conflicts.map(({ base, reason }: any) => [reason, base?.data.body ?? base])).toEqual([
      ["stale_revision", null],
      ["stale_revision", "first"]
    ])
  })

  it("moves a shared body to the version before it, and frees it with the last one", async () => {
    const id = await noteOf("shared", { title: "b" }, { title: "c" }, "other")
    const bytes = await used()
    // Version 3 stores the body that 1 and 2 share.
    await given("DELETE", `/notes/${id}/versions/3`)
    expect([await used(), await bodies(id)]).toEqual([
      bytes,
      [
        [4, "other"],
        [2, "shared"],
        [1, "shared"]
      ]
    ])
    await given("DELETE", `/notes/${id}/versions/1`)
    expect([await used(), await bodies(id)]).toEqual([
      bytes,
      [
        [4, "other"],
        [2, "shared"]
      ]
    ])
    await given("DELETE", `/notes/${id}/versions/2`)
    expect([await used(), await bodies(id)]).toEqual([bytes - "shared".length, [[4, "other"]]])
    await expectTruth(app)
  })

  it("rejects the current version and versions that do not exist", async () => {
    const id = await noteOf("first", "second")
    await refuse({ status: 409, code: "invalid_state" }, "DELETE", `/notes/${id}/versions/2`)
    for (const version of ["3", "2147483648", "9".repeat(30)])
      await refuse(notFound, "DELETE", `/notes/${id}/versions/${version}`)
    for (const version of ["0", "-1", "1.5", "01", "one"]) {
      await refuse({ status: 400, code: "invalid_parameter" }, "DELETE", `/notes/${id}/versions/${version}`)
    }
    await refuse(notFound, "DELETE", "/notes/nt_unknown/versions/1")
    await given("DELETE", `/notes/${id}`)
    await refuse(notFound, "DELETE", `/notes/${id}/versions/1`)
  })

  it("honours If-Match with the entity tag of the version", async () => {
    const id = await noteOf("first", "second")
    const { headers } = await app.call("GET", `/notes/${id}/versions/1`)
    await refuse(stale, "DELETE", `/notes/${id}/versions/1`, undefined, { "if-match": `"${id}:2"` })
    expect(
      (await act("DELETE", `/notes/${id}/versions/1`, undefined, { "if-match": headers.get("etag")! })).status
    ).toBe(200)
  })

  it("returns an empty page for a cursor whose remaining versions were deleted", async () => {
    const id = await noteOf("1", "2", "3")
    const { next_cursor } = await given("GET", `/notes/${id}/versions?limit=2`)
    await given("DELETE", `/notes/${id}/versions/1`)
    expect(await given("GET", `/notes/${id}/versions?limit=2&cursor=${next_cursor}`)).toEqual({
      data: [],
      has_more: false,
      next_cursor: null
    })
  })

  it("leaves every other version unchanged, in any order of deletions", async () => {
    const change = fc.constantFrom<string | object>(
      "a",
      "bb",
      "ccc",
      { pinned: true },
      { title: "t" },
      { pinned: false }
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 3, maxLength: 9 }),
        fc.array(fc.nat(9), { minLength: 1, maxLength: 8 }),
        async (changes, picks) => {
          const id = await noteOf("start", ...changes)
          let left: Array<[number, string]> = await bodies(id)
          for (const pick of picks) {
            const [version] = left[pick % left.length]!
            const { status } = await app.call("DELETE", `/notes/${id}/versions/${version}`)
            const isCurrent = version === left[0]![0]
            expect(status).toBe(isCurrent ? 409 : 200)
            if (!isCurrent) left = left.filter(([each]) => each !== version)
            expect(await bodies(id)).toEqual(left)
          }
          await expectTruth(app)
          await given("DELETE", `/notes/${id}?permanent=true`)
        }
      ),
      { numRuns: 10 }
    )
    await expectTruth(app)
  })
})
