import { Effect, Redacted } from "effect"
import { Argument, Flag } from "effect/cli"
import { readFileSync } from "node:fs"
import { backup as write } from "../../../services/backup/Backup.ts"
import { filesLeftOut } from "../../../services/backup/BackupFailure.ts"
import * as Migrations from "../../../services/database/Migrations.ts"
import { load, type Settings } from "../../server/settings/Config.ts"
import { usingFile } from "../UsingFile.ts"
import * as KeyCheck from "../KeyCheck.ts"
import { secretKeyFile } from "../../server/settings/ServedSettings.ts"
import { ports } from "./CommandServices.ts"
import { command, isSet } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { newPassphrase, passphraseStdin } from "./SecretInput.ts"
import { inWords, Refused } from "./Refused.ts"
import { version } from "../../server/Version.ts"

/** The secret key of the database, in base64. */
const keyOf = Effect.fnUntraced(function* (settings: Settings) {
  // An older schema may have no fingerprint of the key.
  if ((yield* Migrations.state) === "current") yield* KeyCheck.require(settings)
  if (settings.secretKey !== undefined) {
    return `${Buffer.from(Redacted.value(settings.secretKey)).toString("base64")}\n`
  }
  const file = secretKeyFile(settings)
  return yield* usingFile("DATA_DIR", file, () => readFileSync(file, "utf8"))
})

interface Wish {
  readonly recipients: ReadonlyArray<string>
  readonly passphrase: boolean
  readonly passphraseStdin: boolean
}

/** The default is BACKUP_RECIPIENT. */
const encryptionOf = Effect.fnUntraced(function* (
  { passphrase, passphraseStdin, recipients }: Wish,
  { backupRecipients }: Settings
) {
  const withPassphrase = passphrase || passphraseStdin
  if (withPassphrase && recipients.length > 0) {
    return yield* new Refused({ message: "A backup is encrypted for recipients or with a passphrase, not both" })
  }
  if (withPassphrase) return { passphrase: yield* newPassphrase(passphraseStdin) }
  const all = recipients.length > 0 ? recipients : backupRecipients
  return all.length > 0 ? { recipients: all } : undefined
})

export const backup = command("backup", {
  description:
    "Back up the database, the files and the configuration, while the server runs. An encrypted backup has the format of " +
    "age, which the tool age opens too",
  examples: [
    ["sheaf backup /backup", "A new file in a directory"],
    ["sheaf backup /backup/sheaf.tar.zst --secret-key", "With the secret key"],
    ["sheaf backup s3://bucket/sheaf/", "In a bucket"],
    ["sheaf backup /backup --recipient age1...", "Encrypted for the owner of a key"],
    ["sheaf backup /backup --passphrase", "Encrypted with a passphrase"]
  ],
  input: {
    to: Argument.String("path").pipe(
      Argument.withDescription(
        "The file to create, or a directory in which the backup is named by its time, or s3://bucket/folder/; default: " +
          "BACKUP_TO"
      ),
      Argument.withDefault(undefined)
    ),
    secretKey: isSet(
      "secret-key",
      "Include the secret key: the backup then opens everything that it contains, so encrypt it too"
    ),
    recipients: Flag.String("recipient").pipe(
      Flag.withDescription(
        "Encrypt the backup for the owner of an age key: age1..., an X25519 recipient (repeat it for more)"
      ),
      Flag.atLeast(0)
    ),
    passphrase: isSet("passphrase", "Encrypt the backup with a passphrase, which is prompted for"),
    passphraseStdin
  },
  run: Effect.fnUntraced(function* ({ secretKey, to, ...wish }) {
    const settings = yield* load
    const path = to ?? (settings.backupTo === undefined ? undefined : `${settings.backupTo}/`)
    if (path === undefined) return yield* new Refused({ message: "Name a file or a directory, or set BACKUP_TO" })
    const encryption = yield* encryptionOf(wish, settings)
    const { unreadable, ...made } = yield* Effect.gen(function* () {
      return yield* write({
        path,
        access: settings.s3Access,
        version,
        // Redacted values write "<redacted>".
        configuration: JSON.stringify(settings, null, 2),
        secretKey: secretKey ? yield* keyOf(settings) : undefined,
        encryption
      })
    }).pipe(Effect.provide(ports), Effect.mapError(inWords(path)))
    yield* Output.show({ ...made, encrypted: encryption !== undefined, files_left_out: unreadable.length })
    if (unreadable.length > 0) {
      return yield* new Refused({ message: filesLeftOut("The backup", unreadable.length) })
    }
  })
})
