import { Cause, Data, Effect } from "effect"
import fc from "fast-check"
import type { WorkspaceId } from "../../../services/Ids.ts"
import type { EventType } from "../../../services/EventTypes.ts"
import * as Column from "../../../services/tables/Column.ts"
import type { Draft } from "../../../services/writer/Draft.ts"
import type { LockedDraft } from "../../../services/writer/LockedDraft.ts"
import { records } from "../../../services/writer/LogEntry.ts"
import * as Table from "../../../services/tables/Table.ts"
import type { StorageProcess } from "./StorageProcess.ts"

export const items = Table.make(
  "items",
  {
    id: Column.text(),
    /** Number of changes since it was created, which concurrent writes would get wrong. */
    value: Column.int,
    revision: Column.int,
    body: Column.text()
  },
  { key: ["id"] }
)
export type ItemRow = Table.Row<typeof items>

export const labels = Table.make(
  "labels",
  { id: Column.text(), name: Column.text(), uses: Column.int },
  { key: ["id"], resident: true, unique: "name" }
)
export type LabelRow = Table.Row<typeof labels>

/** A failure that is part of a plan. */
export class Planned extends Data.TaggedError("Planned")<{}> {}

export type Failure = "typed" | "defect" | "throw"

export type Step =
  | { readonly kind: "edit" | "remove"; readonly slot: number }
  | { readonly kind: "use" | "replace"; readonly label: number }
  | { readonly kind: "fresh" }
  /** Changes all slots with one set-based statement: a nested write that needs the head locked. */
  | { readonly kind: "bump" }
  /** A nested write; the outer write catches its failure. */
  | { readonly kind: "nested"; readonly steps: ReadonlyArray<Step>; readonly fails: Failure | undefined }

export interface PlannedWrite {
  readonly workspace: number
  readonly locked: boolean
  readonly steps: ReadonlyArray<Step>
  /** `refused`: PostgreSQL rejects a row that violates a constraint. */
  readonly fails: Failure | "refused" | undefined
  readonly size: "small" | "rows" | "bytes"
  /** The caller is interrupted after this number of messages to PostgreSQL, from any caller. */
  readonly interruptedAfter: number | undefined
}

const simpleStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom("edit" as const, "edit" as const, "remove" as const), slot: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constantFrom("use" as const, "use" as const, "replace" as const), label: fc.nat({ max: 2 }) }),
  fc.constant({ kind: "fresh" } as const)
)
const failure = (weight: number) =>
  fc.oneof(
    { weight: 10 - weight, arbitrary: fc.constant(undefined) },
    { weight, arbitrary: fc.constantFrom<Failure>("typed", "defect", "throw") }
  )
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: simpleStep },
  { weight: 1, arbitrary: fc.constant({ kind: "bump" } as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("nested" as const),
      steps: fc.array(
        fc.oneof(
          { weight: 6, arbitrary: simpleStep },
          { weight: 1, arbitrary: fc.constant({ kind: "bump" } as const) }
        ),
        { maxLength: 3 }
      ),
      fails: failure(5)
    })
  }
)

export const plannedWrite = (interrupts: boolean): fc.Arbitrary<PlannedWrite> =>
  fc.record({
    workspace: fc.nat({ max: 2 }),
    locked: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    steps: fc.array(step, { maxLength: 4 }),
    fails: fc.oneof({ weight: 9, arbitrary: failure(2) }, { weight: 1, arbitrary: fc.constant("refused" as const) }),
    size: fc.integer({ min: 0, max: 39 }).map((n) => (n === 0 ? "rows" : n === 1 ? "bytes" : "small")),
    interruptedAfter: interrupts ? fc.option(fc.nat({ max: 15 }), { nil: undefined, freq: 6 }) : fc.constant(undefined)
  })

const actor = { user_id: "us_test", device_id: null, ip: null, user_agent: null }

const fail = (failure: Failure): Effect.Effect<never, Planned> => {
  if (failure === "throw") throw new Planned()
  return failure === "typed" ? Effect.fail(new Planned()) : Effect.die(new Planned())
}

const isPlanned = (cause: Cause.Cause<unknown>) =>
  cause.reasons.some((reason) =>
    Cause.isFailReason(reason)
      ? reason.error instanceof Planned
      : Cause.isDieReason(reason) && reason.defect instanceof Planned
  )

/**
 * The log entries that one run of a write appended, in order. If the write is stored, the log contains exactly these.
 */
type Trace = Array<string>

const log = (draft: Draft, name: string, trace: Trace, type: EventType, id: string, revision: number, gone = false) => {
  const isItem = type.startsWith("note.")
  const part = `${type} ${id} ${trace.length}`
  trace.push(part)
  draft.append({
    type,
    resource: isItem ? "item" : "label",
    resource_id: id,
    data: { write: name, part },
    ...(isItem ? { record: { revision, value: gone ? null : {}, bytes: 10 } } : {})
  })
}

const putItem = Effect.fnUntraced(function* (draft: Draft, name: string, trace: Trace, id: string, body = "") {
  const before = yield* draft.get(items, id)
  // The revisions of a record continue after its tombstone.
  const revision = ((yield* draft.get(records, "item", id))?.revision ?? 0) + 1
  draft.put(items, { id, value: (before?.value ?? 0) + 1, revision, body }, body.length + 100)
  if (before === undefined) draft.count("notes", 1)
  log(draft, name, trace, "note.updated", id, revision)
})

const bump = Effect.fnUntraced(function* (draft: LockedDraft, name: string, trace: Trace) {
  yield* draft.settle()
  const slots = yield* Effect.orDie(
    draft.sql.unsafe<{ id: string }>("SELECT id FROM items WHERE workspace_id = $1 AND id LIKE 'slot%' ORDER BY id", [
      draft.workspace_id
    ])
  )
  if (slots.length === 0) return
  const affected = slots.map(({ id }, index) => {
    const part = `note.updated ${id} ${trace.length}`
    trace.push(part)
    return { seq: draft.head.seq + 1 + index, data: { write: name, part } }
  })
  yield* draft.appendMany({
    type: "note.updated",
    resource: "item",
    ids: slots.map(({ id }) => id),
    change: `changed AS (
      UPDATE items i SET value = value + 1, revision = revision + 1 FROM given
      WHERE i.workspace_id = $2 AND i.id = given.id
      RETURNING i.id, NULL::text AS note_id, revision, false AS deleted, 10 AS bytes
    )`,
    params: []
  })
  // Stores which write each entry belongs to.
  yield* Effect.orDie(
    draft.sql.unsafe(
      `UPDATE changes c SET data = a.data FROM json_to_recordset($2::json) AS a(seq bigint, data json)
      WHERE c.workspace_id = $1 AND c.seq = a.seq`,
      [draft.workspace_id, JSON.stringify(affected)]
    )
  )
})

/** Whether a plan, or a write nested in it, uses SQL. */
const usesSql = (steps: ReadonlyArray<Step>): boolean =>
  steps.some((step) => step.kind === "bump" || (step.kind === "nested" && usesSql(step.steps)))

/** Executes a plan with the writer. Each run that reaches its end adds its log entries to `traces`. */
export const carryOut = (
  { writer }: StorageProcess,
  workspace_id: WorkspaceId,
  name: string,
  plan: PlannedWrite,
  traces: Array<Trace>
) => {
  const take = (draft: Draft, steps: ReadonlyArray<Step>, trace: Trace, path: string): Effect.Effect<void, unknown> =>
    Effect.gen(function* () {
      for (const [index, step] of steps.entries()) {
        switch (step.kind) {
          case "fresh":
            yield* putItem(draft, name, trace, `${name}${path}.${index}`)
            break
          case "edit":
            yield* putItem(draft, name, trace, `slot${step.slot}`)
            break
          case "remove": {
            const row = yield* draft.get(items, `slot${step.slot}`)
            if (row === undefined) break
            draft.remove(items, row.id)
            draft.count("notes", -1)
            log(draft, name, trace, "note.deleted", row.id, row.revision + 1, true)
            break
          }
          case "use":
          case "replace": {
            const label = `label${step.label}`
            let row = yield* draft.find(labels, label)
            if (step.kind === "replace" && row !== undefined) {
              draft.remove(labels, row.id)
              log(draft, name, trace, "tag.deleted", row.id, 0)
              row = undefined
            }
            row ??= { id: `${name}${path}.${index}`, name: label, uses: 0 }
            draft.put(labels, { ...row, uses: row.uses + 1 })
            log(draft, name, trace, "tag.updated", row.id, 0)
            break
          }
          case "bump":
            yield* writer.writeLocked(workspace_id, { actor }, (draft) => bump(draft, name, trace))
            break
          case "nested": {
            const length = trace.length
            yield* writer
              .write(workspace_id, { actor }, (draft) => {
                if (step.fails === "throw" && step.steps.length === 0) throw new Planned()
                return Effect.andThen(
                  take(draft, step.steps, trace, `${path}.${index}`),
                  Effect.suspend(() => (step.fails === undefined ? Effect.void : fail(step.fails)))
                )
              })
              .pipe(
                Effect.catchCause((cause) => {
                  if (!isPlanned(cause)) return Effect.failCause(cause)
                  trace.length = length
                  return Effect.void
                })
              )
            break
          }
        }
      }
    })
  const needs = plan.steps.flatMap((step) =>
    step.kind === "edit" ? [[items, `slot${step.slot}`] as const, [records, "item", `slot${step.slot}`] as const] : []
  )
  const write = plan.locked || usesSql(plan.steps) ? writer.writeLocked : writer.write
  return write(workspace_id, { actor, needs }, (draft) => {
    if (plan.fails === "throw" && plan.steps.length === 0) throw new Planned()
    return Effect.gen(function* () {
      const trace: Trace = []
      yield* take(draft, plan.steps, trace, "")
      const big = plan.size === "rows" ? 450 : plan.size === "bytes" ? 5 : 0
      for (let index = 0; index < big; index++) {
        yield* putItem(draft, name, trace, `${name}.big${index}`, plan.size === "bytes" ? "x".repeat(1_000_000) : "")
      }
      if (plan.fails === "refused") draft.put(items, { id: `${name}.bad`, value: -1, revision: 1, body: "" })
      else if (plan.fails !== undefined) return yield* fail(plan.fails)
      traces.push(trace)
      return trace
    })
  })
}
