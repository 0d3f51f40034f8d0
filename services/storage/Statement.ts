import { changes } from "./Change.ts"
import type { Draft } from "./Draft.ts"
import type { Table } from "./Table.ts"

/**
 * The one statement that stores drafts, each of another workspace. The guard is in `head`: a draft whose head has moved
 * since it was read writes nothing at all. Heads are locked in the order of their ids, so that two nodes cannot
 * deadlock. Rows travel as one JSON parameter a table; texts are cached by the set of tables that take part.
 */
export interface Statement {
  readonly text: string
  readonly params: ReadonlyArray<string>
}

interface Part {
  readonly table: Table<any>
  readonly puts: Array<object>
  readonly adds: Array<object>
  readonly deletes: Array<object>
}

const texts = new Map<string, string>()

/** A head that another holds: `wait` for it, or `skip` its draft, which is then neither stored nor known to be stale. */
type Held = "wait" | "skip"

const guard = (held: Held) => `WITH input AS (
  SELECT * FROM json_to_recordset($1::json) AS x(workspace_id text, expected bigint, next bigint, notes bigint)
), held AS (
  SELECT i.* FROM heads h JOIN input i ON h.workspace_id = i.workspace_id AND h.seq = i.expected
  ORDER BY h.workspace_id FOR UPDATE OF h${held === "skip" ? " SKIP LOCKED" : ""}
), head AS (
  UPDATE heads h SET seq = held.next, notes = held.notes FROM held WHERE h.workspace_id = held.workspace_id
  RETURNING h.workspace_id
)`

const upsert = (table: Table<any>, isNew: boolean): string => {
  const rest = Object.keys(table.columns).filter((column) => !table.key.includes(column))
  const columns = table.columnList.split(", ")
  const onConflict = isNew
    ? ""
    : `ON CONFLICT (workspace_id, ${table.key.join(", ")}) DO ${
      rest.length === 0 ? "NOTHING" : `UPDATE SET ${rest.map((column) => `${column} = excluded.${column}`).join(", ")}`
    }`
  return `INSERT INTO ${table.name} (workspace_id, ${table.columnList})
  SELECT x.workspace_id, ${columns.map((column) => `x.${column}`).join(", ")}
  FROM json_to_recordset($PARAM::json) AS x(workspace_id text, ${table.definitionList})
  JOIN head ON head.workspace_id = x.workspace_id ${onConflict}`
}

const remove = (table: Table<any>): string =>
  `DELETE FROM ${table.name} t
  USING json_to_recordset($PARAM::json) AS x(workspace_id text, ${
    table.key.map((column) => `${column} ${table.columns[column]}`).join(", ")
  }), head
  WHERE head.workspace_id = x.workspace_id AND t.workspace_id = x.workspace_id AND ${
    table.key.map((column) => `t.${column} = x.${column}`).join(" AND ")
  }`

const textOf = (parts: ReadonlyArray<Part>, held: Held): string => {
  const signature = held + parts.map((part) =>
    part.table.name + (part.puts.length > 0 ? "+" : "") + (part.adds.length > 0 ? "*" : "") + (part.deletes.length > 0 ? "-" : "")
  ).join(",")
  let text = texts.get(signature)
  if (text === undefined) {
    let param = 1
    let count = 0
    text = guard(held)
    for (const part of parts) {
      if (part.puts.length > 0) text += `, w${count++} AS (${upsert(part.table, false).replace("$PARAM", `$${++param}`)})`
      if (part.adds.length > 0) text += `, w${count++} AS (${upsert(part.table, true).replace("$PARAM", `$${++param}`)})`
      if (part.deletes.length > 0) text += `, w${count++} AS (${remove(part.table).replace("$PARAM", `$${++param}`)})`
    }
    text += " SELECT workspace_id FROM head"
    texts.set(signature, text)
  }
  return text
}

export const make = (drafts: ReadonlyArray<Draft>, held: Held = "wait"): Statement => {
  const parts = new Map<Table<any>, Part>()
  const part = (table: Table<any>): Part => {
    let found = parts.get(table)
    if (found === undefined) parts.set(table, found = { table, puts: [], adds: [], deletes: [] })
    return found
  }
  const heads: Array<object> = []
  for (const draft of drafts) {
    const { workspace_id } = draft
    heads.push({ workspace_id, expected: draft.expected, next: draft.head.seq, notes: draft.head.notes })
    for (const [table, rows] of draft.contents) {
      const { adds, deletes, puts } = part(table)
      for (const [key, row] of rows) {
        if (row !== null) (table.appendOnly || draft.isAdded(table, key) ? adds : puts).push({ workspace_id, ...row })
        else {
          const values = key.split("\u0001")
          deletes.push({ workspace_id, ...Object.fromEntries(table.key.map((column, index) => [column, values[index]])) })
        }
      }
    }
    if (draft.appended.length > 0) {
      const { adds } = part(changes)
      for (const { change } of draft.appended) adds.push({ workspace_id, ...change })
    }
  }
  // In the order of their names, so that the same set of tables always has the same text.
  const sorted = [...parts.values()]
    .filter((each) => each.puts.length > 0 || each.adds.length > 0 || each.deletes.length > 0)
    .sort((a, b) => a.table.name < b.table.name ? -1 : 1)
  const params = [JSON.stringify(heads)]
  for (const each of sorted) {
    if (each.puts.length > 0) params.push(JSON.stringify(each.puts))
    if (each.adds.length > 0) params.push(JSON.stringify(each.adds))
    if (each.deletes.length > 0) params.push(JSON.stringify(each.deletes))
  }
  return { text: textOf(sorted, held), params }
}
