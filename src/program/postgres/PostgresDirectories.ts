import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { versionOf } from "./PostgresCluster.ts"

/** The directories of embedded databases in DATA_DIR. */

/** The directory of the database that Sheaf uses. */
export const current = (dataDir: string): string => join(dataDir, "postgres")

/** The directory in which `migrate postgres` makes the database of its own major version. */
export const next = (dataDir: string): string => join(dataDir, "postgres.next")

/** The directory to which `migrate postgres` moves the database of an earlier major version. */
export const aside = (dataDir: string, major: string): string => join(dataDir, `postgres.${major}`)

/** The major version of the database in a directory, such as "18"; undefined if there is none. */
export const majorOf = (directory: string): string | undefined => versionOf(join(directory, "cluster"))

/**
 * The major version of the database that an interrupted `migrate postgres` has moved aside; undefined if Sheaf has a
 * database, also a damaged one, or none was moved.
 */
export const interrupted = (dataDir: string): string | undefined =>
  !existsSync(dataDir) || existsSync(join(current(dataDir), "cluster"))
    ? undefined
    : readdirSync(dataDir)
        .flatMap((name) => /^postgres\.(\d+)$/.exec(name)?.[1] ?? [])
        .toSorted((one, other) => Number(other) - Number(one))
        .find((major) => majorOf(aside(dataDir, major)) !== undefined)
