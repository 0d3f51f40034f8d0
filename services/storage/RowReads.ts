import type { PgClient } from "@effect/sql-pg/PgClient"
import { Context, Deferred, Effect, Exit } from "effect"
import type { SqlError } from "effect/sql"
import type { WorkspaceId } from "../Ids.ts"
import type { Table } from "./Table.ts"

/** Rows of a workspace by their keys. */
export type ReadRows = <Row extends object>(
  table: Table<Row>,
  workspace_id: WorkspaceId,
  keys: ReadonlyArray<ReadonlyArray<string>>
) => Effect.Effect<ReadonlyArray<Row>>

/** Keys of several columns, as one array a column. */
const unnested = (table: Table<any>, from: number): string =>
  table.key.map((column, index) => `unnest($${index + from}::text[]::${table.columns[column]!.type}[])`).join(", ")

const columnsOf = (table: Table<any>, keys: ReadonlyArray<ReadonlyArray<string>>) =>
  table.key.map((_, index) => keys.map((key) => key[index]!))

/** Each in a query of its own: in a transaction, that one sees what it has written. */
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

interface Waiting {
  readonly workspace_id: WorkspaceId
  readonly keys: ReadonlyArray<ReadonlyArray<string>>
  readonly deferred: Deferred.Deferred<ReadonlyArray<any>>
}

/** What waits to be read of a table. */
interface Queue {
  readonly waiting: Array<Waiting>
  underWay: number
}

/** Queries of a table at a time, so that none waits for one that has stalled. */
const mostUnderWay = 2
/** Keys that one query reads for several; who needs more goes alone, and holds up nobody. */
const mostKeys = 64

/**
 * Several workspaces in one query: what they need while others are read waits, and is read together, at the price of
 * one. Who comes alone does not wait.
 */
export const together = (client: PgClient): ReadRows => {
  const alone = each(client)
  const queues = new Map<Table<any>, Queue>()
  const fork = Effect.runForkWith(Context.empty())

  const query = (
    table: Table<any>,
    group: ReadonlyArray<Waiting>
  ): Effect.Effect<Map<string, any[]>, SqlError.SqlError> => {
    const keys = group.flatMap((one) => one.keys)
    // The workspace is read last, and can be taken off again without a copy.
    const text = `SELECT ${table.selectList}, workspace_id FROM ${table.name}
      WHERE (workspace_id, ${table.key.join(", ")}) IN (SELECT unnest($1::text[]), ${unnested(table, 2)})`
    const owners = group.flatMap((one) => one.keys.map(() => one.workspace_id))
    return Effect.map(client.unsafe<any>(text, [owners, ...columnsOf(table, keys)]), (rows) => {
      const found = new Map<string, any[]>(group.map((one) => [one.workspace_id, []]))
      for (const row of rows) {
        found.get(row.workspace_id)!.push(row)
        delete row.workspace_id
      }
      return found
    })
  }

  const answer = (table: Table<any>, group: ReadonlyArray<Waiting>): Effect.Effect<void> => {
    const one = group[0]!
    if (group.length === 1) {
      return Effect.flatMap(Effect.exit(alone(table, one.workspace_id, one.keys)), (exit) =>
        Deferred.done(one.deferred, exit)
      )
    }
    return Effect.matchEffect(query(table, group), {
      onSuccess: (found) =>
        Effect.sync(() => {
          for (const { deferred, workspace_id } of group) {
            Deferred.doneUnsafe(deferred, Exit.succeed(found.get(workspace_id)!))
          }
        }),
      // One of them is at fault, and only that one fails.
      onFailure: () => Effect.forEach(group, (own) => answer(table, [own]), { concurrency: 2, discard: true })
    })
  }

  const take = ({ waiting }: Queue): ReadonlyArray<Waiting> => {
    let keys = 0
    let count = 0
    while (count < waiting.length && keys < mostKeys) keys += waiting[count++]!.keys.length
    return waiting.splice(0, count)
  }

  const work = (table: Table<any>, queue: Queue) => {
    queue.underWay++
    fork(
      Effect.gen(function* () {
        // Those of the same moment go together.
        yield* Effect.yieldNow
        while (queue.waiting.length > 0) yield* answer(table, take(queue))
        // In one step with the look at what waits: what came between the two would wait for ever.
        queue.underWay--
      })
    )
  }

  return (table, workspace_id, keys) =>
    keys.length > mostKeys || table.key.length === 0
      ? alone(table, workspace_id, keys)
      : Effect.suspend(() => {
          let queue = queues.get(table)
          if (queue === undefined) queues.set(table, (queue = { waiting: [], underWay: 0 }))
          const deferred = Deferred.makeUnsafe<ReadonlyArray<any>>()
          queue.waiting.push({ workspace_id, keys, deferred })
          if (queue.underWay < mostUnderWay) work(table, queue)
          return Deferred.await(deferred)
        })
}
