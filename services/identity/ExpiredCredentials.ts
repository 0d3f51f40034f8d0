import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Effect } from "effect"

/** Milliseconds for which authorization codes are kept after they have expired: one that is sent again ends its app. */
const codesKept = 24 * 3600_000

/** Deletes expired sessions, mailed tokens, authorization codes, and links for the first account. */
export const prune = (sql: PgClient) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.asVoid(
      Effect.orDie(
        sql.unsafe(
          `WITH resets AS (DELETE FROM password_resets WHERE expires_at <= $1),
          confirmations AS (DELETE FROM email_confirmations WHERE expires_at <= $1),
          setups AS (DELETE FROM setup_links WHERE expires_at <= $1),
          used AS (DELETE FROM refresh_tokens WHERE used_at IS NOT NULL AND expires_at <= $1),
          links AS (DELETE FROM identity_links WHERE expires_at <= $1),
          sign_ins AS (DELETE FROM used_sign_ins WHERE expires_at <= $1),
          codes AS (DELETE FROM authorization_codes WHERE expires_at <= $2)
          DELETE FROM sessions WHERE (workspace_id, id) IN (
            SELECT workspace_id, id FROM sessions WHERE expires_at <= $1 LIMIT 1000
          )`,
          [now, now - codesKept].map((millis) => new Date(millis).toISOString())
        )
      )
    )
  )
