import fc from "fast-check"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { planDefaults } from "../../../services/workspaces/Plans.ts"
import type { Refusal } from "../../support/Scenario.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const limit = 1_000
const policies = {
  signUp: "open",
  planChanges: "owner",
  ownedWorkspaces: 0,
  limits: { ...planDefaults, team: { ...planDefaults.team, storage_bytes: limit } }
} as const

const { act, app, given, refuse } = useApp({ settings: { policies } })
let other: TestApp
let notebook: string

beforeAll(async () => {
  other = await startApp({ settings: { policies }, databaseOf: app })
  notebook = (await given("GET", "/notebooks")).data[0].id
})
afterAll(async () => {
  await other.stop()
})

const full: Refusal = { status: 403, code: "quota_exceeded" }
const used = async (): Promise<number> => (await given("GET", "/usage")).text_bytes
const text = (bytes: number, letter = "x") => letter.repeat(bytes)
const create = (body: string) => given("POST", "/notes", { notebook_id: notebook, title: "A note", body })

beforeEach(async () => {
  for (const { id } of await app.sql("SELECT id FROM notes WHERE workspace_id = $1", [app.workspace_id])) {
    await given("DELETE", `/notes/${id}?permanent=true`)
  }
})

describe("GET /usage", () => {
  it("counts the bytes of notes and of their history, each body once", async () => {
    const { id } = await create("äöü")
    expect(await used()).toBe(6)
    await given("PATCH", `/notes/${id}`, { title: "Titled", pinned: true, tags: ["one"] })
    expect(await used()).toBe(6)
    await given("PATCH", `/notes/${id}`, { body: text(100) })
    expect(await used()).toBe(106)
    await given("POST", `/notes/${id}/versions/1/restore`)
    expect(await used()).toBe(112)
    await given("POST", `/notes/${id}/duplicate`)
    expect(await used()).toBe(118)
    // Notes in the trash count too.
    await given("DELETE", `/notes/${id}`)
    await given("POST", `/notes/${id}/restore`)
    expect(await used()).toBe(118)
    const [{ id: tag }] = (await given("GET", "/tags")).data
    await given("PATCH", `/tags/${tag}`, { name: "two" })
    await given("DELETE", `/tags/${tag}`)
    expect(await used()).toBe(118)
    await given("DELETE", `/notes/${id}?permanent=true`)
    expect(await used()).toBe(6)
    await expectTruth(app)
  })

  it("counts pushed notes, and notes of a deleted notebook until they are purged", async () => {
    const book = (await given("POST", "/notebooks", { name: "Taken" })).id
    const id = "nt_made_by_the_client_1"
    const push = async (changes: ReadonlyArray<object>) => (await given("POST", "/sync/push", { changes })).results
    await push([
      { type: "note", op: "upsert", id, data: { notebook_id: book, title: "Pushed", body: text(10) } },
      { type: "note", op: "upsert", id, revision: 1, data: { body: text(20) } },
      { type: "note", op: "upsert", id, revision: 1, data: { body: text(40) } }
    ])
    expect(await used()).toBe(30)
    await given("DELETE", `/notebooks/${book}`)
    expect(await used()).toBe(30)
    await given("DELETE", `/notes/${id}?permanent=true`)
    expect(await used()).toBe(0)
    // The same id is used again, with a new history.
    const [{ revision }] = await app.sql("SELECT revision FROM records WHERE id = $1", [id])
    const data = { notebook_id: notebook, title: "Again", body: text(5) }
    expect(
      await push([
        { type: "note", op: "upsert", id, revision, data },
        { type: "note", op: "upsert", id, revision: revision + 1, data: { body: text(7) } }
      ])
    ).toMatchObject([{ status: "applied" }, { status: "applied" }])
    expect(await used()).toBe(12)
    await given("DELETE", `/notes/${id}?permanent=true`)
    expect(await used()).toBe(0)
    await expectTruth(app)
  })
})

describe("workspace at its limit of storage", () => {
  it("rejects every operation that adds text, and returns limit and usage", async () => {
    const { id } = await create(text(500))
    await given("PATCH", `/notes/${id}`, { body: text(400) })
    const { body } = await refuse(full, "POST", "/notes", { notebook_id: notebook, title: "Large", body: text(101) })
    expect(body).toMatchObject({ quota: "storage_bytes", limit, used: 900 })
    await refuse(full, "PATCH", `/notes/${id}`, { body: text(101) })
    await refuse(full, "POST", `/notes/${id}/duplicate`)
    await refuse(full, "POST", `/notes/${id}/versions/1/restore`)
    const { results } = await given("POST", "/sync/push", {
      changes: [
        { type: "note", op: "upsert", id, revision: 2, data: { body: text(200) } },
        { type: "note", op: "upsert", data: { notebook_id: notebook, title: "Fits", body: text(100) } },
        { type: "note", op: "upsert", data: { notebook_id: notebook, title: "Does not", body: text(1) } }
      ]
    })
    expect(results.map(({ status }: any) => status)).toEqual(["rejected", "applied", "rejected"])
    expect(results[0].error).toMatchObject({ status: 403, code: "quota_exceeded", quota: "storage_bytes" })
    expect(await used()).toBe(limit)
    await expectTruth(app)
  })

  it("allows every operation that adds no text", async () => {
    const { id } = await create(text(limit, "a"))
    const { id: empty } = await create("")
    await given("PATCH", `/notes/${empty}`, { title: "Renamed", tags: ["new"], pinned: true })
    await given("PATCH", `/notes/${id}`, { body: "" })
    expect(await used()).toBe(limit)
    await given("POST", `/notes/${id}/archive`)
    await given("DELETE", `/notes/${id}`)
    await given("POST", `/notes/${id}/restore`)
    expect((await given("GET", `/notes/${id}/versions/1`)).body).toBe(text(limit, "a"))
    await given("DELETE", `/notes/${id}?permanent=true`)
    await create(text(limit))
    expect(await used()).toBe(limit)
    await expectTruth(app)
  })

  it("does not exceed the limit with concurrent requests on two nodes", async () => {
    const size = fc.integer({ min: 1, max: 400 })
    const step = fc.record({ size, node: fc.nat(1), edits: fc.boolean(), purges: fc.boolean() })
    const large = [0, 1, 0, 1].map((node) => ({ size: Math.floor(limit / 2) + 1, node, edits: false, purges: false }))
    let refused = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 2, maxLength: 10 }), { minLength: 1, maxLength: 4 }),
        async (waves) => {
          const ids = [(await act("POST", "/notes", { notebook_id: notebook, title: "First" })).body.id]
          // The last wave has large notes, of which at most one fits.
          for (const wave of [...waves, large]) {
            const answers = await Promise.all(
              wave.map(async ({ edits, node, purges, size }, index) => {
                const at = node === 0 ? app : other
                const id = ids[size % ids.length]
                if (purges) return at.call("DELETE", `/notes/${id}?permanent=true`)
                return edits
                  ? at.call("PATCH", `/notes/${id}`, { body: text(size, String(index % 10)) })
                  : at.call("POST", "/notes", { notebook_id: notebook, title: "More", body: text(size) })
              })
            )
            for (const { body, status } of answers) {
              if (status === 403) refused++
              expect(["quota_exceeded", 200, 201, 404]).toContain(status === 403 ? body.code : status)
              if (status === 201) ids.push(body.id)
            }
            expect(await used()).toBeLessThanOrEqual(limit)
          }
          await expectTruth(app)
          for (const id of ids) await app.call("DELETE", `/notes/${id}?permanent=true`)
        }
      ),
      { numRuns: 6, endOnFailure: true }
    )
    expect(refused).toBeGreaterThan(0)
  })
})
