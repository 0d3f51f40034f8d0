import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { blocksOf, cloneInto, codeOf, runCommands, shells } from "../support/GuideBlocks.ts"

it.for(shells)(
  "the page about tests works in $name, from an empty project next to a clone$missing",
  async ({ path }, { skip }) => {
    if (path === undefined) return skip()
    const folder = mkdtempSync(join(tmpdir(), "sheaf-testing-"))
    const [project, clone] = [join(folder, "project"), join(folder, "sheaf")]
    mkdirSync(project)
    cloneInto(clone)
    writeFileSync(join(clone, "reminder.test.ts"), codeOf("testing.md", "ts"))
    const commands = blocksOf("testing.md")
      .filter(({ language }) => language === "sh")
      .map(({ code }) => code)
    try {
      const [, waiting, notebooks, notes, , test] = await runCommands(path, project, commands)
      expect([waiting, notebooks, notes]).toEqual(["", "Inbox\n", "[]\n"])
      expect(test).toContain("pass 1")
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
)
