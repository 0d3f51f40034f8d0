import { Cause, Effect, Exit, Fiber, Layer, Logger, References } from "effect"
import { isMainThread, type MessagePort, workerData } from "node:worker_threads"
import { beginGuarded } from "../concurrency/WorkerModule.ts"
import { Database } from "../database/Database.ts"
import { Blobs } from "../files/Blobs.ts"
import * as CheckedBlobs from "../files/CheckedBlobs.ts"
import * as FileStore from "../files/FileStore.ts"
import { backup } from "./Backup.ts"
import { BackupFailed, reasonOf } from "./BackupFailure.ts"
import {
  type FromThread,
  type Made,
  type Places,
  placesReceived,
  type ThreadData,
  type ToThread,
  type WantedBackup,
  type WantedDrill
} from "./BackupMessages.ts"
import { backupsAt, drillsAt, dueAt, longestBackupDelay, longestDrillDelay } from "./BackupState.ts"
import { newestBackup } from "./DrillRecords.ts"
import { drill } from "./RestoreDrill.ts"

/** The thread of a backup or a drill that a server makes (`BackupThread`). */

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

interface Result {
  readonly file: string
  readonly bytes: number
  readonly unreadable: ReadonlyArray<unknown>
}

const madeOf = ({ bytes, file, unreadable }: Result): Made => ({ file, bytes, leftOut: unreadable.length })

/** The time of the node. */
const timeOf = ({ now }: WantedBackup | WantedDrill) => {
  const begun = performance.now()
  return () => now + performance.now() - begun
}

const backupOf = (wanted: WantedBackup, { access }: Places) => {
  const { configuration, every, kind, now, recipients, to, version } = wanted
  const time = timeOf(wanted)
  return backup({
    path: `${to}/`,
    access,
    version,
    configuration,
    secretKey: undefined,
    encryption: recipients.length === 0 ? undefined : { recipients },
    kind,
    time: now,
    isDue: Effect.suspend(() =>
      kind === "manual"
        ? Effect.succeed(true)
        : Effect.map(backupsAt(to, time()), (state) => dueAt(state, every, longestBackupDelay) <= time())
    )
  })
}

const drillOf = (wanted: WantedDrill, { access, files }: Places) => {
  const { every, kind, now, to, version } = wanted
  const time = timeOf(wanted)
  const find = Effect.gen(function* () {
    const isDue = kind === "manual" || dueAt(yield* drillsAt(to, time()), every, longestDrillDelay) <= time()
    return isDue ? yield* newestBackup(to, time()) : undefined
  })
  return drill({ find, access, version, dataDir: files.dataDir, time: now })
}

const serve = ({ wanted, ...sent }: ThreadData) => {
  const places = placesReceived(sent)
  const work = Effect.provide(
    wanted.work === "backup"
      ? Effect.map(backupOf(wanted, places), madeOf)
      : Effect.map(drillOf(wanted, places), madeOf),
    Layer.provideMerge(Layer.merge(Database.layer(places.address), blobs(places.files)), warnings)
  )

  const fiber = Effect.runFork(work)
  port.on("message", (_: ToThread) => void Effect.runFork(Fiber.interrupt(fiber)))
  fiber.addObserver((exit) => {
    if (Exit.isSuccess(exit)) {
      send({ made: exit.value })
    } else {
      const error = Cause.squash(exit.cause)
      const isSkipped = error instanceof BackupFailed && error.isSkipped === true
      send(isSkipped ? { skipped: true } : { failed: reasonOf(error, wanted.to) })
    }
    port.close()
  })
}

if (!isMainThread) {
  beginGuarded()
  serve(data)
}
