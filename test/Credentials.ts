import { Effect, Redacted } from "effect"
import { ApiKeys } from "../services/identity/ApiKeys.ts"
import { newSecret } from "../services/identity/ApiKeySecret.ts"
import { scopes as allScopes } from "../services/identity/Scopes.ts"
import { Users } from "../services/identity/Users.ts"
import { Secrets } from "../services/storage/Secrets.ts"
import { Cursors } from "../services/sync/Cursor.ts"
import { Workspaces } from "../services/workspaces/Workspaces.ts"
import { epoch, type TestApp } from "./TestApp.ts"

let made = 0

export interface Guest {
  readonly key: string
  /** As `call` takes them. */
  readonly headers: { readonly authorization: string }
  readonly key_id: string
  readonly user_id: string
  readonly workspace_id: string
}

/** A new user with a key: in the App's workspace with a role, or as the owner of a workspace of their own. */
export const guest = (
  app: TestApp,
  options: { readonly role?: string; readonly scopes?: ReadonlyArray<string>; readonly elsewhere?: boolean } = {}
): Promise<Guest> =>
  app.run(Effect.gen(function*() {
    const name = `guest-${++made}`
    const user_id = yield* (yield* Users).create({
      email: `${name}@sheaf.test`,
      name,
      locale: "en",
      timezone: "UTC",
      now: epoch
    })
    let { workspace_id } = app
    if (options.elsewhere === true) {
      workspace_id = yield* (yield* Workspaces).create({
        name,
        slug: name,
        plan: "free",
        seats: 1,
        owner_id: user_id,
        now: epoch
      })
    } else {
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
    const secret = newSecret()
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
  }))

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
