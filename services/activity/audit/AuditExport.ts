import { Context, Effect, Layer } from "effect"
import type { BackgroundWork } from "../../concurrency/BackgroundWork.ts"
import type { Database } from "../../database/Database.ts"
import type { AuditDestination } from "./AuditDestination.ts"

/** The copy of all audit logs at a destination outside of the database (AUDIT_LOG). */
export class AuditExport extends Context.Service<
  AuditExport,
  {
    /** Whether this node could not write the entries that wait. */
    readonly isFailing: () => boolean
  }
>()("sheaf/activity/audit/AuditExport") {
  static readonly layer = (
    destination: AuditDestination | undefined
  ): Layer.Layer<AuditExport, never, BackgroundWork | Database> =>
    destination === undefined
      ? Layer.succeed(AuditExport, AuditExport.of({ isFailing: () => false }))
      : Layer.effect(
          AuditExport,
          Effect.gen(function* () {
            // Loaded when it is needed: most servers have no such destination.
            const { start } = yield* Effect.promise(() => import("./AuditWriting.ts"))
            return AuditExport.of(yield* start(destination))
          })
        )
}
