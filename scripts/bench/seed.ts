import { Clock, Console, Effect, Layer, Redacted } from "effect"
import { ApiKeys, newSecret } from "../../services/identity/ApiKeys.ts"
import { scopes } from "../../services/identity/Scopes.ts"
import { Users } from "../../services/identity/Users.ts"
import { Database } from "../../services/storage/Database.ts"
import { Workspaces } from "../../services/workspaces/Workspaces.ts"
import { postgresConnection } from "./Target.ts"

/** Makes workspaces with a key each, through the services, on the database of a running Sheaf: the first argument tells how many. */
const seed = Effect.gen(function*() {
  const users = yield* Users
  const workspaces = yield* Workspaces
  const keys = yield* ApiKeys
  const made: Array<{ readonly workspace_id: string; readonly key: string }> = []
  for (let index = 0; index < Number(process.argv[2]); index++) {
    const now = yield* Clock.currentTimeMillis
    const name = `bench-${now}-${index}`
    const user_id = yield* users.create({ email: `${name}@localhost`, name, locale: "en", timezone: "UTC", now })
    const workspace_id = yield* workspaces.create({ name, slug: name, plan: "team", seats: 1, owner_id: user_id, now })
    const secret = newSecret()
    yield* keys.create({ workspace_id, user_id, name, scopes, secret, now })
    made.push({ workspace_id, key: Redacted.value(secret) })
  }
  yield* Console.log(JSON.stringify(made))
})

const { host, port, user } = postgresConnection(process.env["DATA_DIR"] ?? "./data")

await Effect.runPromise(
  seed.pipe(
    Effect.provide(
      Layer.mergeAll(Users.layer, Workspaces.layer, ApiKeys.layer).pipe(
        Layer.provide(Database.layer({ socketDirectory: host, port, username: user, database: "sheaf" }))
      )
    )
  )
)
