import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { blocksOf, cloneInto, runCommands, shells } from "../support/GuideBlocks.ts"
import { isSlow } from "../support/Slow.ts"

/** Starts a server and stops it when it serves. */
const startOnce = (variables = "") => `: > ../start.log
PORT=0 LOG_FORMAT=pretty ${variables}npm start > ../start.log 2>&1 & SHEAF=$!
until grep -q '^Sheaf serves' ../start.log; do kill -0 $SHEAF; sleep 0.2; done
kill $SHEAF; wait $SHEAF || true
npm run -s sheaf -- key list
`

/** Sections of the page for operators whose commands run on one machine, without a server or a bucket. */
const sections = new Set(["Commands", "Back up and restore", "The secret key"])

it.runIf(isSlow)(
  "the page for operators has commands that add users, back up, restore and change the secret key (skipped by npm test)",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "sheaf-operating-"))
    const [clone, backup] = [join(folder, "sheaf"), join(folder, "backup")]
    cloneInto(clone)
    mkdirSync(backup)
    const today = new Date().toISOString().slice(0, 10)
    const blocks = blocksOf("operating.md").filter(
      ({ language, section }) => language === "sh" && sections.has(section)
    )
    const commands = blocks.map(({ code }) =>
      code
        .replaceAll("/backup/", `${backup}/`)
        .replaceAll("$(date +%F)", today)
        .replaceAll(/sheaf-\d{4}-\d\d-\d\d/g, `sheaf-${today}`)
        .replace(/^(.*)npm start\n/m, (_, variables: string) => startOnce(variables))
        // The key is not lost here: the command refuses to replace it.
        .replace(/^npm run -s sheaf -- secret-key accept$/m, "! npm run -s sheaf -- secret-key accept 2>&1")
    )
    try {
      const printed = await runCommands(shells.find(({ path }) => path !== undefined)!.path!, clone, [
        startOnce(),
        ...commands
      ])
      expect(printed).toHaveLength(6)
      const [, made, , restored, changed, accepted] = printed
      expect(made).toMatch(/anna@example\.org[\s\S]*laptop[\s\S]*personal[\s\S]*personal\.zip[\s\S]*USAGE/)
      expect(restored).toMatch(/All sync cursors have ended[\s\S]*laptop/)
      expect(changed).toContain("laptop")
      expect(accepted).toContain("No key is lost")
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
)
