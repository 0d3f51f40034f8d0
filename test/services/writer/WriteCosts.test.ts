import { beforeAll, expect, it } from "vitest"
import { statementsOf } from "../../support/Statements.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

interface Costs {
  /** Statements until the response. */
  readonly statements: number
  /** Bytes of their parameters, as JSON. */
  readonly bytes: number
  /** Rows written, by table. */
  readonly rows: Readonly<Record<string, number>>
  /** Entries of indexes, if no update keeps to the page of its row (HOT). */
  readonly entries: number
}

/** The tables with the conditions of their indexes. */
const tablesText = `SELECT relname AS name, ARRAY(
    SELECT coalesce(pg_get_expr(i.indpred, i.indrelid), 'true') FROM pg_index i WHERE indrelid = c.oid
  ) AS indexes
  FROM pg_class c WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`

/** The driver's parameters have their values in `value`. */
const sizeOf = (parameters: unknown): number =>
  JSON.stringify(parameters, (_, part) => (part?.oid === undefined ? part : part.value)).length

/** What PostgreSQL is sent and writes for a request that does what earlier ones did. */
const costsOf = async (request: () => Promise<{ readonly status: number }>): Promise<Costs> => {
  await request()
  await app.idle()
  const [{ first }] = (await app.sql("SELECT pg_current_xact_id()::text::float8 AS first")) as [{ first: number }]
  const { answer, parameters, statements } = await statementsOf(app, /./, request)
  expect(answer.status).toBeLessThan(300)
  const rows: Record<string, number> = {}
  let entries = 0
  for (const { indexes, name } of await app.sql(tablesText)) {
    const own = indexes.map((condition: string) => `count(*) FILTER (WHERE ${condition})`)
    const text = `SELECT count(*)::int AS count, (${["0", ...own].join(" + ")})::int AS entries FROM "${name}"
      WHERE xmin::text::float8 > ${first}`
    const [found] = (await app.sql(text)) as [{ count: number; entries: number }]
    if (found.count > 0) rows[name] = found.count
    entries += found.entries
  }
  return { statements: statements.length, bytes: sizeOf(parameters), rows, entries }
}

const body = "word ".repeat(200)

let number = 0
let notebook_id = ""
beforeAll(async () => {
  notebook_id = (await app.call("GET", "/notebooks")).body.data[0].id
})

const create = () => app.call("POST", "/notes", { notebook_id, title: `Note ${number++ % 10}`, body })

it("a creation costs as much as is known", async () => {
  expect(await costsOf(create)).toMatchInlineSnapshot(`
    {
      "bytes": 1927,
      "entries": 12,
      "rows": {
        "changes": 1,
        "heads": 1,
        "notebooks": 1,
        "notes": 1,
        "records": 1,
      },
      "statements": 2,
    }
  `)
})

it("an update costs as much as is known", async () => {
  const { id } = (await create()).body
  let version = 0
  const update = () => app.call("PATCH", `/notes/${id}`, { body: `${body}${number++ % 10}`, version: ++version })
  expect(await costsOf(update)).toMatchInlineSnapshot(`
    {
      "bytes": 1980,
      "entries": 12,
      "rows": {
        "changes": 1,
        "heads": 1,
        "note_versions": 1,
        "notes": 1,
        "records": 1,
      },
      "statements": 2,
    }
  `)
})

it("a push of 100 edits costs as much as is known", async () => {
  const changes = Array.from({ length: 100 }, (_, index) => ({
    type: "note",
    op: "upsert",
    id: `nt_pushed-note-${String(index).padStart(4, "0")}`,
    data: { notebook_id, title: `Note ${index}`, body }
  }))
  await app.call("POST", "/sync/push", { changes })
  let revision = 0
  const push = async () => {
    revision++
    const pushed = await app.call("POST", "/sync/push", {
      changes: changes.map((change) => ({ ...change, revision, data: { body: `${body}${revision}` } }))
    })
    expect(pushed.body.results.map(({ status }: { status: string }) => status)).toEqual(changes.map(() => "applied"))
    return pushed
  }
  expect(await costsOf(push)).toMatchInlineSnapshot(`
    {
      "bytes": 176378,
      "entries": 1101,
      "rows": {
        "changes": 100,
        "heads": 1,
        "note_versions": 100,
        "notes": 100,
        "records": 100,
      },
      "statements": 5,
    }
  `)
})
