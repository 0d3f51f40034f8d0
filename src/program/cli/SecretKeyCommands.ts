import { Effect } from "effect"
import { Database } from "../../../services/database/Database.ts"
import * as Migrations from "../../../services/database/Migrations.ts"
import * as ProcessLock from "../../../services/database/ProcessLock.ts"
import * as SecretKey from "../../../services/secrets/SecretKey.ts"
import { Secrets } from "../../../services/secrets/Secrets.ts"
import { load } from "../../server/settings/Config.ts"
import * as KeyCheck from "../KeyCheck.ts"
import * as UpgradeBackups from "../UpgradeBackups.ts"
import { confirm, yes } from "./Confirmation.ts"
import { command, group } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"
import { ports } from "./CommandServices.ts"

/** Counts secrets that the current key cannot decrypt. The schema may be older: the server does not start to migrate it. */
const losses = Effect.gen(function* () {
  const { write: sql } = yield* Database
  const secrets = yield* Secrets
  return {
    webhook_secrets: yield* SecretKey.countUnreadable(sql, secrets, {
      table: "webhooks",
      column: "secret",
      purpose: "webhook"
    }),
    share_links: yield* SecretKey.countUnreadable(sql, secrets, {
      table: "shares",
      column: "token",
      purpose: "share-token"
    }),
    waiting_mails: yield* SecretKey.countUnreadable(sql, secrets, { table: "mails", column: "sealed", purpose: "mail" })
  }
})

/** Refuses to give up a key that is not lost. */
const requireLoss = Effect.gen(function* () {
  const known = yield* KeyCheck.state
  if (known === "other") return
  return yield* new Refused({
    message:
      known === "previous"
        ? "No key is lost: SECRET_KEY_PREVIOUS is the key of this database. Start Sheaf, which changes the key"
        : "No key is lost: this is already the key of the database"
  })
})

const accept = command("accept", {
  description:
    "Accept the current secret key after the key of the database was lost, and report what is lost with it. Stop all nodes first",
  examples: [["sheaf secret-key accept", "Accept it, after a confirmation"]],
  input: { yes },
  run: Effect.fnUntraced(
    function* ({ yes }) {
      const schema = yield* Migrations.state
      if (schema === "none") {
        return yield* new Refused({ message: "Sheaf has not run on this database yet: start the server with this key" })
      }
      if (schema === "current") yield* requireLoss
      if (yield* ProcessLock.isAnyThere) {
        return yield* new Refused({
          message: "Sheaf is running on this database: stop all nodes, then run this command again"
        })
      }
      const lost = yield* losses
      if (!yes) {
        yield* confirm(
          `The old secret key will be given up: ${lost.webhook_secrets} webhook secrets must be replaced, ${lost.share_links} ` +
            `share links can no longer be shown, ${lost.waiting_mails} waiting mails cannot be sent, and all cursors and ` +
            "subscriptions of Web Push end."
        )
      }
      // Migrates the schema too: no server of this version starts before the key is accepted.
      const backUp = UpgradeBackups.make(yield* load)
      yield* Migrations.run(
        Effect.gen(function* () {
          yield* requireLoss
          yield* SecretKey.record((yield* Database).write, yield* Secrets)
        }),
        (schema) => Effect.as(backUp(schema), false)
      )
      yield* Output.show(
        lost,
        "The database now uses this key. Start Sheaf; devices must then subscribe to Web Push again."
      )
    },
    Effect.scoped,
    Effect.provide(ports)
  )
})

export const secretKey = group("secret-key", "The secret key (SECRET_KEY, or DATA_DIR/secret.key)", [accept])
