import { Effect } from "effect"
import { isInBucket } from "../../../services/backup/BackupPlaces.ts"
import { baseUrl, plainUrl, secret, text } from "./SettingParsers.ts"
import { ConfigError, secretVariable, variable } from "./Variables.ts"

const s3Needed = ["S3_ENDPOINT", "S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const

/** All of the variables or none; the region is optional. Without a bucket, the store is only for backups. */
export const s3 = Effect.fnUntraced(function* (backupTo: string | undefined) {
  const endpoint = yield* variable("S3_ENDPOINT", plainUrl, baseUrl)
  const bucket = yield* variable("S3_BUCKET", "the name of a bucket", text(/^[\w.-]{3,255}$/))
  const region = yield* variable("S3_REGION", "the name of a region, such as us-east-1", text(/^[\w-]{1,64}$/))
  const accessKeyId = yield* secretVariable("S3_ACCESS_KEY_ID", "an access key", secret(/^[\x21-\x7e]+$/))
  const secretAccessKey = yield* secretVariable("S3_SECRET_ACCESS_KEY", "a secret key", secret(/^[\x21-\x7e]+$/))
  const needed = [endpoint, bucket, accessKeyId, secretAccessKey]
  const isForBackups = backupTo !== undefined && isInBucket(backupTo)
  const missing = s3Needed.filter(
    (name, index) => needed[index] === undefined && !(isForBackups && name === "S3_BUCKET")
  )
  if (missing.length === s3Needed.length && region === undefined && !isForBackups)
    return { s3Access: undefined, s3: undefined }
  if (endpoint === undefined || accessKeyId === undefined || secretAccessKey === undefined || missing.length > 0) {
    const [last, ...others] = missing.toReversed()
    const names = others.length === 0 ? `${last} is` : `${others.toReversed().join(", ")} and ${last} are`
    const reason = isForBackups ? "a bucket in BACKUP_TO" : "the other S3 variables"
    // A backup in a bucket may be restored where files stay in DATA_DIR.
    const unless = missing.join() === "S3_BUCKET" ? ", unless BACKUP_TO is a bucket" : ""
    return yield* new ConfigError({ message: `${names} required with ${reason}${unless}` })
  }
  const s3Access = { endpoint, region: region ?? "us-east-1", accessKeyId, secretAccessKey }
  return { s3Access, s3: bucket === undefined ? undefined : { ...s3Access, bucket } }
})
