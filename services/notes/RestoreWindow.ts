import { Effect } from "effect"
import { Expired } from "../Errors.ts"
import type { Draft } from "../writer/Draft.ts"

const days = 24 * 3600_000

/** Days for which a deleted note or notebook can be restored (contract, Limits). */
const restoreDays = 30
const restoreWindow = restoreDays * days

/** Milliseconds after which it is erased. In the week before, a restore returns 410 (contract 5). */
export const purgeAfter = restoreWindow + 7 * days

/** Fails with 410 if the time to restore has passed. */
export const restorable = (draft: Draft, what: "note" | "notebook", deleted_at: string) =>
  draft.millis - Date.parse(deleted_at) <= restoreWindow
    ? Effect.void
    : Effect.fail(
        new Expired({
          code: "restore_window_expired",
          detail: `The ${what} was deleted more than ${restoreDays} days ago`
        })
      )
