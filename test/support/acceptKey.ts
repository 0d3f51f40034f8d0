import { Effect, type Redacted } from "effect"
import { Database } from "../../services/database/Database.ts"
import * as SecretKey from "../../services/secrets/SecretKey.ts"
import { Secrets } from "../../services/secrets/Secrets.ts"
import type { Sheaf } from "../../src/program/testing/Sheaf.ts"

/** Records a secret key as that of the database, like the operator's command after the previous key was lost. */
export const acceptKey = (app: Pick<Sheaf, "run">, current: Redacted.Redacted<Uint8Array>): Promise<unknown> =>
  app.run(
    Effect.gen(function* () {
      return yield* SecretKey.record((yield* Database).write, yield* Secrets)
    }).pipe(Effect.provide(Secrets.layer({ current, previous: undefined })))
  )
