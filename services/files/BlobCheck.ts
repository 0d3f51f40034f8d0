import { Effect, References } from "effect"
import type { Unavailable } from "../Errors.ts"
import { type BlobKey, Blobs } from "./Blobs.ts"
import { BlobDamaged } from "./CheckedBlobs.ts"
import { Database, runSql } from "../database/Database.ts"
import { Progress } from "../Progress.ts"

/** Number of files that one query looks up. */
const slice = 500

/** A file whose bytes do not match its row in `blobs`, with the records that use it. */
export interface BlobFault extends BlobKey {
  readonly problem: "missing" | "damaged"
  readonly attachments: ReadonlyArray<string>
  readonly exports: ReadonlyArray<string>
  readonly imports: ReadonlyArray<string>
}

interface Row extends BlobKey {
  readonly size: number
}

const ownersText = `SELECT
  ARRAY(SELECT id FROM attachments WHERE workspace_id = $1 AND sha256 = $2 ORDER BY id) AS attachments,
  ARRAY(SELECT id FROM exports WHERE workspace_id = $1 AND blob = $2 ORDER BY id) AS exports,
  ARRAY(SELECT id FROM imports WHERE workspace_id = $1 AND blob = $2 ORDER BY id) AS imports
  FROM blobs WHERE workspace_id = $1 AND sha256 = $2 AND refs > 0`

/**
 * Checks all files that a record uses, a slice of `blobs` at a time: reads their bytes, and compares size and SHA-256;
 * with `isQuick`, compares the size only. Each call of `next` continues until it has found faults, and returns none at the
 * end.
 */
export const check = Effect.fnUntraced(function* ({ isQuick }: { readonly isQuick: boolean }) {
  const { read } = yield* Database
  const blobs = yield* Blobs
  const report = yield* Progress
  const [all] = yield* runSql<{ readonly count: number }>(
    read,
    "SELECT count(*)::float8 AS count FROM blobs WHERE refs > 0"
  )
  let last: BlobKey = { workspace_id: "", sha256: "" }
  let count = 0

  const sizeProblemOf = ({ size, ...key }: Row): Effect.Effect<BlobFault["problem"] | undefined, Unavailable> =>
    Effect.map(blobs.stat(key), (found) =>
      found === undefined ? "missing" : found.size === size ? undefined : "damaged"
    )

  const problemOf = ({ size, ...key }: Row): Effect.Effect<BlobFault["problem"] | undefined, Unavailable> =>
    Effect.scoped(
      Effect.flatMap(
        // Faults are returned, so they need not be logged.
        Effect.acquireRelease(Effect.provideService(blobs.read(key), References.MinimumLogLevel, "None"), (stream) =>
          Effect.sync(() => stream.destroy())
        ),
        (stream) =>
          Effect.promise(async () => {
            let bytes = 0
            try {
              for await (const chunk of stream) bytes += (chunk as Uint8Array).length
            } catch (error) {
              if (error instanceof BlobDamaged) return "damaged"
              throw error
            }
            return bytes === size ? undefined : "damaged"
          })
      )
    ).pipe(Effect.catchTag("BlobMissing", () => Effect.succeed("missing" as const)))

  /** Undefined if no record uses the file any more. */
  const faultOf = Effect.fnUntraced(function* ({ sha256, workspace_id }: Row, problem: BlobFault["problem"]) {
    const [owners] = yield* runSql<Pick<BlobFault, "attachments" | "exports" | "imports">>(read, ownersText, [
      workspace_id,
      sha256
    ])
    return owners === undefined ? undefined : { workspace_id, sha256, problem, ...owners }
  })

  const next = Effect.gen(function* () {
    while (true) {
      const rows: ReadonlyArray<Row> = yield* runSql<Row>(
        read,
        `SELECT workspace_id, sha256, size::float8 AS size FROM blobs
          WHERE (workspace_id, sha256) > ($1, $2) AND refs > 0 ORDER BY workspace_id, sha256 LIMIT ${slice}`,
        [last.workspace_id, last.sha256]
      )
      const faults: Array<BlobFault> = []
      for (const row of rows) {
        const problem = yield* isQuick ? sizeProblemOf(row) : problemOf(row)
        const fault = problem === undefined ? undefined : yield* faultOf(row, problem)
        if (fault !== undefined) faults.push(fault)
        report({ what: "Checking files", done: ++count, total: all!.count, unit: "files" })
      }
      last = rows.at(-1) ?? last
      if (faults.length > 0 || rows.length === 0) return faults
    }
  })
  return { next, checked: () => count }
})
