/**
 * The entry `sheaf/testing` of the npm package: a whole Sheaf in the process of a test, and what replaces its parts. The
 * types of this file and of all that it imports are published, so they must not need the types of bundled packages.
 */
export type { LoggedEvent } from "./EventLog.ts"
export type { Port, SheafOptions } from "./TestRun.ts"
export { epoch, Sheaf } from "./Sheaf.ts"
export type { SentDelivery, SentMail, SentPush } from "./Recording.ts"
export type { Crafted, ProviderUser, TestProvider } from "./TestProvider.ts"
export type { TestSubscription } from "./PushDevices.ts"
export type { FaultName, FaultPlan, Faults, HappenedFault } from "./Faults.ts"
export { faultNames } from "./Faults.ts"
export { planLimits } from "./TestSettings.ts"
export type { Settings } from "../../server/settings/Config.ts"
export { LeapClock } from "./LeapClock.ts"
export { seededRandomness } from "./SeededRandomness.ts"

// One PostgreSQL for several processes: its address is the option `postgres` of each.
export type { RunningPostgres, TestPostgres } from "./TemporaryPostgres.ts"
export { run as startPostgres } from "./TemporaryPostgres.ts"

// The ports that a layer can replace, with what their methods take, return and fail with.
export type { RandomnessShape } from "../../../services/Randomness.ts"
export { fromBytes, Randomness } from "../../../services/Randomness.ts"
export type { Address } from "../../../services/database/Database.ts"
export { Database } from "../../../services/database/Database.ts"
export type { Subscriber } from "../../../services/database/NodeBus.ts"
export { NodeBus } from "../../../services/database/NodeBus.ts"
export type { Purpose } from "../../../services/secrets/Secrets.ts"
export { Secrets } from "../../../services/secrets/Secrets.ts"
export type { Mail } from "../../../services/mail/Mailer.ts"
export { Mailer, Undelivered } from "../../../services/mail/Mailer.ts"
export type { Counter } from "../../../services/limits/RateCounters.ts"
export { RateCounters } from "../../../services/limits/RateCounters.ts"
export type { Counted } from "../../../services/limits/Windows.ts"
export type {
  BlobKey,
  ByteRange,
  Direct,
  Download,
  Incoming,
  Room,
  Source,
  Staged,
  Upload
} from "../../../services/files/Blobs.ts"
export { BlobMissing, Blobs, FileStoreUnreachable, NotStaged, SourceFailed } from "../../../services/files/Blobs.ts"
export type { Space } from "../../../services/files/DiskSpace.ts"
export { DiskSpace } from "../../../services/files/DiskSpace.ts"
export type { OutgoingRequest, Target } from "../../../services/outgoing/Outgoing.ts"
export { Outgoing } from "../../../services/outgoing/Outgoing.ts"
export type { Outcome, OutgoingResponse } from "../../../services/outgoing/OutgoingResponse.ts"
export { NoResponse, Refused } from "../../../services/outgoing/OutgoingResponse.ts"
export { Forbidden, Invalid, TooLarge, Unavailable } from "../../../services/Errors.ts"
