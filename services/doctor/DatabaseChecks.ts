import { Clock, Effect } from "effect"
import * as ClockSkew from "../database/ClockSkew.ts"
import { Database } from "../database/Database.ts"
import * as TextOrder from "../database/TextOrder.ts"
import type { Faults } from "./Check.ts"

interface Settings {
  readonly fsync: string
  readonly full_page_writes: string
  readonly synchronous_commit: string
  readonly autovacuum: string
  readonly connections: number
  readonly invalid: ReadonlyArray<string>
}

const settingsText = `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_commit') AS synchronous_commit, current_setting('autovacuum') AS autovacuum,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections,
  ARRAY(
    SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace ORDER BY 1
  ) AS invalid`

/** Maximum number of connections of a node and of a command. */
const needed = 30

/** A setting that must not be off, and what happens while it is. */
const unsafe = [
  ["fsync", "a power loss can destroy the database"],
  ["full_page_writes", "a power loss can destroy the database"],
  ["synchronous_commit", "a power loss can undo writes that clients have as saved"],
  ["autovacuum", "tables and indexes grow, and queries become slow"]
] as const

/** Checks the settings of PostgreSQL, its collations and its indexes. Its version and encoding are checked earlier. */
export const settingsCheck = {
  name: "database settings",
  run: Effect.fnUntraced(function* (faults: Faults) {
    const { write: sql } = yield* Database
    const [found] = yield* sql.unsafe<Settings>(settingsText)
    for (const [name, effect] of unsafe) {
      if (found![name] === "off") {
        faults.add({
          problem: `PostgreSQL has ${name} = off: ${effect}.`,
          remedy: `Set ${name} = on in postgresql.conf, and remove the setting of the role or the database.`
        })
      }
    }
    if (found!.connections < needed) {
      faults.add({
        problem: `PostgreSQL accepts ${found!.connections} connections, and a node with a command needs ${needed}.`,
        remedy: `Set max_connections to at least ${needed} for each node, and restart PostgreSQL.`
      })
    }
    for (const index of found!.invalid) {
      faults.add({
        problem: `The index ${index} is invalid: it does not enforce what it should.`,
        remedy: `Run REINDEX INDEX ${index} in the database.`
      })
    }
    for (const { indexes, name, now, was } of yield* TextOrder.changed) {
      faults.add({
        problem: `The collation ${name} has version ${now}, and its indexes were built with ${was}: ${indexes.join(", ")}.`,
        remedy:
          "Restart Sheaf, which rebuilds these indexes; as another role than the owner, run REINDEX INDEX on each."
      })
    }
  })
}

/** The time of the newest entry of all logs. */
const newestText = `SELECT max(c.occurred_at) AS newest FROM heads h
  JOIN changes c ON c.workspace_id = h.workspace_id AND c.seq = h.seq`

const seconds = (millis: number): string => `${Math.round(millis / 1000)} s`

const remedy = "Let a time service set the clock of each machine, such as systemd-timesyncd or chrony."

interface Node {
  readonly host: string
  readonly address: string
  readonly ahead: number
}

/** Nodes whose last report has a time in the future. */
const aheadText = `SELECT host, address, max(ahead)::float8 AS ahead
  FROM (SELECT *, extract(epoch FROM seen_at::timestamptz - clock_timestamp()) * 1000 AS ahead FROM nodes) n
  WHERE ahead > $1::float8 GROUP BY host, address ORDER BY max(ahead) DESC LIMIT 20`

/** Compares the clock of this machine, and those of the other nodes, with the clock of the database, and with the newest entry of the logs. */
export const clockCheck = {
  name: "clock",
  run: Effect.fnUntraced(function* (faults: Faults) {
    const { write: sql } = yield* Database
    const problem = ClockSkew.problemOf(yield* ClockSkew.measure)
    if (problem !== undefined) faults.add({ problem: `${problem}.`, remedy })
    const after = yield* Clock.currentTimeMillis
    // A node that is behind looks like one that has ended: it finds its own fault.
    for (const node of yield* sql.unsafe<Node>(aheadText, [String(ClockSkew.tolerance)])) {
      faults.add({
        problem: `The clock of the node ${node.host} (${node.address}) is ${seconds(node.ahead)} ahead of the database's clock.`,
        remedy
      })
    }
    const [last] = yield* sql.unsafe<{ readonly newest: string | null }>(newestText)
    const future = last!.newest === null ? 0 : Date.parse(last!.newest) - after
    if (future > ClockSkew.tolerance) {
      faults.add({
        problem: `The newest change has the time ${last!.newest}, which is ${seconds(future)} in the future.`,
        remedy: `The clock of this machine, or of the node that made the change, was wrong. ${remedy}`
      })
    }
  })
}
