import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand
} from "@aws-sdk/client-s3"
import { Readable } from "node:stream"
import type { ByteRange } from "./Blobs.ts"
import * as S3Clients from "./S3Clients.ts"
import { BucketFailure, failOnceTimedOut, reasonOf, type SdkError, silent, withSilenceTimeout } from "./S3Failures.ts"

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
}

/** One bucket, with the few operations that blobs need. Failures are BucketFailures; a missing object is undefined. */
export class S3Bucket {
  /** Also signs URLs. */
  readonly client: S3Client
  readonly name: string
  readonly sizes: Sizes
  private readonly copying: S3Client
  private readonly reading: S3Client
  private readonly timeouts: S3Clients.Timeouts

  constructor(place: S3Clients.Place, sizes: Sizes, timeouts: S3Clients.Timeouts) {
    this.name = place.bucket
    this.sizes = sizes
    this.timeouts = timeouts
    const { commands, copies, readers } = S3Clients.make(place, timeouts)
    failOnceTimedOut(commands, timeouts.command)
    failOnceTimedOut(copies, timeouts.copying)
    failOnceTimedOut(readers, timeouts.silence)
    this.client = commands
    this.copying = copies
    this.reading = readers
  }

  end(): void {
    for (const client of [this.client, this.copying, this.reading]) client.destroy()
  }

  /** Fails if the bucket does not exist, or refuses access. */
  async reach(signal: AbortSignal, within = this.timeouts.command): Promise<void> {
    const Bucket = this.name
    await this.command(
      signal,
      async (abortSignal) => {
        try {
          await this.failing(this.client.send(new HeadBucketCommand({ Bucket }), { abortSignal }))
        } catch (error) {
          if (!(error instanceof BucketFailure) || error.status === undefined) throw error
          // A response to HEAD has no body to name the cause. The response to a list has one.
          await this.failing(this.client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1 }), { abortSignal }))
        }
      },
      within
    )
  }

  ready(signal: AbortSignal): Promise<void> {
    return this.reach(signal, this.timeouts.ready)
  }

  async head(key: string, signal: AbortSignal): Promise<Found | undefined> {
    const found = await this.known(
      this.command(signal, (abortSignal) =>
        this.client.send(new HeadObjectCommand({ ...this.at(key), ChecksumMode: "ENABLED" }), { abortSignal })
      ),
      signal
    )
    return found && { size: found.ContentLength ?? 0, sha256: found.ChecksumSHA256 }
  }

  async get(key: string, range: ByteRange | undefined, signal: AbortSignal): Promise<Readable | undefined> {
    const Range = range && `bytes=${range.start}-${range.end}`
    const found = await this.known(
      this.command(signal, (abortSignal) =>
        this.reading.send(new GetObjectCommand({ ...this.at(key), ...(Range === undefined ? {} : { Range }) }), {
          abortSignal
        })
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
    return withSilenceTimeout(body, this.timeouts.silence)
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
      await this.failing(
        this.client.send(new PutObjectCommand({ ...this.at(key), Body: buffer }), { abortSignal: signal })
      )
      return
    }
    await this.inParts(key, size, part, signal, async (upload, start, end) => {
      const Body = buffer.subarray(0, end - start)
      await read(start, Body)
      return this.failing(this.client.send(new UploadPartCommand({ ...upload, Body }), { abortSignal: signal }))
    })
  }

  /** Copies within the store. Returns false if there is nothing to copy. */
  async copy(from: string, to: string, size: number, signal: AbortSignal): Promise<boolean> {
    const CopySource = `${this.name}/${from}`
    const done: Promise<unknown> =
      size <= this.sizes.copied
        ? this.copying.send(new CopyObjectCommand({ ...this.at(to), CopySource }), { abortSignal: signal })
        : this.inParts(to, size, this.sizes.copied, signal, (upload, start, end) =>
            this.failing(
              this.copying.send(
                new UploadPartCopyCommand({ ...upload, CopySource, CopySourceRange: `bytes=${start}-${end - 1}` }),
                { abortSignal: signal }
              )
            ).then(({ CopyPartResult }) => ({ ETag: CopyPartResult?.ETag }))
          )
    const copied = await this.known<unknown>(
      done.then(() => true),
      signal
    )
    return copied !== undefined
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    await this.failing(
      this.command(signal, (abortSignal) => this.client.send(new DeleteObjectCommand(this.at(key)), { abortSignal }))
    )
  }

  /** Lists at most 1000 objects, in the order of their keys. */
  async list(
    Prefix: string,
    after: string,
    signal: AbortSignal,
    within = this.timeouts.command
  ): Promise<ReadonlyArray<{ readonly key: string; readonly time: number }>> {
    const { Contents } = await this.failing(
      this.command(
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

  /** Aborts uploads in parts that a crash left behind: at most 1000 per call. */
  async abortUploads(Prefix: string, before: number, signal: AbortSignal): Promise<void> {
    const { Uploads } = await this.failing(
      this.client.send(new ListMultipartUploadsCommand({ Bucket: this.name, Prefix }), { abortSignal: signal })
    )
    for (const { Initiated, Key, UploadId } of Uploads ?? []) {
      if (Number(Initiated) < before) await this.abort({ Bucket: this.name, Key, UploadId })
    }
  }

  /** Sends a command and its retries within a time; client limits are per try. Response bodies may take longer. */
  private async command<A>(
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<A>,
    within = this.timeouts.command
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
  private failing<A>(sent: Promise<A>): Promise<A> {
    return sent.catch((error: SdkError) => {
      if (error instanceof BucketFailure) throw error
      const status = error.$metadata?.httpStatusCode
      const code = error.code ?? error.name ?? "unknown"
      throw new BucketFailure({ reason: reasonOf(status, code), status, code })
    })
  }

  /** Returns undefined if the object does not exist. */
  private known<A>(sent: Promise<A>, signal: AbortSignal): Promise<A | undefined> {
    return this.failing(sent).catch(async (error: BucketFailure) => {
      if (error.status !== 404 || error.code === "NoSuchBucket") throw error
      // A response to HEAD does not show whether the object or the bucket is missing.
      if (error.code !== "NoSuchKey") await this.reach(signal)
      return undefined
    })
  }

  private at(Key: string) {
    return { Bucket: this.name, Key }
  }

  private async abort(upload: { Bucket: string; Key: string | undefined; UploadId: string | undefined }) {
    const signal = AbortSignal.timeout(this.timeouts.ending)
    await this.known(this.client.send(new AbortMultipartUploadCommand(upload), { abortSignal: signal }), signal)
  }

  private async inParts(
    key: string,
    size: number,
    length: number,
    signal: AbortSignal,
    send: (
      part: { Bucket: string; Key: string; UploadId: string | undefined; PartNumber: number },
      start: number,
      end: number
    ) => Promise<{ readonly ETag?: string | undefined }>
  ): Promise<void> {
    const { UploadId } = await this.failing(this.client.send(new CreateMultipartUploadCommand(this.at(key))))
    const upload = { ...this.at(key), UploadId }
    try {
      const Parts: Array<{ PartNumber: number; ETag: string | undefined }> = []
      for (let start = 0; start < size; start += length) {
        signal.throwIfAborted()
        const PartNumber = Parts.length + 1
        const { ETag } = await send({ ...upload, PartNumber }, start, Math.min(start + length, size))
        Parts.push({ PartNumber, ETag })
      }
      await this.failing(
        this.copying.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), {
          abortSignal: signal
        })
      )
    } catch (error) {
      // An upload that cannot be aborted now is aborted by a sweep.
      await this.abort(upload).catch(() => {})
      throw error
    }
  }
}

const outside = () => new RangeError("the range lies outside of the blob")
