import { S3Client } from "@aws-sdk/client-s3"
import { Redacted } from "effect"
import { Agent as HttpAgent } from "node:http"
import { Agent as HttpsAgent } from "node:https"
import type { Access } from "./S3Place.ts"

/** Time-outs of requests to the store, in milliseconds. */
export interface Timeouts {
  /** To connect. */
  readonly connect: number
  /**
   * For a command without a body, including its retries. For a command with a body: until the next byte in each try; a
   * try that times out is not retried. The SDK begins to measure the silence of a connection 3 s late.
   */
  readonly command: number
  /** Until the next byte of a response, or of a blob that is being read. */
  readonly silence: number
  /** Until the next byte while the store copies or combines parts. */
  readonly copying: number
  /** For `Blobs.ready`, including retries. */
  readonly ready: number
  /** To remove what a failed upload left, while its client waits for a 503; a sweep removes the rest. */
  readonly ending: number
}
export const defaultTimeouts: Timeouts = {
  connect: 3_000,
  command: 10_000,
  silence: 20_000,
  copying: 120_000,
  ready: 2_000,
  ending: 2_000
}

const attempts = 3
/** Maximum number of connections to the store. Connections of readers are open as long as they read. */
const maxSockets = { commands: 50, copies: 20, readers: 500 }

/** The SDK clients for a store. Each has separate connections, so that no kind of work waits for another. */
export const make = (place: Access, timeouts: Timeouts) => {
  const client = (maxSockets: number, ofClient: object) =>
    new S3Client({
      endpoint: place.endpoint,
      region: place.region,
      credentials: {
        accessKeyId: Redacted.value(place.accessKeyId),
        secretAccessKey: Redacted.value(place.secretAccessKey)
      },
      forcePathStyle: true,
      // Older stores do not support the checksums that the SDK would add.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      maxAttempts: attempts,
      // Settings that the SDK would otherwise look for in the environment, or in files of the operator.
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
        connectionTimeout: timeouts.connect,
        ...ofClient,
        httpAgent: new HttpAgent({ keepAlive: true, maxSockets }),
        httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets })
      }
    })
  return {
    /** For commands to which the store responds at once. */
    commands: client(maxSockets.commands, { socketTimeout: timeouts.command }),
    copies: client(maxSockets.copies, { socketTimeout: timeouts.copying }),
    // A time-out of the socket would also disconnect slow readers.
    readers: client(maxSockets.readers, { requestTimeout: timeouts.silence, throwOnRequestTimeout: true })
  }
}
