import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"

it("npm ci accepts package-lock.json on every platform that a package names", async () => {
  // It compares the two files without a registry: it fails if a package for another platform is not in the lock file.
  const { stderr } = await promisify(execFile)(
    "npm",
    ["ci", "--dry-run", "--ignore-scripts", "--offline", "--no-audit", "--no-fund"],
    { cwd: join(import.meta.dirname, "../..") }
  ).catch((error: { readonly stderr: string }) => ({ stderr: error.stderr }))
  expect(stderr).not.toMatch(/npm error/)
})
