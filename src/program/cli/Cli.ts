import type { Effect } from "effect"
import { Command } from "effect/cli"
import { apply } from "./ApplyCommand.ts"
import { config } from "./ConfigCommand.ts"
import { conformance } from "./ConformanceCommand.ts"
import { doctor } from "./DoctorCommand.ts"
import { backup } from "./BackupCommand.ts"
import { exports } from "./ExportCommands.ts"
import { files } from "./FileCommands.ts"
import { fixture } from "./fixtures/FixtureCommand.ts"
import { imports } from "./ImportCommands.ts"
import { job } from "./JobCommands.ts"
import { key } from "./accounts/KeyCommands.ts"
import { listen } from "./listen/ListenCommand.ts"
import { mail } from "./MailCommands.ts"
import * as Output from "./Output.ts"
import * as ProgressLine from "./ProgressLine.ts"
import { restore } from "./RestoreCommand.ts"
import { secretKey } from "./SecretKeyCommands.ts"
import { migrate } from "./MigrateCommands.ts"
import { reindex } from "./ReindexCommand.ts"
import { serve } from "./ServeCommand.ts"
import { client } from "./accounts/ClientCommands.ts"
import { session } from "./accounts/SessionCommands.ts"
import { status } from "./StatusCommand.ts"
import { sync } from "./SyncCommands.ts"
import { user } from "./accounts/UserCommands.ts"
import { workspace } from "./WorkspaceCommands.ts"
import { executeOf, runOf } from "./CommandRun.ts"

/** All commands. */
export const sheaf = Command.make("sheaf").pipe(
  Command.withDescription(
    "Commands for the operator of a Sheaf server, which may be running or not. " +
      "They use the environment of the server (DATA_DIR or DATABASE_URL). Without arguments, the server starts."
  ),
  Command.withSubcommands([
    serve,
    status,
    user,
    key,
    workspace,
    apply,
    imports,
    exports,
    job,
    backup,
    restore,
    files,
    sync,
    secretKey,
    listen,
    mail,
    doctor,
    config,
    migrate,
    session,
    client,
    fixture,
    conformance,
    reindex
  ]),
  Command.provide(ProgressLine.layer),
  Command.withGlobalFlags([Output.Json])
)

/** Runs one command of the operator. Returns its exit code, which is 0 only on success. */
export const execute = (args: ReadonlyArray<string>): Effect.Effect<number> => executeOf(sheaf, args)

/** Runs a command as this process. */
export const run = (args: ReadonlyArray<string>): void => runOf(sheaf, args)
