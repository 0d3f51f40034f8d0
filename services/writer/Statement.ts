import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Effect, Result } from "effect"
import { Budget, type Sliced } from "../concurrency/Budget.ts"
import { changes, type RecordRow, records } from "./LogEntry.ts"
import * as Column from "../tables/Column.ts"
import { counters } from "../tables/Counters.ts"
import type { Draft } from "./Draft.ts"
import { notifyChannel } from "../database/NodeBus.ts"
import type { Verb } from "./Overlay.ts"
import { SentColumns } from "./SentColumns.ts"
import { keyText, type Table } from "../tables/Table.ts"

/**
 * The statement that stores drafts, each of another workspace. The guard, an optimistic lock, is in `head`: a draft
 * whose head has moved since it was read writes nothing at all. Heads are locked in the order of their ids, so that two
 * nodes cannot deadlock. Rows are sent as one array per column, which is half as expensive for PostgreSQL as JSON;
 * texts are cached by the set of tables that take part.
 */
export interface Statement {
  readonly text: string
  readonly params: ReadonlyArray<PgTypes.Parameter>
}

interface Part {
  readonly table: Table<any>
  readonly verb: Verb
  readonly columns: SentColumns
}

/** A log entry, with the columns of `records` if it is the last change of its record in this draft. */
const logColumns = { ...changes.columns, deleted: Column.boolean, bytes: Column.int, is_new: Column.boolean }

const texts = new Map<string, string>()

const counted = counters.map((counter) => `${counter} = held.${counter}`).join(", ")
const headColumns = {
  expected: Column.bigint,
  next: Column.bigint,
  ...Object.fromEntries(counters.map((counter) => [counter, Column.bigint]))
}

/** If another transaction holds a head: `wait` for it, or `skip` its draft, which is then neither stored nor stale. */
type Held = "wait" | "skip"

const guard = (heads: SentColumns, held: Held, param: () => number) => `WITH input AS (
  SELECT ${heads.selected} FROM ${heads.from(param)}
), held AS (
  SELECT i.* FROM heads h JOIN input i ON h.workspace_id = i.workspace_id AND h.seq = i.expected
  ORDER BY h.workspace_id FOR UPDATE OF h${held === "skip" ? " SKIP LOCKED" : ""}
), head AS (
  UPDATE heads h SET seq = held.next, ${counted} FROM held WHERE h.workspace_id = held.workspace_id
  RETURNING h.workspace_id
)`

const onConflict = (table: Table<any>, kept: ReadonlyArray<string> = []): string => {
  const rest = Object.keys(table.columns).filter((column) => !table.key.includes(column) && !kept.includes(column))
  return `ON CONFLICT (${["workspace_id", ...table.key].join(", ")}) DO ${
    rest.length === 0 ? "NOTHING" : `UPDATE SET ${rest.map((column) => `${column} = excluded.${column}`).join(", ")}`
  }`
}

/** The large columns of a new row, read from the row of the `heirOf` table. */
const inherited = (table: Table<any>): ReadonlyArray<string> => {
  const { key, table: from } = table.heirOf!
  const same = key.map((column, index) => `o.${from.key[index]} = x.${column}`).join(" AND ")
  return table.large.map(
    (column) => `(SELECT o.${column} FROM ${from.name} o WHERE o.workspace_id = x.workspace_id AND ${same})`
  )
}

const insert = (table: Table<any>, verb: Verb, columns: SentColumns, param: () => number): string => {
  // PostgreSQL checks constraints before it finds that the row exists: columns that are kept only need a value that is
  // not null.
  const rest = verb === "inherit" ? inherited(table) : verb === "keep" ? table.large.map(() => "''") : []
  const names = rest.length === 0 ? columns.names : [...columns.names, ...table.large]
  return `INSERT INTO ${table.name} (${names.join(", ")})
  SELECT ${[columns.selected, ...rest].join(", ")} FROM ${columns.from(param)}
  JOIN head ON head.workspace_id = x.workspace_id ${
    verb === "put" ? onConflict(table) : verb === "keep" ? onConflict(table, table.large) : ""
  }`
}

const remove = (table: Table<any>, columns: SentColumns, param: () => number): string =>
  `DELETE FROM ${table.name} t USING ${columns.from(param)}, head
  WHERE head.workspace_id = x.workspace_id AND ${["workspace_id", ...table.key]
    .map((column) => `t.${column} = x.${column}`)
    .join(" AND ")}`

/** The columns of `records`, from those of a log entry. */
const recordColumns: { readonly [Column in keyof RecordRow]: string } = {
  type: "resource",
  id: "resource_id",
  seq: "seq",
  revision: "version",
  deleted: "deleted",
  bytes: "bytes",
  changed_at: "occurred_at",
  actor_id: "actor_id",
  device_id: "device_id"
}

const insertRecords = (isNew: boolean): string =>
  `INSERT INTO records (workspace_id, ${Object.keys(recordColumns).join(", ")})
  SELECT workspace_id, ${Object.values(recordColumns).join(", ")} FROM log
  WHERE ${isNew ? "is_new" : `NOT is_new ${onConflict(records)}`}`

/** Common table expressions that write the rows of `log`, which has the columns of `logColumns`. */
export const logged: ReadonlyArray<string> = [
  `changes_of_log AS (INSERT INTO changes (workspace_id, ${changes.columnList})
    SELECT workspace_id, ${changes.columnList} FROM log)`,
  `new_records AS (${insertRecords(true)})`,
  `old_records AS (${insertRecords(false)})`
]

/** Returns the workspaces that were stored. The same commit notifies all processes of changed permissions. */
const stored = (accessParam: number | undefined): string =>
  accessParam === undefined
    ? "SELECT workspace_id FROM head"
    : `SELECT workspace_id, CASE WHEN workspace_id = ANY($${accessParam}::text[])
        THEN pg_notify('${notifyChannel}', 'all access ' || workspace_id || ':0')::text END AS notified FROM head`

const textOf = (
  heads: SentColumns,
  parts: ReadonlyArray<Part>,
  log: SentColumns | undefined,
  held: Held,
  changesAccess: boolean
): string => {
  const signature = `${held} ${changesAccess} ${parts.map(({ table, verb }) => `${table.name} ${verb}`).join(",")} ${log !== undefined}`
  let text = texts.get(signature)
  if (text === undefined) {
    let count = 0
    const param = () => ++count
    const ctes = [guard(heads, held, param)]
    for (const [index, { columns, table, verb }] of parts.entries()) {
      ctes.push(
        `w${index} AS (${verb === "remove" ? remove(table, columns, param) : insert(table, verb, columns, param)})`
      )
    }
    if (log !== undefined) {
      ctes.push(
        `log AS MATERIALIZED (SELECT ${log.selected} FROM ${log.from(param)}
          JOIN head ON head.workspace_id = x.workspace_id)`,
        ...logged
      )
    }
    text = `${ctes.join(", ")} ${stored(changesAccess ? param() : undefined)}`
    texts.set(signature, text)
  }
  return text
}

/** Budget steps for each value that is put into its column. */
const valueCost = 1

/** Makes the statement that stores drafts; in slices, since drafts can have thousands of rows. */
function* making(drafts: ReadonlyArray<Draft>, held: Held, budget: Budget): Sliced<Statement> {
  const heads = new SentColumns(headColumns)
  const log = new SentColumns(logColumns)
  const parts = new Map<string, Part>()
  const columnsOf = (table: Table<any>, verb: Verb): SentColumns => {
    const name = `${table.name} ${verb}`
    let part = parts.get(name)
    if (part === undefined) {
      const columns =
        verb === "put" || verb === "add"
          ? table.columns
          : Object.fromEntries(
              Object.entries(table.columns).filter(([column]) =>
                verb === "remove" ? table.key.includes(column) : !table.large.includes(column)
              )
            )
      parts.set(name, (part = { table, verb, columns: new SentColumns(columns) }))
    }
    return part.columns
  }
  let isLogged = false
  for (const draft of drafts) {
    const { workspace_id } = draft
    heads.add(workspace_id, { ...draft.head, expected: draft.expected, next: draft.head.seq })
    for (const [table, rows] of draft.contents) {
      // These are written from their log entries.
      if (table === records) continue
      const cost = valueCost * Object.keys(table.columns).length
      for (const [key, row] of rows) {
        if (budget.spend(cost)) yield
        if (row !== null) columnsOf(table, draft.verbOf(table, key)!).add(workspace_id, row)
        else {
          const values = key.split("\u0001")
          columnsOf(table, "remove").add(
            workspace_id,
            Object.fromEntries(
              table.key.map((column, index) => [
                column,
                table.columns[column]!.type === "text" ? values[index] : Number(values[index])
              ])
            )
          )
        }
      }
    }
    const lastChanges = draft.contents.get(records)
    const cost = valueCost * log.names.length
    for (const { change, record } of draft.appended) {
      if (budget.spend(cost)) yield
      isLogged = true
      const key = keyText([change.resource, change.resource_id])
      const isLast = record !== null && lastChanges?.get(key)?.seq === change.seq
      log.add(workspace_id, {
        ...change,
        deleted: isLast ? record.value === null : null,
        bytes: isLast ? record.bytes : null,
        is_new: isLast ? draft.verbOf(records, key) === "add" : null
      })
    }
  }
  // In the order of their names, so that the same set of tables always has the same text.
  const sorted = [...parts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part)
  const logged = isLogged ? log : undefined
  const params = [heads, ...sorted.map(({ columns }) => columns), ...(isLogged ? [log] : [])].flatMap(
    ({ params }) => params
  )
  const access = drafts.filter(({ changesAccess }) => changesAccess).map(({ workspace_id }) => workspace_id)
  if (access.length > 0) params.push(Result.getOrThrow(PgTypes.array(access, PgTypes.OID.text)))
  return { text: textOf(heads, sorted, logged, held, access.length > 0), params }
}

/** Makes the statement that stores drafts. The drafts must not change meanwhile. */
export const make = (drafts: ReadonlyArray<Draft>, held: Held = "wait"): Effect.Effect<Statement> =>
  Effect.suspend(() => {
    const budget = new Budget()
    const work = making(drafts, held, budget)
    const next = (): Effect.Effect<Statement> => {
      const { done, value } = work.next()
      if (done === true) return Effect.succeed(value)
      budget.resume()
      return Effect.flatMap(Effect.yieldNow, next)
    }
    return next()
  })
