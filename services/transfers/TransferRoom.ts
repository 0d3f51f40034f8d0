import { Effect } from "effect"
import { RateLimited } from "../Errors.ts"
import type { Draft } from "../writer/Draft.ts"
import { exports } from "./exports/Export.ts"
import { imports } from "./imports/Import.ts"
import { maxRunning, maxWaiting } from "./TransferTable.ts"

const tooMany = new RateLimited({
  code: "rate_limited",
  detail: `${maxWaiting} exports and imports of the workspace are already waiting`,
  retry_after: 60
})

/** Refuses a further export or import when too many are waiting (contract, section 7). */
export const room = Effect.fnUntraced(function* (draft: Draft) {
  const unfinished = yield* draft.having(exports, "status", "queued")
  const begun = (yield* draft.having(imports, "status", "queued")).filter(({ blob }) => blob !== null)
  if (unfinished.length + begun.length >= maxRunning + maxWaiting) return yield* tooMany
})
