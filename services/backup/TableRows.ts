import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Query } from "../database/BackupLocks.ts"
import type { BlobKey } from "../files/Blobs.ts"
import type { Header, Sum } from "./BackupFormat.ts"
import { RunningSum } from "./RunningSum.ts"

/** Bytes of a piece of a table, at which it ends with its line. */
const pieceBytes = 1024 * 1024
/** Number of rows that are fetched at a time: a row may have megabytes. */
const fetched = 64

type Column = Header["tables"][number]["columns"][number]

/** A table with the columns that are stored: generated columns follow from them. */
export interface StoredTable {
  readonly name: string
  readonly columns: ReadonlyArray<Column>
  /** The columns of its primary key, by which its rows are sorted. */
  readonly key: ReadonlyArray<string>
}

/** Columns that a restore sets itself, with what a backup has instead: they separate the histories before and after it. */
const unstored: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  heads: { epoch: "", least_revision: "1" }
}

/**
 * Tables that no backup has: that of migrations, which write it; those about one installation; those of the requests of API
 * keys; and those of the contents of notes, which are read from the texts again.
 */
const excluded = [
  "migrations",
  ...["backups", "backup_alarms", "alarms", "nodes", "check_runs", "restores", "restore_drills"],
  ...["audit_unsent", "audit_chains"],
  ...["key_request_counts", "key_requests"],
  ...["content_places", "note_contents", "note_links", "note_link_keys", "note_tasks", "note_properties"]
]

/** The other tables of Sheaf. A table of an extension belongs to another program. */
const tablesText = `SELECT c.relname::text AS name,
    (SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) ORDER BY a.attnum)
      FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
    ARRAY(SELECT a.attname::text
      FROM pg_index i, unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, place), pg_attribute a
      WHERE i.indrelid = c.oid AND i.indisprimary AND a.attrelid = c.oid AND a.attnum = k.attnum
      ORDER BY k.place) AS key
  FROM pg_class c
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname NOT IN (${excluded.map((name) => `'${name}'`).join(", ")})
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY c.relname COLLATE "C"`

export const storedTables = (query: Query): Effect.Effect<ReadonlyArray<StoredTable>, SqlError.SqlError> =>
  query<StoredTable>(tablesText)

const quoted = (name: string): string => `"${name.replaceAll(`"`, `""`)}"`

/** Rows have one order on every server: text sorts by its bytes. */
const orderOf = ({ columns, key }: StoredTable): string =>
  (key.length > 0 ? columns.filter(({ name }) => key.includes(name)) : columns)
    .toSorted((one, other) => key.indexOf(one.name) - key.indexOf(other.name))
    .map(({ name, type }) =>
      key.length === 0 ? `${quoted(name)}::text COLLATE "C"` : quoted(name) + (type === "text" ? ` COLLATE "C"` : "")
    )
    .join(", ")

const readText = (table: StoredTable): string => {
  const values = table.columns.map(({ name }) => {
    const instead = unstored[table.name]?.[name]
    return instead === undefined ? `${quoted(name)}::text` : `'${instead}'`
  })
  return `SELECT array_to_json(ARRAY[${values.join(", ")}])::text AS line
    FROM ${quoted(table.name)} ORDER BY ${orderOf(table)}`
}

/** Fetches the rows of a SELECT through a cursor, some at a time, and passes each page to `use`. */
export const fetchAll = <Row extends object, E, R>(
  query: Query,
  text: string,
  use: (rows: ReadonlyArray<Row>) => Effect.Effect<void, E, R>
): Effect.Effect<void, E | SqlError.SqlError, R> =>
  Effect.gen(function* () {
    yield* query(`DECLARE stored NO SCROLL CURSOR FOR ${text}`)
    while (true) {
      const rows = yield* query<Row>(`FETCH ${fetched} FROM stored`)
      if (rows.length > 0) yield* use(rows)
      if (rows.length < fetched) break
    }
    yield* query("CLOSE stored")
  })

/** A file that records use. */
export interface FileRow extends BlobKey {
  readonly size: number
}

/** Fetches the files that records use, in the order of a backup, and passes each page to `use`. */
export const fetchFiles = <E, R>(query: Query, use: (rows: ReadonlyArray<FileRow>) => Effect.Effect<void, E, R>) =>
  fetchAll<FileRow, E, R>(
    query,
    `SELECT workspace_id, sha256, size::float8 AS size FROM blobs WHERE refs > 0
    ORDER BY workspace_id COLLATE "C", sha256 COLLATE "C"`,
    use
  )

/** Reads the rows of a table in pieces of whole lines, and returns their count and hash. */
export const readTable = Effect.fnUntraced(function* <E, R>(
  query: Query,
  table: StoredTable,
  use: (piece: Uint8Array) => Effect.Effect<void, E, R>
) {
  const tally = new RunningSum()
  let rows = 0
  let waiting: Array<string> = []
  let size = 0
  const flush = Effect.suspend(() => {
    if (waiting.length === 0) return Effect.void
    const piece = Buffer.from(waiting.join(""))
    tally.add(piece)
    waiting = []
    size = 0
    return use(piece)
  })
  yield* fetchAll<{ readonly line: string }, E, R>(query, readText(table), (page) =>
    Effect.gen(function* () {
      for (const { line } of page) {
        waiting.push(line, "\n")
        size += line.length + 1
        rows++
        if (size >= pieceBytes) yield* flush
      }
    })
  )
  yield* flush
  return { rows, ...tally.sum() } satisfies Sum & { readonly rows: number }
})

/** Inserts the rows of a piece, which was made from a table with these columns. */
export const insertPiece = (query: Query, { columns, name }: Header["tables"][number], piece: Uint8Array) =>
  query(
    `INSERT INTO ${quoted(name)} (${columns.map((column) => quoted(column.name)).join(", ")})
    SELECT ${columns.map(({ type }, index) => `(line ->> ${index})::${type}`).join(", ")}
    FROM (SELECT text::jsonb AS line FROM string_to_table($1, E'\\n') AS text WHERE text <> '' OFFSET 0) AS lines`,
    [Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString()]
  )

interface ForeignKey {
  readonly table: string
  readonly name: string
  readonly definition: string
}

/**
 * Runs an effect that fills tables in any order: without foreign keys, which are checked for all rows together when they
 * are added again, and without the triggers of single rows.
 */
export const withoutReferences = Effect.fnUntraced(function* <A, E, R>(query: Query, fill: Effect.Effect<A, E, R>) {
  const tables = (yield* storedTables(query)).map(({ name }) => quoted(name))
  const keys = yield* query<ForeignKey>(
    `SELECT quote_ident(c.relname) AS table, quote_ident(f.conname) AS name, pg_get_constraintdef(f.oid) AS definition
    FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
    WHERE f.contype = 'f' AND f.conparentid = 0 AND c.relnamespace = current_schema()::regnamespace ORDER BY 1, 2`
  )
  for (const { name, table } of keys) yield* query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  for (const table of tables) yield* query(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
  const filled = yield* fill
  // A table with checks that wait for the commit cannot be altered.
  yield* query("SET CONSTRAINTS ALL IMMEDIATE")
  for (const table of tables) yield* query(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
  for (const { definition, name, table } of keys) {
    yield* query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
  }
  return filled
})
