import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"

/** The Redis program, or the reason why there is none. */
export type RedisBinary = { readonly path: string; readonly libraries: string } | { readonly missing: string }

declare module "vitest" {
  interface ProvidedContext {
    redis: RedisBinary
  }
}

const cache = join(import.meta.dirname, "../../..", "node_modules", ".cache", "redis")
/** One program with several names; the name with which it is called (`argv0`) makes it the server. */
const program = join("usr", "bin", "redis-check-rdb")

const unpacked = (): RedisBinary | undefined => {
  if (!existsSync(join(cache, program))) return undefined
  const folders = join(cache, "usr", "lib")
  const libraries = readdirSync(folders)
    .map((folder) => join(folders, folder))
    .join(":")
  return { path: join(cache, program), libraries }
}

const run = async (command: string, args: ReadonlyArray<string>, cwd: string) =>
  (await promisify(execFile)(command, args, { cwd, timeout: 300_000 })).stdout

/** Unpacks Debian's packages without installing them, which needs no privileges. Apt checks their signatures. */
const download = async (): Promise<void> => {
  mkdirSync(cache, { recursive: true })
  const place = mkdtempSync(`${cache}-`)
  try {
    const packages = async () => {
      const listed = await run("apt-cache", ["depends", "redis-tools"], place)
      const libraries = [...listed.matchAll(/^ *Depends: ((?:lib|lua-)\S+)$/gm)].map(([, name]) => name!)
      await run("apt-get", ["download", "redis-tools", ...libraries.filter((name) => name !== "libc6")], place)
    }
    // Apt's list of packages may be empty or old.
    await packages().catch(() => run("apt-get", ["update"], place).then(packages))
    for (const file of readdirSync(place)) await run("dpkg", ["-x", file, "tree"], place)
    // Another run may have finished first.
    if (unpacked() === undefined) {
      rmSync(cache, { recursive: true, force: true })
      renameSync(join(place, "tree"), cache)
    }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** Returns the installed Redis, or else that of Debian's packages. */
export const find = async (): Promise<RedisBinary> => {
  const installed = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "redis-server"))
    .find((file) => existsSync(file))
  if (installed !== undefined) return { path: installed, libraries: "" }
  const before = unpacked()
  if (before !== undefined) return before
  try {
    await download()
    return unpacked() ?? { missing: "Debian's packages of Redis contain no server" }
  } catch (error) {
    const [why] = String((error as { readonly stderr?: unknown }).stderr || error).split("\n")
    return { missing: `there is no redis-server, and Debian's packages of it cannot be downloaded: ${why}` }
  }
}

/** Finds a Redis for the tests of state shared between nodes; each test starts its own server. */
export default async (project: TestProject) => {
  project.provide("redis", await find())
}
