import { Effect, Layer } from "effect"
import { join } from "node:path"
import type { Blobs } from "./Blobs.ts"
import * as DiskBlobs from "./DiskBlobs.ts"
import type { Place } from "./S3Place.ts"

/** Where the bytes of files are: in a bucket, or in DATA_DIR. */
export interface FileStore {
  readonly dataDir: string
  readonly s3: Place | undefined
}

/** The directory of files; undefined if they are in a bucket. */
export const directoryOf = ({ dataDir, s3 }: FileStore): string | undefined =>
  s3 === undefined ? join(dataDir, "files") : undefined

/** Stores files in the bucket, whose SDK is loaded only if a bucket is set, or in DATA_DIR (contract 1). */
export const layer = ({ dataDir, s3 }: FileStore): Layer.Layer<Blobs> =>
  s3 === undefined
    ? DiskBlobs.layer({ directory: join(dataDir, "files") })
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./S3Blobs.ts")),
          (S3Blobs) => S3Blobs.layer({ ...s3, spool: join(dataDir, "spool") })
        )
      )
