import { type Duration, Effect } from "effect"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { Database } from "../../services/database/Database.ts"
import { statementsOf } from "../support/Statements.ts"
import { expectTruth } from "../support/people/Truth.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()
let notebook: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
})

/** Advances the clock and waits for the jobs that are due then. */
const pass = async (duration: Duration.Input) => {
  await app.advance(duration)
  await app.idle()
}

const count = async (table: string, condition = "true") =>
  (await app.sql(`SELECT count(*)::int AS n FROM ${table} WHERE ${condition}`))[0].n as number

describe("erasing a note", () => {
  it("reads only the idempotency keys of the note", async () => {
    const made = await app.call(
      "POST",
      "/notes",
      { notebook_id: notebook, title: "secret" },
      { "idempotency-key": "about-it" }
    )
    await app.sql(
      `INSERT INTO idempotency_keys (workspace_id, id, fingerprint, claimed_at, result, resource_ids, created_at)
      SELECT $1, 'k' || i, 'f', claimed_at, 'sealed', ARRAY['nt_' || i], created_at
      FROM idempotency_keys, generate_series(1, 5000) i WHERE result IS NOT NULL`,
      [app.workspace_id]
    )
    const looked = await app.run(
      Effect.flatMap(Effect.service(Database), ({ write }) =>
        write
          .withTransaction(
            Effect.gen(function* () {
              // The number of rows that this connection has read.
              const lookedAt = Effect.map(
                write.unsafe<{ n: number }>(
                  `SELECT (coalesce(idx_tup_fetch, 0) + seq_tup_read)::int AS n FROM pg_stat_xact_user_tables
            WHERE relname = 'idempotency_keys'`
                ),
                ([row]) => row!.n
              )
              const before = yield* lookedAt
              yield* write.unsafe("DELETE FROM notes WHERE id = $1", [made.body.id])
              const after = yield* lookedAt
              const erased = yield* write.unsafe("SELECT 1 FROM idempotency_keys WHERE erased")
              expect(erased).toHaveLength(1)
              // The failure rolls the transaction back.
              return yield* Effect.fail(after - before)
            })
          )
          .pipe(Effect.catch((n) => Effect.succeed(n)))
      )
    )
    expect(looked).toBeLessThan(10)
    await app.sql("DELETE FROM idempotency_keys WHERE result = 'sealed'")
  })
})

describe("deletion by age", () => {
  it("erases the trash in batches, not note by note", async () => {
    const changes = Array.from({ length: 45 }, (_, index) => ({
      type: "note",
      op: "upsert",
      data: { notebook_id: notebook, title: `trashed ${index}`, body: "text" }
    }))
    const { body } = await app.call("POST", "/sync/push", { changes })
    const gone = body.results.map(({ id }: any) => ({ type: "note", op: "delete", id, revision: 1 }))
    await app.call("POST", "/sync/push", { changes: gone })
    const { statements } = await statementsOf(app, /DELETE FROM notes/, async () => {
      await pass("38 days")
      expect(await count("notes", "deleted_at IS NOT NULL")).toBe(0)
    })
    expect(statements.length).toBeLessThanOrEqual(3)
    await expectTruth(app)
  })

  it("deletes mails and unfinished mails from the outbox after seven days, and no other file", async () => {
    const outbox = join(app.dataDir, "outbox")
    // A mail that is not known to be sent would be sent again when the clock advances.
    const invite = async (email: string) => {
      await app.call("POST", `/workspaces/${app.workspace_id}/invitations`, { email })
      await expect.poll(() => count("mails")).toBe(0)
    }
    await invite("old@sheaf.test")
    const [old] = readdirSync(outbox)
    for (const name of [`.${old}.tmp`, "notes.eml", "2020-letters.txt"]) writeFileSync(join(outbox, name), "")
    await pass("6 days")
    await invite("new@sheaf.test")
    expect(readdirSync(outbox)).toHaveLength(5)
    await pass("26 hours")
    expect(readdirSync(outbox)).toHaveLength(3)
    expect(readdirSync(outbox)).toEqual(expect.arrayContaining(["notes.eml", "2020-letters.txt"]))
    expect(readdirSync(outbox)).not.toContain(old)
  })

  it("deletes invitations 90 days after they expire, and not before", async () => {
    await app.call("POST", `/workspaces/${app.workspace_id}/invitations`, { email: "late@sheaf.test" })
    await pass("90 days")
    const { body } = await app.call("POST", `/workspaces/${app.workspace_id}/invitations`, {
      email: "later@sheaf.test"
    })
    await pass("8 days")
    expect(await count("invitations", "email = 'late@sheaf.test'")).toBe(0)
    expect(await count("invitations", `id = '${body.id}'`)).toBe(1)
  })
})
