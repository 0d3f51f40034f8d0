import { Clock, Effect, Schedule, Schema } from "effect"
import type { RevertedRecord } from "../../../services/changesets/ChangeSet.ts"
import { ChangeSets } from "../../../services/changesets/ChangeSets.ts"
import { NotFound } from "../../../services/Errors.ts"
import { shortened } from "../../../services/notes/texts/ShownText.ts"
import { Principal } from "../../../services/Principal.ts"
import * as McpTool from "./McpTool.ts"
import { count, id, write } from "./ToolFields.ts"

const args = Schema.Struct({
  change_set: Schema.optionalKey(id.annotate({ description: "Without it, your last calls." })),
  preview: Schema.optionalKey(Schema.Boolean.annotate({ description: "Changes nothing: do this first." })),
  mutation_id: McpTool.mutation_id
})
type Args = typeof args.Type

/** Maximum number of records that a result names. */
const maxNamed = 50

const lineOf = ({ members, outcome, reason, record_id, title, type }: RevertedRecord): string => {
  const named = title === null ? "" : ` "${shortened(title, 100)}"`
  const why = reason === null ? "" : `, ${[reason, ...members].join(" ")}`
  return `${outcome}${why}: ${type} ${record_id}${named}`
}

const nothing = new NotFound({ code: "not_found", detail: "There are no such changes of yours" })

/** How long a call waits for the end of a revert: about 10 seconds. */
const looks = { schedule: Schedule.spaced("50 millis"), times: 200 }

export const UndoTools = Effect.gen(function* () {
  const sets = yield* ChangeSets

  const undo = Effect.fnUntraced(function* ({ change_set, preview = false }: Args) {
    const caller = yield* Principal
    const set = change_set ?? (yield* sets.lastOfCaller(caller))
    if (set === undefined || (yield* sets.get(set)).author_id !== caller.user_id) return yield* nothing
    const { id: revert } = yield* sets.revert(set, { preview })
    const { kept, merged, reverted, reverted_by, status } = yield* sets.getRevert(revert).pipe(
      Effect.repeat({ ...looks, while: ({ status }) => status === "queued" || status === "running" }),
      // A job takes real time, also while the program runs on a clock of a test.
      Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
    )
    const page = yield* sets.reverted(revert, { limit: String(maxNamed), filter: "outcome != reverted" })
    const stays = page.items.map((json) => lineOf(JSON.parse(json) as RevertedRecord))
    return { change_set: set, status, reverted, merged, kept, reverted_by, stays }
  })

  return [
    McpTool.removing({
      name: "undo_my_changes",
      title: "Undo changes",
      description:
        "Takes back a change set: by default your calls since a pause of 30 minutes. `stays` lists what others have written since. `reverted_by` is the change set of the undo. If `status` is running, call again.",
      access: write,
      isGrouped: false,
      args,
      result: Schema.Struct({
        change_set: Schema.String,
        status: Schema.String,
        reverted: count,
        merged: count,
        kept: count,
        reverted_by: Schema.NullOr(Schema.String),
        stays: Schema.Array(Schema.String)
      }),
      run: undo
    })
  ]
})
