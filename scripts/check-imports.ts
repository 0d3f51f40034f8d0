import { readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, normalize, relative } from "node:path"

/** Checks the direction of imports: prints each import that breaks a rule, and fails if there is one. */

const root = join(import.meta.dirname, "..")

/** Tiers of `services/`: a folder imports only from itself and from tiers below it. */
const tiers: ReadonlyArray<ReadonlyArray<string>> = [
  ["scheduler"],
  ["admin"],
  ["doctor"],
  ["backup"],
  ["changesets"],
  ["sync", "search", "webhooks", "activity", "transfers", "series"],
  ["contents"],
  ["notes"],
  ["oauth", "oidc"],
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
  ["concurrency", "languages"],
  ["."]
]

const tierOf = (folder: string): number => tiers.findIndex((tier) => tier.includes(folder))

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes("node_modules"))
    .map((file) => join(folder, file))

const importsOf = (file: string): ReadonlyArray<string> =>
  [
    ...readFileSync(join(root, file), "utf8").matchAll(
      /^(?:import|export)\b[^"']*?from "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gms
    )
  ].map(([, target, onDemand]) => normalize(join(dirname(file), (target ?? onDemand)!)))

const folderOf = (file: string): string => {
  const parts = relative("services", file).split("/")
  return parts.length === 1 ? "." : parts[0]!
}

/** Whether `src/server/api` may import a file: it is a record file, or contains schemas. */
const isRecord = (file: string): boolean =>
  !/Context\.Service|SqlClient|sql-pg/.test(readFileSync(join(root, file), "utf8"))

const wrong: Array<string> = []
for (const file of [...filesIn("services"), ...filesIn("src")]) {
  const say = (target: string, why: string) => wrong.push(`${file} imports ${target}: ${why}`)
  if (/(^|\/)(index|utils|common|types)\.ts$/.test(file)) wrong.push(`${file}: name it after its content`)
  for (const target of importsOf(file)) {
    if (file.startsWith("services/")) {
      if (target.startsWith("src/")) say(target, "services do not import src")
      else if (target.startsWith("services/")) {
        const [from, to] = [folderOf(file), folderOf(target)]
        if (tierOf(from) < 0) say(target, `${from} is not in a tier`)
        else if (from !== to && tierOf(to) <= tierOf(from)) say(target, `${from} may not import ${to}`)
      }
    }
    if (
      file.startsWith("src/server/api/") &&
      target.startsWith("services/") &&
      !isRecord(target) &&
      !target.endsWith("Principal.ts")
    ) {
      say(target, "the contract imports records only")
    }
  }
  if (/^src\/server\/(http|mcp)\//.test(file) && /\.unsafe[(<]|sql`/.test(readFileSync(join(root, file), "utf8"))) {
    wrong.push(`${file}: handlers contain no SQL`)
  }
}

/** Folders with libraries: they import neither Effect nor the product, except for these files. */
const libraries: Readonly<Record<string, RegExp>> = {
  "src/clients/client/": /^$/,
  "src/clients/sync/": /^(src\/clients\/client\/|services\/records\/Merge\.ts$)/,
  "src/clients/indexeddb/": /^src\/clients\/sync\//,
  "src/clients/rxdb/": /^(src\/clients\/(client|sync)\/|services\/records\/Merge\.ts$)/,
  "src/clients/tanstack/": /^(src\/clients\/(client|sync)\/|services\/records\/Merge\.ts$)/,
  "src/clients/folder/":
    /^(src\/clients\/(client|sync)\/|services\/(records\/Merge|markdown\/(FrontMatterBlock|LinkText|Targets)|notes\/texts\/FrontMatterEdit|transfers\/formats\/(FileNames|ItemNames|Paths|markdown\/(FrontMatter|OwnFrontMatter)))\.ts$)/,
  "src/clients/console/":
    /^(src\/clients\/(client|sync|indexeddb)\/|services\/(ListChanges|records\/Merge|languages\/\w+|markdown\/(Aliases|FrontMatterBlock|ImageSize|LinkedPlace|LinkText|Render|Rendered|contents\/TaskLines)|notes\/texts\/FrontMatter(Edit|Fields)|transfers\/formats\/markdown\/OwnHead)\.ts$)/,
  "services/search/engine/": /^services\/(concurrency\/Budget|markdown\/(PlainText|PrivateParts))\.ts$/,
  "services/transfers/formats/":
    /^services\/(Deflate|Ids|MediaTypes|markdown\/(FileLinks|FrontMatterBlock|LinkText|PrivateParts|Rendered|syntax\/(InlineTags|QuotedText|TomlYaml)))\.ts$/
}

for (const [library, allowed] of Object.entries(libraries)) {
  for (const file of filesIn(library)) {
    if (/from "@?effect["/]/.test(readFileSync(join(root, file), "utf8")))
      wrong.push(`${file}: a library does not import Effect`)
    for (const target of importsOf(file)) {
      if (!target.startsWith(library) && !allowed.test(target))
        wrong.push(`${file} imports ${target}: outside of its library`)
    }
  }
}

/** The packages that a file imports, without those that give types only. */
const packagesOf = (file: string): ReadonlyArray<string> =>
  [
    ...readFileSync(join(root, file), "utf8").matchAll(
      /^(?:import|export)\b(?! type\b)[^"']*?from "([^."][^"]*)"|import\("([^."][^"]*)"\)/gms
    )
  ].map(([, at, onDemand]) => (at ?? onDemand)!)

/** The packages of the console. */
const ofConsole =
  /^(?:preact(?:\/hooks|\/compat)?|@preact\/signals|preact-iso|@simplewebauthn\/browser|idb-keyval|node-diff3|uqr|@codemirror\/[a-z-]+|@lezer\/highlight)$/
for (const file of filesIn("src/clients/console")) {
  for (const name of packagesOf(file))
    if (!ofConsole.test(name)) wrong.push(`${file} imports ${name}: not a package of the console`)
}

/** `npm start` installs these packages only. The modules for RxDB and TanStack DB are built by `npm run pack`. */
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
for (const file of [...filesIn("services"), ...filesIn("src")]) {
  if (/^src\/clients\/(rxdb|tanstack)\//.test(file)) continue
  for (const name of packagesOf(file)) {
    const [root] = /^(?:@[^/]+\/)?[^/]+/.exec(name)!
    if (!name.startsWith("node:") && !Object.hasOwn(dependencies, root))
      wrong.push(`${file} imports ${root}: not a dependency of the program`)
  }
}

/** The console, the client and the engine run in browsers, except for the store in a directory. */
const portable = [...filesIn("src/clients/console"), ...filesIn("src/clients/client"), ...filesIn("src/clients/sync")]
for (const file of portable.filter((file) => !/\/(FileSyncStore|StoreLock)\.ts$/.test(file))) {
  if (/ from "node:|\/(FileSyncStore|StoreLock)\.ts"/.test(readFileSync(join(root, file), "utf8")))
    wrong.push(`${file}: browsers have no modules of Node`)
}

const files = [...filesIn("services"), ...filesIn("src")]
const imports = new Map(files.map((file) => [file, importsOf(file)]))

/** Browsers get the console as a bundle: no other code imports it. */
for (const [file, targets] of imports) {
  const target = targets.find((each) => each.startsWith("src/clients/console/"))
  if (target !== undefined && !file.startsWith("src/clients/console/"))
    wrong.push(`${file} imports ${target}: only the console does`)
}

/**
 * It has nothing but types: those of the English texts, whose modules wait for the file of the user's language. A cycle ends
 * there.
 */
const translation = "src/clients/console/languages/Translation.ts"

/** Files that import each other in a cycle, including type imports; each cycle is reported once. */
const done = new Set<string>([translation])
const visit = (file: string, path: ReadonlyArray<string>): void => {
  const start = path.indexOf(file)
  if (start >= 0) wrong.push(`a cycle of imports: ${[...path.slice(start), file].join(" → ")}`)
  if (start >= 0 || done.has(file)) return
  for (const target of imports.get(file) ?? []) visit(target, [...path, file])
  done.add(file)
}
for (const file of files) visit(file, [])

/** The rooms of `src`, from the outside to the inside: each with what it may import of the others. */
const rooms: Readonly<Record<string, RegExp>> = {
  "src/program/": /^src\/(server\/|clients\/((client|folder)\/|sync\/FileSyncStore\.ts$)|BuiltFile\.ts$)/,
  "src/server/": /^src\/BuiltFile\.ts$/,
  "src/clients/": /^$/
}
for (const [room, allowed] of Object.entries(rooms)) {
  for (const file of filesIn(room)) {
    for (const target of imports.get(file)!) {
      if (target.startsWith("src/") && !target.startsWith(room) && !allowed.test(target))
        wrong.push(`${file} imports ${target}: not allowed in ${room}`)
    }
  }
}

/** Folders of a room import each other in one direction only. Files directly in a room may import all of it. */
const sourceFolder = (file: string): string | undefined => /^src\/[^/]+\/([^/]+)\//.exec(file)?.[1]
const folderImports = new Map<string, string>()
for (const [file, targets] of imports) {
  for (const target of targets) {
    const [from, to] = [sourceFolder(file), sourceFolder(target)]
    if (from === undefined || to === undefined || from === to) continue
    folderImports.set(`${from} ${to}`, `${file} imports ${target}`)
    const back = folderImports.get(`${to} ${from}`)
    if (back !== undefined) wrong.push(`${file} imports ${target}, and ${back}`)
  }
}

/** The key of a service contains its folder, because spans and errors show the key. */
for (const file of files) {
  const folder = dirname(file).replace(/^(services|src(\/(server|program))?)\/?/, "")
  for (const [, key] of readFileSync(join(root, file), "utf8").matchAll(/"sheaf\/([A-Za-z/]+)"/g)) {
    if (dirname(key!).replace(/^\.$/, "") !== folder)
      wrong.push(`${file}: the service ${key} has the name of another folder`)
  }
}

/** Each file name is unique, so that a name is enough to find a file. */
for (const [name, all] of Map.groupBy(files, (file) => basename(file))) {
  if (all.length > 1) wrong.push(`${all.join(", ")}: the name ${name} is used more than once`)
}

/** Maximum number of files in a folder, so that a newcomer can survey it. */
const MAX_FILES = 30
for (const [folder, all] of Map.groupBy([...files, ...filesIn("test"), ...filesIn("scripts")], (file) =>
  dirname(file)
)) {
  if (all.length > MAX_FILES && !folder.endsWith("/migrations"))
    wrong.push(`${folder} has more than ${MAX_FILES} files`)
}

/** Maximum number of lines of a file of the product. */
const MAX_LINES = 300
const styles = readdirSync(join(root, "src/clients/console/style")).map((file) =>
  join("src/clients/console/style", file)
)
for (const file of [...files.filter((file) => !file.includes("/generated/")), ...styles]) {
  const lines = readFileSync(join(root, file), "utf8").split("\n").length - 1
  if (lines > MAX_LINES) wrong.push(`${file} has ${lines} lines, more than ${MAX_LINES}: split it by noun`)
}

if (wrong.length > 0) {
  console.error(wrong.join("\n"))
  process.exit(1)
}
console.log("imports have the right direction")
