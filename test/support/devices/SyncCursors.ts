import { Effect } from "effect"
import { Secrets } from "../../../services/secrets/Secrets.ts"
import { Cursors } from "../../../services/sync/Cursor.ts"
import type { TestApp } from "../TestApp.ts"

type Issuer = Pick<TestApp, "run" | "workspace_id">

const cursorsOf = (app: Issuer): Promise<Cursors> =>
  app.run(Effect.map(Effect.service(Secrets), (secrets) => new Cursors(secrets)))

/**
 * Returns a sync cursor as if it had been issued `millis` milliseconds earlier, because moving the clock by a day takes
 * seconds.
 */
export const aged = async (app: Issuer, text: string, millis: number): Promise<string> => {
  const cursors = await cursorsOf(app)
  const cursor = Effect.runSync(cursors.decode(app.workspace_id, text))
  return cursors.encode(app.workspace_id, {
    ...cursor,
    issued_at: cursor.issued_at - millis,
    as_of: cursor.as_of - millis
  })
}

/** Returns a function that reads the log position of a sync cursor. */
export const places = async (app: Issuer): Promise<(cursor: string) => number> => {
  const cursors = await cursorsOf(app)
  return (text) => Effect.runSync(cursors.decode(app.workspace_id, text)).seq
}

/** Returns the sync cursor in its old format, without `as_of`. */
export const shortened = async (app: Issuer, text: string): Promise<string> => {
  const { sign } = await app.run(Effect.service(Secrets))
  const data = Buffer.from(text, "base64url").subarray(0, 28)
  const signature = sign("sync-cursor", Buffer.concat([Buffer.from(app.workspace_id), data]))
  return Buffer.concat([data, signature]).toString("base64url")
}
