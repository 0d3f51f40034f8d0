import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { planDefaults } from "../../../services/workspaces/Plans.ts"
import { type Refusal, scenarioOf } from "../../support/Scenario.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const policiesOf = (tags: number, notebooks: number) =>
  ({
    signUp: "open",
    planChanges: "owner",
    ownedWorkspaces: 0,
    limits: { ...planDefaults, team: { ...planDefaults.team, tags, notebooks } }
  }) as const

const { app, given, refuse } = useApp({ settings: { policies: policiesOf(5, 4) } })
let other: TestApp
/** A node with lower limits. */
let narrow: TestApp
let inbox: string

beforeAll(async () => {
  other = await startApp({ settings: { policies: policiesOf(5, 4) }, databaseOf: app })
  narrow = await startApp({ settings: { policies: policiesOf(2, 2) }, databaseOf: app })
  inbox = (await given("GET", "/notebooks")).data[0].id
})
afterAll(async () => {
  await narrow.stop()
  await other.stop()
})
beforeEach(async () => {
  for (const { id } of (await given("GET", "/tags?limit=100")).data) await given("DELETE", `/tags/${id}`)
  for (const { id } of (await given("GET", "/notebooks?limit=100")).data)
    if (id !== inbox) await given("DELETE", `/notebooks/${id}`)
})

const full: Refusal = { status: 403, code: "quota_exceeded" }
const tags = async (): Promise<ReadonlyArray<string>> => (await given("GET", "/tags")).data.map(({ name }: any) => name)
const note = (fields: object = {}) => ({ notebook_id: inbox, title: "A note", ...fields })

it("usage contains the limits of tags and notebooks", async () => {
  expect((await given("GET", "/usage")).limits).toMatchObject({ tags: 5, notebooks: 4 })
  expect(planDefaults.free).toMatchObject({ tags: 10_000, notebooks: 2_000 })
})

describe("workspace at its limit of tags", () => {
  it("rejects further tags by every operation, and stores nothing of the request", async () => {
    const made = await given("POST", "/notes", note({ tags: ["a", "b", "c"] }))
    // Two of the tags fit, the third does not.
    const { body } = await refuse(full, "POST", "/notes", note({ tags: ["d", "e", "f"] }))
    expect(body).toMatchObject({ quota: "tags", limit: 5, used: 5 })
    await refuse(full, "PATCH", `/notes/${made.id}`, { title: "Not this", tags: ["a", "x", "y", "z"] })
    expect(await tags()).toEqual(["a", "b", "c"])
    await given("POST", "/tags", { name: "d" })
    await given("POST", "/tags", { name: "e" })
    await refuse(full, "POST", "/tags", { name: "f" })
    await refuse(full, "POST", `/notes/${made.id}/duplicate`, { tags: ["f"] })
    expect((await given("GET", `/notes/${made.id}`)).title).toBe("A note")
    await expectTruth(app)
  })

  it("rejects pushed entries one by one", async () => {
    const upsert = (...names: ReadonlyArray<string>) => ({ type: "note", op: "upsert", data: note({ tags: names }) })
    const { results } = await given("POST", "/sync/push", {
      changes: [
        upsert("a", "b", "c"),
        upsert("C", "d", "e", "f"),
        upsert("D", "e"),
        { type: "tag", op: "upsert", data: { name: "F" } },
        upsert("e", "d", "a")
      ]
    })
    expect(results.map(({ status }: any) => status)).toEqual(["applied", "rejected", "applied", "rejected", "applied"])
    expect(results[1].error).toMatchObject({ status: 403, code: "quota_exceeded", quota: "tags", limit: 5 })
    // The first stored spelling remains; a rejected entry stores none.
    expect(await tags()).toEqual(["a", "b", "c", "D", "e"])
    await expectTruth(app)
  })

  it("still uses, renames, merges and deletes tags, and then has room again", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await given("POST", "/tags", { name })
    const made = await given("POST", "/notes", note({ tags: ["A", "E"] }))
    const [a, b, c] = (await given("GET", "/tags")).data
    await given("PATCH", `/tags/${a.id}`, { name: "z", color: "#fff" })
    await given("POST", "/tags/merge", { source_ids: [b.id], target_id: c.id })
    await given("POST", "/tags", { name: "b" })
    await refuse(full, "POST", "/tags", { name: "f" })
    await given("DELETE", `/tags/${c.id}`)
    await given("PATCH", `/notes/${made.id}`, { tags: ["z", "new"] })
    await expectTruth(app)
  })

  it("does not exceed the limit with concurrent requests on two nodes", async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        (index % 2 === 0 ? app : other).call("POST", "/notes", note({ tags: [`t${index}`, `u${index}`] }))
      )
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    for (const { body, status } of answers)
      if (status !== 201) expect(body).toMatchObject({ code: "quota_exceeded", quota: "tags" })
    expect(await tags()).toHaveLength(4)
    await expectTruth(app)
  })
})

describe("workspace at its limit of notebooks", () => {
  it("rejects further notebooks, created or pushed", async () => {
    for (const name of ["one", "two"]) await given("POST", "/notebooks", { name })
    const book = (name: string) => ({ type: "notebook", op: "upsert", data: { name } })
    const { results } = await given("POST", "/sync/push", { changes: [book("three"), book("four")] })
    expect(results.map(({ status }: any) => status)).toEqual(["applied", "rejected"])
    const { body } = await refuse(full, "POST", "/notebooks", { name: "five", parent_id: inbox })
    expect(body).toMatchObject({ quota: "notebooks", limit: 4, used: 4 })
    await expectTruth(app)
  })

  it("does not create an Inbox on demand, and restores a note into an existing notebook", async () => {
    const { id } = await given("POST", "/notebooks", { name: "gone" })
    const made = await given("POST", "/notes", note({ notebook_id: id }))
    await given("DELETE", `/notebooks/${id}`)
    await given("PATCH", `/notebooks/${inbox}`, { name: "No Inbox" })
    for (const name of ["one", "two", "three"]) await given("POST", "/notebooks", { name })
    await refuse(full, "POST", `/notes/${made.id}/restore`)
    await given("POST", `/notes/${made.id}/restore`, { notebook_id: inbox })
    await given("PATCH", `/notebooks/${inbox}`, { name: "Inbox" })
    await expectTruth(app)
  })
})

describe("workspace above its limits", () => {
  it("allows every operation that adds no tag or notebook", async () => {
    for (const name of ["a", "b", "c", "d"]) await given("POST", "/tags", { name })
    for (const name of ["one", "two"]) await given("POST", "/notebooks", { name })
    const { given: allowed, refuse: refused } = scenarioOf(narrow)
    await refused(full, "POST", "/tags", { name: "e" })
    await refused(full, "POST", "/notebooks", { name: "three" })
    const [tag] = (await allowed("GET", "/tags")).data
    await allowed("PATCH", `/tags/${tag.id}`, { name: "renamed" })
    const made = await allowed("POST", "/notes", note({ tags: ["b", "renamed"] }))
    await allowed("DELETE", `/notes/${made.id}`)
    await allowed("POST", `/notes/${made.id}/restore`)
    await allowed("DELETE", `/tags/${tag.id}`)
    const [book] = (await allowed("GET", "/notebooks")).data.filter(({ id }: any) => id !== inbox)
    await allowed("PATCH", `/notebooks/${book.id}`, { name: "renamed", parent_id: inbox })
    await allowed("DELETE", `/notebooks/${book.id}`)
    await expectTruth(app)
  })
})
