import { Clock, Effect, Schedule, Schema } from "effect"
import type { RevertedRecord } from "../../../services/changesets/ChangeSet.ts"
import { ChangeSets } from "../../../services/changesets/ChangeSets.ts"
import { NotFound } from "../../../services/Errors.ts"
import { shortened } from "../../../services/notes/texts/ShownText.ts"
import { Principal } from "../../../services/Principal.ts"
import * as McpTool from "./McpTool.ts"
import { fittingPage } from "./responses/FittingPages.ts"
import { count, cursor, id, next_cursor, write } from "./ToolFields.ts"

const args = Schema.Struct({
  change_set: Schema.optionalKey(id.annotate({ description: "`cs_…` of your user; without it, your last calls." })),
  preview: Schema.optionalKey(Schema.Boolean.annotate({ description: "Only shows what would happen: do this first." })),
  revert: Schema.optionalKey(id.annotate({ description: "`rv_…` of an earlier call: shows its state instead." })),
  cursor,
  mutation_id: McpTool.mutation_id
})
type Args = typeof args.Type

const Stays = Schema.Struct({
  type: Schema.String,
  id: Schema.String,
  title: Schema.NullOr(Schema.String),
  outcome: Schema.String,
  reason: Schema.NullOr(Schema.String),
  members: Schema.Array(Schema.String)
})

const stays = ({ members, outcome, reason, record_id, title, type }: RevertedRecord) => ({
  type,
  id: record_id,
  title: title === null ? null : shortened(title, 200),
  outcome,
  reason,
  members
})

const nothing = new NotFound({ code: "not_found", detail: "There are no changes of yours to undo: name a change_set" })

/** Looks at the end of a revert, for about 10 seconds. After that the caller asks again. */
const looks = { schedule: Schedule.spaced("50 millis"), times: 200 }

export const UndoTools = Effect.gen(function* () {
  const sets = yield* ChangeSets

  const begun = Effect.fnUntraced(function* ({ change_set, preview = false }: Args) {
    const caller = yield* Principal
    const set = change_set ?? (yield* sets.lastOfCaller(caller))
    if (set === undefined) return yield* nothing
    const { author_id } = yield* sets.get(set)
    return author_id === caller.user_id ? (yield* sets.revert(set, { preview })).id : yield* nothing
  })

  const undo = Effect.fnUntraced(function* (given: Args) {
    const revert = given.revert ?? (yield* begun(given))
    const found = yield* sets.getRevert(revert).pipe(
      Effect.repeat({ ...looks, while: ({ status }) => status === "queued" || status === "running" }),
      // A job takes real time, also while the program runs on a clock of a test.
      Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
    )
    const { items, next_cursor } = yield* fittingPage(50, (limit) =>
      Effect.map(
        sets.reverted(revert, {
          limit: String(limit),
          filter: "outcome != reverted",
          ...(given.cursor === undefined ? {} : { cursor: given.cursor })
        }),
        (page) => ({
          items: page.items.map((json) => stays(JSON.parse(json) as RevertedRecord)),
          next_cursor: page.next_cursor,
          others: {}
        })
      )
    )
    const { change_set_id: change_set, kept, merged, preview, records, reverted, reverted_by, status } = found
    return {
      revert,
      change_set,
      preview,
      status,
      records,
      reverted,
      merged,
      kept,
      reverted_by,
      stays: items,
      next_cursor
    }
  })

  return [
    McpTool.removing({
      name: "undo_my_changes",
      title: "Undo a run of changes",
      description:
        "Takes back all changes of a run, by default those of your calls until a pause of 30 minutes. What others have written since stays: `stays` lists records that are merged or kept, with the reason. `reverted_by` is the change set of the undo, which can be undone too. If `status` is not done, call again with `revert`.",
      access: write,
      args,
      result: Schema.Struct({
        revert: Schema.String,
        change_set: Schema.String,
        preview: Schema.Boolean,
        status: Schema.String,
        records: count,
        reverted: count,
        merged: count,
        kept: count,
        reverted_by: Schema.NullOr(Schema.String),
        stays: Schema.Array(Stays),
        next_cursor
      }),
      run: undo
    })
  ]
})
