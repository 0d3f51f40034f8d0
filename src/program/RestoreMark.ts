import { Effect } from "effect"
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Migrations from "../../services/database/Migrations.ts"
import { writePrivate } from "./PrivateFile.ts"
import { ConfigError, type Settings } from "../server/settings/Config.ts"
import { usingFile } from "./UsingFile.ts"
import { secretKeyFile } from "../server/settings/ServedSettings.ts"

/**
 * A restore marks DATA_DIR before it writes anything else, and removes the mark after its commit. So everything in a
 * marked directory comes from that restore, which is unfinished as long as the database is empty.
 */
const markFile = "restore.unfinished"

const pathOf = ({ dataDir }: Settings): string => join(dataDir, markFile)

export const isThere = (settings: Settings): boolean => existsSync(pathOf(settings))

export const unfinished = ({ dataDir }: Settings): string =>
  `A restore into DATA_DIR ${dataDir} has not finished: run it again, or delete the directory`

/** Marks an existing DATA_DIR, which must be empty or marked. It may have the secret key, which is checked before. */
export const set = (settings: Settings) =>
  Effect.gen(function* () {
    const { dataDir } = settings
    const files = yield* usingFile("DATA_DIR", dataDir, () => readdirSync(dataDir))
    if (files.includes(markFile)) return
    const allowed = ["lost+found", "secret.key"]
    const found = files.find((file) => !allowed.includes(file))
    if (found !== undefined) {
      return yield* new ConfigError({
        message: `DATA_DIR ${dataDir} is not empty: it has ${found}. Restore into an empty directory`
      })
    }
    yield* usingFile("DATA_DIR", dataDir, () => writePrivate(pathOf(settings), ""))
  })

export const remove = (settings: Settings) =>
  usingFile("DATA_DIR", settings.dataDir, () => rmSync(pathOf(settings), { force: true }))

/** Removes the files that an unfinished restore into a marked DATA_DIR has left. */
export const removeFiles = ({ dataDir }: Settings) =>
  usingFile("DATA_DIR", dataDir, () => rmSync(join(dataDir, "files"), { recursive: true, force: true }))

/** Stores the secret key of a backup, unless SECRET_KEY is set. */
export const keepSecretKey = (settings: Settings) => (text: string) =>
  settings.secretKey === undefined
    ? usingFile("DATA_DIR", secretKeyFile(settings), () => writePrivate(secretKeyFile(settings), text))
    : Effect.void

/** Refuses a marked DATA_DIR with an empty database. With rows, only the mark is left, and is removed. */
export const refuse = (settings: Settings) =>
  Effect.gen(function* () {
    if (!isThere(settings)) return
    if ((yield* Migrations.version) === 0) return yield* new ConfigError({ message: unfinished(settings) })
    yield* remove(settings)
  })
