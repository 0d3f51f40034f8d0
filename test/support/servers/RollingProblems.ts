import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Database } from "../../../services/database/Database.ts"

/** A part of the catalogue: a column, a constraint, an index, a trigger or a function. */
interface Part {
  readonly name: string
  /** Null for a function. */
  readonly on: string | null
  readonly definition: string
  /** Whether a row that does not name the column can be stored. */
  readonly is_optional: boolean | null
  /** The table whose deletions a foreign key can refuse. */
  readonly refuses_on: string | null
}

const parts = `
  SELECT c.relname || '.' || a.attname AS name, c.relname AS on,
    format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '') AS definition,
    NOT a.attnotnull OR a.atthasdef AS is_optional, NULL AS refuses_on
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL SELECT 'constraint ' || conname, conrelid::regclass::text, pg_get_constraintdef(oid), NULL,
    CASE WHEN contype = 'f' AND confdeltype NOT IN ('c', 'n') THEN confrelid::regclass::text END
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid <> 0 AND contype <> 'n'
  UNION ALL SELECT 'index ' || indexname, tablename, indexdef, NULL, NULL FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT 'trigger ' || tgname, tgrelid::regclass::text, pg_get_triggerdef(oid), NULL, NULL
  FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT 'function ' || oid::regprocedure, NULL, pg_get_functiondef(oid), NULL, NULL
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'`

const tables = `SELECT c.relname AS name, pg_relation_filenode(c.oid)::text AS file,
    (SELECT array_agg(DISTINCT l.mode) FROM pg_locks l WHERE l.relation = c.oid AND l.pid = pg_backend_pid()) AS modes
  FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'migrations'`

interface Table {
  readonly name: string
  readonly file: string
  readonly modes: ReadonlyArray<string> | null
}

/** What a held lock on a table says that the migration did, while requests of the version before wait. */
const work: Readonly<Record<string, string>> = {
  RowExclusiveLock: "changes rows of",
  ShareLock: "makes an index of"
}

class Undo {
  readonly problems: ReadonlyArray<string>
  constructor(problems: ReadonlyArray<string>) {
    this.problems = problems
  }
}

/**
 * Runs a migration on a database and undoes it. Returns why a Sheaf of the version before could not run with it, or would wait
 * for long: what it removes (allowed for `contract_…`), changes, requires of rows, or does to all rows of a table.
 */
export const rollingProblems = <E>(
  migration: Effect.Effect<unknown, E, SqlClient.SqlClient>,
  kind: "expand" | "contract"
) =>
  Effect.gen(function* () {
    const { write } = yield* Database
    const read = Effect.all([write.unsafe<Part>(parts), write.unsafe<Table>(tables)])
    return yield* write
      .withTransaction(
        Effect.gen(function* () {
          const [earlierParts, earlierTables] = yield* read
          yield* Effect.provideService(migration, SqlClient.SqlClient, write)
          const [laterParts, laterTables] = yield* read
          const earlier = new Map(earlierParts.map((part) => [part.name, part]))
          const later = new Map(laterParts.map((part) => [part.name, part]))
          const files = new Map(earlierTables.map(({ file, name }) => [name, file]))
          const problems: Array<string> = []
          for (const [name, { definition }] of earlier) {
            const now = later.get(name)
            if (now === undefined && kind === "expand") problems.push(`removes ${name}`)
            if (now !== undefined && now.definition !== definition) problems.push(`changes ${name}`)
          }
          for (const [name, { is_optional, on, refuses_on }] of later) {
            if (earlier.has(name)) continue
            if (on !== null && files.has(on) && is_optional !== true) problems.push(`requires ${name} of ${on}`)
            if (refuses_on !== null && files.has(refuses_on))
              problems.push(`refuses deletions of ${refuses_on}: ${name}`)
          }
          for (const { file, modes, name } of laterTables) {
            const before = files.get(name)
            if (before === undefined) continue
            if (before !== file) problems.push(`rewrites ${name}`)
            for (const [mode, does] of Object.entries(work)) {
              if (modes?.includes(mode) === true) problems.push(`${does} ${name}`)
            }
          }
          return yield* Effect.fail(new Undo(problems))
        })
      )
      .pipe(
        Effect.catchIf(
          (error) => error instanceof Undo,
          ({ problems }) => Effect.succeed(problems)
        )
      )
  })
