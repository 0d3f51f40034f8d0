import { build, type Plugin } from "esbuild"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { codeOf } from "../GuideBlocks.ts"
import type { Mutant } from "./Mutants.ts"

const root = join(import.meta.dirname, "../../..")

/** Replaces the place of a mutant. Throws if the text is not there once. */
const mutated = ({ fault, file, from, to }: Mutant): Plugin => ({
  name: "mutant",
  setup: ({ onLoad }) =>
    onLoad({ filter: new RegExp(`/${file.replaceAll(".", "\\.")}$`) }, () => {
      const parts = readFileSync(join(root, file), "utf8").split(from)
      if (parts.length !== 2) throw new Error(`"${fault}" has ${parts.length - 1} places in ${file}, and needs one`)
      return { contents: parts.join(to), loader: "ts" }
    })
})

const modules = {
  "sheaf/client": "src/clients/client/ClientPackage.ts",
  "sheaf/file-store": "src/clients/sync/FileSyncStore.ts",
  "sheaf/sync": "src/clients/sync/SheafSync.ts"
}

/** Writes the client of docs/conformance.md, whose engine has a fault if one is given, and returns its command. */
export const bundleEngine = async (outfile: string, mutant?: Mutant): Promise<ReadonlyArray<string>> => {
  await build({
    absWorkingDir: root,
    stdin: { contents: codeOf("conformance.md", "ts"), loader: "ts", resolveDir: root },
    alias: Object.fromEntries(Object.entries(modules).map(([name, source]) => [name, join(root, source)])),
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    plugins: mutant === undefined ? [] : [mutated(mutant)]
  })
  return [process.execPath, outfile]
}
