import { execFileSync } from "node:child_process"
import { join } from "node:path"

/** Builds the bundle if the sources have changed: tests start programs as operators do. */
export default () => {
  execFileSync(process.execPath, ["scripts/build.ts"], { cwd: join(import.meta.dirname, "../../.."), stdio: "inherit" })
}
