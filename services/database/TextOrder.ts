import { Effect } from "effect"
import { Database } from "./Database.ts"

/**
 * The collation of text that users read (contract 3): ICU's root collation, with numbers by value. It is deterministic:
 * only identical texts are equal, so that each text has one place in a list. The first migration creates it.
 */
const collation = "sheaf_text"

/** The expression with that collation. */
export const asRead = (sql: string): string => `${sql} COLLATE ${collation}`

/** Whether an expression has that collation. */
export const isAsRead = (sql: string): boolean => sql.endsWith(asRead(""))

/** The version of its rules: another version may sort the same texts in another order. */
export const versionText = `SELECT pg_collation_actual_version('${collation}'::regcollation) AS version`

/** A collation whose version has changed since indexes were built with it. */
interface Changed {
  readonly name: string
  readonly was: string
  readonly now: string
  /** Whether this role may record the new version. */
  readonly owned: boolean
  readonly refresh: string
  readonly indexes: ReadonlyArray<string>
}

/** Named collations, and the default one, whose version is stored with the database. */
const changedText = `WITH used AS MATERIALIZED (
    SELECT DISTINCT u.id, i.indexrelid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      CROSS JOIN LATERAL unnest(i.indcollation::oid[]) AS u (id)
    WHERE c.relnamespace = current_schema()::regnamespace AND u.id <> 0
  ), known AS (
    SELECT oid, oid::regcollation::text AS name, collversion AS was, pg_collation_actual_version(oid) AS now,
      pg_has_role(collowner, 'USAGE') AS owned, format('ALTER COLLATION %s REFRESH VERSION', oid::regcollation) AS refresh
    FROM pg_collation WHERE oid IN (SELECT id FROM used)
    UNION ALL
    SELECT 'pg_catalog."default"'::regcollation::oid, 'the default of the database', datcollversion,
      pg_database_collation_actual_version(oid), pg_has_role(datdba, 'USAGE'),
      format('ALTER DATABASE %I REFRESH COLLATION VERSION', datname)
    FROM pg_database WHERE datname = current_database()
  )
  SELECT k.name, k.was, k.now, k.owned, k.refresh, array_agg(u.indexrelid::regclass::text) AS indexes
  FROM known k JOIN used u ON u.id = k.oid WHERE k.was <> k.now GROUP BY k.name, k.was, k.now, k.owned, k.refresh`

/** The collations whose version has changed since indexes were built with them. */
export const changed = Effect.flatMap(Database, ({ write }) => write.unsafe<Changed>(changedText))

/**
 * Rebuilds the indexes whose collation has changed, such as after an update of ICU or of the C library: entries would
 * not be found in them. Called only under the lock of the start.
 */
export const refresh = Effect.gen(function* () {
  const { write } = yield* Database
  for (const { indexes, name, now, owned, refresh, was } of yield* changed) {
    const log = Effect.annotateLogs({ collation: name, was, now, indexes: indexes.join(", ") })
    if (!owned) {
      yield* Effect.logWarning(
        `a collation has changed since indexes were built with it: as the owner, run REINDEX INDEX on each, then ${refresh}`
      ).pipe(log)
      continue
    }
    yield* Effect.logWarning("a collation has changed since indexes were built with it: rebuilding them").pipe(log)
    for (const index of indexes) yield* write.unsafe(`REINDEX INDEX ${index}`)
    yield* write.unsafe(refresh)
  }
})
