import { Clock, Context, Effect, Layer } from "effect"
import { AuditEntry, auditList } from "./AuditEntry.ts"
import { columnsOf } from "../tables/Column.ts"
import { type BadRequest, NotFound, type Unavailable } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { type Plan, plans, Principal } from "../Principal.ts"
import { Database, runSql } from "../database/Database.ts"
import { Lists } from "../lists/Lists.ts"
import { auditEntries } from "../writer/AuditTrail.ts"
import { traced } from "../Traced.ts"
import { Plans } from "../workspaces/Plans.ts"

const day = 24 * 3600_000
const pruneBatch = 1_000
/** Maximum number of workspaces that one query checks for old entries. */
const pruneReach = 500

const missing = NotFound.of("audit entry")

/** The security events of a workspace (contract 9). `writer/AuditTrail` adds entries; they never change. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly get: (id: string) => Effect.Effect<AuditEntry, NotFound | Unavailable, Principal>
    /** Deletes the entries that are older than the plan of their workspace allows. */
    readonly prune: Effect.Effect<void>
  }
>()("sheaf/activity/AuditLog") {
  static readonly layer = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const { read, write } = yield* Database
      const lists = yield* Lists
      const { limits } = yield* Plans

      /** Returns the lowest id that the plan keeps, or "" if it keeps entries for ever. */
      const oldest = (plan: Plan, now: number): string => {
        const days = limits[plan].audit_days
        return days === 0 ? "" : `al_${Ids.base62(Math.max(0, now - days * day), 8)}`
      }

      const list = traced("AuditLog.list")(function* (query: PageQuery) {
        const { plan, workspace_id } = yield* Principal
        return yield* lists.page({
          spec: auditList,
          query,
          workspace_id,
          where: "id >= $2",
          params: [oldest(plan, yield* Clock.currentTimeMillis)]
        })
      })

      const get = traced("AuditLog.get")(function* (id: string) {
        const { plan, workspace_id } = yield* Principal
        const [entry] = yield* runSql<AuditEntry>(
          read,
          `SELECT ${columnsOf(auditList.shape)} FROM ${auditEntries.name} WHERE workspace_id = $1 AND id = $2 AND id >= $3`,
          [workspace_id, id, oldest(plan, yield* Clock.currentTimeMillis)]
        )
        return entry ?? (yield* missing)
      })

      const pruneWorkspace = Effect.fnUntraced(function* (workspace_id: Ids.WorkspaceId, before: string) {
        while (true) {
          const gone = yield* write.unsafe(
            `DELETE FROM ${auditEntries.name} WHERE workspace_id = $1 AND id IN (
              SELECT id FROM ${auditEntries.name} WHERE workspace_id = $1 AND id < $2 ORDER BY id LIMIT ${pruneBatch}
            ) RETURNING 1 AS gone`,
            [workspace_id, before]
          )
          if (gone.length < pruneBatch) return
        }
      })

      const prunePlan = Effect.fnUntraced(function* (plan: Plan) {
        const before = oldest(plan, yield* Clock.currentTimeMillis)
        for (let last = ""; before !== "";) {
          // The first entry of a workspace shows whether any is due.
          const due = yield* read.unsafe<{ workspace_id: Ids.WorkspaceId }>(
            `SELECT workspace_id FROM workspaces w WHERE plan = $1 AND workspace_id > $2 AND (
              SELECT id FROM ${auditEntries.name} a WHERE a.workspace_id = w.workspace_id ORDER BY id LIMIT 1
            ) < $3 ORDER BY workspace_id LIMIT ${pruneReach}`,
            [plan, last, before]
          )
          for (const { workspace_id } of due) yield* pruneWorkspace(workspace_id, before)
          if (due.length < pruneReach) return
          last = due.at(-1)!.workspace_id
        }
      })

      const prune = Effect.orDie(Effect.forEach(plans, prunePlan, { discard: true }))

      return AuditLog.of({ list, get, prune })
    })
  )
}
