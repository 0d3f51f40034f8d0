/**
 * Bundles src/main.ts with all its packages into dist/, which starts in half the time and memory of the sources. Without
 * --force it does nothing if dist/ is up to date.
 *   node scripts/build.ts [--force]
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { guideFiles } from "../src/reference/GuideFiles.ts"
import { bundleProgram, dataFiles, root } from "./bundle.ts"
import { patchesOf } from "./patches.mjs"
import { licenseFiles, licenses, programs } from "./release/licenses.ts"

const dist = join(root, "dist")
const stamp = join(dist, "sources.sha256")

/** The sources of the guides at /docs. */
const guides = guideFiles.map(({ file }) => join("docs", file))

/** A hash of everything that dist/ is made from; packages are covered by the lock file and the patches. */
const sources = (): string => {
  const hash = createHash("sha256")
  const files = ["src", "services"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(?:tsx?|css|svg|png)$/.test(file))
      .map((file) => join(folder, file))
  )
  for (const file of [
    "package.json",
    "package-lock.json",
    ...patchesOf(root),
    "scripts/build.ts",
    "scripts/bundle.ts",
    "scripts/release/licenses.ts",
    ...licenseFiles(root),
    ...guides,
    ...dataFiles,
    ...files.sort()
  ]) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0")
  }
  return hash.digest("hex")
}

const wanted = sources()

if (process.argv.includes("--force") || !existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  console.error("Building Sheaf, which takes some seconds …")
  const { files, inputs } = await bundleProgram(true)
  const texts = { path: "LICENSES.txt", contents: licenses(root, inputs, programs) }
  rmSync(stamp, { force: true })
  // Files are replaced atomically, and main.js after its imports, because another start may be reading them.
  const isEntry = ({ path }: { readonly path: string }) => path === "main.js"
  const outputFiles = [...files, texts].sort((one, other) => +isEntry(one) - +isEntry(other))
  for (const { contents, path } of outputFiles) {
    const temporary = join(dist, `${path}.${process.pid}.tmp`)
    mkdirSync(dirname(temporary), { recursive: true })
    writeFileSync(temporary, contents)
    renameSync(temporary, join(dist, path))
  }
  const made = new Set(outputFiles.map(({ path }) => join(dist, path)))
  for (const file of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name)
    if (!file.isDirectory() && !made.has(path)) rmSync(path, { force: true })
  }
  writeFileSync(stamp, wanted)
}
