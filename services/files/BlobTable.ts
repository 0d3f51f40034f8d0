import type { Staged } from "./Blobs.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"

/**
 * The blobs of a workspace, and the number of records that use each. The row is written before the bytes, and deleted
 * after them: the bytes of an unused row (`unused_since`) may or may not exist.
 */
export const blobs = Table.make(
  "blobs",
  {
    sha256: Column.text(),
    size: Column.bigint,
    refs: Column.int,
    unused_since: Column.nullable(Column.text()),
    /** Whether a record used the blob and released it. */
    released: Column.boolean
  },
  { key: ["sha256"] }
)
type BlobRow = Table.Row<typeof blobs>

/** The row after one more record uses the blob. */
export const taken = (blob: BlobRow, { sha256, size }: Staged): BlobRow => ({
  sha256,
  size,
  refs: blob.refs + 1,
  unused_since: null,
  released: false
})

/** The row after one record less uses the blob. */
export const released = (blob: BlobRow, now: string): BlobRow => ({
  ...blob,
  refs: blob.refs - 1,
  unused_since: blob.refs === 1 ? now : null,
  released: blob.refs === 1
})

/**
 * Milliseconds after which an unused row may be deleted. An upload writes the row first, and the record that uses it at
 * most some minutes later, so a row that has been unused for this time is not about to be used.
 */
export const unusedFor = 3_600_000
