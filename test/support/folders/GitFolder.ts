import { spawnSync } from "node:child_process"
import { appendFileSync } from "node:fs"
import { join } from "node:path"

export const hasGit = spawnSync("git", ["--version"]).status === 0

/** A folder that is the checkout of a Git repository. */
export class GitFolder {
  readonly #folder: string
  /** The commits, the oldest first. */
  readonly commits: Array<string> = []

  constructor(folder: string) {
    this.#folder = folder
    this.git("init", "--quiet", "--initial-branch", "main")
    appendFileSync(join(folder, ".git/info/exclude"), ".trash/\n.sheaf-*\n")
  }

  git(...args: ReadonlyArray<string>): string {
    const settings = ["user.name=Test", "user.email=test@example.org", "core.autocrlf=false", "gc.auto=0"]
    const all = [...settings.flatMap((each) => ["-c", each]), ...args]
    const { status, stderr, stdout } = spawnSync("git", all, { cwd: this.#folder, encoding: "utf8" })
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`)
    return stdout
  }

  commit(): void {
    this.git("add", "--all")
    this.git("commit", "--quiet", "--allow-empty", "--message", "All files")
    this.commits.push(this.git("rev-parse", "HEAD").trim())
  }

  /** Makes all files those of a commit, as a checkout does. Nothing is lost if all files are committed. */
  checkOut(commit: string): void {
    this.git("read-tree", "-u", "--reset", commit)
  }
}
