import { Effect } from "effect"
import { Expired } from "../Errors.ts"
import type { Draft } from "../writer/Draft.ts"

const days = 24 * 3600_000

/** What was deleted can be restored for so long (interface.md, Limits), */
const restoreWindow = 30 * days

/** and stays for a week more, in which the response still says why it cannot (contract 5). */
export const purgeAfter = restoreWindow + 7 * days

/** Fails with 410 where the time to restore has passed. */
export const restorable = (draft: Draft, what: "note" | "notebook", deleted_at: string) =>
  draft.millis - Date.parse(deleted_at) <= restoreWindow
    ? Effect.void
    : Effect.fail(
        new Expired({ code: "restore_window_expired", detail: `The ${what} was deleted more than 30 days ago` })
      )
