import { Effect } from "effect"
import * as Migrations from "../../../services/database/Migrations.ts"
import * as Bootstrap from "../Bootstrap.ts"
import { load } from "../../server/settings/Config.ts"
import * as UpgradeBackups from "../UpgradeBackups.ts"
import { ports } from "./CommandServices.ts"
import { postgres } from "./MigratePostgresCommand.ts"
import { command, group, isSet } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"

const status = command("status", {
  description: "List the migrations of this version, with the time when each was applied to the database",
  examples: [["sheaf migrate status --json", "List the migrations as JSON"]],
  input: {},
  run: Effect.fnUntraced(function* () {
    const all = yield* Effect.provide(Migrations.list, ports)
    yield* Output.list(["id", "name", "applied_at"], (last: Migrations.Migration | undefined) =>
      Effect.succeed(last === undefined ? all : [])
    )
  })
})

const up = command("up", {
  description:
    "Apply the missing migrations, as the next start of this version would, after a backup in DATA_DIR/backups if no node runs",
  examples: [
    ["sheaf migrate up", "Migrate the database without a server"],
    ["sheaf migrate up --no-backup", "Do so where there is no room for a backup"]
  ],
  input: {
    noBackup: isSet("no-backup", "Write no backup before the migration: without one of your own there is no way back")
  },
  run: Effect.fnUntraced(
    function* ({ noBackup }) {
      const before = yield* Migrations.list
      const missing = before.filter(({ applied_at }) => applied_at === null)
      if (missing.length === before.length) {
        return yield* new Refused({ message: "No Sheaf has run on this database yet: start the server first" })
      }
      const settings = yield* load
      let backup: string | null = null
      const backUp = (schema: number) =>
        Effect.map(UpgradeBackups.make(settings)(schema), (file) => {
          backup = file
        })
      yield* Bootstrap.prepare(settings, noBackup ? () => Effect.void : backUp)
      yield* Output.show({ applied: missing.map(({ name }) => name), backup })
    },
    Effect.scoped,
    Effect.provide(ports)
  )
})

export const migrate = group("migrate", "The schema of the database", [status, up, postgres])
