/** The server of a later version: `node test/support/servers/NextVersion.ts expanded`. */
import * as Program from "../../../src/program/Program.ts"
import { type LaterVersion, migrationsOf } from "./NextMigration.ts"

const [version] = process.argv.splice(2, 1)
Program.run(migrationsOf(version as LaterVersion))
