import { Effect, Layer, Semaphore } from "effect"
import { randomBytes } from "node:crypto"
import { mkdir, open, rm, type FileHandle } from "node:fs/promises"
import { join } from "node:path"
import { Forbidden, TooLarge, Unavailable } from "../Errors.ts"
import { abortable, expecting } from "./Abortable.ts"
import { opened, receive, writeTo } from "./BlobIntake.ts"
import {
  BlobMissing,
  blobPath,
  Blobs,
  type BlobKey,
  checkedHash,
  FileStoreUnreachable,
  NotStaged,
  SourceFailed,
  checkedName,
  sweptAtOnce,
  unavailable
} from "./Blobs.ts"
import { defaultSizes, maxParts, S3Bucket, type Sizes } from "./S3Bucket.ts"
import { BucketFailure } from "./S3Failures.ts"
import { defaultTimeouts, type Timeouts } from "./S3Clients.ts"
import type { Place } from "./S3Place.ts"
import { direct, stagingPrefix } from "./S3Direct.ts"

export interface Options extends Place {
  /** Directory for bytes that Sheaf itself sends: their hash and size are known only at the end. */
  readonly spool: string
  readonly sizes?: Partial<Sizes>
  readonly timeouts?: Partial<Timeouts>
}

/** Maximum number of files that are sent to the bucket at a time; each holds a part in memory. */
const maxSent = 4
/** Maximum number of objects that are removed at a time. */
const maxRemoved = 8
/**
 * Logs a failure of the bucket or the spool for the operator. The caller gets an error after which it can try again.
 */
const failedIn =
  (bucket: string) =>
  (error: unknown): Effect.Effect<never, Unavailable> => {
    if (error instanceof BucketFailure) {
      return Effect.andThen(Effect.logWarning(`the bucket ${bucket} ${error.reason}`), Effect.fail(unavailable))
    }
    const { code, syscall } = error as NodeJS.ErrnoException
    return code !== undefined && syscall !== undefined
      ? Effect.andThen(
          Effect.logWarning(`a file for the bucket could not be buffered: ${syscall} failed with ${code}`),
          Effect.fail(unavailable)
        )
      : Effect.die(error)
  }

const blobKey = (key: BlobKey): string => `files/${blobPath(key)}`
const stagedKey = (name: string, sha256: string): string => `${stagingPrefix(name)}${checkedHash(sha256)}`

/** Opens a file without a name, which the system deletes with its handle, even if Sheaf crashes. */
const nameless = async (directory: string): Promise<FileHandle> => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, randomBytes(12).toString("hex"))
  const file = await open(path, "wx+", 0o600)
  try {
    await rm(path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Fills the buffer from a position in the file. */
const readFrom =
  (file: FileHandle) =>
  async (position: number, into: Buffer): Promise<void> => {
    for (let filled = 0; filled < into.length;) {
      const { bytesRead } = await file.read(into, filled, into.length - filled, position + filled)
      if (bytesRead === 0) throw new Error("the file on its way to the bucket ends early")
      filled += bytesRead
    }
  }

/**
 * Stores blobs in an S3 bucket (contract 1):
 *
 *     staging/<name>/<sha256>                     staged, with a hash that was checked
 *     staging/<name>/upload                       what a client sent to a signed URL
 *     staging/<name>/<random>.taken               a copy of it, which is being checked
 *     files/<workspace>/<two of sha256>/<sha256>  kept
 *
 * Ages are by the time of the bucket, not by Effect's Clock. No request is sent to the bucket before it is needed.
 */
export const layer = (options: Options): Layer.Layer<Blobs> =>
  Layer.effect(
    Blobs,
    Effect.gen(function* () {
      const sizes = { ...defaultSizes, ...options.sizes }
      const timeouts = { ...defaultTimeouts, ...options.timeouts }
      const bucket = yield* Effect.acquireRelease(
        Effect.sync(() => new S3Bucket(options, sizes, timeouts)),
        (bucket) => Effect.sync(() => bucket.end())
      )
      const failed = failedIn(bucket.name)
      const sending = Semaphore.makeUnsafe(maxSent)
      let swept = ""

      const send = (file: FileHandle, name: string, staged: { readonly size: number; readonly sha256: string }) =>
        sending.withPermits(1)(
          abortable((signal) => bucket.put(stagedKey(name, staged.sha256), staged.size, readFrom(file), signal), failed)
        )

      const stage: Blobs["Service"]["stage"] = (source, name, most, room) =>
        Effect.suspend(() => {
          checkedName(name)
          const from = opened(source)
          return Effect.acquireUseRelease(
            abortable(
              () => nameless(options.spool),
              failed,
              (file) => file.close()
            ),
            (file) =>
              abortable(
                (signal) => receive(from, writeTo(file), Math.min(most, sizes.part * maxParts), signal, room),
                expecting([Forbidden, TooLarge, Unavailable, SourceFailed], failed)
              ).pipe(Effect.tap((staged) => send(file, name, staged))),
            (file) => Effect.promise(() => file.close())
          ).pipe(Effect.onError(() => Effect.sync(() => from.end())))
        })

      const keep: Blobs["Service"]["keep"] = (name, key) =>
        abortable(
          async (signal) => {
            const from = stagedKey(name, key.sha256)
            const to = blobKey(key)
            const staged = await bucket.head(from, signal)
            const copied = staged !== undefined && (await bucket.copy(from, to, staged.size, signal))
            if (!copied && (await bucket.head(to, signal)) === undefined) throw new NotStaged({ name })
            await bucket.remove(from, signal)
          },
          expecting([NotStaged], failed)
        )

      const removeAll = async (keys: ReadonlyArray<string>, signal: AbortSignal): Promise<void> => {
        for (let start = 0; start < keys.length; start += maxRemoved) {
          await Promise.all(keys.slice(start, start + maxRemoved).map((key) => bucket.remove(key, signal)))
        }
      }

      const discard: Blobs["Service"]["discard"] = (name) =>
        abortable(async (signal) => {
          const found = await bucket.list(stagingPrefix(name), "", signal, timeouts.ending)
          await removeAll(
            found.map(({ key }) => key),
            signal
          )
        }, failed)

      const sweep: Blobs["Service"]["sweep"] = (olderThanMs) =>
        abortable(async (signal) => {
          const before = Date.now() - olderThanMs
          const found = await bucket.list("staging/", swept, signal)
          // Each call continues where the previous one stopped, and begins again after the last name.
          swept = found.length < sweptAtOnce ? "" : found.at(-1)!.key
          const old = found.filter(({ time }) => time < before).map(({ key }) => key)
          await removeAll(old, signal)
          for (const prefix of ["staging/", "files/"])
            await bucket.abortUploads(prefix, (_, begun) => begun < before, signal)
          return new Set(old.map((key) => key.split("/")[1])).size
        }, failed)

      return Blobs.of({
        stage,
        keep,
        discard,
        read: (key, range) =>
          abortable(
            async (signal) => {
              const body = await bucket.get(blobKey(key), range, signal)
              if (body === undefined) throw new BlobMissing({ key })
              return body
            },
            expecting([BlobMissing], failed),
            (body) => void body.destroy()
          ),
        stat: (key) =>
          abortable(async (signal) => {
            const found = await bucket.head(blobKey(key), signal)
            return found && { size: found.size }
          }, failed),
        remove: (key) => abortable((signal) => bucket.remove(blobKey(key), signal), failed),
        sweep,
        ready: abortable(
          (signal) => bucket.ready(signal),
          (error) =>
            error instanceof BucketFailure
              ? Effect.fail(new FileStoreUnreachable({ reason: `the bucket ${error.reason}` }))
              : Effect.die(error)
        ),
        direct: direct(bucket, failed, blobKey)
      })
    })
  )
