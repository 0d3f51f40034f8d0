import { Clock, Effect, Redacted } from "effect"
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import { ApiKeys } from "../services/identity/ApiKeys.ts"
import { newSecret } from "../services/identity/ApiKeySecret.ts"
import { effective, scopes } from "../services/identity/Scopes.ts"
import { Users } from "../services/identity/Users.ts"
import { Notebooks } from "../services/notes/Notebooks.ts"
import { Principal } from "../services/Principal.ts"
import { Database } from "../services/storage/Database.ts"
import * as Migrations from "../services/storage/Migrations.ts"
import { Workspaces } from "../services/workspaces/Workspaces.ts"
import type { Settings } from "./Config.ts"

/** Writes a file that only its owner reads, whole or not at all. */
export const writePrivate = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}.tmp`
  const handle = openSync(temporary, "w", 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temporary, file)
}

export interface Made {
  readonly secret: Redacted.Redacted
  /** Where the key was written; undefined when it was given. */
  readonly file: string | undefined
}

/**
 * First start (contract 1): an empty database gets a user, the workspace "Personal", its notebook "Inbox" and a key.
 * The key's file is written before the commit: a key without its file would be lost, a file without its key is
 * written anew by the next start.
 */
const firstStart = (settings: Settings) =>
  Effect.gen(function*() {
    const { write: sql } = yield* Database
    const found = yield* sql.unsafe("SELECT 1 AS found FROM users LIMIT 1")
    if (found.length > 0) return undefined
    const now = yield* Clock.currentTimeMillis
    const user_id = yield* (yield* Users).create({
      email: settings.bootstrapEmail,
      name: "Owner",
      locale: "en",
      timezone: "UTC",
      now
    })
    const workspace_id = yield* (yield* Workspaces).create({
      name: "Personal",
      slug: "personal",
      plan: "team",
      seats: 1,
      owner_id: user_id,
      now
    })
    const secret = settings.bootstrapApiKey ?? newSecret()
    yield* (yield* ApiKeys).issue({ workspace_id, user_id, name: "Bootstrap key", scopes, secret, now })
    if (settings.bootstrapApiKey !== undefined) return { secret, file: undefined }
    const file = join(settings.dataDir, "bootstrap.json")
    yield* Effect.sync(() =>
      writePrivate(file, `${JSON.stringify({ workspace_id, user_id, api_key: Redacted.value(secret) }, null, 2)}\n`)
    )
    return { secret, file }
  })

/** Migrates, and makes what an empty database needs. Safe for several processes that start at once. */
export const run = Effect.fnUntraced(function*(settings: Settings) {
  const made = yield* Migrations.run(firstStart(settings)).pipe(Effect.orDie)
  const { read } = yield* Database
  const notebooks = yield* Notebooks
  // A workspace whose writer has never written has no Inbox yet: also one whose first start was cut short.
  const fresh = yield* Effect.orDie(read.unsafe<{ workspace_id: string; user_id: string }>(
    `SELECT h.workspace_id, m.user_id FROM heads h JOIN members m USING (workspace_id)
    WHERE h.seq = 0 AND m.role = 'owner'`
  ))
  for (const { user_id, workspace_id } of fresh) {
    yield* notebooks.inbox().pipe(
      Effect.provideService(Principal, {
        user_id,
        workspace_id,
        credential_id: "bootstrap",
        scopes: effective(scopes),
        role: "owner",
        device_id: null,
        ip: null
      }),
      Effect.orDie
    )
  }
  return made
})
