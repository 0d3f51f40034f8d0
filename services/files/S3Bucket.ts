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
import { Data } from "effect"
import { Readable } from "node:stream"
import type { ByteRange } from "./Blobs.ts"
import * as S3Clients from "./S3Clients.ts"

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

/** A failure of the store or of the connection to it; `reason` is for the log and names no key. */
export class BucketFailure extends Data.TaggedError("BucketFailure")<{
  readonly reason: string
  readonly status: number | undefined
  readonly code: string
}> {}

interface SdkError {
  readonly name?: string
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

const silent = (millis: number): string => `does not respond within ${millis / 1000} s: check S3_ENDPOINT`

/** Codes of S3, and the variable that is wrong: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const causes: Readonly<Record<string, string>> = {
  NoSuchBucket: "does not exist: check S3_BUCKET",
  InvalidBucketName: "does not exist: check S3_BUCKET",
  InvalidAccessKeyId: "refuses the access key: check S3_ACCESS_KEY_ID",
  SignatureDoesNotMatch: "refuses the signature: check S3_SECRET_ACCESS_KEY",
  AuthorizationHeaderMalformed: "is in another region: check S3_REGION",
  IllegalLocationConstraintException: "is in another region: check S3_REGION",
  PermanentRedirect: "is in another region: check S3_REGION and S3_ENDPOINT",
  RequestTimeTooSkewed: "refuses the time of this machine: check its clock"
}

/** What is wrong with the bucket, and which variable to look at. */
const reasonOf = (status: number | undefined, code: string): string =>
  causes[code] ??
  (status === undefined
    ? `cannot be reached (${code}): check S3_ENDPOINT`
    : status === 403
      ? `refuses access (${code}): check S3_BUCKET and the rights of S3_ACCESS_KEY_ID`
      : `fails (${status} ${code})${status < 500 ? ": check S3_ENDPOINT" : ""}`)

/** A stream that fails if the next byte does not arrive in time; a slow reader does no harm. */
const withSilenceTimeout = (body: Readable, silence: number): Readable => {
  let timer: NodeJS.Timeout | undefined
  const wait = () => {
    timer ??= setTimeout(
      () => stream.destroy(new BucketFailure({ reason: "stopped responding", status: undefined, code: "ETIMEDOUT" })),
      silence
    )
  }
  const rest = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const stream: Readable = new Readable({
    highWaterMark: body.readableHighWaterMark,
    read() {
      wait()
      body.resume()
    },
    destroy(error, done) {
      rest()
      body.destroy()
      done(error)
    }
  })
  // The reader gets the error from the stream itself.
  stream.on("error", () => {})
  body.on("data", (chunk) => {
    rest()
    stream.push(chunk) ? wait() : body.pause()
  })
  body.on("end", () => {
    rest()
    stream.push(null)
  })
  body.on("error", (error) => stream.destroy(error))
  // The connection ended early.
  body.on("close", () => {
    if (!body.readableEnded && !stream.destroyed) stream.destroy(new Error("the bucket closed the connection"))
  })
  return stream
}

/** Retries refusals and broken connections, but no time-outs: the caller of a bucket that hangs gets a 503 in time. */
const failOnceTimedOut = (client: S3Client, within: number): void =>
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args)
      } catch (error) {
        // The SDK gives broken connections this name too. They have a code.
        if (!(error instanceof Error) || error.name !== "TimeoutError" || "code" in error) throw error
        throw new BucketFailure({ reason: silent(within), status: undefined, code: error.name })
      }
    },
    // Within the step that retries.
    { name: "failOnceTimedOut", step: "deserialize" }
  )

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
