import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ApiResponse, startApp, type TestApp } from "../support/TestApp.ts"
import { expectTruth } from "../support/people/Truth.ts"

const times = <A>(count: number, make: (index: number) => Promise<A>): Promise<Array<A>> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

const statuses = (answers: ReadonlyArray<ApiResponse>) => answers.map((answer) => answer.status).toSorted()

/** The same rules apply to one writer and to two processes that share the database. */
describe.each([
  ["one node", 1],
  ["two nodes", 2]
])("Concurrent writes on %s", (_, count) => {
  const nodes: Array<TestApp> = []
  let app: TestApp
  let notebook: string

  beforeAll(async () => {
    app = await startApp()
    nodes.push(app)
    while (nodes.length < count) nodes.push(await startApp({ databaseOf: app }))
    notebook = (await app.call("GET", "/notebooks")).body.data[0].id
  })
  afterAll(async () => {
    for (const node of nodes.toReversed()) await node.stop()
  })

  /** Sends requests to the nodes in turn. */
  let turn = 0
  const call: TestApp["call"] = (...request) => nodes[turn++ % nodes.length]!.call(...request)
  const given: (...request: Parameters<TestApp["call"]>) => Promise<any> = async (...request) => {
    const answer = await call(...request)
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body
  }
  const note = (fields: object = {}): Promise<any> =>
    given("POST", "/notes", { notebook_id: notebook, title: "A note", ...fields })

  it("accept exactly one of 20 changes to the same version", async () => {
    const { id } = await note()
    const seq = await app.seq()
    const answers = await times(20, (index) => call("PATCH", `/notes/${id}`, { body: `change ${index}`, version: 1 }))
    expect(statuses(answers)).toEqual([200, ...Array(19).fill(412)])
    const winner = answers.find((answer) => answer.status === 200)!
    for (const answer of answers) if (answer !== winner) expect(answer.body.current_version).toBe(2)
    expect((await call("GET", `/notes/${id}`)).body).toEqual(winner.body)
    expect(await app.changesAfter(seq)).toMatchObject([{ type: "note.updated", resource_id: id, version: 2 }])
  })

  it("apply changes without a condition in order, and keep each in the history", async () => {
    const { id } = await note()
    const answers = await times(20, (index) => call("PATCH", `/notes/${id}`, { body: `text ${index}` }))
    expect(answers.map((answer) => answer.body.version).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 2)
    )
    const { data } = await given("GET", `/notes/${id}/versions?limit=100`)
    for (const { body } of answers) {
      expect(data.find((each: any) => each.version === body.version).body).toBe(body.body)
    }
  })

  it("create a tag name only once", async () => {
    const spellings = ["once", "Once", "ONCE", "oNCE"]
    const answers = await times(20, (index) => call("POST", "/tags", { name: spellings[index % 4] }))
    expect(statuses(answers)).toEqual([201, ...Array(19).fill(409)])
    const notes = await times(20, (index) => note({ tags: ["ONCE", `Fresh${index % 2}`, `FRESH${index % 2}`] }))
    expect(new Set(notes.flatMap((each) => each.tags.slice(0, 1))).size).toBe(1)
    expect(new Set(notes.flatMap((each) => each.tags)).size).toBe(3)
    await expectTruth(app)
  })

  it("create neither a cycle of notebooks nor a sixth level", async () => {
    const made = await times(6, (index) => given("POST", "/notebooks", { name: `Ring ${index}` }) as Promise<any>)
    for (let round = 1; round <= 5; round++) {
      const answers = await times(6, (index) =>
        call("POST", `/notebooks/${made[index].id}/move`, { parent_id: made[(index + round) % 6].id })
      )
      for (const { body, status } of answers) {
        if (status !== 200)
          expect([status, body.code]).toEqual([422, expect.stringMatching(/_cycle$|_depth_exceeded$/)])
      }
      // A cycle of six notebooks: the last request must fail.
      expect(answers.some((answer) => answer.status === 422)).toBe(true)
      await expectTruth(app)
    }
  })

  it("lose no text and no count when a tag is renamed, merged and deleted under the notes that carry it", async () => {
    const { id } = await given("POST", "/tags", { name: "Name0" })
    const other = await given("POST", "/tags", { name: "Other" })
    const notes = await times(6, () => note({ tags: ["Name0"] }))
    const edits = 8
    const renames = async () => {
      for (let index = 1; index <= 5; index++) await given("PATCH", `/tags/${id}`, { name: `Name${index}` })
      await given("POST", "/tags/merge", { source_ids: [id], target_id: other.id })
    }
    const edit = async (note_id: string) => {
      for (let index = 0; index < edits; index++) await given("PATCH", `/notes/${note_id}`, { body: `edit ${index}` })
    }
    await Promise.all([renames(), ...notes.map((each) => edit(each.id))])
    for (const each of notes) {
      const now = await given("GET", `/notes/${each.id}`)
      expect(now).toMatchObject({ body: `edit ${edits - 1}`, tags: ["Other"], version: 1 + edits + 6 })
      const { data } = await given("GET", `/notes/${each.id}/versions?limit=100`)
      expect([...new Set(data.map((version: any) => version.body))]).toEqual([
        ...Array.from({ length: edits }, (_, index) => `edit ${edits - 1 - index}`),
        ""
      ])
      expect([...new Set(data.map((version: any) => version.tags.join()))].toReversed()).toEqual([
        "Name0",
        "Name1",
        "Name2",
        "Name3",
        "Name4",
        "Name5",
        "Other"
      ])
    }
    expect((await given("GET", `/tags/${other.id}`)).note_count).toBe(6)
    await Promise.all([given("DELETE", `/tags/${other.id}`), ...notes.map((each) => edit(each.id))])
    expect((await given("GET", `/notes/${notes[0].id}`)).tags).toEqual([])
    await expectTruth(app)
  })

  it("leave no note in a notebook that is deleted at the same time", async () => {
    const { id } = await given("POST", "/notebooks", { name: "Going" })
    const notes = await times(10, () => note())
    const [gone, ...answers] = await Promise.all([
      call("DELETE", `/notebooks/${id}`),
      ...notes.map((each) => call("PATCH", `/notes/${each.id}`, { notebook_id: id })),
      ...notes.map(() => call("POST", "/notes", { notebook_id: id, title: "Late" }))
    ])
    expect(gone!.status).toBe(200)
    for (const { body, status } of answers) {
      if (status >= 300) expect([status, body.code]).toEqual([422, "unresolved_reference"])
    }
    expect(await app.sql("SELECT 1 FROM notes WHERE notebook_id = $1 AND deleted_at IS NULL", [id])).toEqual([])
    await expectTruth(app)
  })

  it("delete, restore and purge a note only once", async () => {
    const notes = await times(5, () => note({ tags: ["fate"] }))
    for (const { id } of notes) {
      expect(statuses(await times(4, () => call("DELETE", `/notes/${id}`)))).toEqual([200, 404, 404, 404])
      expect(statuses(await times(4, () => call("POST", `/notes/${id}/restore`)))).toEqual([200, 200, 200, 200])
      expect((await given("GET", `/notes/${id}`)).version).toBe(3)
    }
    const answers = await Promise.all(
      notes.flatMap(({ id }) => [
        call("DELETE", `/notes/${id}?permanent=true`),
        call("DELETE", `/notes/${id}?permanent=true`),
        call("PATCH", `/notes/${id}`, { body: "too late?" })
      ])
    )
    expect(answers.filter((each) => each.status === 200 && each.body.deleted === true)).toHaveLength(5)
    await expectTruth(app)
  })

  it("succeed next to invalid writes", async () => {
    const answers = await times(30, (index) =>
      index % 3 === 0
        ? call("POST", "/notes", { notebook_id: "nb_none", title: "bad", tags: [`bad${index}`] })
        : index % 3 === 1
          ? call("DELETE", "/notes/%00")
          : call("POST", "/notes", { notebook_id: notebook, title: "good", tags: ["\u0958".repeat(25)] })
    )
    expect(statuses(answers)).toEqual([...Array(10).fill(201), ...Array(10).fill(404), ...Array(10).fill(422)])
    expect(await app.sql("SELECT 1 FROM tags WHERE name LIKE 'bad%'")).toEqual([])
    await expectTruth(app)
  })
})
