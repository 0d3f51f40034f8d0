import { Readable } from "node:stream"
import { maxParts, type S3Bucket } from "../files/S3Bucket.ts"
import { BucketFailure } from "../files/S3Failures.ts"
import type { S3Upload } from "../files/S3Upload.ts"
import { BackupFailed } from "./BackupFailure.ts"
import type { BackupPlace, Upload } from "./BackupPlace.ts"

/** Bytes of a part that is sent, which is in memory meanwhile, and of a range that is read. */
export const partBytes = 32 * 1024 * 1024

const unending = new AbortController().signal

const failed = (bucket: S3Bucket, reason: string) =>
  new BackupFailed({ message: `The bucket ${bucket.name} ${reason}` })

/** Turns failures of a bucket into one line for the operator. */
const failing = <A>(bucket: S3Bucket, sent: Promise<A>): Promise<A> =>
  sent.catch((error: unknown) => {
    throw error instanceof BucketFailure ? failed(bucket, error.reason) : error
  })

/** The bytes of a response. A connection that ends early is no damage of the backup. */
async function* bytesOf(bucket: S3Bucket, body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    if (error !== body.errored) throw error
    throw failed(bucket, error instanceof BucketFailure ? error.reason : "closed the connection: check S3_ENDPOINT")
  }
}

/** Sends an object whose size is known only at the end, in parts of one size. */
class Sending implements Upload {
  readonly #bucket: S3Bucket
  readonly #key: string
  #upload: S3Upload | undefined
  readonly #buffer: Buffer
  #filled = 0
  #size = 0

  constructor(bucket: S3Bucket, key: string) {
    this.#bucket = bucket
    this.#key = key
    this.#buffer = Buffer.allocUnsafe(bucket.sizes.part)
  }

  readonly receive = async (content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> => {
    for await (const chunk of content) {
      for (let taken = 0; taken < chunk.length;) {
        // The last part is sent by `commit`.
        if (this.#filled === this.#buffer.length) await this.#send(signal)
        const part = chunk.subarray(taken, taken + this.#buffer.length - this.#filled)
        this.#buffer.set(part, this.#filled)
        this.#filled += part.length
        taken += part.length
      }
    }
  }

  readonly commit = async (): Promise<number> => {
    if (this.#upload === undefined) {
      const content = this.#buffer.subarray(0, this.#filled)
      await failing(this.#bucket, this.#bucket.putWhole(this.#key, content, unending))
      return this.#filled
    }
    await this.#send(unending)
    await failing(this.#bucket, this.#upload.complete(unending))
    return this.#size
  }

  readonly abandon = async (): Promise<void> => {
    if (this.#upload !== undefined) await failing(this.#bucket, this.#upload.abort())
  }

  async #send(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#upload?.length === maxParts) {
      throw new BackupFailed({
        message: `The backup is too large for a bucket: ${maxParts} parts of ${partBytes} bytes`
      })
    }
    this.#upload ??= await failing(this.#bucket, this.#bucket.begin(this.#key))
    await failing(this.#bucket, this.#upload.send(this.#buffer.subarray(0, this.#filled), signal))
    this.#size += this.#filled
    this.#filled = 0
  }
}

/** The bytes of an object, which is read in ranges, so that a slow reader needs no long connection. */
const reader = (bucket: S3Bucket, key: string, name: string) => {
  let found: { readonly size: number; readonly etag: string | undefined } | undefined
  return async function* (): AsyncGenerator<Uint8Array> {
    const reading = new AbortController()
    try {
      found ??= await failing(bucket, bucket.head(key, reading.signal))
      const none = new BackupFailed({ message: `There is no backup ${name}` })
      if (found === undefined) throw none
      for (let start = 0; start < found.size; start += partBytes) {
        const range = { start, end: Math.min(start + partBytes, found.size) - 1 }
        const body = await failing(
          bucket,
          bucket.get(key, range, reading.signal, found.etag).catch((error: unknown) => {
            if (error instanceof BucketFailure && error.status === 412) {
              throw new BackupFailed({ message: `The backup ${name} has changed while it was read` })
            }
            throw error
          })
        )
        if (body === undefined) throw none
        yield* bytesOf(bucket, body)
      }
    } finally {
      reading.abort()
    }
  }
}

/** A backup in an object of a bucket. */
export const backupInBucket = (bucket: S3Bucket, key: string): BackupPlace => {
  const name = `s3://${bucket.name}/${key}`
  const read = reader(bucket, key, name)
  return {
    name,
    size: async () => (await failing(bucket, bucket.head(key, unending)))?.size,
    upload: () => new Sending(bucket, key),
    read: () => Readable.from(read(), { objectMode: false }),
    remove: () => failing(bucket, bucket.remove(key, unending)),
    clean: () =>
      failing(
        bucket,
        bucket.abortUploads(key, (found) => found === key, unending)
      )
  }
}
