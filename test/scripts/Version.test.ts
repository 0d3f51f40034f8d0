import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, it, vi } from "vitest"
import { versionFile } from "../../scripts/version.ts"
import { lineOf } from "../../src/program/VersionLine.ts"

const root = join(import.meta.dirname, "../..")
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const made = (sourceHash: string) => JSON.parse(versionFile(sourceHash).contents.toString())

afterEach(() => void vi.unstubAllEnvs())

it("a build has the commit that the environment names, for an image that is built without git", () => {
  vi.stubEnv("BUILD_COMMIT", "89288c7c0123456789abcdef0123456789abcdef")
  vi.stubEnv("BUILD_DATE", "2026-11-28T18:09:00+01:00")
  expect(made("f".repeat(64))).toEqual({ version: `${version}+89288c7`, date: "2026-11-28T17:09:00.000Z" })
})

it("a build outside of its repository has a part of the hash of its sources", () => {
  // Git then finds no repository.
  vi.stubEnv("GIT_DIR", "/nonexistent")
  expect(made("0123456789".padEnd(64, "f"))).toEqual({ version: `${version}+sources.0123456`, date: null })
  expect(made("f".repeat(64)).version).toBe(`${version}+sources.fffffff`)
})

it("the program prints the version of its build", () => {
  const build = JSON.parse(readFileSync(join(root, "dist/build.json"), "utf8"))
  expect(build.version.startsWith(`${version}+`)).toBe(true)
  for (const flag of ["--version", "-v"]) {
    const output = execFileSync(process.execPath, [join(root, "dist/main.js"), flag], { encoding: "utf8" })
    expect(output).toBe(`${lineOf(build)}\n`)
  }
})
