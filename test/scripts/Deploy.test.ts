import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const read = (file: string) => readFileSync(join(root, file), "utf8")

const analyzes = spawnSync("systemd-analyze", ["--version"]).status === 0

describe("the service of systemd", () => {
  const check = (command: string, ...args: ReadonlyArray<string>) => {
    const folder = mkdtempSync(join(tmpdir(), "sheaf-service-"))
    try {
      const file = join(folder, "sheaf.service")
      // The executable and its user are installed where the service runs, not here.
      const text = read("scripts/deploy/sheaf.service").replace(/^ExecStart=.*$/m, "ExecStart=/bin/true")
      writeFileSync(file, text.replaceAll(/^(User|Group)=.*$/gm, "$1=daemon"))
      return spawnSync("systemd-analyze", [command, ...args, file], { encoding: "utf8" })
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  it.runIf(analyzes)("is valid (skipped without systemd-analyze)", () => {
    const { status, stderr } = check("verify")
    expect([status, stderr]).toEqual([0, ""])
  })

  it.runIf(analyzes)("has an exposure below 2 of 10 (skipped without systemd-analyze)", () => {
    const { status, stdout } = check("security", "--offline=true", "--threshold=20", "--no-pager")
    expect(stdout).toMatch(/Overall exposure level for sheaf.service: [01]\.\d/)
    expect(status).toBe(0)
  })
})
