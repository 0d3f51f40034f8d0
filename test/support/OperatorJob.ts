import { Effect } from "effect"
import type { WorkspaceId } from "../../services/Ids.ts"
import { OperatorJobs, type OwnedJob } from "../../services/transfers/OperatorJobs.ts"
import type { TestApp } from "./TestApp.ts"

/** The commands of the operator on exports and imports of a workspace. */
export const ofOperator = (app: TestApp, workspace_id: WorkspaceId) => {
  const run = <A, E>(use: (jobs: OperatorJobs["Service"]) => Effect.Effect<A, E>) =>
    app.run(Effect.provide(Effect.flatMap(OperatorJobs, use), OperatorJobs.layer)).catch((error) => {
      // The promise rejects with a problem, whose text is in its detail.
      throw new Error(error.detail ?? error.message, { cause: error })
    })
  return {
    list: ({ ended = false } = {}): Promise<ReadonlyArray<OwnedJob>> =>
      run((jobs) => jobs.all(undefined, { workspace_id, ended })),
    cancel: (id: string) => run((jobs) => jobs.cancel(id)),
    retry: (id: string) => run((jobs) => jobs.retry(id))
  }
}
