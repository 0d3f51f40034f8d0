import { Context, Effect, Layer } from "effect"
import * as Ids from "../Ids.ts"
import { Database } from "../storage/Database.ts"
import { traced } from "../Traced.ts"

export interface NewWorkspace {
  readonly name: string
  readonly slug: string
  readonly plan: "free" | "plus" | "team"
  readonly seats: number
  readonly owner_id: string
  readonly now: number
}

/**
 * Workspaces and who belongs to them. A workspace is born with its head, from which on its writer orders all that
 * happens in it.
 */
export class Workspaces extends Context.Service<Workspaces, {
  /** Makes the workspace, its head and its owner's membership in one transaction; answers its id. */
  readonly create: (workspace: NewWorkspace) => Effect.Effect<string>
}>()("sheaf/workspaces/Workspaces") {
  static readonly layer = Layer.effect(
    Workspaces,
    Effect.gen(function*() {
      const { write: sql } = yield* Database
      return Workspaces.of({
        create: traced("Workspaces.create")(function*(workspace: NewWorkspace) {
          const id = Ids.make("ws", workspace.now)
          const now = new Date(workspace.now).toISOString()
          yield* sql.withTransaction(Effect.gen(function*() {
            yield* sql`INSERT INTO workspaces (id, name, slug, plan, seats, created_at)
              VALUES (${id}, ${workspace.name}, ${workspace.slug}, ${workspace.plan}, ${workspace.seats}, ${now})`
            yield* sql`INSERT INTO heads (workspace_id, seq, epoch, notes) VALUES (${id}, 0, ${Ids.random(8)}, 0)`
            yield* sql`INSERT INTO members (workspace_id, id, user_id, role, created_at)
              VALUES (${id}, ${Ids.make("mb", workspace.now)}, ${workspace.owner_id}, 'owner', ${now})`
          })).pipe(Effect.orDie)
          return id
        })
      })
    })
  )
}
