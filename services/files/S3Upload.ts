import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand
} from "@aws-sdk/client-s3"
import { BucketFailure } from "./S3Failures.ts"

/** How requests are sent to the store. */
export interface Sending {
  readonly commands: S3Client
  readonly copies: S3Client
  /** Turns any failure of the SDK into a BucketFailure. */
  readonly failing: <A>(sent: Promise<A>) => Promise<A>
  /** Maximum milliseconds in which an upload is aborted. */
  readonly ending: number
}

interface Begun {
  readonly Bucket: string
  readonly Key: string
  readonly UploadId: string | undefined
}

/**
 * An object that is sent in parts, one after the other. Nothing has its key before `complete`. All parts but the last one
 * have at least 5 MiB.
 */
export class S3Upload {
  readonly #parts: Array<{ readonly PartNumber: number; readonly ETag: string | undefined }> = []
  readonly #sending: Sending
  readonly #upload: Begun

  constructor(sending: Sending, upload: Begun) {
    this.#sending = sending
    this.#upload = upload
  }

  static async begin(sending: Sending, place: { readonly Bucket: string; readonly Key: string }): Promise<S3Upload> {
    const { UploadId } = await sending.failing(sending.commands.send(new CreateMultipartUploadCommand(place)))
    return new S3Upload(sending, { ...place, UploadId })
  }

  /** Number of parts that the store has. */
  get length(): number {
    return this.#parts.length
  }

  async send(Body: Buffer, abortSignal: AbortSignal): Promise<void> {
    const { commands, failing } = this.#sending
    const part = new UploadPartCommand({ ...this.#next, Body })
    this.#add((await failing(commands.send(part, { abortSignal }))).ETag)
  }

  /** Copies a range of an object: the first and the last byte, both included. */
  async copy(CopySource: string, start: number, end: number, abortSignal: AbortSignal): Promise<void> {
    const { copies, failing } = this.#sending
    const part = new UploadPartCopyCommand({ ...this.#next, CopySource, CopySourceRange: `bytes=${start}-${end}` })
    this.#add((await failing(copies.send(part, { abortSignal }))).CopyPartResult?.ETag)
  }

  async complete(abortSignal: AbortSignal): Promise<void> {
    const { copies, failing } = this.#sending
    const all = new CompleteMultipartUploadCommand({ ...this.#upload, MultipartUpload: { Parts: [...this.#parts] } })
    await failing(copies.send(all, { abortSignal }))
  }

  /** Removes the parts, if the upload still exists. */
  async abort(): Promise<void> {
    const { commands, ending, failing } = this.#sending
    const abortSignal = AbortSignal.timeout(ending)
    try {
      await failing(commands.send(new AbortMultipartUploadCommand({ ...this.#upload }), { abortSignal }))
    } catch (error) {
      if (!(error instanceof BucketFailure) || error.status !== 404) throw error
    }
  }

  get #next() {
    return { ...this.#upload, PartNumber: this.#parts.length + 1 }
  }

  #add(ETag: string | undefined): void {
    this.#parts.push({ PartNumber: this.#parts.length + 1, ETag })
  }
}
