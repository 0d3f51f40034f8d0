import { Schema } from "effect"
import { type BlobKey, blobPath } from "../files/Blobs.ts"

/**
 * A backup is a tar archive, compressed with zstd, with these parts in this order:
 *
 *     sheaf.json                        the header
 *     configuration.json                the settings of the server, without secrets
 *     secret.key                        only on demand
 *     files/<workspace>/<two>/<sha256>  each file that a record uses
 *     tables/<table>/<number>.jsonl     the rows of each table in pieces: an array of texts and nulls a line
 *     manifest.json                     sizes and hashes of all parts
 *
 * The manifest is the last part, so that a backup without it is incomplete. Files come before rows, so that a restore
 * commits the rows when the files are in place.
 */
const format = "sheaf-backup-1"

export const names = {
  header: "sheaf.json",
  configuration: "configuration.json",
  secretKey: "secret.key",
  manifest: "manifest.json"
} as const

/** Maximum number of bytes of a part other than a file. Lines are not split, and a row has at most some megabytes. */
export const maxPartBytes = 256 * 1024 * 1024

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const TableShape = Schema.Struct({
  name: Schema.String,
  columns: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String }))
})

/** The first part of a backup. */
export const Header = Schema.Struct({
  format: Schema.Literal(format),
  /** The version of Sheaf. */
  version: Schema.String,
  /** The version of the schema: the number of its last migration. */
  schema: Schema.Int,
  /** The version of PostgreSQL, such as 180004. */
  postgres: Schema.Int,
  created_at: Schema.String,
  tables: Schema.Array(TableShape)
})
export type Header = typeof Header.Type

export const header = (fields: Omit<Header, "format">): Header => ({ format, ...fields })

/** Whether a text is a header of any version of the format. */
export const isHeader = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "format" in value &&
  typeof value.format === "string" &&
  value.format.startsWith("sheaf-backup-")

/** A part, or all pieces of a table: their bytes before compression, and the SHA-256 of these. */
export const Sum = Schema.Struct({ bytes: Count, sha256: Schema.String })
export type Sum = typeof Sum.Type

/** A file that could not be backed up: it is not in the store, or its bytes do not match its hash. */
export const UnreadableFile = Schema.Struct({
  workspace_id: Schema.String,
  sha256: Schema.String,
  problem: Schema.Literals(["missing", "damaged"])
})
export type UnreadableFile = typeof UnreadableFile.Type

/** The last part of a backup. */
export const Manifest = Schema.Struct({
  parts: Schema.Record(Schema.String, Sum),
  tables: Schema.Record(Schema.String, Schema.Struct({ rows: Count, ...Sum.fields })),
  /**
   * The files, whose names are their hashes; `sha256` is that of the list of names and sizes. Damaged files are in the
   * archive, to keep the place of their size.
   */
  files: Schema.Struct({ count: Count, unreadable: Schema.Array(UnreadableFile), ...Sum.fields })
})
export type Manifest = typeof Manifest.Type

export const fileName = (key: BlobKey): string => `files/${blobPath(key)}`
export const tableName = (table: string, piece: number): string => `tables/${table}/${piece}.jsonl`

/** The line of a file in the list that the manifest has the hash of. */
export const fileLine = (key: BlobKey, size: number): string => `${fileName(key)} ${size}\n`

/** The file or the table of a part; undefined for other names. */
export const partOf = (name: string): { readonly file: BlobKey } | { readonly table: string } | undefined => {
  const file = /^files\/(ws_[0-9A-Za-z]+)\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(name)
  if (file !== null) return { file: { workspace_id: file[1]!, sha256: file[2]! } }
  const table = /^tables\/([^/]+)\/\d+\.jsonl$/.exec(name)
  return table === null ? undefined : { table: table[1]! }
}
