import { Context } from "effect"

/** How far a long piece of work has come. */
export interface Step {
  /** The work, such as "Backing up files". */
  readonly what: string
  readonly done: number
  /** The unit of the count: "bytes", or a plural such as "notes". */
  readonly unit: string
  /** The number at the end, if it is known. */
  readonly total?: number | undefined
  /** The completed share from 0 to 1, if it is not `done / total`. */
  readonly share?: number | undefined
}

/**
 * Called by long work with each step, any number of times a second. Nothing happens, unless a command shows the progress
 * on a terminal (`src/program/cli/ProgressLine.ts`).
 */
export const Progress = Context.Reference<(step: Step) => void>("sheaf/Progress", {
  defaultValue: () => () => {}
})
