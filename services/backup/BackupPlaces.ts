import { Effect, type Scope } from "effect"
import { statSync } from "node:fs"
import { isAbsolute, resolve } from "node:path"
import { messageOf } from "../ErrorCause.ts"
import { fileFailure } from "../FileFailure.ts"
import type { Access } from "../files/S3Place.ts"
import { attempt, BackupFailed, type SystemFailure } from "./BackupFailure.ts"
import { backupOnDisk } from "./BackupOnDisk.ts"
import type { BackupPlace } from "./BackupPlace.ts"

/** The parts of an s3:// URL; the key is empty for the bucket as a whole. */
interface BucketPath {
  readonly bucket: string
  readonly key: string
}

const urlPattern = /^s3:\/\/([A-Za-z0-9][\w.-]{1,253}[A-Za-z0-9])(?:\/((?:[^/\p{Cc}]+\/)*[^/\p{Cc}]*))?$/u

/** Whether a path is meant as the address of a bucket. */
export const isInBucket = (path: string): boolean => path.startsWith("s3://")

/** Maximum bytes of the key of an object (S3), less the name of a backup. */
const maxKey = 1024 - 64

/** Why backups cannot be expected in a directory; undefined for a bucket, and if there is no reason. */
export const problemOf = (to: string): string | undefined => {
  if (isInBucket(to)) return undefined
  if (!isAbsolute(to)) return `BACKUP_TO is relative to the directory in which Sheaf starts: ${resolve(to)}`
  try {
    return statSync(to).isDirectory() ? undefined : `BACKUP_TO is not a directory: ${to}`
  } catch (error) {
    return `BACKUP_TO cannot be used: ${fileFailure(error, to) ?? messageOf(error)}`
  }
}

/** Reads an s3:// URL, which has no credentials; undefined if it is none. */
export const parseBucketPath = (path: string): BucketPath | undefined => {
  const [, bucket, key = ""] = urlPattern.exec(path) ?? []
  return bucket === undefined || Buffer.byteLength(key) > maxKey ? undefined : { bucket, key }
}

const what = "an address of a bucket must be like s3://bucket/folder/"

/** Returns the place of one backup. `access`: to the store of buckets. */
export const placeAt = (
  path: string,
  access: Access | undefined
): Effect.Effect<BackupPlace, BackupFailed, Scope.Scope> =>
  Effect.gen(function* () {
    if (!isInBucket(path)) return backupOnDisk(path)
    const found = parseBucketPath(path)
    if (found === undefined) return yield* new BackupFailed({ message: `${path}: ${what}` })
    if (access === undefined) {
      return yield* new BackupFailed({
        message: `${path}: set S3_ENDPOINT, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY to use a bucket`
      })
    }
    // The SDK is read only if it is needed.
    const { backupInBucket, partBytes } = yield* Effect.promise(() => import("./BackupInBucket.ts"))
    const { defaultSizes, S3Bucket } = yield* Effect.promise(() => import("../files/S3Bucket.ts"))
    const { defaultTimeouts } = yield* Effect.promise(() => import("../files/S3Clients.ts"))
    const sizes = { ...defaultSizes, part: partBytes }
    const bucket = yield* Effect.acquireRelease(
      Effect.sync(
        () => new S3Bucket({ ...access, bucket: found.bucket }, sizes, defaultTimeouts, "the name of the bucket")
      ),
      (bucket) => Effect.sync(() => bucket.end())
    )
    return backupInBucket(bucket, found.key)
  })

const isDirectory = (path: string) =>
  attempt(async () => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)

/**
 * Returns the place of a new backup: the path, or `name` in it if it is a directory, or ends with a slash, or is a whole
 * bucket. Fails if something has the place. The name of a place on disk is absolute, because a later backup, which
 * removes what a killed one has left, may run in another working directory.
 */
export const newPlace = (
  path: string,
  name: string,
  access: Access | undefined
): Effect.Effect<BackupPlace, BackupFailed | SystemFailure, Scope.Scope> =>
  Effect.gen(function* () {
    if (path === "") return yield* new BackupFailed({ message: "The path is empty: name a new file, or a directory" })
    const isFolder =
      path.endsWith("/") || (isInBucket(path) ? parseBucketPath(path)?.key === "" : yield* isDirectory(path))
    const target = isFolder ? inFolder(path, name) : path
    const place = yield* placeAt(isInBucket(target) ? target : resolve(target), access)
    if (isFolder) return place
    const size = yield* attempt(place.size)
    if (size === undefined) return place
    return yield* new BackupFailed({ message: `${path} exists: name a new file, or a directory` })
  })

const inFolder = (path: string, name: string): string => `${path.replace(/\/$/, "")}/${name}`
