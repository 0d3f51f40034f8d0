import { PgConnection } from "@effect/sql-pg"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { dropDatabase } from "../../support/servers/Databases.ts"
import { Database } from "../../../services/database/Database.ts"
import { ground } from "../../../services/database/migrations/0001_ground.ts"
import { idempotency } from "../../../services/database/migrations/0002_idempotency.ts"
import { oneOrder } from "../../../services/database/migrations/0003_one_order.ts"
import { apiKeys } from "../../../services/database/migrations/0004_api_keys.ts"
import { people } from "../../../services/database/migrations/0005_people.ts"
import { credentials } from "../../../services/database/migrations/0008_credentials.ts"

const postgres = inject("postgres")
const database = `migrations_${randomBytes(6).toString("hex")}`
const onServer = (text: string) =>
  PgConnection.make({ ...postgres, host: postgres.socketDirectory, database: "postgres" }).pipe(
    Effect.flatMap((connection) => connection.query(text)),
    Effect.scoped,
    Effect.runPromise
  )

let runtime: ManagedRuntime.ManagedRuntime<Database, unknown>

/** In one transaction, as the start of the server does it. */
const migrated = (...migrations: ReadonlyArray<Effect.Effect<unknown, unknown, SqlClient.SqlClient>>) =>
  runtime.runPromise(
    Effect.flatMap(Effect.service(Database), ({ write }) =>
      write.withTransaction(
        Effect.provideService(
          Effect.forEach(migrations, (migration) => migration),
          SqlClient.SqlClient,
          write
        )
      )
    )
  )

const sql = (text: string, params: ReadonlyArray<unknown> = []) =>
  runtime.runPromise(Effect.flatMap(Effect.service(Database), ({ write }) => write.unsafe<any>(text, params)))

beforeAll(async () => {
  await onServer(`CREATE DATABASE ${database}`)
  runtime = ManagedRuntime.make(Layer.provide(Database.layer({ ...postgres, database }), Layer.empty))
})
afterAll(async () => {
  await runtime.dispose()
  await dropDatabase(database)
})

describe("a database of an earlier version", () => {
  it("keeps its users, each with the first workspace that they own, or a new one, as personal workspace", async () => {
    await migrated(ground, idempotency, oneOrder, apiKeys)
    const at = "2026-01-01T00:00:00.000Z"
    for (const [id, email] of [
      ["us_0123456789owner", "owner@sheaf.test"],
      ["us_0123456789guest", "guest@sheaf.test"]
    ]) {
      await sql("INSERT INTO users VALUES ($1, $2, $2, 'Name', 'en', 'UTC', $3)", [id, email, at])
    }
    for (const [id, owned] of [
      ["ws_second", "2026-01-02"],
      ["ws_first", "2026-01-01"]
    ]) {
      await sql("INSERT INTO workspaces VALUES ($1, 'Personal', $1, 'team', 1, $2, NULL)", [id, at])
      await sql("INSERT INTO heads VALUES ($1, 0, 'epoch', 0)", [id])
      await sql("INSERT INTO members VALUES ($1, 'mb_owner', 'us_0123456789owner', 'owner', $2)", [id, owned])
    }
    await sql("INSERT INTO members VALUES ('ws_first', 'mb_guest', 'us_0123456789guest', 'editor', $1)", [at])
    await sql(
      `INSERT INTO api_keys (workspace_id, id, user_id, name, prefix, secret_hash, scopes, created_at)
      VALUES ('ws_first', 'ak_old', 'us_0123456789guest', 'Old', 'sfk_', 'hash', '{}', $1)`,
      [at]
    )
    await migrated(people)
    expect(await sql("SELECT id, workspace_id, password_hash FROM users ORDER BY id")).toEqual([
      { id: "us_0123456789guest", workspace_id: "ws_0123456789guest", password_hash: null },
      { id: "us_0123456789owner", workspace_id: "ws_first", password_hash: null }
    ])
    expect(await sql("SELECT workspace_id, user_id, role FROM members ORDER BY workspace_id, user_id")).toEqual([
      { workspace_id: "ws_0123456789guest", user_id: "us_0123456789guest", role: "owner" },
      { workspace_id: "ws_first", user_id: "us_0123456789guest", role: "editor" },
      { workspace_id: "ws_first", user_id: "us_0123456789owner", role: "owner" },
      { workspace_id: "ws_second", user_id: "us_0123456789owner", role: "owner" }
    ])
    expect(await sql("SELECT workspace_id FROM heads ORDER BY 1")).toHaveLength(3)
    expect(await sql("SELECT id FROM api_keys")).toEqual([{ id: "ak_old" }])
  })

  it("marks the addresses of its users as verified, but not those of users who are added later", async () => {
    await migrated(credentials)
    expect(await sql("SELECT email_proven FROM users")).toEqual([{ email_proven: true }, { email_proven: true }])
    // Added by a server of that version that still runs.
    await sql("INSERT INTO workspaces VALUES ('ws_late', 'Late', 'late', 'free', 1, '', NULL)")
    await sql(
      `INSERT INTO users (id, email, email_key, name, locale, timezone, created_at, workspace_id)
      VALUES ('us_late', 'late@sheaf.test', 'late@sheaf.test', '', 'en', 'UTC', '', 'ws_late')`
    )
    expect(await sql("SELECT email_proven FROM users WHERE id = 'us_late'")).toEqual([{ email_proven: false }])
  })
})
