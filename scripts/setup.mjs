// Makes node_modules match package-lock.json and patches/, and checks that there is a Node that runs Sheaf. It runs before
// anything is installed, on the Node of the machine: plain JavaScript, no packages. Silent if there is nothing to do.
//   node scripts/setup.mjs [--production]   with --production, development packages may be missing
//   node scripts/setup.mjs --installed      called by npm itself after each installation
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { applyPatches, patchesOf } from "./patches.mjs"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const modules = path.join(root, "node_modules")
const bin = path.join(modules, ".bin")
const marker = path.join(modules, ".sheaf-lock")
const packagedNode = path.join(bin, "node")
const platform = `${process.platform}-${process.arch}`
const packaged = ["linux-x64", "linux-arm64"].includes(platform)
const needed = 24

const fail = (message) => {
  console.error(message)
  process.exit(1)
}
if (!["darwin", "linux"].includes(process.platform)) fail("Sheaf runs on Linux and macOS")
const read = (file) => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch (error) {
    if (error.code === "ENOENT") return undefined
    throw error
  }
}

const production = process.argv.includes("--production")
// Packages with other patches are installed again too.
const all = ["package-lock.json", ...patchesOf(root)]
  .reduce((hash, file) => hash.update(fs.readFileSync(path.join(root, file))), createHash("sha256"))
  .digest("hex")
const some = `${all} production`
const mark = (withoutDevelopment) => fs.writeFileSync(marker, withoutDevelopment ? some : all)
const installed = () => [all, ...(production ? [some] : [])].includes(read(marker))

// If another start is installing, this one waits. The lock is outside of the folder that npm ci removes.
const lock = path.join(root, ".sheaf-installing")
const alive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}
const takeLock = () => {
  const mine = `${lock}-${process.pid}`
  fs.writeFileSync(mine, String(process.pid))
  try {
    // A link appears together with its content, unlike a file that is created and then written.
    fs.linkSync(mine, lock)
    return true
  } catch (error) {
    if (error.code !== "EEXIST") throw error
    const holder = read(lock)
    if (holder !== undefined && !alive(Number(holder))) fs.rmSync(lock, { force: true })
    return false
  } finally {
    fs.rmSync(mine, { force: true })
  }
}

// npm runs on the Node of the machine, because it may replace the packaged one.
const environment = { ...process.env }
environment.PATH = (environment.PATH ?? "")
  .split(path.delimiter)
  .filter((entry) => path.resolve(entry) !== bin)
  .join(path.delimiter)

const install = () => {
  // A server may be running on the packages that are there already: npm ci would remove them.
  const isAddition = read(marker) === some
  const what = production
    ? "the packages (400 MB), which takes about a minute"
    : isAddition
      ? "the packages for development (550 MB), which takes some minutes"
      : "the packages, with those for development (1 GB), which takes some minutes"
  console.error(`Installing ${what} …`)
  fs.rmSync(marker, { force: true })
  const command = isAddition ? ["install", "--no-save"] : ["ci", ...(production ? ["--omit=dev"] : [])]
  const npm = spawnSync("npm", [...command, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "ignore", "inherit"]
  })
  if (npm.error) fail(`npm can't be run: ${npm.error.message}`)
  if (npm.status !== 0)
    fail(`npm ${command[0]} failed (${npm.signal ?? `exit code ${npm.status}`}); see its output above`)
  // The packaged Node needs glibc; where it does not run, the next command must find the Node of the machine.
  if (fs.existsSync(packagedNode) && versionOf(packagedNode, process.env) === undefined) fs.rmSync(packagedNode)
  mark(production)
}

const versionOf = (node, env) => {
  const { status, stdout } = spawnSync(node, ["--version"], { cwd: root, env, encoding: "utf8" })
  return status === 0 ? Number(/^v(\d+)/.exec(stdout)?.[1]) : undefined
}

/** Completes installed packages: applies patches and removes unused files. */
const complete = () => {
  try {
    applyPatches(root)
  } catch (error) {
    fail(error.message)
  }
  // A third of the package are headers for compiling add-ons, which Sheaf does not have.
  fs.rmSync(path.join(modules, `node-${platform}`, "include"), { recursive: true, force: true })
}

if (process.argv.includes("--installed")) {
  complete()
  const withoutDevelopment = (process.env.npm_config_omit ?? "").split(/[\s,]+/).includes("dev")
  mark(withoutDevelopment)
  // An editor needs the types that follow from the sources. A build and a check write them where this Node can't.
  if (!withoutDevelopment && fs.existsSync(packagedNode))
    spawnSync(packagedNode, [path.join(root, "scripts", "generate.ts")], { stdio: "inherit" })
  process.exit(0)
}

if (!installed()) {
  while (!takeLock()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  const release = () => fs.rmSync(lock, { force: true })
  process.once("exit", release)
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1))
  if (!installed()) install()
}

complete()

if (!fs.existsSync(packagedNode)) {
  const version = versionOf("node", environment)
  if (!(version >= needed)) {
    const why = packaged
      ? `the package node-${platform} is not installed or doesn't run here (were optional dependencies left out?)`
      : `there is no packaged Node for ${platform}`
    fail(
      `Sheaf needs Node ${needed} or newer: ${why}, and the machine's own is ${version ?? "missing"}. Install Node ${needed}.`
    )
  }
}
