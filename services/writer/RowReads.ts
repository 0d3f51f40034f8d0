import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import * as RequestBatcher from "../database/RequestBatcher.ts"
import type { Table } from "../tables/Table.ts"

/** Reads rows of a workspace by their keys. */
export type ReadRows = <Row extends object>(
  table: Table<Row>,
  workspace_id: WorkspaceId,
  keys: ReadonlyArray<ReadonlyArray<string>>
) => Effect.Effect<ReadonlyArray<Row>>

/** Keys of several columns, as one array per column. */
const unnested = (table: Table<any>, from: number): string =>
  table.key.map((column, index) => `unnest($${index + from}::text[]::${table.columns[column]!.type}[])`).join(", ")

const columnsOf = (table: Table<any>, keys: ReadonlyArray<ReadonlyArray<string>>) =>
  table.key.map((_, index) => keys.map((key) => key[index]!))

/** Reads with one query per call. On a transaction, the query sees what the transaction has written. */
export const each =
  (client: PgClient): ReadRows =>
  <Row extends object>(
    table: Table<Row>,
    workspace_id: WorkspaceId,
    keys: ReadonlyArray<ReadonlyArray<string>>
  ): Effect.Effect<ReadonlyArray<Row>> => {
    const from = `SELECT ${table.selectList} FROM ${table.name} WHERE workspace_id = $1`
    const only = keys.length === 1 ? keys[0]! : undefined
    const where =
      only === undefined
        ? `(${table.key.join(", ")}) IN (SELECT ${unnested(table, 2)})`
        : table.key.map((column, index) => `${column} = $${index + 2}`).join(" AND ")
    return Effect.orDie(
      client.unsafe<Row>(only !== undefined && only.length === 0 ? from : `${from} AND ${where}`, [
        workspace_id,
        ...(only ?? columnsOf(table, keys))
      ])
    )
  }

/** Maximum number of queries of a table at a time: with two, requests do not wait for a query that has stalled. */
const concurrency = 2
/** Maximum number of keys that one query reads for several requests; a request with more has a separate query. */
const maxKeys = 64

interface Wanted {
  readonly workspace_id: WorkspaceId
  readonly keys: ReadonlyArray<ReadonlyArray<string>>
}

/** Reads what several workspaces need at about the same time with one query. */
export const together = (client: PgClient): ReadRows => {
  const alone = each(client)

  const query = (table: Table<any>, group: ReadonlyArray<Wanted>): Effect.Effect<ReadonlyArray<any[]>> => {
    const keys = group.flatMap((one) => one.keys)
    // The last property of an object can be deleted without a copy.
    const text = `SELECT ${table.selectList}, workspace_id FROM ${table.name}
      WHERE (workspace_id, ${table.key.join(", ")}) IN (SELECT unnest($1::text[]), ${unnested(table, 2)})`
    const owners = group.flatMap((one) => one.keys.map(() => one.workspace_id))
    return Effect.map(Effect.orDie(client.unsafe<any>(text, [owners, ...columnsOf(table, keys)])), (rows) => {
      const found = new Map<string, any[]>(owners.map((owner) => [owner, []]))
      for (const row of rows) {
        found.get(row.workspace_id)!.push(row)
        delete row.workspace_id
      }
      return group.map((one) => found.get(one.workspace_id)!)
    })
  }

  const batched = RequestBatcher.make<Table<any>, Wanted, ReadonlyArray<any>, never>({
    concurrency,
    maxWeight: maxKeys,
    weigh: ({ keys }) => keys.length,
    run: (table, [one, ...others]) =>
      others.length === 0
        ? Effect.map(alone(table, one!.workspace_id, one!.keys), (rows) => [rows])
        : query(table, [one!, ...others])
  })

  return (table, workspace_id, keys) =>
    keys.length > maxKeys || table.key.length === 0
      ? alone(table, workspace_id, keys)
      : batched(table, { workspace_id, keys })
}
