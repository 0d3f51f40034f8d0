import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Migrations from "../../../services/database/Migrations.ts"
import * as Bootstrap from "../Bootstrap.ts"
import { load } from "../../server/settings/Config.ts"
import * as UpgradeBackups from "../UpgradeBackups.ts"
import { ports } from "./CommandServices.ts"
import { postgres } from "./MigratePostgresCommand.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"

const status = Command.make(
  "status",
  {},
  Effect.fnUntraced(function* () {
    const all = yield* Effect.provide(Migrations.list, ports)
    yield* Output.list(["id", "name", "applied_at"], (last: Migrations.Migration | undefined) =>
      Effect.succeed(last === undefined ? all : [])
    )
  })
).pipe(
  Command.withDescription("List the migrations of this version, with the time when each was applied to the database"),
  Command.withExamples([{ command: "sheaf migrate status --json", description: "List the migrations as JSON" }])
)

const up = Command.make(
  "up",
  {
    noBackup: Flag.Boolean("no-backup").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Write no backup before the migration: without one of your own there is no way back")
    )
  },
  Effect.fnUntraced(
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
).pipe(
  Command.withDescription(
    "Apply the missing migrations, as the next start of this version would, after a backup in DATA_DIR/backups. Stop all nodes first"
  ),
  Command.withExamples([
    { command: "sheaf migrate up", description: "Migrate the database without a server" },
    { command: "sheaf migrate up --no-backup", description: "Do so where there is no room for a backup" }
  ])
)

export const migrate = Command.make("migrate").pipe(
  Command.withDescription("The schema of the database"),
  Command.withSubcommands([status, up, postgres])
)
