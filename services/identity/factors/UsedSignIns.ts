import type { Reads } from "../../database/ReachedRows.ts"
import { Effect } from "effect"
import { runSql } from "../../database/Database.ts"
import * as Tokens from "../../Tokens.ts"

/**
 * Whether this is the first use of a secret that works once, such as the state of a sign-in, on all nodes. It is remembered
 * until `until`, in Unix milliseconds.
 */
export const useOnce = (sql: Reads, secret: string, until: number) =>
  Effect.map(
    runSql(
      sql,
      "INSERT INTO used_sign_ins (hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1 AS used",
      [Tokens.digestOf(secret), new Date(until).toISOString()]
    ),
    ({ length }) => length > 0
  )
