import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { codeOf } from "../support/GuideBlocks.ts"

const python = spawnSync("python3", ["--version"]).status === 0

it.runIf(python)("the test in Python works", () => {
  const folder = mkdtempSync(join(tmpdir(), "sheaf-python-"))
  try {
    mkdirSync(join(folder, "bin"))
    const main = join(import.meta.dirname, "../../dist/main.js")
    writeFileSync(join(folder, "bin", "sheaf"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, {
      mode: 0o755
    })
    writeFileSync(join(folder, "test_reminder.py"), codeOf("testing.md", "python"))
    const env = { ...process.env, PATH: `${join(folder, "bin")}:${process.env["PATH"]}` }
    const { stderr, status } = spawnSync("python3", ["-m", "unittest"], { cwd: folder, env, encoding: "utf8" })
    expect({ stderr, status }).toEqual({ stderr: expect.stringMatching(/^Ran 1 test [\s\S]*^OK$/m), status: 0 })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
