import { Context, Effect, Layer, Schedule } from "effect"
import { Database } from "../database/Database.ts"
import type { Appended } from "./Draft.ts"
import { NodeBus } from "../database/NodeBus.ts"

/**
 * The log of a workspace has grown to `last`. `entries`: those from `first` on; empty if they must be read. If only
 * permissions have changed, the log has not grown: `first` is after `last`.
 */
export interface Growth {
  readonly workspace_id: string
  readonly first: number
  readonly last: number
  readonly entries: ReadonlyArray<Appended>
  /** Whether permissions in the workspace have changed too. */
  readonly changesAccess: boolean
}

export type Listener = (growth: Growth) => void

/**
 * Notifies listeners that a log has grown, whatever they read it for. A notification is only a hint: a listener that
 * needs every entry reads those between its own position and `last` from the database.
 */
export class ChangeLog extends Context.Service<
  ChangeLog,
  {
    /** Called by the writer, after the commit. */
    readonly publish: (growth: Growth) => void
    /** Calls the listener for all writes of this node, before the response to the write. */
    readonly observe: (listener: Listener) => void
    /** Calls the listener for one workspace, until the returned function is called. */
    readonly listen: (workspace_id: string, listener: Listener) => () => void
  }
>()("sheaf/writer/ChangeLog") {
  static readonly layer = Layer.effect(
    ChangeLog,
    Effect.gen(function* () {
      const { read } = yield* Database
      const bus = yield* NodeBus
      const listeners = new Map<string, Set<Listener>>()
      const observers: Array<Listener> = []
      /** For each workspace with listeners, the last seq of which they were notified: the poll skips what is known. */
      const known = new Map<string, number>()

      const deliver = (growth: Growth) => {
        const subscribed = listeners.get(growth.workspace_id)
        if (subscribed === undefined) return
        known.set(growth.workspace_id, Math.max(growth.last, known.get(growth.workspace_id) ?? 0))
        for (const listener of subscribed) listener(growth)
      }

      const grown = (workspace_id: string, seq: number) =>
        deliver({ workspace_id, first: seq, last: seq, entries: [], changesAccess: false })
      yield* bus.subscribe({ log: grown })

      // Messages between nodes can be lost, so workspaces with listeners are also polled once a second.
      const poll = Effect.gen(function* () {
        if (listeners.size === 0) return
        const rows = yield* read.unsafe<{ workspace_id: string; seq: number }>(
          "SELECT workspace_id, seq::float8 AS seq FROM heads WHERE workspace_id = ANY($1::text[])",
          [[...listeners.keys()]]
        )
        for (const { seq, workspace_id } of rows) {
          if (seq > (known.get(workspace_id) ?? 0)) grown(workspace_id, seq)
        }
      })
      yield* Effect.forkScoped(
        poll.pipe(
          Effect.catchCause((cause) =>
            Effect.logDebug("the heads of workspaces with listeners could not be polled", cause)
          ),
          Effect.repeat(Schedule.spaced("1 second"))
        )
      )

      return ChangeLog.of({
        publish: (growth) => {
          for (const observer of observers) observer(growth)
          deliver(growth)
          bus.notifyLog(growth.workspace_id, growth.last)
        },
        observe: (listener) => void observers.push(listener),
        listen: (workspace_id, listener) => {
          let subscribed = listeners.get(workspace_id)
          if (subscribed === undefined) listeners.set(workspace_id, (subscribed = new Set()))
          subscribed.add(listener)
          return () => {
            subscribed.delete(listener)
            if (subscribed.size === 0 && listeners.get(workspace_id) === subscribed) {
              listeners.delete(workspace_id)
              known.delete(workspace_id)
            }
          }
        }
      })
    })
  )
}
