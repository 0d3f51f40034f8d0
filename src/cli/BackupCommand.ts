import { Effect, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readFileSync } from "node:fs"
import sheaf from "../../package.json" with { type: "json" }
import { backup as write } from "../../services/backup/Backup.ts"
import { SystemFailure } from "../../services/backup/BackupFormat.ts"
import * as Migrations from "../../services/database/Migrations.ts"
import { load, type Settings } from "../Config.ts"
import { fileFailure } from "../FileFailure.ts"
import { usingFile } from "../UsingFile.ts"
import * as KeyCheck from "../KeyCheck.ts"
import { ports } from "./CommandServices.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"

/** An error of the file system, in words. */
export const inWords =
  (path: string) =>
  <E>(error: E): E | Refused => {
    const message = error instanceof SystemFailure ? fileFailure(error.cause, path) : undefined
    return message === undefined ? error : new Refused({ message })
  }

/** The secret key of the database, in base64. */
const keyOf = Effect.fnUntraced(function* (settings: Settings) {
  // An older schema may have no fingerprint of the key.
  if ((yield* Migrations.state) === "current") yield* KeyCheck.require(settings)
  if (settings.secretKey !== undefined) {
    return `${Buffer.from(Redacted.value(settings.secretKey)).toString("base64")}\n`
  }
  const file = KeyCheck.keyFile(settings)
  return yield* usingFile("DATA_DIR", file, () => readFileSync(file, "utf8"))
})

export const backup = Command.make(
  "backup",
  {
    path: Argument.String("path").pipe(
      Argument.withDescription("The file to create, or a directory in which the backup is named by its time")
    ),
    secretKey: Flag.Boolean("secret-key").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Include the secret key: the backup then opens everything that it contains")
    )
  },
  Effect.fnUntraced(function* ({ path, secretKey }) {
    const settings = yield* load
    const { unreadable, ...made } = yield* Effect.gen(function* () {
      return yield* write({
        path,
        version: sheaf.version,
        // Redacted values write "<redacted>".
        configuration: JSON.stringify(settings, null, 2),
        secretKey: secretKey ? yield* keyOf(settings) : undefined
      })
    }).pipe(Effect.provide(ports), Effect.mapError(inWords(path)))
    yield* Output.show({ ...made, files_left_out: unreadable.length })
    if (unreadable.length > 0) {
      return yield* new Refused({
        message: `The backup is without the bytes of ${unreadable.length} files that are missing or damaged: \`files check\` lists them`
      })
    }
  })
).pipe(
  Command.withDescription("Back up the database, the files and the configuration, while the server runs"),
  Command.withExamples([
    { command: "sheaf backup /backup", description: "A new file in a directory" },
    { command: "sheaf backup /backup/sheaf.tar.zst --secret-key", description: "With the secret key" }
  ])
)
