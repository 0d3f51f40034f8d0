import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3"
import { Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import type { Place } from "../../../services/files/S3Place.ts"

type Found = { readonly endpoint: string; readonly accessKeyId: string; readonly secretAccessKey: string }

/** An account with an empty bucket on the S3 server of this run, for one test file. */
export interface S3Server extends Place {
  /** For direct access, without Sheaf. */
  readonly client: S3Client
}

/** Creates an account, and starts the S3 server if necessary. Returns the reason if there is none. */
export const s3Server = async (): Promise<S3Server | { readonly missing: string }> => {
  const answer = await fetch(inject("s3"))
  if (!answer.ok) throw new Error(`the S3 server of the tests provides no account: ${await answer.text()}`)
  const found = (await answer.json()) as Found | { readonly missing: string }
  if ("missing" in found) return found
  const { accessKeyId, endpoint, secretAccessKey } = found
  const region = "us-east-1"
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } })
  const bucket = `sheaf-${randomBytes(8).toString("hex")}`
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  return {
    endpoint,
    bucket,
    region,
    accessKeyId: Redacted.make(accessKeyId),
    secretAccessKey: Redacted.make(secretAccessKey),
    client
  }
}
