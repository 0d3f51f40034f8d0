import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"

/** The rules of direction of the design: prints each import that goes the wrong way, and fails when there is one. */

const root = join(import.meta.dirname, "..")

/** Tiers of `services/`: a folder imports only from itself and from tiers below it. */
const tiers: ReadonlyArray<ReadonlyArray<string>> = [
  ["scheduler"],
  ["sync", "search", "webhooks", "activity", "transfers"],
  ["notes"],
  ["identity", "webpush"],
  ["workspaces"],
  ["outgoing"],
  ["limits", "mail"],
  ["lists"],
  ["records", "jobs"],
  ["writer"],
  ["files"],
  ["database"],
  ["tables", "secrets", "markdown"],
  ["concurrency"],
  ["."]
]

const tierOf = (folder: string): number => tiers.findIndex((tier) => tier.includes(folder))

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file))

const importsOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(join(root, file), "utf8").matchAll(/^(?:import|export)\b[^"']*?from "(\.[^"]+)"/gms)].map(
    ([, target]) => normalize(join(dirname(file), target!))
  )

const folderOf = (file: string): string => {
  const parts = relative("services", file).split("/")
  return parts.length === 1 ? "." : parts[0]!
}

/** A record file, or one of schemas: what `src/api` may import. */
const isRecord = (file: string): boolean =>
  !/Context\.Service|SqlClient|sql-pg/.test(readFileSync(join(root, file), "utf8"))

const wrong: Array<string> = []
for (const file of [...filesIn("services"), ...filesIn("src")]) {
  const say = (target: string, why: string) => wrong.push(`${file} imports ${target}: ${why}`)
  if (/(^|\/)(index|utils|common|types)\.ts$/.test(file)) wrong.push(`${file}: a file is named for the one thing in it`)
  for (const target of importsOf(file)) {
    if (file.startsWith("services/")) {
      if (target.startsWith("src/")) say(target, "services know nothing of how they are reached")
      else if (target.startsWith("services/")) {
        const [from, to] = [folderOf(file), folderOf(target)]
        if (tierOf(from) < 0) say(target, `${from} is in no tier`)
        else if (from !== to && tierOf(to) <= tierOf(from)) say(target, `${from} may not import ${to}`)
      }
    }
    if (
      file.startsWith("src/api/") &&
      target.startsWith("services/") &&
      !isRecord(target) &&
      !target.endsWith("Principal.ts")
    ) {
      say(target, "the contract imports records only")
    }
  }
  if (file.startsWith("src/http/") && /\.unsafe[(<]|sql`/.test(readFileSync(join(root, file), "utf8"))) {
    wrong.push(`${file}: handlers hold no SQL`)
  }
}

if (wrong.length > 0) {
  console.error(wrong.join("\n"))
  process.exit(1)
}
console.log("imports go the right way")
