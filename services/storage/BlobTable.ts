import * as Column from "./Column.ts"
import * as Table from "./Table.ts"

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
    unused_since: Column.nullable(Column.text())
  },
  { key: ["sha256"] }
)

/**
 * Whoever keeps bytes writes that down first, and what refers to them at most some minutes later: a row that has been
 * unused for so long is not about to be used.
 */
export const unusedFor = 3_600_000
