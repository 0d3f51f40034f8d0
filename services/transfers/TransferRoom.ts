import { Effect } from "effect"
import { RateLimited } from "../Errors.ts"
import type { Draft } from "../writer/Draft.ts"
import { exports } from "./exports/ExportTable.ts"
import { imports } from "./imports/ImportTable.ts"
import { mostRunning, mostWaiting } from "./TransferTable.ts"

const tooMany = new RateLimited({
  code: "rate_limited",
  detail: `${mostWaiting} exports and imports of the workspace are waiting already`,
  retry_after: 60
})

/** Refuses one more export or import that waits for its turn (contract 7). */
export const room = Effect.fnUntraced(function* (draft: Draft) {
  const unfinished = yield* draft.having(exports, "status", "queued")
  const begun = (yield* draft.having(imports, "status", "queued")).filter(({ blob }) => blob !== null)
  if (unfinished.length + begun.length >= mostRunning + mostWaiting) return yield* tooMany
})
