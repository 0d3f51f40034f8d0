import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client
} from "@aws-sdk/client-s3"
import { Readable } from "node:stream"
import type { ByteRange } from "./Blobs.ts"
import * as S3Clients from "./S3Clients.ts"
import type { Place } from "./S3Place.ts"
import {
  BucketFailure,
  failOnceTimedOut,
  filesSetting,
  reasonOf,
  type SdkError,
  silent,
  withSilenceTimeout
} from "./S3Failures.ts"
import { type Sending, S3Upload } from "./S3Upload.ts"

export interface Sizes {
  /**
   * Bytes of the parts in which larger files are sent; a part is held in memory meanwhile. Stores accept 10 000 parts.
   */
  readonly part: number
  /** Bytes of the parts in which larger objects are copied: stores copy 5 GiB at once, and send nothing meanwhile. */
  readonly copied: number
}
export const defaultSizes: Sizes = { part: 8 * 1024 ** 2, copied: 1024 ** 3 }
export const maxParts = 10_000

/** An object in the bucket. */
export interface Found {
  readonly size: number
  /** In base64, if the store has checked it. */
  readonly sha256: string | undefined
  /** Another one means other bytes. */
  readonly etag: string | undefined
}

/** One bucket, with the few operations that blobs need. Failures are BucketFailures; a missing object is undefined. */
export class S3Bucket {
  /** Also signs URLs. */
  readonly client: S3Client
  readonly name: string
  readonly sizes: Sizes
  readonly #copying: S3Client
  readonly #reading: S3Client
  readonly #sending: Sending
  readonly #timeouts: S3Clients.Timeouts
  readonly #setting: string

  /** `setting`: what names the bucket, for the reasons of failures. */
  constructor(place: Place, sizes: Sizes, timeouts: S3Clients.Timeouts, setting = filesSetting) {
    this.name = place.bucket
    this.sizes = sizes
    this.#timeouts = timeouts
    this.#setting = setting
    const { commands, copies, readers } = S3Clients.make(place, timeouts)
    failOnceTimedOut(commands, timeouts.command)
    failOnceTimedOut(copies, timeouts.copying)
    failOnceTimedOut(readers, timeouts.silence)
    this.#sending = { commands, copies, failing: (sent) => this.#failing(sent), ending: timeouts.ending }
    this.client = commands
    this.#copying = copies
    this.#reading = readers
  }

  end(): void {
    for (const client of [this.client, this.#copying, this.#reading]) client.destroy()
  }

  /** Fails if the bucket does not exist, or refuses access. */
  async reach(signal: AbortSignal, within = this.#timeouts.command): Promise<void> {
    const Bucket = this.name
    await this.#command(
      signal,
      async (abortSignal) => {
        try {
          await this.#failing(this.client.send(new HeadBucketCommand({ Bucket }), { abortSignal }))
        } catch (error) {
          if (!(error instanceof BucketFailure) || error.status === undefined) throw error
          // A response to HEAD has no body to name the cause. The response to a list has one.
          await this.#failing(this.client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1 }), { abortSignal }))
        }
      },
      within
    )
  }

  ready(signal: AbortSignal): Promise<void> {
    return this.reach(signal, this.#timeouts.ready)
  }

  async head(key: string, signal: AbortSignal): Promise<Found | undefined> {
    const found = await this.#known(
      this.#command(signal, (abortSignal) =>
        this.client.send(new HeadObjectCommand({ ...this.#at(key), ChecksumMode: "ENABLED" }), { abortSignal })
      ),
      signal
    )
    return found && { size: found.ContentLength ?? 0, sha256: found.ChecksumSHA256, etag: found.ETag }
  }

  /** With an `etag`, fails if the object has another one. */
  async get(
    key: string,
    range: ByteRange | undefined,
    signal: AbortSignal,
    etag?: string
  ): Promise<Readable | undefined> {
    const options = {
      ...(range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }),
      ...(etag === undefined ? {} : { IfMatch: etag })
    }
    const found = await this.#known(
      this.#command(signal, (abortSignal) =>
        this.#reading.send(new GetObjectCommand({ ...this.#at(key), ...options }), { abortSignal })
      ),
      signal
    ).catch((error) => {
      throw error instanceof BucketFailure && error.status === 416 ? outside() : error
    })
    if (found === undefined) return undefined
    const body = found.Body
    if (!(body instanceof Readable)) throw new TypeError("the SDK returned no stream of Node")
    // For a range that is too long, a store returns the part that exists.
    if (range !== undefined && !found.ContentRange?.startsWith(`bytes ${range.start}-${range.end}/`)) {
      body.destroy()
      throw outside()
    }
    return withSilenceTimeout(body, this.#timeouts.silence)
  }

  /** Sends `size` bytes, which are read in parts. Nothing stays in the bucket unless all are sent. */
  async put(
    key: string,
    size: number,
    read: (position: number, into: Buffer) => Promise<void>,
    signal: AbortSignal
  ): Promise<void> {
    const { part } = this.sizes
    const buffer = Buffer.allocUnsafe(Math.min(part, size))
    if (size <= part) {
      await read(0, buffer)
      return this.putWhole(key, buffer, signal)
    }
    await this.#inParts(key, size, part, signal, async (upload, start, end) => {
      const content = buffer.subarray(0, end - start)
      await read(start, content)
      await upload.send(content, signal)
    })
  }

  /** Sends an object in one request. */
  async putWhole(key: string, Body: Buffer, signal: AbortSignal): Promise<void> {
    await this.#failing(this.client.send(new PutObjectCommand({ ...this.#at(key), Body }), { abortSignal: signal }))
  }

  /** Begins an object that is sent in parts. */
  begin(key: string): Promise<S3Upload> {
    return S3Upload.begin(this.#sending, this.#at(key))
  }

  /** Copies within the store. Returns false if there is nothing to copy. */
  async copy(from: string, to: string, size: number, signal: AbortSignal): Promise<boolean> {
    const CopySource = `${this.name}/${from}`
    const done: Promise<unknown> =
      size <= this.sizes.copied
        ? this.#copying.send(new CopyObjectCommand({ ...this.#at(to), CopySource }), { abortSignal: signal })
        : this.#inParts(to, size, this.sizes.copied, signal, (upload, start, end) =>
            upload.copy(CopySource, start, end - 1, signal)
          )
    const copied = await this.#known<unknown>(
      done.then(() => true),
      signal
    )
    return copied !== undefined
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    await this.#failing(
      this.#command(signal, (abortSignal) => this.client.send(new DeleteObjectCommand(this.#at(key)), { abortSignal }))
    )
  }

  /** Lists at most 1000 objects, in the order of their keys. */
  async list(
    Prefix: string,
    after: string,
    signal: AbortSignal,
    within = this.#timeouts.command
  ): Promise<ReadonlyArray<{ readonly key: string; readonly time: number }>> {
    const { Contents } = await this.#failing(
      this.#command(
        signal,
        (abortSignal) =>
          this.client.send(
            new ListObjectsV2Command({ Bucket: this.name, Prefix, ...(after === "" ? {} : { StartAfter: after }) }),
            { abortSignal }
          ),
        within
      )
    )
    return (Contents ?? []).map(({ Key, LastModified }) => ({ key: Key ?? "", time: Number(LastModified) }))
  }

  /** Aborts the chosen ones of the uploads in parts that a crash left behind: of at most 1000 per call. */
  async abortUploads(
    Prefix: string,
    isChosen: (key: string, begun: number) => boolean,
    signal: AbortSignal
  ): Promise<void> {
    const { Uploads } = await this.#failing(
      this.client.send(new ListMultipartUploadsCommand({ Bucket: this.name, Prefix }), { abortSignal: signal })
    )
    for (const { Initiated, Key, UploadId } of Uploads ?? []) {
      if (Key !== undefined && isChosen(Key, Number(Initiated))) {
        await new S3Upload(this.#sending, { ...this.#at(Key), UploadId }).abort()
      }
    }
  }

  /** Sends a command and its retries within a time; client limits are per try. Response bodies may take longer. */
  async #command<A>(
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<A>,
    within = this.#timeouts.command
  ): Promise<A> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), within)
    try {
      return await send(AbortSignal.any([signal, late.signal]))
    } catch (error) {
      if (!late.signal.aborted || signal.aborted) throw error
      throw new BucketFailure({ reason: silent(within), status: undefined, code: "ETIMEDOUT" })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Turns any failure of the SDK into a BucketFailure. */
  #failing<A>(sent: Promise<A>): Promise<A> {
    return sent.catch((error: SdkError) => {
      if (error instanceof BucketFailure) throw error
      const status = error.$metadata?.httpStatusCode
      const code = error.code ?? error.name ?? "unknown"
      throw new BucketFailure({ reason: reasonOf(status, code, this.#setting), status, code })
    })
  }

  /** Returns undefined if the object does not exist. */
  #known<A>(sent: Promise<A>, signal: AbortSignal): Promise<A | undefined> {
    return this.#failing(sent).catch(async (error: BucketFailure) => {
      if (error.status !== 404 || error.code === "NoSuchBucket") throw error
      // A response to HEAD does not show whether the object or the bucket is missing.
      if (error.code !== "NoSuchKey") await this.reach(signal)
      return undefined
    })
  }

  #at(Key: string) {
    return { Bucket: this.name, Key }
  }

  async #inParts(
    key: string,
    size: number,
    length: number,
    signal: AbortSignal,
    send: (upload: S3Upload, start: number, end: number) => Promise<void>
  ): Promise<void> {
    const upload = await this.begin(key)
    try {
      for (let start = 0; start < size; start += length) {
        signal.throwIfAborted()
        await send(upload, start, Math.min(start + length, size))
      }
      await upload.complete(signal)
    } catch (error) {
      // An upload that cannot be aborted now is aborted by a sweep.
      await upload.abort().catch(() => {})
      throw error
    }
  }
}

const outside = () => new RangeError("the range lies outside of the blob")
