import type { Reads } from "../database/ReachedRows.ts"
import { Data, Effect, type Schema } from "effect"
import { runSql } from "../database/Database.ts"
import type { SheafError } from "../Errors.ts"
import type { WorkspaceId } from "../Ids.ts"
import { noteParts } from "../notes/NoteParts.ts"
import { notes } from "../notes/NoteTable.ts"
import { restorable } from "../notes/RestoreWindow.ts"
import type { NoteTexts } from "../notes/texts/NoteTexts.ts"
import type { Reach } from "../Reach.ts"
import type { Data as Values } from "../records/Merge.ts"
import type { SyncAdapters } from "../sync/SyncAdapters.ts"
import { syncedTypes } from "../sync/SyncedTypes.ts"
import type { Counter } from "../tables/Counters.ts"
import { type Actor, systemActor, withChangeSet } from "../writer/Actor.ts"
import type { Draft } from "../writer/Draft.ts"
import { records as logged } from "../writer/LogEntry.ts"
import type { Need } from "../writer/Mailboxes.ts"
import type { Writer } from "../writer/Writer.ts"
import { type RevertRow, revertOutcomeRows, reverts } from "./ChangeSet.ts"
import { Foreseen } from "./Foreseen.ts"
import { type KeptReason, type Plan, planOf, type Run } from "./RevertPlan.ts"
import type * as PresentTags from "./PresentTags.ts"
import type { Stage } from "./RevertOrder.ts"
import type * as SetRecords from "./SetRecords.ts"
import type { SetRecord } from "./SetRecords.ts"

/** Maximum number of times that a step is planned. After that, records that change all the time stay. */
const maxRounds = 20

/** A record of a step has changed since it was read. */
class Stale extends Data.TaggedError("Stale") {}

/** The members that a change of a record can set. */
const settable = new Map(
  syncedTypes.map(({ pushed, type }) => [
    type as string,
    Object.keys((pushed as unknown as { readonly fields: Schema.Struct.Fields }).fields)
  ])
)

/** The synced types of records that go to the trash with their note. */
const parts = noteParts.filter(({ type }) => settable.has(type))

const kept = (reason: KeptReason): Plan => ({ outcome: "kept", reason, members: [], change: { op: "none" } })

interface Planned {
  readonly record: SetRecord
  readonly plan: Plan
}

/** Changes of this batch of writes ($6) are not in the database yet. The server changes a reminder when it fires. */
const othersText = `SELECT EXISTS (SELECT FROM unnest($4::text[], $5::text[], $6::int[]) AS k(type, id, revision)
  WHERE NOT EXISTS (SELECT FROM records r WHERE r.workspace_id = $1 AND r.type = k.type AND r.id = k.id
      AND r.revision = k.revision)
    OR EXISTS (SELECT FROM changes o WHERE o.workspace_id = $1 AND o.note_id = $3 AND NOT o.with_note
      AND o.seq > (SELECT min(c.seq) FROM change_set_changes c
        WHERE c.workspace_id = $1 AND c.change_set_id = $2 AND c.type = 'note' AND c.id = $3)
      AND o.resource = k.type AND o.resource_id = k.id AND o.via IS NOT NULL
      AND coalesce(o.via->>'change_set_id', '') NOT IN ($2, $7))) AS others`

/** The author of the changes of a revert. */
export const actorOf = (
  { author_id, change_set_id, credential_id, reverted_by }: RevertRow,
  reach: Reach | undefined
): Actor => {
  const actor: Actor = {
    ...systemActor,
    user_id: author_id,
    via: { by: "revert" },
    ...(credential_id === null ? {} : { credential_id }),
    ...(reach === undefined ? {} : { reach })
  }
  return reverted_by === null
    ? actor
    : withChangeSet(actor, { id: reverted_by, origin: "revert", reverts: change_set_id })
}

/** Whether the set has made the record, or brought it back: it goes after the records that use it. */
const isNew = (runs: ReadonlyArray<Run>): boolean => runs[0]!.before === null && runs.at(-1)!.after !== null

/** Some records of a stage, which one write reverts. */
export interface Step {
  readonly actor: Actor
  readonly row: RevertRow
  readonly workspace_id: WorkspaceId
  readonly stage: Stage
  readonly ids: ReadonlyArray<string>
  /** The progress after this step. */
  readonly progress: string
}

export interface Uses {
  /** For what is asked of records that the caller reaches. */
  readonly whole: Reads
  readonly adapters: SyncAdapters["Service"]
  readonly writer: Writer["Service"]
  readonly noteTexts: NoteTexts["Service"]
  readonly readRecords: ReturnType<typeof SetRecords.make>
  readonly withPresentTags: ReturnType<typeof PresentTags.make>
}

/** Makes the function that runs the steps of a revert, in their order. */
export const make = ({ adapters, noteTexts, readRecords, whole, withPresentTags, writer }: Uses) => {
  let foreseen = new Foreseen()

  const planned = Effect.fnUntraced(function* (record: SetRecord) {
    const plan = yield* planOf(record.runs, record.current, settable.get(record.type)!, noteTexts.merge)
    return { record, plan }
  })

  /** Whether others have changed records of a note since the first change of the set to it. */
  const hasOthers = Effect.fnUntraced(function* (draft: Draft, { change_set_id, reverted_by }: RevertRow, id: string) {
    const live = (yield* Effect.forEach(parts, ({ table }) =>
      draft.head[table.name as Counter] === 0 ? Effect.succeed([]) : draft.having(table, "note_id", id)
    )).flatMap((rows, at) =>
      rows.flatMap((row) => (row.trashed || row.deleted === true ? [] : [{ type: parts[at]!.type, ...row }]))
    )
    if (live.length === 0) return false
    const [found] = yield* runSql<{ readonly others: boolean }>(whole, othersText, [
      draft.workspace_id,
      change_set_id,
      id,
      live.map(({ type }) => type),
      live.map((row) => row.id),
      live.map(({ revision }) => revision),
      reverted_by ?? change_set_id
    ])
    return found!.others
  })

  /** The plan with what the workspace allows: a note without its notebook stays where it is, or comes back to the inbox. */
  const allowed = Effect.fnUntraced(function* (
    draft: Draft,
    foreseen: Foreseen,
    row: RevertRow,
    { plan, record: { current, id, type } }: Planned
  ) {
    const { change } = plan
    if (change.op === "none") return plan
    if (type === "attachment" && change.op !== "update") {
      // The server has deleted the file, or would delete it. A new file goes to the trash with its note.
      const isWithNote = current.data !== null && !(yield* foreseen.hasNote(draft, String(current.data["note_id"])))
      return isWithNote ? { ...plan, change: { op: "none" } as const } : kept("is_file")
    }
    if (type === "notebook" && !(yield* foreseen.mayPlace(draft, current.data, change))) return kept("refused")
    const isContainer = type === "notebook" || type === "tag"
    if (change.op === "delete" && type === "note") {
      return (yield* hasOthers(draft, row, id)) ? kept("changed_since") : plan
    }
    if (change.op === "delete") {
      return isContainer && !(yield* foreseen.isEmpty(draft, { type, id })) ? kept("not_empty") : plan
    }
    const { name, note_id, notebook_id, parent_id } = change.data
    if (type === "tag" && typeof name === "string" && (yield* foreseen.isTaken(draft, id, name))) return kept("refused")
    if (type === "note" && change.op === "revive") {
      const row = yield* draft.get(notes, id)
      if (row === undefined || row.deleted_at === null) return kept("not_kept")
      if (yield* Effect.isFailure(restorable(draft, "note", row.deleted_at))) return kept("refused")
    }
    if (typeof note_id === "string" && !(yield* foreseen.hasNote(draft, note_id))) return kept("refused")
    if (type === "notebook" && typeof parent_id === "string" && !(yield* foreseen.hasNotebook(draft, parent_id))) {
      return kept("refused")
    }
    if (type === "comment" && typeof parent_id === "string" && !(yield* foreseen.hasComment(draft, parent_id))) {
      return kept("refused")
    }
    if (typeof notebook_id === "string" && !(yield* foreseen.hasNotebook(draft, notebook_id))) {
      const { notebook_id: _, ...others } = change.data
      // In the trash it may have been moved to another notebook.
      const own = change.op === "revive" ? (yield* draft.get(notes, id))?.notebook_id : undefined
      const isThere = own !== undefined && (yield* foreseen.hasNotebook(draft, own))
      // The inbox is out of reach.
      if (change.op === "revive" && !isThere && draft.reach !== undefined) return kept("refused")
      const data = isThere ? { ...others, notebook_id: own } : others
      const isNothing = change.op === "update" && Object.keys(data).length === 0
      if (isNothing) return kept("refused")
      const members = [...new Set([...plan.members, "notebook_id"])]
      const placed: Plan = {
        outcome: "merged",
        reason: plan.reason ?? "refused",
        members,
        change: { ...change, data }
      }
      return placed
    }
    return plan
  })

  const act = Effect.fnUntraced(function* (draft: Draft, { plan, record: { current, id, runs, type } }: Planned) {
    const { change } = plan
    const adapter = adapters.of(type)
    if (change.op === "delete") yield* adapter.delete(draft, id)
    else if (change.op === "update") yield* adapter.update(draft, id, yield* adapter.read(change.data))
    else if (change.op === "revive") {
      // A comment keeps its author.
      const author_id = (runs.at(-1)!.before as Values)["author_id"]
      const { actor } = draft
      if (typeof author_id === "string") draft.actor = { ...actor, user_id: author_id }
      yield* adapter.revive(draft, id, current.revision, change.data)
      draft.actor = actor
    }
  })

  const applied = (draft: Draft, each: Planned) => {
    const { actor } = draft
    return draft
      .attempt(() => draft.withinReach(() => act(draft, each)))
      .pipe(
        Effect.as(each.plan),
        Effect.catch((error: SheafError) => {
          draft.actor = actor
          return error._tag === "Unavailable" ? Effect.fail(error) : Effect.succeed(kept("refused"))
        })
      )
  }

  /** Whether a record has changed since it was read, or has left the reach of the caller. */
  const isStale = Effect.fnUntraced(function* (draft: Draft, { current, id, type }: SetRecord) {
    const state = yield* adapters.of(type).state(draft, id)
    if (state !== undefined) return state.revision !== current.revision
    // A limited caller has no state of a deleted record either.
    const row = yield* draft.get(logged, type, id)
    return row !== undefined && (!row.deleted || row.revision !== current.revision)
  })

  /** What a record became, or is planned to become; undefined if it has changed since it was read. */
  const settled = Effect.fnUntraced(function* (
    draft: Draft,
    seen: Foreseen,
    { row }: Step,
    { plan, record }: Planned,
    isLast: boolean
  ) {
    const { current } = record
    if (yield* isStale(draft, record)) return isLast ? kept("changed_since") : undefined
    const possible = yield* allowed(draft, seen, row, { record, plan })
    if (!row.preview) return yield* applied(draft, { record, plan: possible })
    const { change } = possible
    if (change.op === "delete") seen.add(record, current.data, null)
    else if (change.op !== "none") seen.add(record, current.data, { ...current.data, ...change.data })
    return possible
  })

  /** Writes the outcomes of a step with its progress. Returns what is foreseen after it; undefined if the revert has ended. */
  const write = Effect.fnUntraced(function* (draft: Draft, step: Step, all: ReadonlyArray<Planned>, isLast: boolean) {
    const row = yield* draft.get(reverts, step.row.id)
    if (row?.status !== "queued") return undefined
    const seen = new Foreseen(foreseen)
    const counts = { reverted: row.reverted, merged: row.merged, kept: row.kept }
    let ordinal = row.reverted + row.merged + row.kept
    for (const each of all) {
      const settledAs = yield* settled(draft, seen, step, each, isLast)
      if (settledAs === undefined) return yield* new Stale()
      const { members, outcome, reason } = settledAs
      counts[outcome]++
      const { id: record_id, type } = each.record
      draft.add(revertOutcomeRows, { revert_id: row.id, ordinal: ++ordinal, type, record_id, outcome, reason, members })
    }
    draft.put(reverts, { ...row, ...counts, progress: step.progress })
    return seen
  })

  /** Plans and writes a step, again as long as others change its records. Returns whether the revert continues. */
  const runStep = Effect.fnUntraced(function* (step: Step) {
    const { actor, ids, row, stage, workspace_id } = step
    const adapter = adapters.of(stage.type)
    const needs: ReadonlyArray<Need> = [[reverts, row.id], ...ids.flatMap((id) => adapter.needs(id))]
    // Renames and deletions of notebooks and tags need the head locked.
    const isLocked = !row.preview && (stage.type === "notebook" || stage.type === "tag")
    for (let round = 1; ; round++) {
      const found = yield* readRecords(workspace_id, row.change_set_id, stage.type, ids, {
        reverted_by: row.reverted_by,
        isBack: (id) => foreseen.isBack(id)
      })
      const records = yield* withPresentTags(workspace_id, found, (key) => foreseen.bringsTag(key))
      const all = (yield* Effect.forEach(records, planned)).filter(
        ({ record }) => stage.part === "all" || (stage.part === "gone") === isNew(record.runs)
      )
      const done = yield* (isLocked ? writer.writeLocked : writer.write)(
        workspace_id,
        { actor, needs },
        (draft: Draft) => write(draft, step, all, round === maxRounds)
      ).pipe(Effect.catchTag("Stale", () => Effect.succeed("again" as const)))
      if (done === "again") continue
      if (done === undefined) return false
      foreseen = done
      return true
    }
  })

  return runStep
}
