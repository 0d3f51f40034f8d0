import { hash } from "node:crypto"
import { readFile, readdir } from "node:fs/promises"
import { basename, extname, join } from "node:path"
import type { BuildOptions, Metafile, OutputFile, Plugin } from "esbuild"
import type { Language } from "../../../../services/languages/Language.ts"
import { consoleFiles, type ConsoleEntry } from "./ConsoleEntry.ts"
import { noteStyle } from "./SharePage.ts"

const root = join(import.meta.dirname, "../../../..")
const outdir = "dist/console"

const sources = {
  main: "src/clients/console/main.tsx",
  editor: "src/clients/console/editor/WritingParts.ts",
  style: "src/clients/console/style/console.css",
  renderer: "src/clients/console/offline/NoteRenderer.ts",
  worker: "src/clients/console/ServiceWorker.ts",
  accountForms: "src/clients/console/accounts/AccountForms.ts",
  accountPages: "src/clients/console/style/account-pages.css",
  icons: "src/server/http/pages/icons"
}

const noteStyleName = `note-${hash("sha256", noteStyle.css).slice(0, 8)}.css`

/** The texts of the console in other languages than English. */
const translations: Readonly<Record<Exclude<Language, "en">, string>> = {
  de: "src/clients/console/languages/german/GermanTexts.ts",
  fr: "src/clients/console/languages/french/FrenchTexts.ts",
  es: "src/clients/console/languages/spanish/SpanishTexts.ts",
  zh: "src/clients/console/languages/chinese/ChineseTexts.ts"
}

/** Files by their names, and the sources that they are made of, relative to the root. */
export interface ConsoleBundle {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly inputs: ReadonlyArray<string>
}

const options = (hasMaps: boolean) =>
  ({
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    charset: "utf8",
    sourcemap: hasMaps && "linked",
    sourcesContent: false,
    logLevel: "warning",
    metafile: true,
    write: false
  }) satisfies BuildOptions

/** Styles that modules import as texts: those of what is shown on demand. */
const styleTexts: Plugin = {
  name: "style texts",
  setup: ({ esbuild, onLoad }) =>
    onLoad({ filter: /\.css$/ }, async ({ path, with: { type } }) => {
      if (type !== "text") return undefined
      const { outputFiles } = await esbuild.build({ entryPoints: [path], bundle: true, minify: true, write: false })
      return { contents: outputFiles[0]!.contents, loader: "text" }
    })
}

/** Leaves out what writes Markdown. The packages that read it import this for others, and the renderer does not call it. */
const withoutWriters: Plugin = {
  name: "without writers",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/mdast-util-to-markdown\/index\.js$/ }, () => ({
      contents: "export const defaultHandlers = {}"
    }))
}

/** The name of the output of an entry point. */
const outputOf = ({ outputs }: Metafile, source: string): string => {
  const found = Object.keys(outputs).find((file) => outputs[file]!.entryPoint === source)
  if (found === undefined) throw new Error(`${source} has no output`)
  return found
}

/** The outputs that a module imports at once, directly and indirectly. */
const importsOf = ({ outputs }: Metafile, module: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  const follow = (file: string): void => {
    for (const { external, kind, path } of outputs[file]!.imports) {
      if (external || kind !== "import-statement" || found.has(path)) continue
      found.add(path)
      follow(path)
    }
  }
  follow(module)
  return [...found]
}

const icons = async (): Promise<ReadonlyArray<readonly [file: string, asset: string, bytes: Uint8Array]>> => {
  const names = (await readdir(join(root, sources.icons))).sort()
  return Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(root, sources.icons, name))
      const extension = extname(name)
      const asset = `${basename(name, extension)}-${hash("sha256", bytes).slice(0, 8)}${extension}`
      return [name, asset, bytes] as const
    })
  )
}

/** Makes the files of the console for browsers. */
export const bundleConsole = async (hasMaps: boolean): Promise<ConsoleBundle> => {
  const { build } = await import("esbuild")
  const names = "[name]-[hash]"
  const files = new Map<string, Uint8Array>()
  const keep = ({ contents, path }: OutputFile) => files.set(path.slice(join(root, outdir).length + 1), contents)
  // On its own: it runs in a worker, and is loaded for notes that are kept on a device only.
  const renderer = await build({
    ...options(false),
    entryPoints: [sources.renderer],
    outdir: join(outdir, "assets"),
    entryNames: names,
    format: "iife",
    // Packages that use the document of a page have other modules for workers.
    conditions: ["worker"],
    plugins: [withoutWriters]
  })
  const define = { RENDERER: JSON.stringify(basename(outputOf(renderer.metafile, sources.renderer))) }
  const page = await build({
    ...options(hasMaps),
    entryPoints: [sources.main, sources.style],
    outdir: join(outdir, "assets"),
    entryNames: names,
    chunkNames: names,
    assetNames: names,
    // Modules that are imported on demand are separate files.
    splitting: true,
    plugins: [styleTexts],
    define,
    loader: { ".svg": "file", ".png": "file", ".woff2": "file" }
  })
  page.outputFiles.forEach(keep)
  files.set(consoleFiles.asset(noteStyleName), Buffer.from(noteStyle.css))
  const byName: Record<string, string> = {}
  for (const [name, asset, bytes] of await icons()) {
    byName[name] = asset
    files.set(consoleFiles.asset(asset), bytes)
  }
  const languages = Object.fromEntries(
    Object.entries(translations).map(([language, source]) => [language, basename(outputOf(page.metafile, source))])
  )
  const assets = [...files.keys()]
    .map((file) => basename(file))
    .filter((file) => !file.endsWith(".map") && !Object.values(languages).includes(file))
  // Its address is always the same, so it has no hash and no further files.
  const worker = await build({
    ...options(false),
    entryPoints: [sources.worker],
    outfile: join(outdir, consoleFiles.worker),
    // A script that is not a module also runs in browsers without modules in workers.
    format: "iife",
    define: { ...define, ASSETS: JSON.stringify(assets.sort()), LANGUAGES: JSON.stringify(languages) }
  })
  ;[...renderer.outputFiles, ...worker.outputFiles].forEach(keep)
  // On its own: the console has no more files by it, and does not store these.
  const pages = await build({
    ...options(false),
    entryPoints: [sources.accountForms, sources.accountPages],
    outdir: join(outdir, "assets"),
    entryNames: names
  })
  pages.outputFiles.forEach(keep)
  const main = outputOf(page.metafile, sources.main)
  const entry: ConsoleEntry = {
    script: basename(main),
    preloads: importsOf(page.metafile, main).map((file) => basename(file)),
    style: basename(outputOf(page.metafile, sources.style)),
    noteStyle: noteStyleName,
    editor: basename(outputOf(page.metafile, sources.editor)),
    accountForms: basename(outputOf(pages.metafile, sources.accountForms)),
    accountPages: basename(outputOf(pages.metafile, sources.accountPages)),
    icons: byName
  }
  files.set(consoleFiles.entry, Buffer.from(JSON.stringify(entry)))
  return {
    files,
    inputs: [renderer, page, worker, pages].flatMap(({ metafile }) =>
      Object.values(metafile.outputs).flatMap(({ inputs }) =>
        Object.keys(inputs).filter((input) => inputs[input]!.bytesInOutput > 0)
      )
    )
  }
}
