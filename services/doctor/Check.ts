import { Cause, Data, Effect } from "effect"
import { messageOf } from "../ErrorCause.ts"

/** A fault that a check has found. */
export interface Fault {
  /** The fault, in one sentence. */
  readonly problem: string
  /** The remedy for the operator, in one sentence. */
  readonly remedy: string
  /** The workspace whose data is at fault. */
  readonly workspace_id?: string
  /** Whether this run has repaired it. */
  readonly repaired?: boolean
}

/** The result of a check. */
export interface Result {
  readonly check: string
  readonly status: "ok" | "faulty" | "repaired" | "skipped"
  /** At most `maxFaults` faults. */
  readonly faults: ReadonlyArray<Fault>
  /** Whether there are more faults. */
  readonly has_more: boolean
  /** Why the check was skipped; else null. */
  readonly reason: string | null
}

/** Maximum number of faults that a check reports: a damaged table may have a fault in each row. */
export const maxFaults = 20

/** The faults that a check has found until now. */
export class Faults {
  readonly all: Array<Fault> = []
  hasMore = false
  #hasUnrepaired = false

  add(fault: Fault): void {
    if (fault.repaired !== true) this.#hasUnrepaired = true
    if (this.all.length < maxFaults) this.all.push(fault)
    else this.hasMore = true
  }

  /** Whether further faults would not be shown. */
  get isFull(): boolean {
    return this.hasMore
  }

  result(check: string): Result {
    const status = this.all.length === 0 ? "ok" : this.#hasUnrepaired ? "faulty" : "repaired"
    return { check, status, faults: this.all, has_more: this.hasMore, reason: null }
  }
}

/** A check that cannot be made here. The reason is for the operator. */
export class Skipped extends Data.TaggedError("Skipped")<{ readonly reason: string }> {}

export interface Check<R = never> {
  readonly name: string
  readonly run: (faults: Faults) => Effect.Effect<void, unknown, R>
}

export const skipped = (check: string, reason: string): Result => ({
  check,
  status: "skipped",
  faults: [],
  has_more: false,
  reason
})

/** Makes a check. One that fails is itself a fault. */
export const run = <R>({ name, run }: Check<R>): Effect.Effect<Result, never, R> =>
  Effect.suspend(() => {
    const faults = new Faults()
    return run(faults).pipe(
      Effect.map(() => faults.result(name)),
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
        const error = Cause.squash(cause)
        if (error instanceof Skipped) return Effect.succeed(skipped(name, error.reason))
        faults.add({
          problem: `The check could not be completed: ${messageOf(error)}`,
          remedy: "Remove the cause, then run sheaf doctor again."
        })
        return Effect.succeed(faults.result(name))
      })
    )
  })
