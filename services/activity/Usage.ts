import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { plans } from "../Principal.ts"
import { type ResourceQuota, resourceQuotas } from "../Resources.ts"

const quotas = Object.fromEntries(
  Object.entries(resourceQuotas).map(([name, quota]) => [
    name,
    Fields.count(`Maximum number of ${name} in the workspace.`, quota)
  ])
) as Readonly<Record<ResourceQuota, ReturnType<typeof Fields.count>>>

const counts = Object.fromEntries(
  Object.keys(resourceQuotas).map((name) => [name, Fields.count(`Number of ${name} in the workspace.`, 7)])
) as Readonly<Record<ResourceQuota, ReturnType<typeof Fields.count>>>

/** The limits of a plan; 0 is no limit. */
const PlanLimits = Schema.Struct({
  requests_per_minute: Fields.count("Requests per minute for each credential, as applied by this server.", 3000),
  notes: Fields.count("Maximum number of notes in the workspace.", 100_000),
  storage_bytes: Fields.count(
    "Maximum bytes of texts and attachments together, compared with the sum of `text_bytes` and `storage_bytes`.",
    21_474_836_480
  ),
  kept_bytes: Fields.count("Maximum of `kept_bytes`: twice `storage_bytes`.", 42_949_672_960),
  attachment_bytes: Fields.count("Maximum bytes of one attachment.", 209_715_200),
  audit_days: Fields.count("Days for which audit entries are kept.", 400),
  api_keys: Fields.count("Maximum number of valid API keys of a user.", 100),
  devices: Fields.count(
    "Maximum number of devices of a user; a further one replaces the device that has not synced for the longest time.",
    100
  ),
  ...quotas,
  invitations: Fields.count("Maximum number of pending invitations of the workspace.", 100),
  invitations_per_hour: Fields.count("Maximum number of invitations that a user sends in an hour.", 20),
  invitations_per_day: Fields.count("Maximum number of invitations that a user sends in a day.", 100)
}).annotate({ identifier: "PlanLimits" })

/** The usage of a workspace, with the limits of its plan (contract 4). */
export const Usage = Schema.Struct({
  period_start: Fields.time("The start of the period: the first day of the month, in UTC.").annotate({
    examples: ["2026-03-01T00:00:00.000Z"]
  }),
  period_end: Fields.time("The end of the period, and the start of the next one.").annotate({
    examples: ["2026-04-01T00:00:00.000Z"]
  }),
  plan: Schema.Literals(plans).annotate({ description: "The plan of the workspace.", examples: ["plus"] }),
  notes: Fields.count("Number of notes, without those in the trash.", 1234),
  storage_bytes: Fields.count(
    "Bytes of attachments, including those of notes in the trash, and of pending uploads to a bucket. Each counts in full, even if several have the same content.",
    0
  ),
  text_bytes: Fields.count(
    "Bytes of the texts of notes (including the trash), their history and templates. A text that several versions share counts once.",
    184_320
  ),
  kept_bytes: Fields.count(
    "Bytes that the workspace keeps in all: texts, and files as they are stored, also those of imports and exports, deleted ones that are not removed yet, and the room for files that are being received.",
    276_480
  ),
  api_requests: Fields.count("Authenticated requests in the period.", 42),
  counts: Schema.Struct(counts).annotate({
    description:
      "Numbers of records, as the limits of the same names count them, including those of notes in the trash."
  }),
  limits: PlanLimits.annotateKey({ description: "The limits of the plan; 0 means unlimited." }),
  daily: Schema.Array(
    Schema.Struct({
      date: Schema.String.annotate({ description: "The day, in UTC.", format: "date", examples: ["2026-03-01"] }),
      api_requests: Fields.count("Authenticated requests on that day.", 42)
    })
  ).annotate({ description: "The days of the period up to today." })
}).annotate({ identifier: "Usage" })
export type Usage = typeof Usage.Type
