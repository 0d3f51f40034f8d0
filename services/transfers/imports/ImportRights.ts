import { Data, Effect } from "effect"
import { notebooks } from "../../notes/notebooks/Notebook.ts"
import { isAtLeast } from "../../Principal.ts"
import type { Draft } from "../../writer/Draft.ts"
import { members, workspaces } from "../../workspaces/WorkspaceTables.ts"
import { askerOf, type ImportRow } from "./Import.ts"

/** The user who started the import may no longer write. */
export class NotAllowed extends Data.TaggedError("NotAllowed")<{ readonly message: string }> {}

/** Checks the current rights, which may have changed since the import was started. */
export const checkRights = Effect.fnUntraced(function* (draft: Draft, row: ImportRow) {
  const author_id = askerOf(row)
  const { notebook_id } = row
  const workspace = yield* draft.get(workspaces)
  if (workspace === undefined || workspace.deleted_at !== null) {
    return yield* new NotAllowed({ message: "The workspace was deleted" })
  }
  const [member] = author_id === null ? [] : yield* draft.having(members, "user_id", author_id)
  if (member === undefined || !isAtLeast(member.role, "editor")) {
    return yield* new NotAllowed({ message: "The user who started the import may no longer write to the workspace" })
  }
  if (draft.reach !== undefined && !(yield* draft.mayWrite(notebooks, notebook_id!))) {
    return yield* new NotAllowed({
      message: "The credential that started the import has ended, or may no longer write to the notebook"
    })
  }
})
