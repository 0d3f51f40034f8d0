import type { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"

/** "sheaf" in ASCII: the process that holds this advisory lock in database `postgres` is the Sheaf of the cluster. */
const lock = 0x7368656166

/** Application names of lock holders. Another start waits for a command, which ends soon, but not for a server. */
export const holders = { server: "sheaf guard", command: "sheaf command" } as const
/** Application name of a start that checks for a running server. If it gets the lock, it stops that server. */
export const newcomer = "sheaf comer"

/** Takes the lock until the connection ends. Returns false if another connection holds it. */
export const takeLock = (connection: PgConnection.PgConnection) =>
  connection
    .query(`SELECT pg_try_advisory_lock(${lock}) AS held`)
    .pipe(Effect.map(({ rows }) => rows[0]?.["held"] === true))

/** The application name of the connection that holds the lock. */
export const holderOf = (connection: PgConnection.PgConnection) =>
  connection
    .query(
      `SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32) + objid::bigint = ${lock}`
    )
    .pipe(Effect.map(({ rows }) => rows[0]?.["application_name"]))
