import type { Staged } from "./Blobs.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"

/**
 * The blobs of a workspace, and how many records have each. It is not there before its row, and goes before it: a row
 * that nothing has (`unused_since`) may or may not have its bytes still.
 */
export const blobs = Table.make(
  "blobs",
  {
    sha256: Column.text(),
    size: Column.bigint,
    refs: Column.int,
    unused_since: Column.nullable(Column.text()),
    /** A record has had it, and let it go. */
    released: Column.boolean
  },
  { key: ["sha256"] }
)
export type BlobRow = Table.Row<typeof blobs>

/** One record more has it. */
export const taken = (blob: BlobRow, { sha256, size }: Staged): BlobRow => ({
  sha256,
  size,
  refs: blob.refs + 1,
  unused_since: null,
  released: false
})

/** One record less has it. */
export const released = (blob: BlobRow, now: string): BlobRow => ({
  ...blob,
  refs: blob.refs - 1,
  unused_since: blob.refs === 1 ? now : null,
  released: blob.refs === 1
})

/**
 * Whoever keeps bytes writes that down first, and what refers to them at most some minutes later: a row that has been
 * unused for so long is not about to be used.
 */
export const unusedFor = 3_600_000
