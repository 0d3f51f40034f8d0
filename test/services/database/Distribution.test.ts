import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { limitedKey } from "../../support/reach/LimitedKey.ts"
import { sendEach } from "../../support/rights/EachOperation.ts"
import { currentDatabase, dropDatabase, sqlOn } from "../../support/servers/Databases.ts"
import { SentStatements } from "../../support/storage/SentStatements.ts"
import { createPlanOf, nodesOf, type PlanNode } from "../../support/storage/StatementPlans.ts"
import { startApp } from "../../support/TestApp.ts"
import { localTables, referenceTables, uniqueIndexes, wideStatements } from "./DistributionExceptions.ts"

/** A PostgreSQL that is distributed by `workspace_id`, such as Citus, needs it in each key and in each statement. */

let database: string
beforeAll(async () => {
  database = await currentDatabase()
  // With nested loops alone, each condition is at the scan of its table: they pass the workspace of an outer row to the
  // index of the inner table.
  const settings = ["enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin"]
  await sqlOn(
    database,
    createPlanOf(
      ["VERBOSE"],
      settings.map((each) => `${each} = off`)
    )
  )
})
afterAll(() => dropDatabase(database))

const listed = new Set([...Object.keys(referenceTables), ...Object.keys(localTables)])

/** The columns of a key or an index, in their order. */
const columnsOf = (table: string, numbers: string) =>
  `ARRAY(SELECT a.attname::text FROM unnest(${numbers}::int2[]) WITH ORDINALITY AS k (number, at)
    LEFT JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = k.number ORDER BY k.at)`

const tablesOf = (): Promise<ReadonlyArray<{ readonly name: string; readonly key: ReadonlyArray<string> }>> =>
  sqlOn(
    database,
    `SELECT c.relname::text AS name, ${columnsOf("c.oid", "i.indkey")} AS key
    FROM pg_class c LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1`
  )

describe("the schema", () => {
  it("has the workspace in the primary key of each table that is not listed", async () => {
    const tables = await tablesOf()
    expect(tables.filter(({ key, name }) => !listed.has(name) && !key.includes("workspace_id"))).toEqual([])
    const names = tables.map(({ name }) => name)
    expect([...listed].filter((name) => !names.includes(name))).toEqual([])
    expect(Object.keys(referenceTables).filter((name) => name in localTables)).toEqual([])
  })

  it("has the workspace in each unique index and exclusion of these tables that is not listed", async () => {
    const indexes = await sqlOn(
      database,
      `SELECT x.relname::text AS name, t.relname::text AS table, ${columnsOf("t.oid", "i.indkey")} AS key
        FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
        WHERE t.relnamespace = 'public'::regnamespace AND (i.indisunique OR i.indisexclusion)`
    )
    const without = indexes.filter(({ key, table }) => !listed.has(table) && !key.includes("workspace_id"))
    expect(without.map(({ name }) => name).toSorted()).toEqual(Object.keys(uniqueIndexes).toSorted())
  })

  it("has the workspace on both sides of each foreign key between these tables, and none to them from others", async () => {
    const keys = await sqlOn(
      database,
      `SELECT c.conname::text AS name, f.relname::text AS from, t.relname::text AS to,
          ${columnsOf("f.oid", "c.conkey")} AS own, ${columnsOf("t.oid", "c.confkey")} AS other
        FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid JOIN pg_class t ON t.oid = c.confrelid
        WHERE c.contype = 'f'`
    )
    const isAllowed = ({ from, other, own, to }: any) =>
      listed.has(to)
        ? to in referenceTables || from in localTables
        : !listed.has(from) &&
          own.some((column: string, at: number) => column === "workspace_id" && other[at] === column)
    expect(keys.length).toBeGreaterThan(40)
    expect(keys.filter((key) => !isAllowed(key))).toEqual([])
  })

  it("names the workspace of the row in each statement of a trigger", async () => {
    const tables = (await tablesOf()).map(({ name }) => name).filter((name) => !listed.has(name))
    const named = new RegExp(`\\b(FROM|JOIN|UPDATE|INTO) (${tables.join("|")})\\b`)
    const functions = await sqlOn(
      database,
      `SELECT p.proname::text AS name, p.prosrc AS source FROM pg_proc p
        WHERE p.oid IN (SELECT tgfoid FROM pg_trigger WHERE NOT tgisinternal)`
    )
    const statements = functions.flatMap(({ name, source }) =>
      (source as string).split(";").flatMap((text) => (named.test(text) ? [{ name, text }] : []))
    )
    expect(statements.length).toBeGreaterThan(4)
    expect(statements.filter(({ text }) => !/workspace_id = OLD\.workspace_id/.test(text))).toEqual([])
  })
})

/** Whether a scan reads the rows of workspaces that the statement names, or that the rows of another scan have. */
const namesWorkspace = ({ Alias: alias, Filter: filter = "", "Index Cond": condition = "" }: PlanNode): boolean => {
  const named = new RegExp(`\\b${alias}\\.workspace_id(\\)::text)? = |= ${alias}\\.workspace_id\\b`)
  // An index condition has no alternatives; a filter can have some that do not name the workspace.
  return named.test(condition) || (named.test(filter) && !filter.includes(" OR "))
}

/**
 * The tables that statements about data of workspaces read too widely; only statements with some. Rows of a listed table
 * must be looked up by a value: the workspaces of all its rows would be all.
 */
const wideOf = async (texts: ReadonlyArray<string>) => {
  const tables = new Set((await tablesOf()).map(({ name }) => name))
  const planned = await sqlOn(
    database,
    `SELECT text, plan_of(text) AS plan FROM json_array_elements_text($json$${JSON.stringify(texts)}$json$) AS text`
  )
  return planned.flatMap(({ plan, text }) => {
    const scans = nodesOf(plan).flatMap((node) => {
      const table = node["Relation Name"] ?? ""
      if (!tables.has(table) || node["Node Type"] === "ModifyTable") return []
      const isListed = listed.has(table)
      const isNarrow = isListed ? / = /.test(node["Index Cond"] ?? "") : namesWorkspace(node)
      return [{ table, isListed, isNarrow }]
    })
    const wide = scans.filter(({ isNarrow }) => !isNarrow).map(({ table }) => table)
    if (wide.length === 0 || scans.every(({ isListed }) => isListed)) return []
    return [{ text: (text as string).replaceAll(/\s+/g, " ").trim(), tables: wide }]
  })
}

describe("a statement", () => {
  it.each([
    ["SELECT title FROM notes WHERE id = $1", ["notes"]],
    ["SELECT title FROM notes WHERE workspace_id = $1 OR id = $2", ["notes"]],
    ["SELECT title FROM notes WHERE workspace_id > $1", ["notes"]],
    ["SELECT title FROM notes WHERE workspace_id = $1 AND id = $2", []],
    ["SELECT title FROM notes WHERE workspace_id = ANY($1::text[])", []],
    ["SELECT (SELECT count(*) FROM tags) FROM notes WHERE workspace_id = $1", ["tags"]],
    [
      "SELECT (SELECT count(*) FROM tags t WHERE t.workspace_id = n.workspace_id) FROM notes n WHERE workspace_id = $1",
      []
    ],
    ["SELECT FROM notes n JOIN note_tags t ON t.note_id = n.id WHERE n.workspace_id = $1", ["note_tags"]],
    ["SELECT FROM notes n JOIN note_tags t USING (workspace_id) WHERE t.note_id = n.id AND n.title = $1", ["notes"]],
    ["SELECT FROM notes n JOIN note_tags t USING (workspace_id) WHERE t.note_id = n.id AND n.workspace_id = $1", []],
    ["SELECT FROM notes n JOIN workspaces w USING (workspace_id) WHERE w.plan = $1", ["workspaces"]],
    ["SELECT FROM notes n JOIN workspaces w USING (workspace_id) WHERE w.slug = $1", []],
    ["UPDATE tags SET name = $1 WHERE id = $2", ["tags"]],
    ["WITH gone AS (DELETE FROM tags WHERE id = $1) SELECT FROM notes WHERE workspace_id = $2", ["tags"]],
    [
      "UPDATE tags t SET name = x.name FROM unnest($1::text[], $2::text[]) x (workspace_id, name) WHERE t.workspace_id = x.workspace_id",
      []
    ]
  ])("is found with the tables that it reads without a workspace: %s", async (text, tables) => {
    expect((await wideOf([text])).flatMap((each) => each.tables)).toEqual(tables)
  })

  it("names the workspace of each table that it reads, unless it is listed", async () => {
    const sent = new SentStatements(inject("postgres"))
    const app = await startApp({
      socketDirectory: sent.socketDirectory,
      settings: { auditLog: { kind: "file", path: join(sent.socketDirectory, "audit.log") } }
    })
    try {
      const { ask, team } = await limitedKey(app)
      await sendEach(app, team, async ({ method, path }) => method === "GET" && ask(method, path))
      await app.advance("40 days")
    } finally {
      await app.stop()
      sent.stop()
    }
    const texts = [...sent.texts].filter((text) => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE|DECLARE)\b/.test(text))
    expect(texts.length).toBeGreaterThan(500)
    const found = await wideOf(texts)
    const used = new Set(found.flatMap(({ text }) => wideStatements.filter(({ sends }) => sends.test(text))))
    expect(found.filter(({ text }) => !wideStatements.some(({ sends }) => sends.test(text)))).toEqual([])
    expect(wideStatements.filter((each) => !used.has(each))).toEqual([])
  })

  it("is listed with a module that exists", () => {
    const root = join(import.meta.dirname, "../../..")
    expect(wideStatements.filter(({ module }) => !existsSync(join(root, module)))).toEqual([])
  })
})
