import { Effect } from "effect"
import { Database } from "./Database.ts"

/**
 * The order of text as people read it (contract 3): ICU's root collation, with numbers by value. It is deterministic:
 * only equal texts are equal, so that a text is one place in a list. Migration 25 creates it.
 */
const collation = "sheaf_text"

/** The expression, in that order. */
export const asRead = (sql: string): string => `${sql} COLLATE ${collation}`

/** Whether it is an expression in that order. */
export const isAsRead = (sql: string): boolean => sql.endsWith(asRead(""))

/** The version of its rules: another one may sort the same texts in another order. */
export const versionText = `SELECT pg_collation_actual_version('${collation}'::regcollation) AS version`

/** A collation by whose rules an index was built, and whose rules have another version now. */
interface Changed {
  readonly name: string
  readonly was: string
  readonly now: string
  /** Whether this role may record the new version. */
  readonly owned: boolean
  readonly refresh: string
  readonly indexes: ReadonlyArray<string>
}

/** Collations with a name, and the default one, whose version stands with the database. */
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

/**
 * Builds the indexes again whose order was made by other rules than the PostgreSQL that runs now has, such as after an
 * update of ICU or of the C library: entries would not be found in them. Only under the lock of the start.
 */
export const refresh = Effect.gen(function* () {
  const { write } = yield* Database
  for (const { indexes, name, now, owned, refresh, was } of yield* write.unsafe<Changed>(changedText)) {
    const log = Effect.annotateLogs({ collation: name, was, now, indexes: indexes.join(", ") })
    if (!owned) {
      yield* Effect.logWarning(
        `text sorts by other rules than its indexes were built by: as the owner, run REINDEX INDEX on each, then ${refresh}`
      ).pipe(log)
      continue
    }
    yield* Effect.logWarning("text sorts by other rules than its indexes were built by: building them again").pipe(log)
    for (const index of indexes) yield* write.unsafe(`REINDEX INDEX ${index}`)
    yield* write.unsafe(refresh)
  }
})
