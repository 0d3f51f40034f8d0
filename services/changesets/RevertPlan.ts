import { Effect } from "effect"
import { changedMembers, type Data, merge, same } from "../records/Merge.ts"

/** A record at a moment: null if there was none, or it was deleted; undefined if that state is no longer kept. */
export type State = Data | null | undefined

/** Consecutive changes of a set to one record: the states before and after them. */
export interface Run {
  readonly before: State
  readonly after: State
}

export interface Current {
  readonly revision: number
  /** Whether others have not changed it since the last run. */
  readonly isLatest: boolean
  readonly data: Data | null
}

/** Why a change, or a part of it, stays. */
export const keptReasons = [
  "changed_since",
  "deleted_since",
  "restored_since",
  "not_kept",
  "not_empty",
  "is_file",
  "refused"
] as const
export type KeptReason = (typeof keptReasons)[number]

export const revertOutcomes = ["reverted", "merged", "kept"] as const
type RevertOutcome = (typeof revertOutcomes)[number]

export interface Outcome {
  /**
   * `reverted`: the record is as it was before the set. `merged`: later changes of others stay in it. `kept`: it is not changed.
   */
  readonly outcome: RevertOutcome
  readonly reason: KeptReason | null
  /** The members that others have changed since, and that stay. */
  readonly members: ReadonlyArray<string>
}

export type PlannedChange =
  | { readonly op: "none" }
  | { readonly op: "delete" }
  | { readonly op: "update"; readonly data: Data }
  | { readonly op: "revive"; readonly data: Data }

/** The outcome for a record, and the change that leads to it. */
export interface Plan extends Outcome {
  readonly change: PlannedChange
}

/** Merges texts with the changes of two sides since a base. */
type MergeTexts<E, R> = (base: string, theirs: string, mine: string) => Effect.Effect<string, E, R>

const pick = (data: Data, members: ReadonlyArray<string>): Data =>
  Object.fromEntries(members.flatMap((member) => (data[member] === undefined ? [] : [[member, data[member]]])))

/** The members that a merge leaves as they are now, though the set has changed them. */
const left = (mine: Data, theirs: Data, merged: Data): ReadonlyArray<string> =>
  Object.keys(mine).filter((member) => !Object.hasOwn(merged, member) && !same(mine[member], theirs[member]))

/**
 * Plans how to take the changes of a set to a record back: the last run first, each as a three-way merge whose base is the
 * state after the run. Where others have changed the same since, their text stays. `settable`: the members that a change can
 * set.
 */
export const planOf = Effect.fnUntraced(function* <E, R>(
  runs: ReadonlyArray<Run>,
  current: Current,
  settable: ReadonlyArray<string>,
  mergeTexts: MergeTexts<E, R>
) {
  const isUntouched = current.isLatest && runs.length === 1
  const stays = new Set<string>()
  let reason: KeptReason | null = null
  let data = current.data
  for (const [later, { after, before }] of runs.toReversed().entries()) {
    if (before === undefined || after === undefined) reason ??= "not_kept"
    else if (after === null) {
      if (before === null) continue
      if (data !== null) reason ??= "restored_since"
      else if (current.isLatest && later === 0) data = before
      else reason ??= "deleted_since"
    } else if (before === null) {
      if (isUntouched) data = null
      else if (data !== null) reason ??= "changed_since"
    } else if (data === null) reason ??= "deleted_since"
    else if (current.isLatest && later === 0) data = { ...data, ...pick(before, settable) }
    else {
      const theirs: Data = data
      const mine = changedMembers(pick(before, settable), after)
      const texts = [after["body"], theirs["body"], mine["body"]]
      const [base, their, my] = texts.map((text) => (typeof text === "string" ? text : ""))
      const isTextMerged = mine["body"] !== undefined && base !== their && their !== my
      const body = isTextMerged ? yield* mergeTexts(base!, their!, my!) : ""
      const merged = merge(mine, after, theirs, () => body).data
      for (const member of left(mine, theirs, merged)) stays.add(member)
      data = { ...theirs, ...merged }
    }
  }
  const members = [...stays]
  const from = current.data
  const change: PlannedChange =
    from === null
      ? data === null
        ? { op: "none" }
        : { op: "revive", data: pick(data, settable) }
      : data === null
        ? { op: "delete" }
        : { op: "update", data: changedMembers(pick(data, settable), from) }
  const isNothing = change.op === "none" || (change.op === "update" && Object.keys(change.data).length === 0)
  const why = reason ?? (members.length > 0 ? "changed_since" : null)
  const before = runs[0]!.before
  const isAsBefore =
    data === null ? before === null : before != null && same(pick(data, settable), pick(before, settable))
  const plan: Plan = {
    outcome: why !== null ? (isNothing ? "kept" : "merged") : isAsBefore ? "reverted" : "merged",
    reason: why,
    members,
    change: isNothing ? { op: "none" } : change
  }
  return plan
})
