/** Finds a small history that shows a failure. */
import type { Failure } from "./Model.ts"
import { isFault, type Step } from "./Plan.ts"

/**
 * Drops steps, first large parts of the history, as long as the same check fails without them and there is time. `run`
 * returns what the checks find for the remaining steps.
 */
export const shrink = async (
  steps: ReadonlyArray<Step>,
  check: string,
  run: (steps: ReadonlyArray<Step>) => Promise<ReadonlyArray<Failure>>,
  until: number
): Promise<ReadonlyArray<Step>> => {
  let smallest = steps
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    // From the end: what was done last is needed most seldom.
    for (let end = smallest.length; end > 0; end -= size) {
      if (performance.now() > until) return smallest
      const without = smallest.toSpliced(Math.max(0, end - size), Math.min(size, end))
      if (without.length === 0) continue
      const failures = await run(without)
      if (failures.some((each) => each.check === check)) smallest = without
    }
  }
  return smallest
}

/** A line for each step. */
export const describe = (steps: ReadonlyArray<Step>): string =>
  steps
    .map((step) =>
      isFault(step)
        ? `  ${step.at} with batch ${step.batch}: ${step.fault}, node ${step.node}, draw ${step.draw.toFixed(3)}`
        : `  ${step.at} in batch ${step.batch}: ${step.kind} by ${step.way}${step.way === "replica" ? ` ${step.replica}` : ` on node ${step.node}`}${
            step.refs.length === 0 ? "" : ` of ${step.refs.join(", ")}`
          }${step.fate === "well" ? "" : `, ${step.fate}`}${step.isGuarded ? ", guarded" : ""}${step.isKeyed ? ", keyed" : ""}`
    )
    .join("\n")
