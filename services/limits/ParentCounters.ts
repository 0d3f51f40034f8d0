import { Effect, Layer } from "effect"
import type { Handler, ParentLink } from "../concurrency/ParentLink.ts"
import { type Counter, RateCounters } from "./RateCounters.ts"
import type { Counted } from "./Windows.ts"

/** A change of a count, from a worker to its parent. */
interface Count {
  readonly name: string
  readonly window: number
  readonly method: "add" | "look" | "refund"
  readonly key: string
  /** For `addBoth`. */
  readonly both?: { readonly most: number; readonly other: string }
}

/** Counts in the parent process, for all workers. Without its parent a worker ends, so no count fails. */
export const layer = (link: ParentLink) =>
  Layer.succeed(
    RateCounters,
    RateCounters.of({
      counter: (name, window) => {
        const ask = <A>(count: Omit<Count, "name" | "window">) =>
          Effect.orDie(link.ask<A>("count", { name, window, ...count } satisfies Count))
        const by = (method: Count["method"]) => (key: string) => ask<Counted>({ method, key })
        const counter: Counter = {
          add: by("add"),
          look: by("look"),
          refund: by("refund"),
          addBoth: (key, most, other) => ask({ method: "add", key, both: { most, other } })
        }
        return counter
      },
      isShared: undefined
    })
  )

/** Counts for workers. */
export const handler = ({ counter }: RateCounters["Service"]): Handler => {
  const counters = new Map<string, Counter>()
  return ({ both, key, method, name, window }: Count) => {
    let found = counters.get(name)
    if (found === undefined) counters.set(name, (found = counter(name, window)))
    return both === undefined ? found[method](key) : found.addBoth(key, both.most, both.other)
  }
}
