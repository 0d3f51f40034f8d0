import { Effect, Layer } from "effect"
import { Argument, Flag } from "effect/cli"
import { readFileSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { type Key, parseIdentities } from "../../../services/backup/BackupEncryption.ts"
import type { BackupPlace } from "../../../services/backup/BackupPlace.ts"
import { isInBucket, placeAt } from "../../../services/backup/BackupPlaces.ts"
import * as Restore from "../../../services/backup/Restore.ts"
import { drill } from "../../../services/backup/RestoreDrill.ts"
import { type Difference, verify as compare } from "../../../services/backup/RestoreVerify.ts"
import { load, type Settings } from "../../server/settings/Config.ts"
import * as KeyCheck from "../KeyCheck.ts"
import * as Ports from "../Ports.ts"
import * as RestoreMark from "../RestoreMark.ts"
import { usingFile } from "../UsingFile.ts"
import { version } from "../../server/Version.ts"
import { logging, ports, readyPorts } from "./CommandServices.ts"
import { command, isSet } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { passphrase as readPassphrase, passphraseStdin } from "./SecretInput.ts"
import { inWords, Refused } from "./Refused.ts"

const verify = Effect.fnUntraced(function* (settings: Settings, backup: Restore.CheckedBackup, isLost: boolean) {
  const { differences: found, more, ...compared } = yield* Effect.provide(compare(backup, version), ports)
  const key = yield* Effect.match(KeyCheck.ofBackup(settings, backup, isLost), {
    onSuccess: (line) => ({ lines: [line], differences: [] }),
    onFailure: ({ message }) => ({ lines: [], differences: [{ part: "secret.key", problem: message }] })
  })
  const differences: ReadonlyArray<Difference> = [...key.differences, ...found]
  if (yield* Output.Json) yield* Output.show({ ...compared, differences, more })
  else if (differences.length === 0) yield* Output.show(compared, ...key.lines, "There is no difference to the backup.")
  else yield* Output.list(["part", "problem"], (last) => Effect.succeed(last === undefined ? differences : []))
  if (differences.length > 0) {
    return yield* new Refused({ message: `Differences to the backup: ${differences.length + more}` })
  }
})

const write = Effect.fnUntraced(function* (
  settings: Settings,
  backup: Restore.CheckedBackup,
  isLost: boolean,
  endsCredentials: boolean
) {
  // Before anything is written: only the start of the server would find a wrong key otherwise.
  const key = yield* KeyCheck.ofBackup(settings, backup, isLost)
  const mark = Effect.andThen(Ports.dataDirectory(settings), RestoreMark.set(settings))
  // The start of the embedded database writes to DATA_DIR. A database of DATABASE_URL is checked first.
  const isEmbedded = settings.databaseUrl === undefined
  if (isEmbedded) yield* mark
  const { foreign, unreadable, ...restored } = yield* Restore.restore({
    backup,
    endsCredentials,
    prepare: Effect.andThen(isEmbedded ? Effect.void : mark, RestoreMark.removeFiles(settings)),
    keepSecretKey: RestoreMark.keepSecretKey(settings)
  }).pipe(Effect.provide(Layer.provideMerge(Ports.forRestore(settings), logging(settings))))
  yield* RestoreMark.remove(settings)
  yield* Output.show(
    { ...restored, files_left_out: unreadable.length, tables_left_out: foreign },
    "All sync cursors have ended: clients pull everything again.",
    endsCredentials
      ? "The start ends all sessions and API keys: people sign in again, and programs need new keys."
      : "Sessions, API keys, shares and accounts that were ended since the backup live again: look at brought_back, or restore with --end-credentials.",
    key
  )
})

/** Restores into a scratch database of the present server. */
const tryOut = Effect.fnUntraced(function* ({ dataDir, s3Access }: Settings, file: string, key: Key | undefined) {
  const find = Effect.succeed(isInBucket(file) ? file : resolve(file))
  const { created_at, files, rows, unreadable, workspaces } = yield* Effect.provide(
    drill({ find, access: s3Access, key, version, dataDir }),
    readyPorts
  )
  yield* Output.show(
    { created_at, workspaces, rows, files, files_left_out: unreadable.length },
    "The backup can be restored: there is no difference to it."
  )
})

/** Maximum bytes of a file with identities. */
const maxIdentities = 1024 * 1024

const identitiesIn = Effect.fnUntraced(function* (file: string) {
  const text = yield* usingFile("--identity", file, () => {
    // A device has no end.
    const { size } = statSync(file)
    return size <= maxIdentities ? readFileSync(file, "utf8") : ""
  })
  return yield* Effect.mapError(parseIdentities(text), ({ message }) => new Refused({ message: `${file}: ${message}` }))
})

interface Unlocking {
  readonly identity: string | undefined
  readonly passphraseStdin: boolean
}

/** The key for a backup; undefined if it is not encrypted and none is given. */
const keyOf = Effect.fnUntraced(function* (place: BackupPlace, { identity, passphraseStdin }: Unlocking) {
  if (identity !== undefined && passphraseStdin) {
    return yield* new Refused({ message: "A backup is opened by an identity or by a passphrase, not both" })
  }
  if (identity !== undefined) return { identities: yield* identitiesIn(identity) }
  if (passphraseStdin) return { passphrase: yield* readPassphrase(true) }
  const seal = yield* Restore.sealOf(place)
  if (seal === "recipients") {
    return yield* new Refused({ message: "The backup is encrypted for an identity: name its file with --identity" })
  }
  return seal === "passphrase" ? { passphrase: yield* readPassphrase(false) } : undefined
})

export const restore = command("restore", {
  description:
    "Restore a backup into an empty DATA_DIR, or an empty database of DATABASE_URL. Prompts for the passphrase of a backup " +
    "that is encrypted with one",
  examples: [
    ["DATA_DIR=/srv/sheaf sheaf restore sheaf.tar.zst", "Into a new DATA_DIR"],
    ["DATA_DIR=/srv/sheaf sheaf restore sheaf.tar.zst --verify", "Compare them afterwards"],
    ["sheaf restore sheaf.tar.zst.age --identity key.txt", "An encrypted backup"],
    ["sheaf restore /backup/sheaf.tar.zst --drill", "Find out whether it can be restored"]
  ],
  input: {
    file: Argument.String("file").pipe(Argument.withDescription("The backup: a file, or s3://bucket/folder/name")),
    identity: Flag.String("identity").pipe(
      Flag.withDescription(
        "The file with the age identities (AGE-SECRET-KEY-1..., X25519) that open an encrypted backup"
      ),
      Flag.withDefault(undefined)
    ),
    passphraseStdin,
    verify: isSet("verify", "Compare the database, the files and the secret key with the backup, and write nothing"),
    drill: isSet(
      "drill",
      "Restore into a scratch database next to that of the server, which may run, compare, and drop it: changes nothing else"
    ),
    endCredentials: isSet("end-credentials", "End all sessions and API keys of the backup at the next start"),
    lostKey: isSet(
      "lost-key",
      `Restore although the secret key of the backup is lost: then run ${KeyCheck.acceptCommand}`
    )
  },
  run: Effect.fnUntraced(function* ({
    drill: isDrill,
    endCredentials,
    file,
    lostKey,
    verify: isVerification,
    ...unlocking
  }) {
    const settings = yield* load
    const place = yield* placeAt(file, settings.s3Access)
    if (isDrill && (isVerification || endCredentials || lostKey)) {
      return yield* new Refused({ message: "A drill has no other options than those that open the backup" })
    }
    const key = yield* Effect.mapError(keyOf(place, unlocking), inWords(file))
    if (isDrill) return yield* Effect.mapError(tryOut(settings, file, key), inWords(file))
    const backup = yield* Effect.mapError(Restore.check(place, version, key), inWords(file))
    if (isVerification) return yield* Effect.mapError(verify(settings, backup, lostKey), inWords(settings.dataDir))
    yield* Effect.mapError(write(settings, backup, lostKey, endCredentials), inWords(settings.dataDir))
  }, Effect.scoped)
})
