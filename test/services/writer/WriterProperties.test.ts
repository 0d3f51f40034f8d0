import { Cause, Effect, Exit, Fiber } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { Unavailable } from "../../../services/Errors.ts"
import { carryOut, Planned, type PlannedWrite, plannedWrite } from "../../support/storage/PlannedWrite.ts"
import { rounds } from "../../support/Slow.ts"
import { type Cut, PostgresProxy } from "../../support/storage/PostgresProxy.ts"
import {
  createDatabase,
  startProcess,
  type StorageProcess,
  type TestDatabase
} from "../../support/storage/StorageProcess.ts"
import { storedTruth } from "../../support/storage/storedTruth.ts"

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

/** Number of runs; each takes about half a second. */
const runs = Number(process.env.WRITER_RUNS ?? rounds(6, 30))

interface Plan {
  /** Number of steps after which a fiber yields, per process. */
  readonly steps: ReadonlyArray<number>
  /** The writes of each client, one after the other; the clients run at the same time. */
  readonly clients: ReadonlyArray<{ readonly process: number; readonly writes: ReadonlyArray<PlannedWrite> }>
  readonly cuts: ReadonlyArray<Cut>
  /** Numbers of messages to PostgreSQL after which it ends every connection. */
  readonly terminations: ReadonlyArray<number>
}

const plan = (faults: boolean): fc.Arbitrary<Plan> =>
  fc.record({
    steps: fc.array(fc.constantFrom(2048, 2048, 4, 5, 7, 17), { minLength: 1, maxLength: 2 }),
    clients: fc.array(
      fc.record({
        process: fc.nat({ max: 1 }),
        writes: fc.array(plannedWrite(true), { minLength: 1, maxLength: 6 })
      }),
      { minLength: 1, maxLength: 12 }
    ),
    cuts: faults
      ? fc.array(
          fc.record({
            at: fc.constantFrom("before" as const, "during" as const, "after" as const),
            skip: fc.nat({ max: 2 })
          }),
          { maxLength: 4 }
        )
      : fc.constant([]),
    terminations: faults ? fc.array(fc.nat({ max: 60 }), { maxLength: 2 }) : fc.constant([])
  })

interface Result {
  readonly name: string
  readonly workspace: number
  readonly plan: PlannedWrite
  readonly traces: Array<Array<string>>
  readonly begun: number
  readonly ended: number
  readonly exit: Exit.Exit<ReadonlyArray<string>, unknown>
}

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): "stored" | "unknown" | "failed" | "refused" => {
  if (Exit.isSuccess(exit)) return "stored"
  if (Cause.hasInterrupts(exit.cause)) return "unknown"
  const [reason] = exit.cause.reasons
  if (Cause.isFailReason(reason!) && reason.error instanceof Unavailable) return "unknown"
  if (Cause.isFailReason(reason!) && reason.error instanceof Planned) return "failed"
  if (Cause.isDieReason(reason!) && reason.defect instanceof Planned) return "failed"
  return "refused"
}

const check = async (plan: Plan) => {
  const proxy = new PostgresProxy(inject("postgres"))
  const processes: Array<StorageProcess> = []
  const results: Array<Result> = []
  const terminations: Array<Promise<void>> = []
  try {
    for (const steps of plan.steps) {
      processes.push(await startProcess(database, { steps, socketDirectory: proxy.socketDirectory }))
    }
    const workspaces = [await database.workspace(), await database.workspace(), await database.workspace()]
    let moment = 0
    proxy.cuts.push(...plan.cuts)
    for (const after of plan.terminations) {
      void proxy.after(after).then(() => terminations.push(database.terminate()))
    }
    await Promise.all(
      plan.clients.map(async ({ process, writes }, client) => {
        const at = processes[process % processes.length]!
        for (const [index, write] of writes.entries()) {
          const name = `w${client}-${index}`
          const traces: Array<Array<string>> = []
          const begun = ++moment
          const effect = carryOut(at, workspaces[write.workspace]!, name, write, traces).pipe(
            Effect.timeoutOrElse({ duration: "2 minutes", orElse: () => Effect.die(`${name} has no result`) })
          )
          const exit = await at.run(
            write.interruptedAfter === undefined
              ? effect
              : Effect.gen(function* () {
                  const fiber = yield* Effect.forkChild(effect)
                  const isDue = Effect.promise(() => proxy.after(write.interruptedAfter!))
                  yield* Effect.race(isDue, Fiber.await(fiber))
                  yield* Fiber.interrupt(fiber)
                  return yield* Fiber.join(fiber)
                })
          )
          results.push({ name, workspace: write.workspace, plan: write, traces, begun, ended: ++moment, exit })
        }
      })
    )
    await Promise.all(terminations)
    // Writes of callers that went away are completed; then no fiber may be active.
    for (const { writer } of processes) await expect.poll(() => writer.held().active).toBe(0)

    const faults = plan.cuts.length + plan.terminations.length > 0
    for (const [workspace, id] of workspaces.entries()) {
      const stored = await storedTruth(database, id)
      const here = results.filter((each) => each.workspace === workspace)
      for (const { exit, name, plan: write, traces } of here) {
        const parts = stored.get(name)?.parts ?? []
        const outcome = outcomeOf(exit)
        if (outcome === "stored")
          expect(parts, `${name} was acknowledged`).toEqual((exit as Exit.Success<unknown>).value)
        else if (outcome === "unknown") {
          expect(faults || write.interruptedAfter !== undefined, `${name} has a reason: ${exit}`).toBe(true)
          expect([[], ...traces], `${name} is stored whole or not at all`).toContainEqual(parts)
        } else {
          expect(parts, `${name} failed`).toEqual([])
          expect(outcome, `${name} failed as planned: ${exit}`).toBe(write.fails === "refused" ? "refused" : "failed")
          expect(write.fails, `${name} was to fail: ${exit}`).toBeDefined()
        }
      }
      for (const [name, { first }] of stored) {
        const one = here.find((each) => each.name === name)!
        for (const other of here) {
          if (other.ended < one.begun && Exit.isSuccess(other.exit) && stored.has(other.name)) {
            expect(stored.get(other.name)!.last, `${other.name} returned before ${name} began`).toBeLessThan(first)
          }
        }
      }
    }
  } finally {
    await Promise.all(processes.map((each) => each.stop()))
    proxy.stop()
    // The last terminations may have waited for the messages that stopped the processes.
    await Promise.all(terminations)
  }
}

describe("concurrent writes", () => {
  it("are each stored exactly once and whole, or not at all, in one dense order", () =>
    fc.assert(fc.asyncProperty(plan(false), check), { numRuns: runs, endOnFailure: true }))

  it("are so also when connections break at any time", () =>
    fc.assert(fc.asyncProperty(plan(true), check), { numRuns: runs, endOnFailure: true }))
})
