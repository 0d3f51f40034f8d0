import { type S3Client } from "@aws-sdk/client-s3"
import { Data } from "effect"
import { Readable } from "node:stream"

/** Failures of a bucket, and the time limits that lead to them. */

/** A failure of the store or of the connection to it; `reason` is for the log and names no key. */
export class BucketFailure extends Data.TaggedError("BucketFailure")<{
  readonly reason: string
  readonly status: number | undefined
  readonly code: string
}> {}

export interface SdkError {
  readonly name?: string
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

export const silent = (millis: number): string => `does not respond within ${millis / 1000} s: check S3_ENDPOINT`

/** The setting that names a bucket of files, in the reasons of failures. */
export const filesSetting = "S3_BUCKET"

/** Codes of S3, and the variable that is wrong: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const causes: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: "refuses the access key: check S3_ACCESS_KEY_ID",
  SignatureDoesNotMatch: "refuses the signature: check S3_SECRET_ACCESS_KEY",
  AuthorizationHeaderMalformed: "is in another region: check S3_REGION",
  IllegalLocationConstraintException: "is in another region: check S3_REGION",
  PermanentRedirect: "is in another region: check S3_REGION and S3_ENDPOINT",
  RequestTimeTooSkewed: "refuses the time of this machine: check its clock"
}

/** Returns the fault of the bucket, and the variable to look at. `setting` names the bucket. */
export const reasonOf = (status: number | undefined, code: string, setting: string): string => {
  if (code === "NoSuchBucket" || code === "InvalidBucketName") return `does not exist: check ${setting}`
  if (causes[code] !== undefined) return causes[code]
  if (status === undefined) return `cannot be reached (${code}): check S3_ENDPOINT`
  if (status === 403) return `refuses access (${code}): check ${setting} and the rights of S3_ACCESS_KEY_ID`
  return `fails (${status} ${code})${status < 500 ? ": check S3_ENDPOINT" : ""}`
}

/** A stream that fails if the next byte does not arrive in time; a slow reader does no harm. */
export const withSilenceTimeout = (body: Readable, silence: number): Readable => {
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
export const failOnceTimedOut = (client: S3Client, within: number): void =>
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
