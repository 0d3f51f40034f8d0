import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

it("reports in one line that Node is too old", () => {
  const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })`
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${older}`, "dist/main.js"],
    {
      cwd: root,
      encoding: "utf8"
    }
  )
  expect([status, stderr]).toEqual([
    1,
    "sheaf: this is Node 20.19.0, and Sheaf needs 24 or later (in a clone, npm start has its own)\n"
  ])
})
