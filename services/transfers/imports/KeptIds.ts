import { Effect } from "effect"
import type { Reads } from "../../database/ReachedRows.ts"
import type { WorkspaceId } from "../../Ids.ts"
import * as Notebooks from "../../notes/notebooks/Notebooks.ts"
import { notebooks } from "../../notes/notebooks/Notebook.ts"
import { resourceCounters } from "../../Resources.ts"
import type { Actor } from "../../writer/Actor.ts"
import type { Draft } from "../../writer/Draft.ts"
import type { Writer } from "../../writer/Writer.ts"
import { type ImportRow, imports } from "./Import.ts"
import { Ended } from "./ImportBatch.ts"
import type { ImportPreview } from "./ImportPreview.ts"

/**
 * Whether imported records may keep their ids: only if the workspace has nothing but an empty Inbox, which is then
 * removed if the export has other notebooks. `isKnown`: the workspace has or had a record of the export, or a note in
 * its trash.
 */
const keepIds = Effect.fnUntraced(function* (draft: Draft, isKnown: boolean, ids: ReadonlySet<string>) {
  const [inbox, ...others] = (yield* draft.all(notebooks)).values()
  const isEmpty =
    resourceCounters.every((counter) => counter === "notebooks" || draft.head[counter] === 0) &&
    others.length === 0 &&
    (inbox === undefined || (inbox.name === "Inbox" && inbox.parent_id === null && inbox.note_count === 0))
  if (isKnown || !isEmpty) return false
  if (inbox !== undefined && ids.size > 0 && !ids.has(inbox.id)) {
    Notebooks.records.remove(draft, inbox, "notebook.deleted")
  }
  return true
})

export const make = (read: Reads, writer: Writer["Service"]) => {
  /** Whether the workspace has, or had, one of these records, or has any note in its trash. */
  const knowsAny = Effect.fnUntraced(function* (workspace_id: string, ids: ReadonlySet<string>) {
    const [row] = yield* Effect.orDie(
      read.unsafe<{ readonly is_known: boolean }>(
        `SELECT EXISTS (SELECT FROM notes WHERE workspace_id = $1) OR EXISTS (
          SELECT FROM records r WHERE workspace_id = $1 AND type IN ('note', 'notebook', 'tag', 'template')
            AND id = ANY($2::text[])
            AND NOT EXISTS (SELECT FROM notebooks b WHERE b.workspace_id = r.workspace_id AND b.id = r.id)
        ) AS is_known`,
        [workspace_id, [...ids]]
      )
    )
    return row!.is_known
  })

  /** Decides whether records of an export keep their ids: once, before the first of them is written. */
  const decide = Effect.fnUntraced(function* (
    workspace_id: WorkspaceId,
    actor: Actor,
    { credential_id, id, keeps_ids }: ImportRow,
    ids: ReadonlySet<string>,
    preview: ImportPreview | undefined
  ) {
    if (keeps_ids !== null) return keeps_ids
    // A limited credential does not get to know whether the workspace is empty.
    const isKnown = credential_id !== null || (yield* knowsAny(workspace_id, ids))
    const decided = yield* writer.write(workspace_id, { actor, needs: [[imports, id]] }, (stored) =>
      Effect.gen(function* () {
        const row = yield* stored.get(imports, id)
        if (row === undefined || row.status !== "queued") return yield* new Ended()
        const draft = preview?.draftOf(stored) ?? stored
        const kept = row.keeps_ids ?? (yield* keepIds(draft, isKnown, ids))
        const next: ImportRow = { ...row, keeps_ids: kept }
        if (preview === undefined) stored.put(imports, next)
        return { draft, kept }
      })
    )
    preview?.add(decided.draft)
    return decided.kept
  })

  return { decide }
}
