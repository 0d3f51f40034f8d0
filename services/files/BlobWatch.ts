import { Context, Effect, Layer, Schedule } from "effect"
import { Blobs } from "./Blobs.ts"

/**
 * Interval at which the file store is checked: often enough for an alert, and cheap for a bucket that bills requests.
 */
const every = "10 seconds"

/**
 * Checks from the start whether files can be reached. The log reports each change once: a bucket that is unreachable
 * for hours has one line, even if no request needs a file.
 */
export class BlobWatch extends Context.Service<
  BlobWatch,
  {
    /** Why files could not be reached at the last check; undefined if they could. */
    readonly outage: () => string | undefined
  }
>()("sheaf/files/BlobWatch") {
  static readonly layer = Layer.effect(
    BlobWatch,
    Effect.gen(function* () {
      const blobs = yield* Blobs
      let outage: string | undefined

      const look = blobs.ready.pipe(
        Effect.as(undefined),
        Effect.catchTag("FileStoreUnreachable", ({ reason }) => Effect.succeed(reason)),
        Effect.flatMap((found) => {
          const isNew = found !== outage
          outage = found
          if (!isNew) return Effect.void
          return found === undefined
            ? Effect.logInfo("the file store can be reached again")
            : Effect.logWarning(`the file store cannot be reached; requests without files still work: ${found}`)
        }),
        Effect.catchDefect((defect) => Effect.logError("the file store could not be checked", defect))
      )
      yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(every)))
      return BlobWatch.of({ outage: () => outage })
    })
  )
}
