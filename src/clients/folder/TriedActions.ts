import type { FolderProblem, Outcome } from "./ApplySettings.ts"
import { FolderGone } from "./FileAccess.ts"

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The actions of a cycle that were tried. One that fails does not stop the rest: the next scan tries it again. */
export class TriedActions<Action extends { readonly path: string }> {
  readonly actions: Array<Action> = []
  readonly problems: Array<FolderProblem> = []
  /** Whether another cycle must decide about files that were missing or have changed meanwhile. */
  isPending: boolean

  constructor(isPending: boolean) {
    this.isPending = isPending
  }

  async run(action: Action, apply: (action: Action) => Promise<Outcome>): Promise<void> {
    try {
      const outcome = await apply(action)
      if (outcome === undefined) this.actions.push(action)
      else if (outcome === "later") this.isPending = true
      else this.problems.push(outcome)
    } catch (error) {
      if (error instanceof FolderGone) throw error
      this.problems.push({ path: action.path, message: messageOf(error) })
    }
  }
}
