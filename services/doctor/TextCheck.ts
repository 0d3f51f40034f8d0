import { Effect } from "effect"
import { wordCount } from "../notes/WordCount.ts"
import type { Faults } from "./Check.ts"
import { eachSlice, ofWorkspace } from "./Snapshot.ts"

/** Number of texts that are in memory at a time: each has at most some megabytes. */
const size = 50

interface Row {
  readonly workspace_id: string
  readonly id: string
  readonly version: number
  readonly body: string
  readonly word_count: number
}

const texts = [
  {
    table: "notes",
    key: ["workspace_id", "id"],
    start: ["", ""],
    columns: "workspace_id, id, version, body, word_count"
  },
  {
    table: "note_versions",
    key: ["workspace_id", "note_id", "version"],
    start: ["", "", "0"],
    columns: "workspace_id, note_id, note_id AS id, version, body, word_count"
  }
] as const

/**
 * Counts the words of each note and of each earlier version, and compares them with the count that was stored with the
 * text. It finds a text that was changed outside Sheaf, unless it has as many words as before.
 */
export const textCheck = {
  name: "texts",
  run: Effect.fnUntraced(function* (faults: Faults) {
    for (const { columns, key, start, table } of texts) {
      if (faults.isFull) return
      yield* eachSlice<Row, never, never>(
        {
          table,
          key,
          start,
          size,
          columns,
          query: `SELECT s.workspace_id, s.id, s.version, s.body, s.word_count FROM s ${ofWorkspace} WHERE s.body IS NOT NULL`
        },
        ({ body, id, version, word_count, workspace_id }) =>
          Effect.sync(() => {
            const words = wordCount(body)
            if (words !== word_count) {
              faults.add({
                workspace_id,
                problem: `The text of version ${version} of ${id} has ${words} words, and ${word_count} were stored with it: it was changed outside Sheaf.`,
                remedy: "Compare it with a backup from before the fault, and write the right text into the note."
              })
            }
            return !faults.isFull
          })
      )
    }
  })
}
