import { Cause, Context, Effect } from "effect"
import { SqlError } from "effect/sql"
import { ChangeSets } from "../../../services/changesets/ChangeSets.ts"
import { isSheafError, type SheafError } from "../../../services/Errors.ts"
import { unavailableOf } from "../../../services/database/Database.ts"
import { DiskSpace } from "../../../services/files/DiskSpace.ts"
import { Principal } from "../../../services/Principal.ts"
import { Randomness } from "../../../services/Randomness.ts"
import type { RequestState } from "../http/server/RequestState.ts"
import type { McpTool } from "./McpTool.ts"
import * as RepeatableCalls from "./RepeatableCalls.ts"
import { codeLength } from "./responses/ResponseSize.ts"
import * as ToolResults from "./ToolResults.ts"

/** The state of the HTTP request that a call belongs to, for its log line and its metrics. */
export const CallState = Context.Reference<Pick<RequestState, "problemCode"> | undefined>("sheaf/mcp/CallState", {
  defaultValue: () => undefined
})

/** The error of a failed call; undefined for an error of the server. */
const errorOf = (cause: Cause.Cause<SheafError>): SheafError | undefined => {
  const failure = cause.reasons.find(Cause.isFailReason)?.error
  if (failure !== undefined) return failure
  const defect = cause.reasons.find(Cause.isDieReason)?.defect
  if (isSheafError(defect)) return defect
  return SqlError.isSqlError(defect) ? unavailableOf(defect) : undefined
}

/** Makes the function that runs a call of a tool: arguments, disk space, repetition, and the form of the result. */
export const make = Effect.gen(function* () {
  const disk = yield* DiskSpace
  const randomness = yield* Randomness
  const repeatable = yield* RepeatableCalls.make
  const changeSets = yield* ChangeSets

  /** The call, whose changes belong to the set of the caller. The protocol has no sessions that a set could be bound to. */
  const grouped = <A, E>(run: Effect.Effect<A, E, Principal>) =>
    Effect.flatMap(Principal, (caller) =>
      caller.change_set !== undefined
        ? Effect.andThen(changeSets.check(caller, caller.change_set.id), run)
        : Effect.flatMap(changeSets.ofCaller(caller), (id) =>
            Effect.provideService(run, Principal, { ...caller, change_set: { id, origin: "mcp" } as const })
          )
    )

  const run = Effect.fnUntraced(function* (tool: McpTool, args: unknown) {
    const call = yield* tool.decode(args)
    if (tool.isReadOnly) return yield* call.run
    yield* disk.room
    const run = tool.isGrouped ? grouped(call.run) : call.run
    return call.mutation_id === undefined ? yield* run : yield* repeatable(tool.name, call.mutation_id, call.args, run)
  })

  const failed = (cause: Cause.Cause<SheafError>): Effect.Effect<ToolResults.ToolResult> => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
    const error = errorOf(cause)
    return Effect.flatMap(CallState, (state) => {
      if (state !== undefined) state.problemCode = error?.code ?? "internal_error"
      return error === undefined
        ? Effect.as(Effect.logError("a tool failed", cause), ToolResults.internalError)
        : Effect.succeed(ToolResults.problemResult(randomness.text(codeLength), error))
    })
  }

  return (tool: McpTool, args: unknown): Effect.Effect<ToolResults.ToolResult, never, Principal> =>
    Effect.matchCauseEffect(run(tool, args), {
      onSuccess: (value) => Effect.succeed(ToolResults.resultOf(randomness.text(codeLength), value)),
      onFailure: failed
    })
})
