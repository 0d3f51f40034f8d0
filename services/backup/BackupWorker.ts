import { Cause, Clock, Effect, Exit, Fiber, Layer, Logger, References } from "effect"
import { isMainThread, type MessagePort, workerData } from "node:worker_threads"
import { beginGuarded } from "../concurrency/WorkerModule.ts"
import { Database } from "../database/Database.ts"
import { Blobs } from "../files/Blobs.ts"
import * as CheckedBlobs from "../files/CheckedBlobs.ts"
import * as FileStore from "../files/FileStore.ts"
import { backup } from "./Backup.ts"
import { BackupFailed, reasonOf } from "./BackupFailure.ts"
import { type FromThread, placesReceived, type ThreadData, type ToThread } from "./BackupMessages.ts"
import { dueAt, stateAt } from "./BackupState.ts"

/** The thread of a backup that a server makes (`BackupThread`). */

const { control: port, ...data } = workerData as ThreadData & { readonly control: MessagePort }
const send = (message: FromThread) => port.postMessage(message)

const warnings = Layer.merge(
  Logger.layer([Logger.make(({ message }) => send({ warning: [message].flat().map(String).join(" ") }))]),
  Layer.succeed(References.MinimumLogLevel, "Warn")
)

/** Files are only read. */
const blobs = (files: FileStore.FileStore) =>
  Layer.effect(
    Blobs,
    Effect.map(Blobs, (store) => CheckedBlobs.make(store, { room: Effect.void }))
  ).pipe(Layer.provide(FileStore.layer(files)))

const serve = ({ wanted, ...places }: ThreadData) => {
  const { configuration, kind, now, recipients, timing, version } = wanted
  const { to } = timing
  const { access, address, files } = placesReceived(places)
  const work = Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis
    return yield* backup({
      path: `${to}/`,
      access,
      version,
      configuration,
      secretKey: undefined,
      encryption: recipients.length === 0 ? undefined : { recipients },
      kind,
      time: now,
      isDue: Effect.gen(function* () {
        const passed = (yield* Clock.currentTimeMillis) - begun
        return kind === "manual" || dueAt(yield* stateAt(timing, now + passed), timing) <= now + passed
      })
    })
  }).pipe(Effect.provide(Layer.provideMerge(Layer.merge(Database.layer(address), blobs(files)), warnings)))

  const fiber = Effect.runFork(work)
  port.on("message", (_: ToThread) => void Effect.runFork(Fiber.interrupt(fiber)))
  fiber.addObserver((exit) => {
    if (Exit.isSuccess(exit)) {
      const { bytes, file, unreadable } = exit.value
      send({ made: { file, bytes, leftOut: unreadable.length } })
    } else {
      const error = Cause.squash(exit.cause)
      const isSkipped = error instanceof BackupFailed && error.isSkipped === true
      send(isSkipped ? { skipped: true } : { failed: reasonOf(error, to) })
    }
    port.close()
  })
}

if (!isMainThread) {
  beginGuarded()
  serve(data)
}
