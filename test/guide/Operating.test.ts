import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { blocksOf, cloneInto, runCommands, shells } from "../support/GuideBlocks.ts"
import { databaseUrl, dropDatabase, sqlOn } from "../support/servers/Databases.ts"
import { isSlow } from "../support/Slow.ts"

/** Starts a server, runs commands while it serves, and stops it. `$URL` is its address. */
const startOnce = (command = "npm start", during = "npm run -s sheaf -- key list") => `: > ../start.log
PORT=0 LOG_FORMAT=pretty ${command} > ../start.log 2>&1 & SHEAF=$!
until grep -q '^Sheaf serves' ../start.log; do kill -0 $SHEAF; sleep 0.2; done
URL=$(sed -n 's|^Sheaf serves \\(.*\\)/v2$|\\1|p' ../start.log)
${during}
kill $SHEAF; wait $SHEAF || true
`

/** The commands below a heading of the page for operators, as one text. */
const under = (heading: string): string => {
  const blocks = blocksOf("operating.md").filter((block) => block.language === "sh" && block.heading === heading)
  expect(blocks, heading).not.toEqual([])
  return blocks.map(({ code }) => code).join("")
}

const databases = ["moved", "new"].map((name) => `operating_${name}_${randomBytes(6).toString("hex")}`)

it.runIf(isSlow)("the page for operators has commands that work as written (skipped by npm test)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sheaf-operating-"))
  const clone = join(folder, "sheaf")
  cloneInto(clone)
  mkdirSync(join(folder, "safe"))
  /** The commands with paths of this test, and with servers that stop when they serve. */
  const here = (heading: string, during?: string): string =>
    under(heading)
      .replaceAll(/(?<= )\/(backup|safe)\b/g, `${folder}/$1`)
      .replaceAll(/sheaf-\d{4}-\S+?Z/g, "sheaf-*")
      .replaceAll(/'postgres:[^']+'/g, `'${databaseUrl(databases[heading.startsWith("Move") ? 0 : 1]!)}'`)
      .replaceAll(/^(?!export)(.*(?:npm start|dist\/main\.js))$/gm, (command) => startOnce(command, during))
      // The key is not lost here: the command refuses to replace it.
      .replace(/^npm run -s sheaf -- secret-key accept$/m, "! npm run -s sheaf -- secret-key accept 2>&1")
  const run = (...commands: ReadonlyArray<string>) =>
    runCommands(shells.find(({ path }) => path !== undefined)!.path!, clone, commands)
  try {
    const [, made, checked, backedUp, restored, changed] = await run(
      startOnce(),
      here("Commands"),
      here("Check an installation"),
      `cp data/secret.key ${folder}/safe/\n${here("Back up and restore")}`,
      here("Restore"),
      here("The secret key")
    )
    expect(made).toMatch(/anna@example\.org[\s\S]*laptop[\s\S]*personal[\s\S]*personal\.zip[\s\S]*USAGE/)
    expect(checked).toContain("No faults were found.")
    expect(backedUp).toMatch(/^file +\S+\/backup\/sheaf-\S+\.tar\.zst$/m)
    expect(restored).toMatch(/All sync cursors have ended[\s\S]*no difference to the backup[\s\S]*laptop/)
    expect(changed).toMatch(/laptop[\s\S]*No key is lost/)

    for (const database of databases) await sqlOn("postgres", `CREATE DATABASE ${database}`)
    const [produced, proxied, monitored, moved, founded] = await run(
      here("Production"),
      here("Behind a proxy", "npm run -s sheaf -- config"),
      startOnce(
        "npm start",
        `curl -s $URL/v2/notes > /dev/null\n${under("Monitoring").replace("http://127.0.0.1:4000", "$URL")}`
      ),
      `(\n${here("Move the embedded database to it")})\n`,
      `(\nexport DATA_DIR=${folder}/own\n${here("A PostgreSQL of your own", "curl -s $URL/readyz")})\n`
    )
    expect(produced).toContain("laptop")
    expect(proxied).toContain("TRUSTED_PROXIES")
    expect(monitored).toMatch(/^sheaf_http_requests_total/m)
    expect(moved).toMatch(/no difference to the backup[\s\S]*laptop/)
    expect(founded).toBe("ready\n")
  } finally {
    rmSync(folder, { recursive: true })
    for (const database of databases) await dropDatabase(database)
  }
})
