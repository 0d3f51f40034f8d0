import { Context, Effect, Layer } from "effect"
import { Invalid, type SheafError } from "../Errors.ts"
import type { SyncAdapter } from "../records/SyncAdapter.ts"
import { syncedRecords } from "./SyncedTypes.ts"

/** Returns the error with its fields under `data`, the member of the entry. */
const inData = (error: SheafError): SheafError =>
  error._tag !== "Invalid" || error.errors === undefined
    ? error
    : new Invalid({
        ...error,
        errors: error.errors.map((each) => ({ ...each, field: `data.${each.field}`, pointer: `/data${each.pointer}` }))
      })

const placed = (syncAdapter: SyncAdapter): SyncAdapter => ({
  ...syncAdapter,
  read: (data) => Effect.mapError(syncAdapter.read(data), inData),
  create: (...given) => Effect.mapError(syncAdapter.create(...given), inData),
  update: (...given) => Effect.mapError(syncAdapter.update(...given), inData),
  revive: (...given) => Effect.mapError(syncAdapter.revive(...given), inData)
})

/** The sync adapters of all types of records. */
export class SyncAdapters extends Context.Service<
  SyncAdapters,
  {
    readonly of: (type: string) => SyncAdapter
  }
>()("sheaf/sync/SyncAdapters") {
  static readonly layer = Layer.effect(
    SyncAdapters,
    Effect.gen(function* () {
      const all = new Map<string, SyncAdapter>()
      for (const [{ type }, service] of Object.values(syncedRecords))
        all.set(type, placed((yield* service).syncAdapter))
      return SyncAdapters.of({ of: (type) => all.get(type)! })
    })
  )
}
