import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startApp, type TestApp } from "../support/TestApp.ts"
import { type NoteShown, type Written, writtenFilter } from "../support/WrittenFilter.ts"
import { rounds } from "../support/Slow.ts"

describe("the SQL of a filter", () => {
  let app: TestApp
  let shown: ReadonlyArray<NoteShown>

  beforeAll(async () => {
    app = await startApp()
    const [inbox] = (await app.call("GET", "/notebooks")).body.data
    const other = (await app.call("POST", "/notebooks", { name: "Other" })).body
    const pieces = ["a", "A", "b", "%", "_", "\\", "é", "É", "ß", "*", '"', "'", " ", "Σ", "日"]
    const tags = ["Work", "home", "été", "a_b", "100%", "a"]
    // A pseudorandom sequence that is the same in each run.
    let state = 7
    const next = (below: number) => (state = (state * 48271) % 2147483647) % below
    const made = (most: number) => Array.from({ length: 1 + next(most) }, () => pieces[next(pieces.length)]).join("")
    for (let batch = 0; batch < 6; batch++) {
      const changes = Array.from({ length: 12 }, () => ({
        type: "note",
        op: "upsert",
        data: {
          notebook_id: next(3) === 0 ? other.id : inbox.id,
          title: `x${made(3)}`.slice(next(2)).trim() || "x",
          body: next(4) === 0 ? "" : made(6),
          tags: tags.filter(() => next(4) === 0),
          pinned: next(3) === 0
        }
      }))
      const { body } = await app.call("POST", "/sync/push", { changes })
      for (const { id } of body.results.slice(0, 3)) await app.call("POST", `/notes/${id}/archive`)
      await app.advance("9 hours")
    }
    const notes = (await app.call("GET", `/notes?limit=100&filter=${encodeURIComponent("archived:*")}`)).body
    shown = notes.data
  })
  afterAll(() => app.stop())

  const found = async ({ text }: Written, query: string) => {
    const { body, status } = await app.call("GET", `/notes?limit=100&${query}filter=${encodeURIComponent(text)}`)
    expect(status, `${text}: ${JSON.stringify(body)}`).toBe(200)
    return body.data.map((note: NoteShown) => note.id).toSorted()
  }

  it("finds the notes that the filter describes, for random notes and filters in every sort order", async () => {
    expect(shown).toHaveLength(72)
    let some = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...shown).chain((like) => writtenFilter(like)),
        fc.constantFrom("", "sort=title&", "sort=-word_count,pinned&", "sort=updated_at&"),
        async (written, query) => {
          const expected = shown
            .filter((note) => (written.mentionsArchived || !note.archived) && written.holds(note))
            .map((note) => note.id)
            .toSorted()
          if (expected.length > 0 && expected.length < shown.length) some++
          expect(await found(written, query), written.text).toEqual(expected)
        }
      ),
      { numRuns: rounds(100, 300) }
    )
    expect(some).toBeGreaterThan(50)
  })
})
