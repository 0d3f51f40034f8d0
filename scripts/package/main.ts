/**
 * Makes the npm package, with the program and the modules of `modules.ts`: release/sheaf-VERSION.tgz. The list of what is bundled
 * is next to it.
 *   node scripts/package/main.ts
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { buffer } from "node:stream/consumers"
import { constants, gzipSync } from "node:zlib"
import { pack } from "tar-stream"
import { bundle, bundleProgram, type BundledFile, root } from "../bundle.ts"
import { generate } from "../generate.ts"
import { licenses } from "../release/licenses.ts"
import { sbom } from "../release/sbom.ts"
import { sourceHash } from "../sources.ts"
import { versionFile } from "../version.ts"
import { declarations } from "./declarations.ts"
import { manifest, name, version } from "./manifest.ts"
import { modules } from "./modules.ts"
import { bundlePortable, options, sources } from "./portable.ts"

/** The time of each file, the one that npm uses: the same sources make the same package. */
const mtime = new Date("1985-10-26T08:15:00.000Z")

/** All files of the package, and the files that its bundles are made of. */
const makeFiles = async (): Promise<{
  readonly files: ReadonlyArray<BundledFile>
  readonly inputs: ReadonlyArray<string>
}> => {
  await generate(sourceHash())
  const program = await bundleProgram(false)
  const requirements = await bundle({ Requirements: "scripts/package/Requirements.ts" }, options)
  const portable = await bundlePortable()
  const library = await bundle(sources(false), {
    ...options,
    // The modules and the tests that import them use one Effect.
    external: ["effect", "effect/*"],
    firstLine: `import "./Requirements.js";\n`
  })
  // Names of chunks contain a hash: the bundles fit into one folder, where the library finds threads and data.
  const bundled = [...program.files, ...requirements.files, ...library.files, ...portable.files]
  const inputs = [...program.inputs, ...library.inputs, ...portable.inputs]
  const files = [
    { path: "package.json", contents: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) },
    { path: "LICENSE", contents: readFileSync(join(root, "LICENSE")) },
    { path: "README.md", contents: readFileSync(join(import.meta.dirname, "README.md")) },
    { path: "dist/LICENSES.txt", contents: licenses(root, inputs, []) },
    ...[...bundled, versionFile(sourceHash())].map(({ contents, path }) => ({ path: join("dist", path), contents })),
    ...declarations(Object.values(modules).map(({ source }) => source))
  ]
  return { files, inputs }
}

console.error("Building the package, which takes up to a minute …")
const archive = pack()
const made = await makeFiles()
const files = new Map(made.files.map(({ contents, path }) => [path, contents]))
for (const path of [...files.keys()].sort()) {
  const mode = path === manifest.bin.sheaf ? 0o755 : 0o644
  archive.entry({ name: `package/${path}`, mode, mtime }, Buffer.from(files.get(path)!))
}
archive.finalize()
const bytes = gzipSync(await buffer(archive), { level: constants.Z_BEST_COMPRESSION })

const release = join(root, "release")
const file = join(release, `${name}-${version}.tgz`)
mkdirSync(release, { recursive: true })
writeFileSync(`${file}.tmp`, bytes)
renameSync(`${file}.tmp`, file)
const build = JSON.parse(versionFile(sourceHash()).contents.toString())
writeFileSync(`${file}.cdx.json`, sbom(root, made.inputs, [], build))
console.log(`${relative(root, file)}  ${(bytes.length / 1e6).toFixed(1)} MB`)
