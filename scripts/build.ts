/**
 * Bundles src/main.ts with all its packages into dist/, which starts in half the time and memory of the sources. Without
 * --force it does nothing if dist/ is up to date.
 *   node scripts/build.ts [--force]
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { bundleProgram, type BundledFile, root } from "./bundle.ts"
import { generate } from "./generate.ts"
import { licenses, programs } from "./release/licenses.ts"
import { sbom } from "./release/sbom.ts"
import { sourceHash } from "./sources.ts"
import { versionFile } from "./version.ts"

const dist = join(root, "dist")
const stamp = join(dist, "sources.sha256")

/** Replaces a file of dist/ atomically: another start may be reading it. */
const write = ({ contents, path }: BundledFile): void => {
  const temporary = join(dist, `${path}.${process.pid}.tmp`)
  mkdirSync(dirname(temporary), { recursive: true })
  writeFileSync(temporary, contents)
  renameSync(temporary, join(dist, path))
}

const wanted = sourceHash()
const version = versionFile(wanted)
const built = JSON.parse(version.contents.toString())

await generate(wanted)

if (process.argv.includes("--force") || !existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  console.error("Building Sheaf, which takes some seconds …")
  const { files, inputs } = await bundleProgram(true)
  const texts = { path: "LICENSES.txt", contents: licenses(root, inputs, programs) }
  const bom = { path: "sbom.cdx.json", contents: sbom(root, inputs, programs, built) }
  rmSync(stamp, { force: true })
  // main.js comes after its imports, because another start may be reading them.
  const isEntry = ({ path }: { readonly path: string }) => path === "main.js"
  const outputFiles = [...files, texts, bom].sort((one, other) => +isEntry(one) - +isEntry(other))
  outputFiles.forEach(write)
  const made = new Set([...outputFiles, version].map(({ path }) => join(dist, path)))
  for (const file of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name)
    if (!file.isDirectory() && !made.has(path)) rmSync(path, { force: true })
  }
  writeFileSync(stamp, wanted)
}
// Also without a build: a commit that changes no source is another version of the same program.
const known = join(dist, version.path)
if (!existsSync(known) || !readFileSync(known).equals(version.contents)) write(version)
