import { Effect, Redacted } from "effect"
import type { WorkspaceId } from "../../services/Ids.ts"
import { ApiKeys } from "../../services/identity/ApiKeys.ts"
import * as Tokens from "../../services/Tokens.ts"
import { scopes as allScopes } from "../../services/identity/Scopes.ts"
import { nobody } from "../../services/storage/Actor.ts"
import { Users } from "../../services/identity/Users.ts"
import { Secrets } from "../../services/storage/Secrets.ts"
import { Cursors } from "../../services/sync/Cursor.ts"
import { epoch, type TestApp } from "./TestApp.ts"

let made = 0

export interface Guest {
  readonly key: string
  /** As `call` takes them. */
  readonly headers: { readonly authorization: string }
  readonly key_id: string
  readonly user_id: string
  readonly workspace_id: WorkspaceId
}

/** A new user with a key: in the App's workspace with a role, or as the owner of a workspace of their own. */
export const guest = (
  app: TestApp,
  options: { readonly role?: string; readonly scopes?: ReadonlyArray<string>; readonly elsewhere?: boolean } = {}
): Promise<Guest> =>
  app.run(
    Effect.gen(function* () {
      const name = `guest-${++made}`
      const { user, workspace_id: own } = yield* (yield* Users).create(
        {
          email: `${name}@sheaf.test`,
          email_proven: true,
          name,
          locale: "en",
          timezone: "UTC",
          password_hash: null,
          workspace: { name, slug: name, plan: "free", seats: 1 }
        },
        nobody
      )
      const user_id = user.id
      const workspace_id = options.elsewhere === true ? own : app.workspace_id
      if (options.elsewhere !== true) {
        yield* Effect.promise(() =>
          app.sql("INSERT INTO members (workspace_id, id, user_id, role, created_at) VALUES ($1, $2, $3, $4, $5)", [
            workspace_id,
            `mb_${name}`,
            user_id,
            options.role ?? "editor",
            new Date(epoch).toISOString()
          ])
        )
      }
      const secret = Tokens.make("sfk")
      const key_id = yield* (yield* ApiKeys).issue({
        workspace_id,
        user_id,
        name,
        scopes: options.scopes ?? allScopes,
        secret,
        now: epoch
      })
      const key = Redacted.value(secret)
      return { key, headers: { authorization: `Bearer ${key}` }, key_id, user_id, workspace_id }
    })
  )

const cursorsOf = (app: TestApp): Promise<Cursors> =>
  app.run(Effect.map(Effect.service(Secrets), (secrets) => new Cursors(secrets)))

/** The same sync cursor as if it had been issued so many milliseconds earlier: a day of test time costs seconds. */
export const aged = async (app: TestApp, text: string, millis: number): Promise<string> => {
  const cursors = await cursorsOf(app)
  const cursor = Effect.runSync(cursors.decode(app.workspace_id, text))
  return cursors.encode(app.workspace_id, { ...cursor, issued_at: cursor.issued_at - millis })
}

/** Reads the place in the log that a sync cursor stands for. */
export const places = async (app: TestApp): Promise<(cursor: string) => number> => {
  const cursors = await cursorsOf(app)
  return (text) => Effect.runSync(cursors.decode(app.workspace_id, text)).seq
}
