import { Context, Effect, Layer, Schedule } from "effect"
import { Blobs } from "./Blobs.ts"

/** How often the store of files is looked at: often enough for an alert, and for a bucket that bills requests cheap. */
const every = "10 seconds"

/**
 * Whether files can be reached, from the start on. The log reports each change once: a bucket that is away for hours
 * has one line, also where no request needs a file.
 */
export class BlobWatch extends Context.Service<
  BlobWatch,
  {
    /** Why files could not be reached at the last look; undefined when they could. */
    readonly away: () => string | undefined
  }
>()("sheaf/files/BlobWatch") {
  static readonly layer = Layer.effect(
    BlobWatch,
    Effect.gen(function* () {
      const blobs = yield* Blobs
      let away: string | undefined

      const look = blobs.ready.pipe(
        Effect.as(undefined),
        Effect.catchTag("FilesAway", ({ reason }) => Effect.succeed(reason)),
        Effect.flatMap((found) => {
          const isNew = found !== away
          away = found
          if (!isNew) return Effect.void
          return found === undefined
            ? Effect.logInfo("files can be reached again")
            : Effect.logWarning(`files cannot be reached, all else works: ${found}`)
        }),
        Effect.catchDefect((defect) => Effect.logError("the store of files was not looked at", defect))
      )
      yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(every)))
      return BlobWatch.of({ away: () => away })
    })
  )
}
