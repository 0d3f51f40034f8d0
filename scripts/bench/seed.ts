import { Clock, Console, Effect, Layer, Redacted } from "effect"
import { systemRandomness } from "../../services/Randomness.ts"
import { ApiKeys } from "../../services/identity/ApiKeys.ts"
import { operator } from "../../services/limits/PasswordClient.ts"
import * as Tokens from "../../services/Tokens.ts"
import { effective, scopes } from "../../services/identity/Scopes.ts"
import { systemActor } from "../../services/writer/Actor.ts"
import type { LockedDraft } from "../../services/writer/LockedDraft.ts"
import { Passwords } from "../../services/identity/Passwords.ts"
import { sessions, type UserRow } from "../../services/identity/IdentityTables.ts"
import * as SessionTokens from "../../services/identity/SessionTokens.ts"
import { Users } from "../../services/identity/Users.ts"
import { Notebooks } from "../../services/notes/notebooks/Notebooks.ts"
import { Principal } from "../../services/Principal.ts"
import { Database } from "../../services/database/Database.ts"
import { NodeBus } from "../../services/database/NodeBus.ts"
import { Secrets } from "../../services/secrets/Secrets.ts"
import { planDefaults } from "../../services/workspaces/Plans.ts"
import * as Config from "../../src/server/settings/Config.ts"
import * as Ports from "../../src/program/Ports.ts"
import * as Services from "../../src/program/Services.ts"
import { PASSWORD, postgresOf, type Workspace } from "./Target.ts"

/** Signs the user in. The token lasts as long as the session, because a long run takes more than the usual hour. */
const signIn = Effect.fnUntraced(function* (secrets: Secrets["Service"], draft: LockedDraft, user: UserRow) {
  const { tokens } = yield* SessionTokens.start(
    draft,
    secrets,
    user,
    { name: "Bench", platform: "bench" },
    planDefaults
  )
  const session = yield* draft.get(sessions, tokens.session_id)
  draft.put(sessions, { ...session!, access_expires_at: session!.expires_at })
  return tokens.access_token
})

/**
 * Creates workspaces, each with a notebook, a key and a signed-in owner, through the services on the embedded database
 * of the Sheaf that runs on DATA_DIR, and prints them as JSON.
 *   node scripts/bench/seed.ts COUNT free|team
 */
const seed = Effect.gen(function* () {
  const users = yield* Users
  const keys = yield* ApiKeys
  const notebooks = yield* Notebooks
  const passwords = yield* Passwords
  const secrets = yield* Secrets
  // Hashed once for all users, because hashing is slow by design.
  const password_hash = yield* passwords.hash(PASSWORD, operator)
  const plan = process.argv[3] === "free" ? "free" : "team"
  const made: Array<Workspace> = []
  for (let index = 0; index < Number(process.argv[2]); index++) {
    const now = yield* Clock.currentTimeMillis
    const name = `${plan}-${now}-${index}`
    const email = `${name}@localhost`
    const {
      also: token,
      user,
      workspace_id
    } = yield* users.create(
      {
        email,
        email_proven: true,
        name,
        locale: "en",
        timezone: "UTC",
        password_hash,
        workspace: { name, slug: name, plan, seats: 1 }
      },
      systemActor,
      (draft, user) => signIn(secrets, draft, user)
    )
    const user_id = user.id
    const secret = Tokens.make(systemRandomness, "sfk")
    yield* keys.issue({ workspace_id, user_id, name, scopes, secret, now })
    const notebook = yield* notebooks.create({ name: "Bench" }).pipe(
      Effect.provideService(Principal, {
        user_id,
        workspace_id,
        digest: "",
        home_id: workspace_id,
        kind: "api_key",
        plan,
        expires_at: Infinity,
        credential_id: "seed",
        scopes: effective(scopes),
        role: "owner",
        device_id: null,
        names_foreign_device: false,
        ip: null,
        user_agent: null
      })
    )
    made.push({ workspace_id, notebook_id: notebook.id, key: Redacted.value(secret), token, email })
  }
  yield* Console.log(JSON.stringify(made))
})

const { host, port, user } = postgresOf(process.env["DATA_DIR"]!)

await Effect.runPromise(
  Effect.flatMap(Config.load, (settings) =>
    seed.pipe(
      Effect.provide(
        Services.layer(settings).pipe(
          Layer.provide(
            Layer.mergeAll(
              Ports.mailer(settings),
              Ports.counters(settings),
              Ports.blobs(settings),
              Ports.outgoing(settings)
            )
          ),
          Layer.provide(Ports.diskSpace(settings, false)),
          Layer.provide(NodeBus.layer({ alone: true })),
          Layer.provideMerge(Database.layer({ socketDirectory: host, port, username: user, database: "sheaf" })),
          // Signatures made here are never used outside of this process.
          Layer.provideMerge(Secrets.layer({ current: Redacted.make(new Uint8Array(32)), previous: undefined }))
        )
      )
    )
  )
)
