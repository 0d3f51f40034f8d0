import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect, it } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import { firstOperator } from "../../../services/database/migrations/0052_first_operator.ts"
import * as FirstOperator from "../../../services/identity/operators/FirstOperator.ts"
import { mailTo } from "../../support/Mail.ts"
import { register } from "../../support/People.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const operators = async () => (await app.sql("SELECT id FROM users WHERE is_operator")).map(({ id }) => id)

/** Runs the migration on the users of the database, and then the part of each start. */
const upgrade = async () => {
  await app.run(
    Effect.flatMap(Database, ({ write }) =>
      write.withTransaction(
        Effect.andThen(
          write.unsafe("DROP TABLE chosen_operators"),
          Effect.provideService(firstOperator, SqlClient.SqlClient, write)
        )
      )
    )
  )
  await start()
}
const start = () => app.run(FirstOperator.settle("http://sheaf.test"))

it("an upgrade makes the owner of the oldest workspace with a confirmed address an operator, once", async () => {
  const [bootstrap] = await operators()
  await app.advance("1 second")
  const anna = await register(app)
  const { email } = (await app.sql("SELECT email FROM users WHERE id = $1", [anna.user_id]))[0]
  await app.sql("UPDATE users SET is_operator = false")

  // The first user has no confirmed address.
  await app.sql("UPDATE users SET email_proven = id = $1", [anna.user_id])
  await upgrade()
  expect(await operators()).toEqual([anna.user_id])
  const [mail] = await mailTo(app, email, 1)
  expect(mail!.text).toContain("“Server” in the account menu")
  const granted = await app.sql("SELECT resource_id FROM audit_entries WHERE action = 'auth.operator_added'")
  expect(granted).toEqual([{ resource_id: anna.user_id }])

  // Later starts and upgrades never make an operator again whose right was ended.
  await app.sql("UPDATE users SET is_operator = false")
  await start()
  await upgrade()
  expect(await operators()).toEqual([])

  await app.sql("DELETE FROM audit_entries WHERE action = 'auth.operator_added'")
  await app.sql("UPDATE users SET email_proven = false")
  await upgrade()
  expect(await operators()).toEqual([bootstrap])
  await app.sql("DELETE FROM audit_entries WHERE action = 'auth.operator_added'")
  await upgrade()
  expect(await operators()).toEqual([bootstrap])
})
