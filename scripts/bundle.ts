import { readFileSync } from "node:fs"
import { basename, join, relative } from "node:path"
import type { Metafile } from "esbuild"
import { requirePatches } from "./patches.mjs"

export const root = join(import.meta.dirname, "..")

/** The program, and the modules with which threads begin. */
const programEntries = {
  main: "src/main.ts",
  SearchWorker: "services/search/SearchWorker.ts",
  GuardWorker: "services/concurrency/GuardWorker.ts",
  MarkdownWorker: "services/markdown/MarkdownWorker.ts",
  LinkWorker: "services/markdown/LinkWorker.ts",
  ContentWorker: "services/markdown/contents/ContentWorker.ts",
  BackupWorker: "services/backup/BackupWorker.ts",
  ExportWorker: "services/transfers/exports/ExportWorker.ts",
  ConvertWorker: "services/transfers/imports/ConvertWorker.ts",
  ImportWorker: "services/transfers/imports/ImportWorker.ts",
  TextWorker: "services/notes/texts/TextWorker.ts"
}

/** Data files that the bundle reads from its folder. */
export const dataFiles = ["services/identity/common-passwords.txt.br"]

/** A file of a bundle, with its path in the folder of the bundle. */
export interface BundledFile {
  readonly path: string
  readonly contents: Uint8Array
}

export interface Bundle {
  readonly files: ReadonlyArray<BundledFile>
  /** The files that the code comes from, relative to the root. */
  readonly inputs: ReadonlyArray<string>
}

export interface BundleOptions {
  /** Packages that are not bundled: the bundle imports them. */
  readonly external?: ReadonlyArray<string>
  /** The first line of each module. */
  readonly firstLine?: string
  /** Whether the modules also run in browsers and in older versions of Node. */
  readonly isPortable?: boolean
  /** Code without white space, instead of code that can be read in a stack trace and a debugger. */
  readonly isShort: boolean
  /** Whether there are source maps. */
  readonly hasMaps: boolean
}

/**
 * The files that the entry points load, with their maps. esbuild also writes a file for each dynamic import in code that
 * it has removed.
 */
const loaded = ({ outputs }: Metafile, entries: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set<string>()
  const follow = (file: string): void => {
    if (found.has(file)) return
    found.add(file).add(`${file}.map`)
    for (const { external, path } of outputs[file]!.imports) if (!external) follow(path)
  }
  for (const name of entries) follow(`dist/${name}.js`)
  return found
}

/** Ends the process with one line if a package is not patched. */
const checkPatches = (): void => {
  try {
    requirePatches(root)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
}

/** CommonJS packages load Node's own modules by require, which an ES module does not have. */
const requireOfModules = `import{createRequire as requireOf}from"node:module";const require=requireOf(import.meta.url);`

/** Bundles modules with all their packages. `entries` has the path of each module by its name in the bundle. */
export const bundle = async (
  entries: Readonly<Record<string, string>>,
  { external = [], firstLine = "", hasMaps, isPortable = false, isShort }: BundleOptions
): Promise<Bundle> => {
  checkPatches()
  const { build } = await import("esbuild")
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: "dist",
    bundle: true,
    // A bundle contains what esbuild makes, and does not need it.
    external: ["esbuild", ...external],
    // Modules that are imported on demand stay separate files, and are read only then.
    splitting: true,
    format: "esm",
    ...(isPortable ? { platform: "neutral", target: "es2022" } : { platform: "node", target: "node24" }),
    // Names are kept, so that a stack trace without its map is still useful.
    minifyWhitespace: isShort,
    minifySyntax: isShort,
    sourcemap: hasMaps && "linked",
    sourcesContent: false,
    banner: { js: firstLine + (isPortable ? "" : requireOfModules) },
    define: { IS_BUNDLE: "true" },
    logLevel: "warning",
    metafile: true,
    write: false
  })
  const needed = loaded(metafile, Object.keys(entries))
  const files = outputFiles
    .filter(({ path }) => needed.has(relative(root, path)))
    .map(({ contents, path }) => ({ path: relative(join(root, "dist"), path), contents }))
  const inputs = Object.entries(metafile.outputs).flatMap(([file, output]) =>
    needed.has(file) ? Object.keys(output.inputs).filter((input) => output.inputs[input]!.bytesInOutput > 0) : []
  )
  return { files, inputs }
}

/** The program, with the modules of its threads, its data, the pages of /docs and the console. */
export const bundleProgram = async (hasMaps: boolean): Promise<Bundle> => {
  const { files, inputs } = await bundle(programEntries, { isShort: true, hasMaps })
  const { site } = await import("../src/server/reference/Site.ts")
  const data = dataFiles.map((file) => ({ path: basename(file), contents: readFileSync(join(root, file)) }))
  const pages = [...site()].map(([file, text]) => ({ path: join("site", file), contents: Buffer.from(text) }))
  const { bundleConsole } = await import("../src/server/http/pages/ConsoleBundle.ts")
  const webConsole = await bundleConsole(hasMaps)
  const console = [...webConsole.files].map(([file, contents]) => ({ path: join("console", file), contents }))
  return { files: [...files, ...data, ...pages, ...console], inputs: [...inputs, ...webConsole.inputs] }
}
