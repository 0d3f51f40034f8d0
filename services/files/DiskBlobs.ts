import { Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { constants, fstatSync } from "node:fs"
import { access, type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Readable } from "node:stream"
import { Forbidden, TooLarge, Unavailable } from "../Errors.ts"
import { abortable, expecting } from "./Abortable.ts"
import { opened, receive, writeTo } from "./BlobIntake.ts"
import {
  BlobMissing,
  blobPath,
  Blobs,
  checkedHash,
  FileStoreUnreachable,
  NotStaged,
  SourceFailed,
  checkedName,
  sweptAtOnce,
  unavailable
} from "./Blobs.ts"
import { syncDirectory } from "./SyncDirectory.ts"

/** Maximum number of directories that are cached as synced. */
const maxSynced = 100_000

/** Bytes that are read ahead of the reader of a blob; smaller blobs are read whole. */
const readAhead = 256 * 1024

const hasCode = (error: unknown, ...codes: ReadonlyArray<string>): boolean =>
  error instanceof Error && codes.includes(String((error as NodeJS.ErrnoException).code))

const ignoring =
  (...codes: ReadonlyArray<string>) =>
  (error: unknown): undefined => {
    if (!hasCode(error, ...codes)) throw error
  }

/** Returns the failure of the disk (full, broken, no rights) without the path, which names a workspace, or undefined. */
const reasonOf = (error: unknown): string | undefined => {
  const { code, syscall } = error as NodeJS.ErrnoException
  return code !== undefined && syscall !== undefined ? `files in DATA_DIR: ${syscall} failed with ${code}` : undefined
}

/** Logs the reason for the operator. The caller gets an error after which it can try again later. */
const failed = (error: unknown): Effect.Effect<never, Unavailable> => {
  const reason = reasonOf(error)
  return reason === undefined ? Effect.die(error) : Effect.andThen(Effect.logWarning(reason), Effect.fail(unavailable))
}

/** Makes a directory. Returns whether it did not exist before. */
const makeDirectory = (directory: string): Promise<boolean> =>
  mkdir(directory, { mode: 0o700 }).then(
    () => true,
    (error) => {
      if (!hasCode(error, "EEXIST")) throw error
      return false
    }
  )

/** Reads `length` bytes from a position in a file, which must have them. */
const readWhole = async (file: FileHandle, start: number, length: number): Promise<Uint8Array> => {
  const bytes = Buffer.allocUnsafeSlow(length)
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled)
    if (bytesRead === 0) throw new Error("a file ends before its size")
    filled += bytesRead
  }
  return bytes
}

/** Bytes in memory as a stream. */
class OneChunk extends Readable {
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    super()
    this.#bytes = bytes
  }

  override _read(): void {
    this.push(this.#bytes)
    this.push(null)
  }
}

/**
 * Stores blobs as files below one directory (contract 1):
 *
 *     staging/<name>.<random>.part                being written
 *     staging/<name>.<sha256>                     staged, complete
 *     <workspace>/<two of sha256>/<sha256>        kept
 *
 * A file is renamed to its final name once it is synced, so that it is complete under that name; then its directories
 * are synced. Each call of the file system goes to another thread and back, which is more expensive than most calls
 * themselves, so directories are made only when one is found missing. The age of staged files is by the time of the
 * disk, not by Effect's Clock.
 */
export const layer = ({ directory }: { readonly directory: string }): Layer.Layer<Blobs> =>
  Layer.sync(Blobs, () => {
    const staging = join(directory, "staging")
    let swept = ""
    /** Directories that are known to survive a crash, until they are removed. */
    const synced = new Set<string>()

    /** Makes the two directories that contain all others. Their parent exists. */
    const prepare = async () => {
      await makeDirectory(directory)
      await makeDirectory(staging)
    }

    const sizeOf = (path: string): Promise<number | undefined> =>
      stat(path).then(({ size }) => size, ignoring("ENOENT", "ENOTDIR"))

    /** Removes a directory if it is empty. Returns whether it did. */
    const removeEmpty = (place: string): Promise<boolean> =>
      rmdir(place).then(
        () => true,
        (error) => {
          // POSIX has two codes for a directory that is not empty.
          if (hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR")) return false
          throw error
        }
      )

    const stagedPath = (name: string, sha256: string) => join(staging, `${checkedName(name)}.${checkedHash(sha256)}`)

    const stage: Blobs["Service"]["stage"] = (source, name, most, room) =>
      abortable(
        async (signal) => {
          const from = opened(source)
          const part = join(staging, `${checkedName(name)}.${randomBytes(12).toString("hex")}.part`)
          const create = () => open(part, "wx", 0o600)
          try {
            const file = await create().catch(async (error) => {
              if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error
              await prepare()
              return create()
            })
            const staged = await receive(from, writeTo(file), most, signal, room)
              .then(async (staged) => {
                await file.sync()
                return staged
              })
              // Waits for writes that are still running.
              .finally(() => file.close())
            // The rename is not synced: staged bytes need not survive a crash.
            await rename(part, stagedPath(name, staged.sha256))
            return staged
          } catch (error) {
            from.end()
            // The first failure is reported. If the file cannot be removed now, a sweep removes it.
            await rm(part, { force: true }).catch(() => {})
            throw error
          }
        },
        expecting([Forbidden, TooLarge, Unavailable, SourceFailed], failed)
      )

    /** Makes a directory and its parents survive a crash. The file that was kept in it prevents its removal. */
    const secure = async (place: string): Promise<void> => {
      if (place === dirname(directory) || synced.has(place)) return
      await syncDirectory(dirname(place))
      await secure(dirname(place))
      if (synced.size >= maxSynced) synced.clear()
      synced.add(place)
    }

    /** Makes a directory, or the outermost missing one of its parents. Returns whether one was missing. */
    const make = async (place: string): Promise<boolean> => {
      synced.delete(place)
      return makeDirectory(place).catch((error) => {
        if (!hasCode(error, "ENOENT") || place === directory) throw error
        return make(dirname(place))
      })
    }

    const keep: Blobs["Service"]["keep"] = (name, key) =>
      abortable(
        async () => {
          const from = stagedPath(name, key.sha256)
          const to = join(directory, blobPath(key))
          const pair = dirname(to)
          const move = (tries: number): Promise<void> =>
            rename(from, to).catch(async (error) => {
              if (!hasCode(error, "ENOENT")) throw error
              // Nothing was kept there yet, or the removal of the last blob there removed its directory too.
              const isMade = await make(pair)
              if (tries > 0 && (isMade || (await sizeOf(from)) !== undefined)) return move(tries - 1)
              if ((await sizeOf(to)) === undefined) throw new NotStaged({ name })
            })
          await move(10)
          // Also if it was renamed before: that call may have been interrupted.
          await syncDirectory(pair)
          await secure(pair)
        },
        expecting([NotStaged], failed)
      )

    const discard: Blobs["Service"]["discard"] = (name) =>
      abortable(async () => {
        const start = `${checkedName(name)}.`
        const files = (await readdir(staging).catch(ignoring("ENOENT"))) ?? []
        for (const file of files) if (file.startsWith(start)) await rm(join(staging, file), { force: true })
      }, failed)

    const read: Blobs["Service"]["read"] = (key, range) =>
      abortable(
        async () => {
          const file = await open(join(directory, blobPath(key)), "r").catch((error) => {
            throw hasCode(error, "ENOENT") ? new BlobMissing({ key }) : error
          })
          try {
            // Synchronous: the system has the size of an open file in memory.
            const { size } = fstatSync(file.fd)
            const { end, start } = range ?? { start: 0, end: size - 1 }
            if (range !== undefined && !(start >= 0 && start <= end && end < size)) {
              throw new RangeError("the range lies outside of the blob")
            }
            if (end - start < readAhead) {
              const bytes = await readWhole(file, start, end - start + 1)
              await file.close()
              return new OneChunk(bytes)
            }
            // It closes the file when it ends, fails or is destroyed.
            const stream = file.createReadStream({ start, end, highWaterMark: readAhead })
            // The reader gets the error from the stream itself.
            return stream.on("error", () => {})
          } catch (error) {
            await file.close()
            throw error
          }
        },
        expecting([BlobMissing], failed),
        (stream) => void stream.destroy()
      )

    const remove: Blobs["Service"]["remove"] = (key) =>
      abortable(async () => {
        const path = join(directory, blobPath(key))
        const pair = dirname(path)
        await rm(path, { force: true })
        await syncDirectory(pair).catch(ignoring("ENOENT"))
        synced.delete(pair)
        synced.delete(dirname(pair))
        if (await removeEmpty(pair)) await removeEmpty(dirname(pair))
      }, failed)

    const sweep: Blobs["Service"]["sweep"] = (olderThanMs) =>
      abortable(async () => {
        const before = Date.now() - olderThanMs
        const files = (await readdir(staging).catch(ignoring("ENOENT"))) ?? []
        const next = files
          .filter((file) => file > swept)
          .sort()
          .slice(0, sweptAtOnce)
        // Each call continues where the previous one stopped, and begins again after the last name.
        swept = next.length < sweptAtOnce ? "" : next.at(-1)!
        let count = 0
        for (const file of next) {
          const path = join(staging, file)
          // It may have been kept or discarded meanwhile.
          const found = await stat(path).catch(ignoring("ENOENT"))
          if (found === undefined || found.mtimeMs >= before) continue
          await rm(path, { force: true })
          count++
        }
        return count
      }, failed)

    return Blobs.of({
      stage,
      keep,
      discard,
      read,
      stat: (key) =>
        abortable(async () => {
          const size = await sizeOf(join(directory, blobPath(key)))
          return size === undefined ? undefined : { size }
        }, failed),
      remove,
      sweep,
      ready: abortable(
        async () => {
          await prepare()
          await access(staging, constants.W_OK | constants.X_OK)
        },
        (error) => {
          const reason = reasonOf(error)
          return reason === undefined ? Effect.die(error) : Effect.fail(new FileStoreUnreachable({ reason }))
        }
      ),
      direct: undefined
    })
  })
