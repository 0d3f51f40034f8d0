import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { expect, inject, it } from "vitest"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"

const run = promisify(execFile)
const page = readFileSync("docs/folders.md", "utf8")
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block]) => block!)

it("the page about folders has a start whose lines run, and codes that scripts get", async () => {
  const place = mkdtempSync(join(tmpdir(), "sheaf-page-"))
  await using sheaf = await Sheaf.start({ postgres: inject("postgres") })
  const { host, pathname, protocol } = new URL(sheaf.url)
  const env = { PATH: process.env["PATH"], XDG_STATE_HOME: join(place, "state"), HOME: place }
  const connect = `${protocol}//${sheaf.key}@${host}${pathname}`
  const program = `sheaf() { "${process.execPath}" "${resolve("dist/main.js")}" "$@"; }`
  const bash = (script: string) =>
    run("bash", ["-c", `${program}\n${script}`], { cwd: place, env: { ...env, CONNECT: connect } })
  try {
    const [start] = blocks("sh")
    const { stderr, stdout } = await bash(`set -e\n${start}`)
    expect([stdout, stderr]).toEqual([blocks("text")[0], ""])
    expect((await sheaf.client.listNotes()).data.map(({ title }) => title)).toEqual(["Vienna"])
    const { stdout: json } = await bash("sheaf sync notes --once --json")
    expect(JSON.parse(json)).toEqual({ actions: [], held: [], problems: [], waiting: 0, error: null })
    for (const [line, code] of [
      ["sheaf sync nowhere --once", 1],
      ["sheaf sync notes --nonsense", 2],
      ["SHEAF_CONNECT=http://sfk_none@127.0.0.1:1 sheaf sync notes --once", 1]
    ] as const) {
      await expect(bash(line)).rejects.toMatchObject({ code, stderr: expect.stringMatching(/^sheaf: .*\n$/) })
    }
    const many = "for at in 1 2 3; do echo $at > notes/$at.md; done; sheaf sync notes --once; rm notes/*.md"
    const held = await bash(`${many}; sheaf sync notes --once --missing delete`).catch((error: unknown) => error)
    expect(held).toMatchObject({ code: 3, stdout: expect.stringContaining("--once --missing delete-many\n") })
    const { stdout: deleted } = await bash("sheaf sync notes --once --missing delete-many")
    expect(deleted).toContain("note to the trash  1.md\n")
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
})
