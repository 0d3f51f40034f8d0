import { Clock, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { access, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { TooLarge, type Unavailable } from "../Errors.ts"
import { abortable, expecting } from "./Abortable.ts"
import { opened, receive } from "./BlobIntake.ts"
import {
  BlobMissing,
  blobPath,
  Blobs,
  NotStaged,
  SourceFailed,
  stagingPath,
  sweptAtOnce,
  unavailable
} from "./Blobs.ts"

/** Of so many directories it is remembered that they are synced. */
const mostKnown = 100_000

/** So much is read ahead of whoever reads a blob. */
const readAhead = 256 * 1024

const hasCode = (error: unknown, ...codes: ReadonlyArray<string>): boolean =>
  error instanceof Error && codes.includes(String((error as NodeJS.ErrnoException).code))

const ignoring =
  (...codes: ReadonlyArray<string>) =>
  (error: unknown): undefined => {
    if (!hasCode(error, ...codes)) throw error
  }

/** What the disk says (full, broken, no rights) is told to the operator, and to the caller that it may be over later. */
const failed = (error: unknown): Effect.Effect<never, Unavailable> => {
  const { code, syscall } = error as NodeJS.ErrnoException
  // Without its path, which names a workspace.
  return code !== undefined && syscall !== undefined
    ? Effect.andThen(Effect.logWarning(`files in DATA_DIR: ${syscall} failed with ${code}`), Effect.fail(unavailable))
    : Effect.die(error)
}

/** Makes what was made, renamed or removed in a directory outlive a crash of the machine. */
const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Whether it was not there before. */
const makeDirectory = (directory: string): Promise<boolean> =>
  mkdir(directory, { mode: 0o700 }).then(
    () => true,
    (error) => {
      if (!hasCode(error, "EEXIST")) throw error
      return false
    }
  )

/**
 * In files below one directory (contract 1):
 *
 *     staging/<name>/<sha256>                     staged, whole
 *     staging/<name>/<random>.part                on its way
 *     <workspace>/<two of sha256>/<sha256>        kept
 *
 * A file gets its name by a rename, once it is synced, and so is whole under it; then its directories are.
 */
export const layer = ({ directory }: { readonly directory: string }): Layer.Layer<Blobs> =>
  Layer.sync(Blobs, () => {
    const staging = join(directory, "staging")
    let swept = ""
    /** Directories that surely outlive a crash, until they are removed. */
    const known = new Set<string>()

    /** The two directories that all others are in. Their parent is there. */
    const prepare = async () => {
      await makeDirectory(directory)
      await makeDirectory(staging)
    }

    const sizeOf = (path: string): Promise<number | undefined> =>
      stat(path).then(({ size }) => size, ignoring("ENOENT", "ENOTDIR"))

    /** Whether it was empty. */
    const removeEmpty = (place: string): Promise<boolean> =>
      rmdir(place).then(
        () => true,
        (error) => {
          // POSIX has two codes for a directory with something in it.
          if (hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR")) return false
          throw error
        }
      )

    const stage: Blobs["Service"]["stage"] = (source, name, most) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        abortable(
          async (signal) => {
            const from = opened(source)
            const place = join(directory, stagingPath(name))
            const part = join(place, `${randomBytes(12).toString("hex")}.part`)
            try {
              await prepare()
              await makeDirectory(place)
              const file = await open(part, "wx", 0o600)
              const staged = await receive(from, file, most, signal)
                .then(async (staged) => {
                  await file.utimes(now / 1000, now / 1000)
                  await file.sync()
                  return staged
                })
                // Waits for what is still being written.
                .finally(() => file.close())
              // Its name is not synced: what a crash takes of what is staged, nobody has been promised.
              await rename(part, join(directory, stagingPath(name, staged.sha256)))
              return staged
            } catch (error) {
              from.destroy()
              // What failed first is told. What cannot be removed now is swept.
              await rm(part, { force: true })
                .then(() => removeEmpty(place))
                .catch(() => {})
              throw error
            }
          },
          expecting([TooLarge, SourceFailed], failed)
        )
      )

    const keep: Blobs["Service"]["keep"] = (name, key) =>
      abortable(
        async () => {
          const from = join(directory, stagingPath(name, key.sha256))
          const to = join(directory, blobPath(key))
          const [pair, workspace] = [dirname(to), dirname(dirname(to))]
          let isNew = !known.has(pair)
          const move = async (tries: number): Promise<void> => {
            await prepare()
            for (const parent of [workspace, pair]) if (await makeDirectory(parent)) isNew = true
            await rename(from, to).catch(async (error) => {
              if (!hasCode(error, "ENOENT")) throw error
              // Whoever removed the last blob beside it removed its directory too.
              if ((await sizeOf(from)) !== undefined && tries > 0) return move(tries - 1)
              if ((await sizeOf(to)) === undefined) throw new NotStaged({ name })
            })
          }
          await move(10)
          // Also where it was renamed before: that time may have been cut short.
          await syncDirectory(pair)
          if (isNew) {
            for (const parent of [workspace, directory, dirname(directory)]) await syncDirectory(parent)
            if (known.size >= mostKnown) known.clear()
            known.add(pair)
          }
          await removeEmpty(dirname(from))
        },
        expecting([NotStaged], failed)
      )

    const discard: Blobs["Service"]["discard"] = (name) =>
      abortable(() => rm(join(directory, stagingPath(name)), { recursive: true, force: true }), failed)

    const read: Blobs["Service"]["read"] = (key, range) =>
      abortable(
        async () => {
          const file = await open(join(directory, blobPath(key)), "r").catch((error) => {
            throw hasCode(error, "ENOENT") ? new BlobMissing({ key }) : error
          })
          try {
            const { size } = await file.stat()
            if (range !== undefined && !(range.start >= 0 && range.start <= range.end && range.end < size)) {
              throw new RangeError("the range lies outside of the blob")
            }
            // Told its end, it asks for no more room than that, and not once again for nothing.
            const whole = size === 0 ? {} : { start: 0, end: size - 1 }
            // It closes the file when it ends, fails or is destroyed.
            const stream = file.createReadStream({ ...(range ?? whole), highWaterMark: readAhead })
            // Whoever reads it hears of it then.
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
        known.delete(pair)
        if (await removeEmpty(pair)) await removeEmpty(dirname(pair))
      }, failed)

    /** When the youngest of what is staged by a name was written; the directory itself tells it of an empty one. */
    const youngest = async (place: string): Promise<number> => {
      const files = await readdir(place)
      const times = await Promise.all(
        (files.length === 0 ? [""] : files).map((file) => stat(join(place, file)).then(({ mtimeMs }) => mtimeMs))
      )
      return Math.max(...times)
    }

    const sweep: Blobs["Service"]["sweep"] = (olderThanMs) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        abortable(async () => {
          const names = (await readdir(staging).catch(ignoring("ENOENT"))) ?? []
          const next = names
            .filter((name) => name > swept)
            .sort()
            .slice(0, sweptAtOnce)
          // Each call goes on where the one before it stopped, and the one after the last begins anew.
          swept = next.length < sweptAtOnce ? "" : next.at(-1)!
          let count = 0
          for (const name of next) {
            const place = join(staging, name)
            // Its owner may be at work on it.
            const time = await youngest(place).catch(ignoring("ENOENT", "ENOTDIR"))
            if (time === undefined || time >= now - olderThanMs) continue
            await rm(place, { recursive: true, force: true })
            count++
          }
          return count
        }, failed)
      )

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
      ready: abortable(async () => {
        await prepare()
        await access(staging, constants.W_OK | constants.X_OK)
      }, failed),
      direct: undefined
    })
  })
