import { GetObjectCommand, HeadBucketCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { getSignedUrl } from "@aws-sdk/s3-request-presigner"
import { Effect } from "effect"
import { createHash, randomBytes } from "node:crypto"
import type { Unavailable } from "../Errors.ts"
import { abortable } from "./Abortable.ts"
import { type BlobKey, checkedHash, type Direct, type Staged, checkedName } from "./Blobs.ts"
import { freeBuffer } from "./FreeBuffer.ts"
import { type S3Bucket } from "./S3Bucket.ts"
import { BucketFailure } from "./S3Failures.ts"

/** The prefix of the keys of everything that is staged under a name. */
export const stagingPrefix = (name: string): string => `staging/${checkedName(name)}/`

const base64 = (sha256: string): string => Buffer.from(sha256, "hex").toString("base64")

/** Computes the SHA-256 of an object, which is read once, as a stream; undefined if there is none. */
const hashOf = async (bucket: S3Bucket, key: string, signal: AbortSignal): Promise<string | undefined> => {
  const body = await bucket.get(key, undefined, signal)
  if (body === undefined) return undefined
  const hash = createHash("sha256")
  const end = () => body.destroy()
  signal.addEventListener("abort", end, { once: true })
  try {
    for await (const chunk of body) {
      hash.update(chunk)
      freeBuffer(chunk)
    }
    return hash.digest("hex")
  } catch (error) {
    throw error instanceof BucketFailure
      ? error
      : new BucketFailure({
          reason: "closed the connection while a file was read",
          status: undefined,
          code: "ECONNRESET"
        })
  } finally {
    signal.removeEventListener("abort", end)
  }
}

/**
 * Lets clients access the bucket directly.
 *
 * The signature of an upload covers its length, its type, and twice its hash. S3 checks `x-amz-checksum-sha256`, stores
 * it, and returns it later; stores that do not support it, such as Ceph until version 18, treat it like any other
 * header. `x-amz-content-sha256` is part of the signature itself: with it, Ceph (16.2) refuses other bytes with 400
 * XAmzContentSHA256Mismatch. If neither is checked, `staged` detects wrong bytes.
 */
export const direct = (
  bucket: S3Bucket,
  failed: (error: unknown) => Effect.Effect<never, Unavailable>,
  blobKey: (key: BlobKey) => string
): Direct => {
  const { client, name: Bucket } = bucket
  const uploaded = (name: string) => `${stagingPrefix(name)}upload`

  const uploadUrl: Direct["uploadUrl"] = ({ content_type, expires_in_seconds, name, sha256, size }) =>
    Effect.promise(async () => {
      const headers = {
        "content-type": content_type,
        "x-amz-checksum-sha256": base64(sha256),
        "x-amz-content-sha256": sha256
      }
      const command = new PutObjectCommand({
        Bucket,
        Key: uploaded(name),
        ContentLength: size,
        ContentType: content_type,
        ChecksumSHA256: headers["x-amz-checksum-sha256"]
      })
      command.middlewareStack.add(
        (next) => (args) => {
          Object.assign((args.request as { headers: Record<string, string> }).headers, {
            "x-amz-content-sha256": sha256
          })
          return next(args)
        },
        { step: "build" }
      )
      const url = await getSignedUrl(client, command, {
        expiresIn: expires_in_seconds,
        signableHeaders: new Set(["host", "content-length", ...Object.keys(headers)]),
        // In the URL they would only be signed, and not checked.
        unhoistableHeaders: new Set(Object.keys(headers))
      })
      // Without Content-Length: clients send it by themselves, and browsers do not let scripts set it.
      return { url, headers }
    })

  /** Whether an object has these bytes. A hash that the bucket has checked is sufficient. */
  const isRight = async (key: string, { sha256, size }: Staged, signal: AbortSignal): Promise<boolean> => {
    const found = await bucket.head(key, signal)
    if (found?.size !== size) return false
    if (found.sha256 !== undefined) return found.sha256 === base64(sha256)
    return (await hashOf(bucket, key, signal)) === sha256
  }

  const staged: Direct["staged"] = (name, expected) =>
    abortable(async (signal) => {
      const right = `${stagingPrefix(name)}${checkedHash(expected.sha256)}`
      // Bytes that were once found correct stay staged, whatever the client sent afterwards.
      if ((await bucket.head(right, signal)) !== undefined) return "ok"
      const found = await bucket.head(uploaded(name), signal)
      if (found === undefined) return "missing"
      if (found.size !== expected.size) return "wrong_size"
      // While its URL is valid, the client may send other bytes, so a copy is checked, which it cannot change.
      const taken = `${stagingPrefix(name)}${randomBytes(12).toString("hex")}.taken`
      if (!(await bucket.copy(uploaded(name), taken, found.size, signal))) return "missing"
      const verdict = (await isRight(taken, expected, signal)) ? "ok" : "wrong_hash"
      if (verdict === "ok" && !(await bucket.copy(taken, right, found.size, signal))) return "missing"
      await bucket.remove(taken, signal)
      if (verdict === "ok") await bucket.remove(uploaded(name), signal)
      return verdict
    }, failed)

  const downloadUrl: Direct["downloadUrl"] = (key, { at, content_disposition, content_type, expires_in_seconds }) =>
    Effect.promise(() =>
      getSignedUrl(
        client,
        new GetObjectCommand({
          Bucket,
          Key: blobKey(key),
          ResponseContentType: content_type,
          ResponseContentDisposition: content_disposition
        }),
        { expiresIn: expires_in_seconds, signingDate: at }
      )
    )

  // The address of the bucket itself: its name can be part of the host.
  const origin = Effect.promise(async () => {
    const url = await getSignedUrl(client, new HeadBucketCommand({ Bucket }), { expiresIn: 1 })
    return new URL(url).origin
  })

  return { uploadUrl, staged, downloadUrl, origin }
}
