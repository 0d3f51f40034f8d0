import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { statfs } from "node:fs/promises"
import { Unavailable } from "../Errors.ts"
import * as DiskReserve from "./DiskReserve.ts"

const mebibyte = 1024 * 1024

/** With fewer free bytes than this, the disk counts as full: two files of PostgreSQL's log still fit. */
const least = 32 * mebibyte
/** Free shares of the disk: below the first it becomes low, from the second on it is no longer low. */
const lowBelow = 0.1
const lowUntil = 0.12
/** Interval at which the disk is measured. */
const every = "1 second"

/** With less free space than this, or than this share of the disk, no files are accepted or made (contract 9). */
const leastForFiles = 1024 * mebibyte
const leastShareForFiles = 0.05

const full = new Unavailable({ code: "service_unavailable", detail: "The disk is full", retry_after: 30 })

const lowForFiles = new Unavailable({
  code: "overloaded",
  detail: "The disk has too little space left for uploads, imports and exports",
  retry_after: 60
})

export interface Space {
  /** Bytes that processes without privileges may still use. */
  readonly free: number
  readonly size: number
}

const measured = (directory: string) =>
  Effect.map(
    Effect.tryPromise(() => statfs(directory)),
    ({ bavail, blocks, bsize }): Space => ({ free: bavail * bsize, size: blocks * bsize })
  )

/**
 * The disk of DATA_DIR. While it is full, requests that add data are refused (contract 1), so that the remaining space
 * serves reads and deletions. With `reserve`, a file holds 64 MiB for that time: it is removed when the disk gets full,
 * and made again once there is space.
 */
export class DiskSpace extends Context.Service<
  DiskSpace,
  {
    /** Fails while the disk is full. */
    readonly room: Effect.Effect<void, Unavailable>
    readonly isFull: () => boolean
    /** Whether the disk is nearly full. */
    readonly isLow: () => boolean
    /** Fails while the disk has too little space for files: the rest is for what PostgreSQL writes. */
    readonly roomForFiles: Effect.Effect<void, Unavailable>
    /** As last measured. */
    readonly space: () => Space
  }
>()("sheaf/files/DiskSpace") {
  static readonly layer = (options: {
    readonly directory: string
    readonly reserve: boolean
    /** How the disk is measured: for tests. */
    readonly measure?: Effect.Effect<Space, unknown>
  }) =>
    Layer.effect(
      DiskSpace,
      Effect.gen(function* () {
        const { directory, measure = measured(directory) } = options
        const reserve = options.reserve ? DiskReserve.make(directory) : undefined
        const enough = 2 * least + (reserve === undefined ? 0 : DiskReserve.reserveBytes)
        // A command may run without a DATA_DIR.
        let space: Space = { free: 0, size: 0 }
        let isFull = false
        let isLow = false

        const report = (text: string) =>
          `${text}: ${Math.floor(space.free / mebibyte)} of ${Math.floor(space.size / mebibyte)} MiB are free on the disk of DATA_DIR`

        const look = Effect.gen(function* () {
          space = yield* measure
          const [wasFull, wasLow] = [isFull, isLow]
          isFull = isFull ? space.free < enough : space.free < least
          isLow = space.free < space.size * (isLow ? lowUntil : lowBelow)
          if (isFull && !wasFull)
            yield* Effect.logError(report("The disk is full, and only reads and deletions continue"))
          else if (wasFull && !isFull) yield* Effect.logWarning(report("The disk has space again"))
          else if (isLow && !wasLow) yield* Effect.logWarning(report("The disk is nearly full"))
          if (isFull) yield* reserve?.give ?? Effect.void
        })
        const keepReserve = Effect.suspend(() =>
          reserve === undefined || isFull || space.free < enough ? Effect.void : reserve.take
        )
        const logged = Effect.catchCause((cause) => Effect.logDebug("the disk of DATA_DIR was not measured", cause))

        // Before the database starts, which a full disk would prevent.
        yield* logged(look)
        yield* Effect.andThen(logged(look), logged(keepReserve)).pipe(
          Effect.repeat(Schedule.spaced(every)),
          Effect.forkScoped,
          // Disks fill in real time, even when the program runs on a test clock.
          Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
        )
        return DiskSpace.of({
          room: Effect.suspend(() => (isFull ? Effect.fail(full) : Effect.void)),
          isFull: () => isFull,
          isLow: () => isLow,
          roomForFiles: Effect.suspend(() =>
            // A disk that was not measured yet has no size.
            space.size > 0 && space.free < Math.max(leastForFiles, space.size * leastShareForFiles)
              ? Effect.fail(isFull ? full : lowForFiles)
              : Effect.void
          ),
          space: () => space
        })
      })
    )
}
