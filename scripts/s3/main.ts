/**
 * Runs a real S3 on this machine until it is interrupted, and prints the environment variables for Sheaf.
 *   node scripts/s3/main.ts
 */
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3"
import { once } from "node:events"
import { CephGateway } from "./CephGateway.ts"
import { find } from "./CephPackages.ts"

const found = await find()
if ("missing" in found) {
  console.error(found.missing)
  process.exit(1)
}
const gateway = await CephGateway.start(found)
try {
  const credentials = await gateway.account("sheaf")
  const client = new S3Client({ endpoint: gateway.url, region: "us-east-1", forcePathStyle: true, credentials })
  await client.send(new CreateBucketCommand({ Bucket: "sheaf" }))
  client.destroy()
  console.log(`export S3_ENDPOINT=${gateway.url} S3_BUCKET=sheaf`)
  console.log(`export S3_ACCESS_KEY_ID=${credentials.accessKeyId} S3_SECRET_ACCESS_KEY=${credentials.secretAccessKey}`)
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")])
} finally {
  await gateway.stop()
}
