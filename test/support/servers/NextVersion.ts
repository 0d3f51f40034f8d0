/** The server of the next version, with one more migration: `node test/support/servers/NextVersion.ts`. */
import * as Program from "../../../src/program/Program.ts"
import { nextMigrations } from "./NextMigration.ts"

Program.run(nextMigrations)
