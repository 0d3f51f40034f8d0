import { Context, Effect, Layer } from "effect"
import { Invalid, type SheafError } from "../Errors.ts"
import type { Pushable } from "../records/SyncAdapter.ts"
import { syncedRecords } from "./SyncedTypes.ts"

/** Returns the error with its fields under `data`, the member of the entry. */
const inData = (error: SheafError): SheafError =>
  error._tag !== "Invalid" || error.errors === undefined
    ? error
    : new Invalid({
        ...error,
        errors: error.errors.map((each) => ({ ...each, field: `data.${each.field}`, pointer: `/data${each.pointer}` }))
      })

const placed = (pushable: Pushable): Pushable => ({
  ...pushable,
  read: (data) => Effect.mapError(pushable.read(data), inData),
  create: (...given) => Effect.mapError(pushable.create(...given), inData),
  update: (...given) => Effect.mapError(pushable.update(...given), inData),
  revive: (...given) => Effect.mapError(pushable.revive(...given), inData)
})

/** The sync adapters of all types of records. */
export class Pushables extends Context.Service<
  Pushables,
  {
    readonly of: (type: string) => Pushable
  }
>()("sheaf/sync/Pushables") {
  static readonly layer = Layer.effect(
    Pushables,
    Effect.gen(function* () {
      const all = new Map<string, Pushable>()
      for (const [{ type }, service] of syncedRecords) all.set(type, placed((yield* service).pushable))
      return Pushables.of({ of: (type) => all.get(type)! })
    })
  )
}
