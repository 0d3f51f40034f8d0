import { Schema } from "effect"
import * as Fields from "../Fields.ts"

const Fault = Schema.Struct({
  problem: Fields.text("What is wrong, in one sentence.", "The counter of notes is 3, and there are 2"),
  remedy: Fields.text("What the operator can do about it.", "Run sheaf doctor --repair."),
  workspace_id: Schema.optionalKey(Fields.id("ws", "The workspace whose data is at fault.")),
  repaired: Schema.optionalKey(Schema.Boolean.annotate({ description: "Whether this run has repaired it." }))
}).annotate({ identifier: "CheckFault" })

const CheckResult = Schema.Struct({
  check: Fields.text("The name of the check.", "counters"),
  status: Schema.Literals(["ok", "faulty", "repaired", "skipped"]).annotate({
    description: "Its result.",
    examples: ["ok"]
  }),
  faults: Schema.Array(Fault).annotate({ description: "The faults that it has found: at most 20.", examples: [[]] }),
  has_more: Schema.Boolean.annotate({ description: "Whether there are more faults.", examples: [false] }),
  reason: Schema.NullOr(Fields.text("Why it was skipped; else null.", "A quick run skips it")).annotate({
    examples: [null]
  })
}).annotate({ identifier: "CheckResult" })

/** A run of the checks of `sheaf doctor` on the running server (contract 11). */
export const CheckRun = Schema.Struct({
  id: Fields.ownId("cr"),
  state: Schema.Literals(["running", "ended", "interrupted"]).annotate({
    description: "`interrupted`: its node has ended meanwhile.",
    examples: ["ended"]
  }),
  results: Schema.Array(CheckResult).annotate({ description: "The results of the checks that have ended." }),
  started_at: Fields.time("When it began."),
  ended_at: Schema.NullOr(Fields.time("When it ended; null while it runs."))
}).annotate({ identifier: "CheckRun" })
export type CheckRun = typeof CheckRun.Type

export const CheckRuns = Schema.Struct({
  data: Schema.Array(CheckRun).annotate({ description: "The last 20 runs, the latest first." })
}).annotate({ identifier: "CheckRunsPage" })

export const CheckRunCreate = Schema.Struct({
  thorough: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether the bytes of all files are read, which may take long. Default: false.",
      examples: [false]
    })
  )
}).annotate({ identifier: "CheckRunCreate" })
export type CheckRunCreate = typeof CheckRunCreate.Type
