import { Clock, Console, Effect, Layer, Redacted } from "effect"
import { ApiKeys } from "../../services/identity/ApiKeys.ts"
import { newSecret } from "../../services/identity/ApiKeySecret.ts"
import { effective, scopes } from "../../services/identity/Scopes.ts"
import { Users } from "../../services/identity/Users.ts"
import { Notebooks } from "../../services/notes/Notebooks.ts"
import { Principal } from "../../services/Principal.ts"
import { Database } from "../../services/storage/Database.ts"
import { Nudge } from "../../services/storage/Nudge.ts"
import { Secrets } from "../../services/storage/Secrets.ts"
import { Workspaces } from "../../services/workspaces/Workspaces.ts"
import * as Services from "../../src/Services.ts"
import { postgresConnection } from "./Target.ts"

/** Makes workspaces with a notebook and a key each, through the services, on the database of a running Sheaf: the first argument tells how many. */
const seed = Effect.gen(function*() {
  const users = yield* Users
  const workspaces = yield* Workspaces
  const keys = yield* ApiKeys
  const notebooks = yield* Notebooks
  const made: Array<{ readonly workspace_id: string; readonly notebook_id: string; readonly key: string }> = []
  for (let index = 0; index < Number(process.argv[2]); index++) {
    const now = yield* Clock.currentTimeMillis
    const name = `bench-${now}-${index}`
    const user_id = yield* users.create({ email: `${name}@localhost`, name, locale: "en", timezone: "UTC", now })
    const workspace_id = yield* workspaces.create({ name, slug: name, plan: "team", seats: 1, owner_id: user_id, now })
    const secret = newSecret()
    yield* keys.issue({ workspace_id, user_id, name, scopes, secret, now })
    const notebook = yield* notebooks.create({ name: "Bench" }).pipe(
      Effect.provideService(Principal, {
        user_id,
        workspace_id,
        credential_id: "seed",
        scopes: effective(scopes),
        role: "owner",
        device_id: null,
        ip: null
      })
    )
    made.push({ workspace_id, notebook_id: notebook.id, key: Redacted.value(secret) })
  }
  yield* Console.log(JSON.stringify(made))
})

const { host, port, user } = postgresConnection(process.env["DATA_DIR"] ?? "./data")

await Effect.runPromise(
  seed.pipe(
    Effect.provide(
      Services.layer({ streamsPerCredential: 10 }).pipe(
        Layer.provide(Nudge.layerAlone),
        Layer.provideMerge(Database.layer({ socketDirectory: host, port, username: user, database: "sheaf" })),
        // Nothing that is signed here leaves this process.
        Layer.provide(Secrets.layer({ current: Redacted.make(new Uint8Array(32)), previous: undefined }))
      )
    )
  )
)
