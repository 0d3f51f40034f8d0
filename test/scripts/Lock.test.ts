import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"

it("npm ci takes package-lock.json as it is, on every platform that a package names", async () => {
  // It compares the two files and asks nobody: a package for another platform that is not in the lock file fails it.
  const { stderr } = await promisify(execFile)(
    "npm",
    ["ci", "--dry-run", "--ignore-scripts", "--offline", "--no-audit", "--no-fund"],
    { cwd: join(import.meta.dirname, "../..") }
  ).catch((error: { readonly stderr: string }) => ({ stderr: error.stderr }))
  expect(stderr).not.toMatch(/npm error/)
})
