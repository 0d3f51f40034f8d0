import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

it("the test of the page about tests passes as it stands there", async () => {
  const page = readFileSync(join(root, "docs/testing.md"), "utf8")
  const [, code] = /^```ts\n([\s\S]*?)^```$/m.exec(page)!
  // Packages are found from within the project.
  mkdirSync(join(root, ".vitest"), { recursive: true })
  const folder = mkdtempSync(join(root, ".vitest/testing-"))
  writeFileSync(join(folder, "reminder.test.ts"), code!.replaceAll('"./', `"${root}/`))
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, ["--test", "reminder.test.ts"], { cwd: folder, env })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text))
  const [ended] = await once(child, "close")
  rmSync(folder, { recursive: true })
  expect([ended, output]).toEqual([0, expect.stringContaining("pass 1")])
})
