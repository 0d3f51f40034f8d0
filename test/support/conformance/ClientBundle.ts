import { build, type Plugin } from "esbuild"
import { readFileSync } from "node:fs"
import { join } from "node:path"
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

/** Writes the engine as a client of the conformance kit, with a fault if one is given, and returns its command. */
export const bundleEngine = async (outfile: string, mutant?: Mutant): Promise<ReadonlyArray<string>> => {
  await build({
    absWorkingDir: root,
    entryPoints: ["test/clients/conformance/engineClient.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    plugins: mutant === undefined ? [] : [mutated(mutant)]
  })
  return [process.execPath, outfile]
}
