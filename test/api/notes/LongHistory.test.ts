import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { maxAhead, unknownBytes } from "../../../services/sync/PushReading.ts"
import { explain } from "../../support/Explained.ts"
import { type Scenario, scenarioOf } from "../../support/Scenario.ts"
import { statementsOf } from "../../support/Statements.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"

/** The number of versions that sixty full pushes create. */
const length = 30_001

let before: TestApp
/** Started after the history is inserted, because a running App caches what it has read of a workspace. */
let app: TestApp
let { given } = {} as Scenario
let notebook: string
/** The id of a note whose body changed at versions 2, 20 000 and 30 000. */
let long: string

const bodyAt = (version: number) =>
  version < 2 ? "one" : version < 20_000 ? "two" : version < 30_000 ? "three" : "four"

beforeAll(async () => {
  before = await startApp()
  notebook = (await before.call("GET", "/notebooks")).body.data[0].id
  long = (await before.call("POST", "/notes", { notebook_id: notebook, title: "Long", body: "one" })).body.id
  await before.sql(
    `INSERT INTO note_versions (workspace_id, note_id, version, notebook_id, title, body, tags, pinned, archived, word_count,
      author_id, created_at)
    SELECT workspace_id, id, v, notebook_id, 'Long ' || v,
      CASE v WHEN 1 THEN 'one' WHEN 19999 THEN 'two' WHEN 29999 THEN 'three' END, tags, v % 2 = 0, archived, 1, author_id,
      created_at
    FROM notes, generate_series(1, ${length - 1}) v WHERE id = $1`,
    [long]
  )
  await before.sql("UPDATE notes SET version = $2::int, body = 'four' WHERE id = $1", [long, String(length)])
  await before.sql("UPDATE heads SET text_bytes = 15 WHERE workspace_id = $1", [before.workspace_id])
  await before.sql("UPDATE records SET revision = $2::int WHERE id = $1", [long, String(length)])
  app = await startApp({ databaseOf: before })
  ;({ given } = scenarioOf(app))
})
afterAll(async () => {
  await app.stop()
  await before.stop()
})

const history = /note_versions/

/** Returns the result of `work` and the only statement that it sends about the history. */
const only = async <A>(work: () => Promise<A>) => {
  const { answer, statements } = await statementsOf(app, history, work)
  expect(statements).toHaveLength(1)
  return { answer, text: statements[0]! }
}

describe("history of a note with 30 000 versions", () => {
  it("reads rows in proportion to the page size, at any position", async () => {
    for (const [limit, below] of [
      [1, 2_147_483_648],
      [25, 20_010],
      [100, 2_147_483_648],
      [100, 19_000],
      [100, 50]
    ] as const) {
      const { text } = await only(() => app.call("GET", `/notes/${long}/versions?limit=${limit}`))
      const { buffers, rows } = await explain(app, text, [app.workspace_id, long, below, limit + 1])
      expect(rows, `${limit} below ${below}`).toBeLessThan(20 * (limit + 1))
      expect(buffers, `${limit} below ${below}`).toBeLessThan(12 * (limit + 1) + 20)
    }
  })

  it("returns each version with its body", async () => {
    let cursor = ""
    let expected = length
    for (let page = 0; page < 4; page++) {
      const { data, next_cursor } = await given("GET", `/notes/${long}/versions?limit=100${cursor}`)
      for (const { body, version } of data) expect([version, body]).toEqual([expected, bodyAt(expected--)])
      cursor = `&cursor=${next_cursor}`
    }
    for (const version of [1, 2, 19_999, 20_000, 29_999, 30_000, length]) {
      const { answer, text } = await only(() => given("GET", `/notes/${long}/versions/${version}`))
      expect(answer).toMatchObject({ version, body: bodyAt(version) })
      const { buffers, rows } = await explain(app, text, [app.workspace_id, long, version])
      expect([rows < 20, buffers < 30], `${rows} rows, ${buffers} pages`).toEqual([true, true])
    }
  })

  it("reads the bases of stale pushes in batches, for any revision", async () => {
    const revisions = Array.from({ length: 500 }, (_, index) => 1 + index * 60)
    const changes = revisions.map((revision) => ({
      type: "note",
      op: "upsert",
      id: long,
      revision,
      data: { title: `at ${revision}` }
    }))
    const { answer, statements } = await statementsOf(app, history, () => given("POST", "/sync/push", { changes }))
    // The number of batches if every base had an unknown size.
    expect(statements.length).toBeLessThanOrEqual(Math.ceil((500 * unknownBytes) / maxAhead) + 1)
    expect(answer.conflicts).toHaveLength(500)
    for (const { base, client_revision, reason } of answer.conflicts) {
      expect(reason).toBe("stale_revision")
      expect(base).toMatchObject({
        revision: client_revision,
        data: {
          version: client_revision,
          title: `Long ${client_revision}`,
          body: bodyAt(client_revision),
          pinned: client_revision % 2 === 0
        }
      })
    }
    const ids = revisions.map(() => long)
    const { buffers, rows } = await explain(app, statements[0]!, [app.workspace_id, ids, revisions])
    expect(rows).toBeLessThan(500 * 20)
    expect(buffers).toBeLessThan(500 * 20)
  })
})

describe("base of a conflict within one push", () => {
  it("is the version that the push found or created", async () => {
    const { id } = await given("POST", "/notes", { notebook_id: notebook, title: "v1", body: "first" })
    const push = (revision: number, data: object) => ({ type: "note", op: "upsert", id, revision, data })
    const { conflicts, results } = await given("POST", "/sync/push", {
      changes: [
        push(1, { title: "v2" }),
        push(2, { body: "second" }),
        push(1, { title: "late" }),
        push(3, { body: "third" }),
        push(2, { title: "late" }),
        push(3, { title: "late" })
      ]
    })
    expect(results.map(({ status }: any) => status)).toEqual([
      "applied",
      "applied",
      "conflict",
      "applied",
      "conflict",
      "conflict"
    ])
    expect(conflicts.map(({ base }: any) => [base.revision, base.data.title, base.data.body])).toEqual([
      [1, "v1", "first"],
      [2, "v2", "first"],
      [3, "v2", "second"]
    ])
    const later = await given("POST", "/sync/push", {
      changes: [push(4, { title: "v5" }), push(3, { title: "late" }), push(4, { title: "late" })]
    })
    expect(later.conflicts.map(({ base }: any) => [base.revision, base.data.title, base.data.body])).toEqual([
      [3, "v2", "second"],
      [4, "v2", "third"]
    ])
    await given("DELETE", `/notes/${long}?permanent=true`)
    await expectTruth(app)
  })
})
