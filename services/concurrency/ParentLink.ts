import { Context, type Effect } from "effect"
import type { Unavailable } from "../Errors.ts"

/**
 * A worker's connection to its parent process, which has once what all workers of a server share, such as counts of limits
 * (docs/architecture.md, Workers).
 */
export interface ParentLink {
  /** The id of the node of which this process is a worker. */
  readonly node: string
  /** Whether this is the first worker of the server, which shows how to use it. */
  readonly isFirst: boolean
  /** Sends a request to the parent, and returns its response. An interruption cancels it there. */
  readonly ask: <A>(kind: string, input: unknown) => Effect.Effect<A, Unavailable>
  /** Sets how this worker responds to a question of its parent. */
  readonly respond: (kind: Question, response: Effect.Effect<unknown>) => Effect.Effect<void>
  /** Reports that this worker serves requests. */
  readonly ready: Effect.Effect<void>
}

/**
 * What a parent asks its workers: `metrics` for their text, and `retire` so that clients connect again, because the worker is
 * about to be replaced.
 */
export type Question = "metrics" | "retire"

/** The link of this process; undefined if it is the only one of its server. */
export const ParentLink = Context.Reference<ParentLink | undefined>("sheaf/concurrency/ParentLink", {
  defaultValue: () => undefined
})

/** A request of a worker, as its parent handles it. `worker`: the number of the process, never used again. */
export type Handler = (input: any, worker: number) => Effect.Effect<unknown, Unavailable>
