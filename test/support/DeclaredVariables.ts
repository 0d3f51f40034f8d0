import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const folder = join(import.meta.dirname, "../../src/server/settings")

/** The environment variables that the settings read, and whether `NAME_FILE` may name a file with the value. */
export const declaredVariables = globSync("*.ts", { cwd: folder }).flatMap((file) =>
  [
    ...readFileSync(join(folder, file), "utf8").matchAll(
      /\b(variable|secretVariable)\(\s*["`]([A-Z0-9_]+|\$\{prefix\}[A-Z_]+)["`]/g
    )
  ].map(
    // Variables of further providers have a number in their names.
    ([, kind, name]) => ({ name: name!.replace("${prefix}", "OIDC_"), isSecret: kind === "secretVariable" })
  )
)
