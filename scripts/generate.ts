/**
 * Writes `src/clients/client/generated/` from the description of the API: the tables of operations, and `Schema.ts` with its types,
 * which needs the packages for development. Does nothing if the sources are those of the last run.
 *   node scripts/generate.ts
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./bundle.ts"
import { operationTables } from "./client/operationTable.ts"
import { sourceHash } from "./sources.ts"

const folder = join(root, "src/clients/client/generated")
const stamp = join(folder, "sources.sha256")
/** Only a compiler reads types: a bundle and the program need none. */
const hasTypes = existsSync(join(root, "test/clients/node_modules/openapi-typescript"))

/** Replaces a file atomically: another start may be reading it. */
const write = (name: string, text: string): void => {
  const temporary = join(folder, `${name}.${process.pid}.tmp`)
  writeFileSync(temporary, text)
  renameSync(temporary, join(folder, name))
}

/** Writes the files, unless they follow from the sources with this hash already. */
export const generate = async (hash: string): Promise<void> => {
  const wanted = `${hash}${hasTypes ? " with types" : ""}`
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return
  const { openApiDocument } = await import("../src/server/openapi/OpenApiDocument.ts")
  const description = JSON.parse(JSON.stringify(openApiDocument("https://sheaf.example")))
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(operationTables(description))) write(name, text)
  if (hasTypes) {
    const { clientTypes } = await import("../test/clients/clientTypes.ts")
    write("Schema.ts", await clientTypes(description))
  }
  write("sources.sha256", wanted)
}

if (import.meta.main) await generate(sourceHash())
