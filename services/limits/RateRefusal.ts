import { Effect } from "effect"
import { RateLimited } from "../Errors.ts"
import type { Counter } from "./RateCounters.ts"
import type { Counted } from "./Windows.ts"

const retryAfter = ({ left }: Counted): number => Math.max(1, Math.ceil(left / 1000))

/** The refusal of what was counted too often. */
export const tooMany =
  (detail: string, code: "rate_limited" | "login_throttled" = "rate_limited") =>
  (counted: Counted) =>
    new RateLimited({ code, detail, retry_after: retryAfter(counted) })

/** Counts an attempt, and refuses it above the limit. */
export const admit = (
  counter: Counter,
  key: string,
  limit: number,
  refusal: (counted: Counted) => RateLimited
): Effect.Effect<void, RateLimited> =>
  Effect.flatMap(counter.add(key), (counted) => (counted.count > limit ? Effect.fail(refusal(counted)) : Effect.void))
