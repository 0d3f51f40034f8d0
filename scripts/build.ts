/**
 * Bundles src/main.ts with all its packages into dist/, which starts in half the time and memory of the sources. Without
 * --force it does nothing if dist/ is up to date.
 *   node scripts/build.ts [--force]
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, relative } from "node:path"
import type { Metafile } from "esbuild"
import { guideFiles } from "../src/reference/GuideFiles.ts"
import { patchesOf, requirePatches } from "./patches.mjs"
import { licenseFiles, licenses } from "./release/licenses.ts"

const root = join(import.meta.dirname, "..")
const dist = join(root, "dist")
const stamp = join(dist, "sources.sha256")

/** The sources of the guides at /docs. */
const guides = guideFiles.map(({ file }) => join("docs", file))

/** Data files that the bundle reads from its folder. */
const data = ["services/identity/common-passwords.txt.br"]

/** The program, and the modules with which threads begin. */
const entries = {
  main: "src/main.ts",
  SearchWorker: "services/search/SearchWorker.ts",
  MarkdownWorker: "services/markdown/MarkdownWorker.ts",
  LinkWorker: "services/markdown/LinkWorker.ts",
  BackupWorker: "services/backup/BackupWorker.ts",
  ExportWorker: "services/transfers/exports/ExportWorker.ts",
  ConvertWorker: "services/transfers/imports/ConvertWorker.ts",
  ImportWorker: "services/transfers/imports/ImportWorker.ts"
}

/** A hash of everything that dist/ is made from; packages are covered by the lock file and the patches. */
const sources = (): string => {
  const hash = createHash("sha256")
  const files = ["src", "services"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => join(folder, file))
  )
  for (const file of [
    "package.json",
    "package-lock.json",
    ...patchesOf(root),
    "scripts/build.ts",
    "scripts/release/licenses.ts",
    ...licenseFiles(root),
    ...guides,
    ...data,
    ...files.sort()
  ]) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0")
  }
  return hash.digest("hex")
}

/**
 * The files that the entry points load, with their maps. esbuild also writes a file for each dynamic import in code that
 * it has removed.
 */
const loaded = ({ outputs }: Metafile): ReadonlySet<string> => {
  const found = new Set<string>()
  const follow = (file: string): void => {
    if (found.has(file)) return
    found.add(file).add(`${file}.map`)
    for (const { external, path } of outputs[file]!.imports) if (!external) follow(path)
  }
  for (const name of Object.keys(entries)) follow(`dist/${name}.js`)
  return found
}

const wanted = sources()

if (process.argv.includes("--force") || !existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  try {
    requirePatches(root)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
  const { build } = await import("esbuild")
  const { site } = await import("../src/reference/Site.ts")
  const { metafile, outputFiles: written } = await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: "dist",
    bundle: true,
    // Modules that are imported on demand stay separate files, and are read only then.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // Names are kept, so that a stack trace without its map is still useful.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: "linked",
    sourcesContent: false,
    // CommonJS packages load Node's own modules by require, which an ES module does not have.
    banner: { js: `import{createRequire as requireOf}from"node:module";const require=requireOf(import.meta.url);` },
    define: { IS_BUNDLE: "true" },
    logLevel: "warning",
    metafile: true,
    write: false
  })
  const copied = data.map((file) => ({ path: join(dist, basename(file)), contents: readFileSync(join(root, file)) }))
  const pages = [...site()].map(([file, text]) => ({ path: join(dist, "site", file), contents: text }))
  const needed = loaded(metafile)
  const bundled = written.filter(({ path }) => needed.has(relative(root, path)))
  const inputs = Object.entries(metafile.outputs).flatMap(([file, output]) =>
    needed.has(file) ? Object.keys(output.inputs).filter((input) => output.inputs[input]!.bytesInOutput > 0) : []
  )
  const texts = { path: join(dist, "LICENSES.txt"), contents: licenses(root, inputs) }
  const outputFiles = [...bundled, ...copied, ...pages, texts]
  mkdirSync(join(dist, "site", "guides"), { recursive: true })
  rmSync(stamp, { force: true })
  // Files are replaced atomically, and main.js after its imports, because another start may be reading them.
  const isEntry = (path: string) => basename(path) === "main.js"
  for (const { contents, path } of outputFiles.sort((one, other) => +isEntry(one.path) - +isEntry(other.path))) {
    const temporary = `${path}.${process.pid}.tmp`
    writeFileSync(temporary, contents)
    renameSync(temporary, path)
  }
  const made = new Set(outputFiles.map(({ path }) => path))
  for (const file of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name)
    if (!file.isDirectory() && !made.has(path)) rmSync(path, { force: true })
  }
  writeFileSync(stamp, wanted)
}
