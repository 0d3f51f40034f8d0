import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { type ResourceCounter, resourceCounters } from "../Resources.ts"
import { type Counter, counters } from "../tables/Counters.ts"
import type { Faults } from "./Check.ts"
import { eachSlice, ofWorkspace } from "./Snapshot.ts"

const countOf = (table: string): string => `SELECT count(*) FROM ${table} t WHERE t.workspace_id = s.workspace_id`

const bytesOf = (table: string): string =>
  `(SELECT coalesce(sum(octet_length(t.body)), 0) FROM ${table} t WHERE t.workspace_id = s.workspace_id)`

/** The value of each counter of the head `s`, as an SQL query. */
export const counted = {
  // The table of a type has the name of its counter.
  ...(Object.fromEntries(resourceCounters.map((counter) => [counter, countOf(counter)])) as Record<
    ResourceCounter,
    string
  >),
  notes: `${countOf("notes")} AND t.deleted_at IS NULL`,
  text_bytes: `SELECT ${bytesOf("notes")} + ${bytesOf("note_versions")} + ${bytesOf("templates")}`,
  file_bytes: `SELECT coalesce(sum(t.size) FILTER (WHERE t.status = 'ready' OR t.staging IS NOT NULL), 0)
    FROM attachments t WHERE t.workspace_id = s.workspace_id`
} satisfies Readonly<Record<Counter, string>>

/** The number of notes in the notebook `s`. */
export const inNotebook = `SELECT count(*) FROM notes t
  WHERE t.workspace_id = s.workspace_id AND t.notebook_id = s.id AND t.deleted_at IS NULL`

/** The number of notes with the tag `s`. */
export const withTag = "SELECT count(*) FROM note_tags t WHERE t.workspace_id = s.workspace_id AND t.tag_id = s.id"

/** The number of records that use the blob `s`. */
export const usesOf = `SELECT ${["attachments", "exports", "imports"]
  .map(
    (table) =>
      `(SELECT count(*) FROM ${table} t WHERE t.workspace_id = s.workspace_id AND t.blob = s.sha256 AND t.blob IS NOT NULL)`
  )
  .join(" + ")}`

interface Miscount {
  readonly workspace_id: WorkspaceId
  readonly id: string
  readonly stored: number
  readonly found: number
}

/**
 * Counters of bytes: one that differs may be the only trace of a text or a file that was changed outside Sheaf, so that
 * they are repaired on demand only.
 */
export const byteCounters: ReadonlyArray<string> = ["text_bytes", "file_bytes"] satisfies ReadonlyArray<Counter>

interface Repair<R> {
  /** Whether counters of bytes are corrected too. */
  readonly withBytes: boolean
  /** Corrects the counters of a workspace. Returns the reason if that fails. */
  readonly run: (workspace_id: WorkspaceId) => Effect.Effect<string | undefined, never, R>
}

const bytesRemedy =
  "Find what has changed: compare with a backup, and run sheaf doctor without --quick. If all texts and files are right, " +
  "run sheaf doctor --repair-bytes, which counts again."

/** Compares each stored count with the rows that it counts. With `repair`, corrects each workspace with a wrong count. */
export const counterCheck = <R = never>(repair: Repair<R> | undefined) => ({
  name: "counters",
  run: Effect.fnUntraced(function* (faults: Faults) {
    /** The workspace that was repaired last: faults of a workspace follow each other. */
    let last: { readonly workspace_id: WorkspaceId; readonly failure: string | undefined } | undefined

    const report = Effect.fnUntraced(function* (workspace_id: WorkspaceId, id: string, problem: string) {
      if (byteCounters.includes(id) && repair?.withBytes !== true) {
        faults.add({ workspace_id, problem, remedy: bytesRemedy })
        return repair !== undefined || !faults.isFull
      }
      if (repair === undefined) {
        faults.add({ workspace_id, problem, remedy: "Run sheaf doctor --repair, which counts again." })
        return !faults.isFull
      }
      if (last?.workspace_id !== workspace_id) last = { workspace_id, failure: yield* repair.run(workspace_id) }
      const { failure } = last
      faults.add(
        failure === undefined
          ? { workspace_id, problem, remedy: "The workspace was counted again.", repaired: true }
          : { workspace_id, problem, remedy: `The repair failed: ${failure}. Run sheaf doctor --repair again.` }
      )
      // Also workspaces whose faults are not shown are repaired.
      return true
    })

    const miscounts = (what: (row: Miscount) => string) => (row: Miscount) =>
      report(row.workspace_id, row.id, what(row))

    yield* eachSlice(
      {
        table: "heads",
        key: ["workspace_id"],
        size: 20,
        columns: ["workspace_id", ...counters].join(", "),
        query: `SELECT s.workspace_id, c.id, c.stored::float8 AS stored, c.found::float8 AS found FROM s ${ofWorkspace}
          CROSS JOIN LATERAL (${counters
            .map((counter) => `SELECT '${counter}' AS id, s.${counter} AS stored, (${counted[counter]}) AS found`)
            .join(" UNION ALL ")}) c WHERE c.stored <> c.found`
      },
      miscounts(({ found, id, stored }) => `The head of the workspace has ${stored} as ${id}, and ${found} exist.`)
    )
    for (const [table, word, found] of [
      ["notebooks", "notebook", inNotebook],
      ["tags", "tag", withTag]
    ] as const) {
      yield* eachSlice(
        {
          table,
          key: ["workspace_id", "id"],
          size: 500,
          columns: "workspace_id, id, note_count",
          query: `SELECT s.workspace_id, s.id, s.note_count AS stored, c.found::float8 AS found FROM s ${ofWorkspace}
            CROSS JOIN LATERAL (SELECT (${found}) AS found) c WHERE s.note_count <> c.found`
        },
        miscounts((row) => `The ${word} ${row.id} has ${row.stored} as its number of notes, and ${row.found} exist.`)
      )
    }
    yield* eachSlice(
      {
        table: "blobs",
        key: ["workspace_id", "sha256"],
        size: 500,
        columns: "workspace_id, sha256, refs",
        query: `SELECT s.workspace_id, s.sha256 AS id, s.refs AS stored, c.found::float8 AS found FROM s ${ofWorkspace}
          CROSS JOIN LATERAL (SELECT (${usesOf}) AS found) c WHERE s.refs <> c.found`
      },
      miscounts((row) => `The file ${row.id} has ${row.stored} as its number of uses, and ${row.found} records use it.`)
    )
  })
})
