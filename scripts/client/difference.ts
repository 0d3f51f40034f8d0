/**
 * Prints how the description of the API differs from that of another commit: a line for each operation, parameter, status,
 * member and value that came or went.
 *   node scripts/client/difference.ts [COMMIT]     by default the parent of HEAD
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../bundle.ts"
import { type Json, parametersOf } from "./operationTable.ts"

const [commit = "HEAD^"] = process.argv.slice(2)

/** Maximum size of a description or an archive in bytes. */
const maxBuffer = 256 * 1024 * 1024

const descriptionIn = (folder: string): Json =>
  JSON.parse(execFileSync(process.execPath, ["scripts/openapi.ts"], { cwd: folder, encoding: "utf8", maxBuffer }))

const descriptionOf = (commit: string): Json => {
  const folder = mkdtempSync(join(tmpdir(), "sheaf-api-"))
  try {
    const archive = execFileSync("git", ["archive", commit, "src", "services", "scripts", "docs", "package.json"], {
      cwd: root,
      maxBuffer
    })
    execFileSync("tar", ["-x", "-C", folder], { input: archive })
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    return descriptionIn(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const nameOf = ({ $ref }: Json): string | undefined => $ref?.split("/").at(-1)

/** A schema in one line. */
const shown = (schema: Json | undefined): string =>
  nameOf(schema ?? {}) ??
  JSON.stringify(schema ?? {}, (key, value) => {
    if (["description", "examples", "example", "properties", "enum"].includes(key)) return undefined
    return value?.$ref === undefined ? value : nameOf(value)
  })

const linesOf = (description: Json): ReadonlySet<string> => {
  const lines = new Set<string>()
  for (const [path, item] of Object.entries<Json>(description["paths"])) {
    for (const [method, operation] of Object.entries<Json>(item)) {
      if (operation["operationId"] === undefined) continue
      const name = `${method.toUpperCase()} ${path}`
      lines.add(`${name} (${operation["operationId"]})`)
      for (const { in: place, name: parameter, required, schema } of parametersOf(description, operation))
        lines.add(`${name} ${place} ${parameter}${required ? "" : "?"}: ${shown(schema)}`)
      for (const status of Object.keys(operation["responses"])) lines.add(`${name} → ${status}`)
    }
  }
  const add = (name: string, schema: Json): void => {
    lines.add(`${name}: ${shown(schema)}`)
    for (const value of schema["enum"] ?? []) lines.add(`${name} = ${value}`)
    for (const [member, type] of Object.entries<Json>(schema["properties"] ?? {})) add(`${name}.${member}`, type)
  }
  for (const [name, schema] of Object.entries<Json>(description["components"].schemas)) add(name, schema)
  return lines
}

try {
  execFileSync("git", ["rev-parse", "--verify", "--quiet", `${commit}^{commit}`], { cwd: root, stdio: "ignore" })
} catch {
  console.log(`The repository does not have the commit ${commit}: the API is not compared`)
  process.exit(0)
}
const [before, after] = [linesOf(descriptionOf(commit)), linesOf(descriptionIn(root))]
const gone = [...before].filter((line) => !after.has(line)).map((line) => `- ${line}`)
const added = [...after].filter((line) => !before.has(line)).map((line) => `+ ${line}`)
const changes = [...gone, ...added].toSorted((one, other) => one.slice(2).localeCompare(other.slice(2)))
console.log(changes.length === 0 ? `The API is that of ${commit}` : `The API differs from that of ${commit}:`)
for (const line of changes) console.log(line)
