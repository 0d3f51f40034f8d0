import { Effect, Layer, ManagedRuntime } from "effect"
import { randomBytes } from "node:crypto"
import { describe, expect, inject, it } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import * as Suitability from "../../../services/database/Suitability.ts"
import { dropDatabase, sqlOn, superuser } from "../../support/servers/Databases.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const postgres = inject("postgres")
const asSuperuser = (database: string, text: string) => sqlOn(database, text, superuser)

describe("a start", () => {
  const { app } = useApp()

  /** The file of an index, which changes when the index is rebuilt. */
  const file = async (index: string) => (await app.sql("SELECT pg_relation_filenode($1) AS file", [index]))[0].file

  /** The indexes that a start rebuilds after a collation has changed. */
  const rebuilt = async (changed: string) => {
    const indexes = ["notes_by_title", "notebooks_by_name", "notes_by_update", "idempotency_keys_resources"]
    const before = await Promise.all(indexes.map(file))
    await asSuperuser(app.database, changed)
    const second = await startApp({ databaseOf: app })
    await second.stop()
    const after = await Promise.all(indexes.map(file))
    return indexes.filter((_, place) => before[place] !== after[place])
  }

  const versions = async () =>
    (
      await app.sql(
        `SELECT collversion = pg_collation_actual_version(c.oid) AS own,
          datcollversion = pg_database_collation_actual_version(d.oid) AS general
        FROM pg_collation c, pg_database d WHERE collname = 'sheaf_text' AND datname = current_database()`
      )
    )[0]

  it("rebuilds the indexes on text when their collation has changed, and records the new version", async () => {
    const changed = "UPDATE pg_collation SET collversion = 'earlier' WHERE collname = 'sheaf_text'"
    expect(await rebuilt(changed)).toEqual(["notes_by_title", "notebooks_by_name"])
    expect(await versions()).toEqual({ own: true, general: true })
  })

  it("rebuilds the indexes with the default collation of the database when that has changed", async () => {
    const changed = "UPDATE pg_database SET datcollversion = 'earlier' WHERE datname = current_database()"
    expect(await rebuilt(changed)).toEqual(["idempotency_keys_resources"])
    expect(await versions()).toEqual({ own: true, general: true })
  })

  it("is refused on connections that lack the settings with which they are opened, as behind a pooler", async () => {
    const behindPooler = Effect.flatMap(Database, ({ write }) =>
      write.withTransaction(
        Effect.andThen(write.unsafe("SET LOCAL plan_cache_mode = auto"), Effect.flip(Suitability.require))
      )
    )
    const { message } = await app.run(behindPooler)
    expect(message).toMatch(/^a pooler such as PgBouncer .* connect to PostgreSQL directly$/)
  })

  it("rebuilds nothing when nothing has changed", async () => {
    expect(await rebuilt("SELECT 1")).toEqual([])
  })
})

it("refuses a PostgreSQL without ICU in one line", async () => {
  const database = `no_icu_${randomBytes(6).toString("hex")}`
  await asSuperuser("postgres", `CREATE DATABASE ${database}`)
  await asSuperuser(database, "DELETE FROM pg_collation WHERE collprovider = 'i'")
  const runtime = ManagedRuntime.make(Layer.provide(Database.layer({ ...postgres, database }), Layer.empty))
  await expect(runtime.runPromise(Suitability.require)).rejects.toThrow(/no ICU collations/)
  await runtime.dispose()
  await dropDatabase(database)
})
