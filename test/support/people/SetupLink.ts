import { Effect, Redacted } from "effect"
import { SetupLinks } from "../../../services/identity/registrations/SetupLinks.ts"
import type { TestApp } from "../TestApp.ts"

/** Makes a link for the first account as a start does; undefined if an account has a password. */
export const offered = async (app: Pick<TestApp, "run">): Promise<string | undefined> => {
  const token = await app.run(Effect.flatMap(Effect.service(SetupLinks), ({ offer }) => offer))
  return token && `http://sheaf.test/setup?token=${Redacted.value(token)}`
}

/** Removes the passwords of all accounts, and returns a new link. */
export const freshLink = async (app: TestApp): Promise<string> => {
  await app.sql("UPDATE users SET password_hash = NULL")
  await app.sql("DELETE FROM setup_links")
  return (await offered(app))!
}
