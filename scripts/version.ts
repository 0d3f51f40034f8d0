import { execFileSync } from "node:child_process"
import { readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import type { Build } from "../src/server/Version.ts"
import { root } from "./bundle.ts"
import { sourceFiles } from "./sources.ts"

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()

interface Commit {
  readonly hash: string
  /** RFC 3339; null if it is unknown. */
  readonly date: string | null
  /** Whether a source differs from the commit. */
  readonly isChanged: boolean
}

/** The commit of the clone; undefined without git, or in a copy of the sources inside another repository. */
const commitOfClone = (): Commit | undefined => {
  try {
    if (realpathSync(git("rev-parse", "--show-toplevel")) !== realpathSync(root)) return undefined
    const [hash, date] = git("log", "-1", "--format=%H %cI").split(" ")
    const isChanged = git("status", "--porcelain", "--untracked-files=all", "--", ...sourceFiles()) !== ""
    return { hash: hash!, date: new Date(date!).toISOString(), isChanged }
  } catch {
    return undefined
  }
}

/** The commit that the environment names, as for an image, whose build has no git. */
const commitOfEnvironment = (): Commit | undefined => {
  const { BUILD_COMMIT: hash, BUILD_DATE: date } = process.env
  if (!hash) return undefined
  if (!/^[0-9a-f]{7,64}$/.test(hash) || (date && Number.isNaN(Date.parse(date)))) {
    console.error("build: BUILD_COMMIT must be the hash of a commit, and BUILD_DATE a time")
    process.exit(1)
  }
  return { hash, date: date ? new Date(date).toISOString() : null, isChanged: false }
}

/**
 * The file of a build with its version, such as `0.1.0+89288c7`. Sources that are not those of a commit add a part of their
 * hash, so that two such builds differ. The date is that of the commit: the same sources make the same build.
 */
export const versionFile = (sourceHash: string) => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string }
  const commit = commitOfEnvironment() ?? commitOfClone()
  const sources = sourceHash.slice(0, 7)
  const name =
    commit === undefined
      ? `sources.${sources}`
      : `${commit.hash.slice(0, 7)}${commit.isChanged ? `.changed.${sources}` : ""}`
  const build: Build = { version: `${version}+${name}`, date: commit?.date ?? null }
  return { path: "build.json", contents: Buffer.from(`${JSON.stringify(build)}\n`) }
}
