import { Clock, Context, Effect, Layer } from "effect"
import type { PrincipalShape } from "../Principal.ts"
import { Randomness } from "../Randomness.ts"
import type { ProblemCode } from "../ProblemCodes.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Database } from "../database/Database.ts"

/** Maximum number of credentials whose refused calls are counted at a time. Calls of further ones are not counted. */
const maxCredentials = 10_000

/** Refusals that concern the plan or a quota, not a right. */
const notRights: ReadonlySet<ProblemCode> = new Set(["plan_required", "quota_exceeded"])

/** Maximum number of different MCP tools that an entry counts: the server has fewer. */
const maxTools = 50

type Caller = Pick<PrincipalShape, "credential_id" | "ip" | "kind" | "user_agent" | "user_id" | "workspace_id">

interface Refused {
  readonly caller: Caller
  /** The time of the first refused call, in milliseconds since 1970. */
  readonly since: number
  /** Number of refused calls by problem code. */
  readonly counts: Map<string, number>
  /** Number of refused calls by MCP tool. */
  readonly tools: Map<string, number>
  /** The id of the entry. The first attempt to store it sets the id, so that another attempt stores no second entry. */
  id?: string
}

/**
 * Counts refused calls (403) of signed-in callers. Each hour it adds one audit entry per credential, with the number of
 * each problem code, so that an attack does not fill the audit log. Each node adds its own entries.
 */
export class RefusedCalls extends Context.Service<
  RefusedCalls,
  {
    /** `tool` is the MCP tool that was called. */
    readonly count: (caller: Caller, code: ProblemCode, tool?: string) => void
    /** Adds the counts to the audit log: each hour, and when the process stops. */
    readonly store: Effect.Effect<void>
  }
>()("sheaf/activity/RefusedCalls") {
  static readonly layer = Layer.effect(
    RefusedCalls,
    Effect.gen(function* () {
      const { write: sql } = yield* Database
      const clock = yield* Clock.Clock
      const randomness = yield* Randomness
      /** By workspace and credential. */
      const refused = new Map<string, Refused>()

      const count = (
        { credential_id, ip, kind, user_agent, user_id, workspace_id }: Caller,
        code: ProblemCode,
        tool?: string
      ): void => {
        if (notRights.has(code)) return
        const key = `${workspace_id} ${credential_id}`
        let known = refused.get(key)
        if (known === undefined) {
          if (refused.size >= maxCredentials) return
          const caller = { credential_id, ip, kind, user_agent, user_id, workspace_id }
          known = { caller, since: clock.currentTimeMillisUnsafe(), counts: new Map(), tools: new Map() }
          refused.set(key, known)
        }
        known.counts.set(code, (known.counts.get(code) ?? 0) + 1)
        if (tool !== undefined && (known.tools.has(tool) || known.tools.size < maxTools)) {
          known.tools.set(tool, (known.tools.get(tool) ?? 0) + 1)
        }
      }

      const store = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        for (const [key, each] of [...refused]) {
          const { caller, counts, since, tools } = each
          each.id ??= AuditTrail.auditId(randomness, now)
          const entry = {
            action: "auth.refused",
            resource: AuditTrail.credentialType(caller.kind),
            resource_id: caller.credential_id,
            data: {
              since: new Date(since).toISOString(),
              counts: Object.fromEntries(counts),
              ...(tools.size === 0 ? {} : { tools: Object.fromEntries(tools) })
            }
          } as const
          yield* AuditTrail.insertEntry(sql, caller.workspace_id, { ...caller, device_id: null }, now, entry, each.id)
          refused.delete(key)
        }
      })

      yield* Effect.addFinalizer(() =>
        Effect.catchCause(store, (cause) => Effect.logWarning("refused calls were not added to the audit log", cause))
      )

      return RefusedCalls.of({ count, store: Effect.orDie(store) })
    })
  )
}
