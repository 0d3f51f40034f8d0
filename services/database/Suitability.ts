import { Effect, Schema } from "effect"
import { Database } from "./Database.ts"

/** Sheaf cannot run on this database: one line for the operator. */
export class UnsuitableDatabase extends Schema.TaggedError<UnsuitableDatabase>()("UnsuitableDatabase", {
  message: Schema.String
}) {}

interface Found {
  readonly role: string
  readonly version: number
  readonly encoding: string
  readonly icu: boolean
  readonly read_only: boolean
  readonly schema: string | null
  readonly creates: boolean
  /** Whether the connection has the settings with which it was opened. */
  readonly configured: boolean
  /** The role that owns the tables of an earlier start, where this role is not a member of it. */
  readonly owner: string | null
}

const foundText = `SELECT current_user::text AS role, current_setting('server_version_num')::int AS version,
  current_setting('server_encoding') AS encoding,
  EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i' AND pg_collation_actual_version(oid) IS NOT NULL) AS icu,
  current_setting('transaction_read_only') = 'on' AS read_only, current_schema()::text AS schema,
  current_setting('plan_cache_mode') = 'force_generic_plan' AS configured,
  coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS creates,
  (SELECT pg_get_userbyid(relowner)::text FROM pg_class
    WHERE oid = to_regclass('migrations') AND NOT pg_has_role(relowner, 'USAGE')) AS owner`

const refusal = (found: Found): string | undefined => {
  if (found.version < 150_000) {
    return `it is served by PostgreSQL ${Math.floor(found.version / 10_000)}: Sheaf needs PostgreSQL 15 or later`
  }
  if (!found.configured) {
    return "a pooler such as PgBouncer is before it, which drops the settings of connections: connect to PostgreSQL directly"
  }
  if (found.encoding !== "UTF8") return `it has the encoding ${found.encoding}: Sheaf needs UTF8`
  if (!found.icu) {
    return "it has no ICU collations, by which Sheaf sorts text: use a PostgreSQL that is built with ICU"
  }
  if (found.read_only) {
    return "it is read-only: connect to the primary server, and set no default_transaction_read_only"
  }
  if (found.schema === null) {
    return `the role ${found.role} has no schema in it: give it the schema public, or set its search_path`
  }
  if (found.owner !== null) {
    return `its tables belong to the role ${found.owner}: connect as that role, not as ${found.role}`
  }
  return found.creates
    ? undefined
    : `the role ${found.role} may not create tables in the schema ${found.schema}: make it the owner of the database`
}

/** Refuses a database on which migrations, or later statements, would fail. */
export const require = Effect.gen(function* () {
  const { write } = yield* Database
  const [found] = yield* write.unsafe<Found>(foundText)
  const message = refusal(found!)
  if (message !== undefined) return yield* new UnsuitableDatabase({ message })
})
