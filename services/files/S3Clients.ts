import { S3Client } from "@aws-sdk/client-s3"
import { Redacted } from "effect"
import { Agent as HttpAgent } from "node:http"
import { Agent as HttpsAgent } from "node:https"

export interface Place {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: Redacted.Redacted
  readonly secretAccessKey: Redacted.Redacted
}

/** How long the store is waited for, in milliseconds. */
export interface Patience {
  /** For a connection. */
  readonly connect: number
  /**
   * For a command without a body, its retries included; for the next byte in each try of one with a body, of which a try
   * that times out is the last. The SDK begins to measure the silence of a connection 3 s late.
   */
  readonly command: number
  /** For the next byte, of an answer or of a blob that is being read. */
  readonly silence: number
  /** For the next byte while the store copies or puts parts together. */
  readonly copying: number
  /** For the bucket to respond to `Blobs.ready`, retries included. */
  readonly ready: number
  /** For removing what broke off, while its client waits for a 503: a sweep removes the rest. */
  readonly ending: number
}
export const defaultPatience: Patience = {
  connect: 3_000,
  command: 10_000,
  silence: 20_000,
  copying: 120_000,
  ready: 2_000,
  ending: 2_000
}

const attempts = 3
/** Connections to the store. Those of readers are open for as long as they read. */
const maxSockets = { commands: 50, copies: 20, readers: 500 }

/**
 * The clients of the SDK by which a store is reached: each with connections of its own, so that no kind of work waits for
 * another. Nothing about them comes from the environment.
 */
export const make = (place: Place, patience: Patience) => {
  const client = (maxSockets: number, timeouts: object) =>
    new S3Client({
      endpoint: place.endpoint,
      region: place.region,
      credentials: {
        accessKeyId: Redacted.value(place.accessKeyId),
        secretAccessKey: Redacted.value(place.secretAccessKey)
      },
      forcePathStyle: true,
      // Older stores know none of the checksums that the SDK would add.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      maxAttempts: attempts,
      // All else that the SDK would look for in the environment, or in files of whoever runs Sheaf.
      retryMode: "standard",
      defaultsMode: "standard",
      useFipsEndpoint: false,
      useDualstackEndpoint: false,
      useArnRegion: false,
      disableMultiregionAccessPoints: true,
      disableS3ExpressSessionAuth: true,
      sigv4aSigningRegionSet: [place.region],
      authSchemePreference: [],
      userAgentAppId: "sheaf",
      requestHandler: {
        connectionTimeout: patience.connect,
        ...timeouts,
        httpAgent: new HttpAgent({ keepAlive: true, maxSockets }),
        httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets })
      }
    })
  return {
    /** For what answers at once. */
    commands: client(maxSockets.commands, { socketTimeout: patience.command }),
    copies: client(maxSockets.copies, { socketTimeout: patience.copying }),
    // A time-out of the socket would end slow readers too.
    readers: client(maxSockets.readers, { requestTimeout: patience.silence, throwOnRequestTimeout: true })
  }
}
