import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const folder = join(import.meta.dirname, "../../src/server/settings")

/** The environment variables that the settings read, and whether `NAME_FILE` may name a file with the value. */
export const declaredVariables = globSync("*.ts", { cwd: folder }).flatMap((file) =>
  [...readFileSync(join(folder, file), "utf8").matchAll(/\b(variable|secretVariable)\(\s*"([A-Z0-9_]+)"/g)].map(
    ([, kind, name]) => ({ name: name!, isSecret: kind === "secretVariable" })
  )
)
