import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { plans } from "../Principal.ts"

/** What a plan allows; 0 is without a limit. */
const PlanLimits = Schema.Struct({
  requests_per_minute: Fields.count("Requests a minute and credential, as in force here.", 3000),
  notes: Fields.count("How many notes the workspace may have.", 100_000),
  storage_bytes: Fields.count(
    "How many bytes texts and attachments may have together: what is left is this less `text_bytes` and `storage_bytes`.",
    21_474_836_480
  ),
  attachment_bytes: Fields.count("How many bytes one attachment may have.", 209_715_200),
  audit_days: Fields.count("For how many days audit entries are kept.", 400),
  api_keys: Fields.count("How many API keys that have not ended a user may have.", 100),
  devices: Fields.count("How many devices a user may have; beyond, the longest silent one ends.", 100),
  tags: Fields.count("How many tags the workspace may have.", 10_000),
  notebooks: Fields.count("How many notebooks the workspace may have.", 2_000),
  templates: Fields.count("How many templates the workspace may have.", 1_000),
  attachments: Fields.count("How many attachments the workspace may have.", 100_000),
  comments: Fields.count("How many comments the workspace may have.", 100_000),
  reminders: Fields.count("How many reminders the workspace may have.", 20_000),
  shares: Fields.count("How many shares the workspace may have.", 10_000)
}).annotate({ identifier: "PlanLimits" })

/** How much a workspace uses of what its plan allows (interface.md, Usage; contract 4). */
export const Usage = Schema.Struct({
  period_start: Fields.time("When the period began: the first of the month, in UTC.").annotate({
    examples: ["2026-03-01T00:00:00.000Z"]
  }),
  period_end: Fields.time("When it is over, and the next one begins.").annotate({
    examples: ["2026-04-01T00:00:00.000Z"]
  }),
  plan: Schema.Literals(plans).annotate({ description: "The plan of the workspace.", examples: ["plus"] }),
  notes: Fields.count("Notes outside the trash.", 1234),
  storage_bytes: Fields.count(
    "Bytes used by attachments, those in the trash too: each counts with its size, also where several have the same content.",
    0
  ),
  text_bytes: Fields.count(
    "Bytes of the texts of its notes, those in the trash too, of their history, and of its templates; a text that versions share counts once.",
    184_320
  ),
  api_requests: Fields.count("Authenticated requests of the period.", 42),
  limits: PlanLimits.annotateKey({ description: "What the plan allows; 0 is without a limit." }),
  daily: Schema.Array(
    Schema.Struct({
      date: Schema.String.annotate({ description: "The day, in UTC.", format: "date", examples: ["2026-03-01"] }),
      api_requests: Fields.count("Authenticated requests of the day.", 42)
    })
  ).annotate({ description: "Each day of the period up to today." })
}).annotate({ identifier: "Usage" })
export type Usage = typeof Usage.Type
