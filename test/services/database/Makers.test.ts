import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect, it } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import { makers } from "../../../services/database/migrations/0040_makers.ts"
import { Team } from "../../support/Team.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

it("sets the creators of older webhooks from the audit log, and ends what former members made", async () => {
  const team = await Team.start(app)
  const [stays, left, reader] = [await team.member("admin"), await team.member("admin"), await team.member("admin")]
  const note_id = await team.note()
  const hookOf = async ({ headers }: { readonly headers: Record<string, string> }) =>
    (await app.call("POST", "/webhooks", { url: "https://hooks.example/x", events: ["*"] }, headers)).body.id
  const shareOf = async ({ headers }: { readonly headers: Record<string, string> }) =>
    (await app.call("POST", "/shares", { note_id }, headers)).body.id
  const [kept, ended, changed, unknown] = [
    await hookOf(stays),
    await hookOf(left),
    await hookOf(stays),
    await hookOf(stays)
  ]
  await app.call("PATCH", `/webhooks/${changed}`, { events: ["note.*"] }, left.headers)
  const shares = [await shareOf(stays), await shareOf(left), await shareOf(reader)]
  await app.sql("UPDATE members SET role = 'viewer' WHERE id = $1", [reader.member_id])
  await app.sql("DELETE FROM members WHERE id = $1", [left.member_id])
  await app.sql("DELETE FROM audit_entries WHERE resource_id = $1", [unknown])
  const ended_with = ["webhooks", "shares", "invitations", "api_keys", "push_subscriptions"]
  await app.run(
    Effect.flatMap(Database, ({ write }) =>
      write.withTransaction(
        Effect.gen(function* () {
          for (const table of ended_with) yield* write.unsafe(`ALTER TABLE ${table} DROP COLUMN ends_with`)
          for (const column of ["created_by", "updated_by", "expires_at"]) {
            yield* write.unsafe(`ALTER TABLE webhooks DROP COLUMN ${column}`)
          }
          yield* write.unsafe("ALTER TABLE shares RENAME COLUMN created_by TO author_id")
          yield* Effect.provideService(makers, SqlClient.SqlClient, write)
        })
      )
    )
  )
  const { data } = await team.get("/webhooks")
  const shown = (id: string) => {
    const { active, created_by, disabled_reason, updated_by } = data.find((each: any) => each.id === id)
    return [active, disabled_reason, created_by, updated_by]
  }
  expect(shown(kept)).toEqual([true, null, stays.user_id, stays.user_id])
  expect(shown(ended)).toEqual([false, "creator_left", left.user_id, left.user_id])
  expect(shown(changed)).toEqual([false, "creator_left", stays.user_id, left.user_id])
  expect(shown(unknown)).toEqual([true, null, null, null])
  const ends = await app.sql(
    "SELECT id, expires_at IS NOT NULL AS is_ended, created_by FROM shares WHERE workspace_id = $1",
    [team.id]
  )
  const endOf = (id: string) => ends.find((each) => each.id === id)
  expect(shares.map(endOf)).toMatchObject([
    { is_ended: false, created_by: stays.user_id },
    { is_ended: true, created_by: left.user_id },
    { is_ended: true, created_by: reader.user_id }
  ])
})
