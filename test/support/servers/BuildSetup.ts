import { execFileSync } from "node:child_process"
import { join } from "node:path"

/** Programs that tests start run as operators run them: the bundle, which is made anew when the sources have changed. */
export default () => {
  execFileSync(process.execPath, ["scripts/build.ts"], { cwd: join(import.meta.dirname, "../../.."), stdio: "inherit" })
}
