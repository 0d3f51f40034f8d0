import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, describe, expect, it } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "sheaf-left-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const kit = join(import.meta.dirname, "../../src/program/testing/Sheaf.ts")
const program = join(folder, "program.ts")
writeFileSync(
  program,
  `import { Sheaf } from ${JSON.stringify(kit)}
const [one, two] = await Promise.all([Sheaf.start(), Sheaf.start()])
console.log(one.dataDir)
if (process.argv[2] === "stop") await Promise.all([one.stop(), two.stop()])
`
)

/** Runs a program with two instances, and returns the temporary folder of its files. */
const run = (...args: ReadonlyArray<string>) => {
  const temporary = mkdtempSync(join(folder, "t-"))
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const started = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve)
    child.once("exit", () => reject(new Error("the program has ended without an instance")))
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  return { child, ended, started, temporary }
}

/** Processes whose arguments name the folder: PostgreSQL, and the cleaner. */
const processesOf = (temporary: string): ReadonlyArray<string> =>
  execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(temporary))

const expectNothing = async (temporary: string) => {
  await expect.poll(() => readdirSync(temporary), { timeout: 60_000 }).toEqual([])
  await expect.poll(() => processesOf(temporary), { timeout: 60_000 }).toEqual([])
}

describe("a process with instances leaves neither files nor processes behind", () => {
  it("when they are stopped", async () => {
    const { ended, started, temporary } = run("stop")
    expect(await started).toContain(temporary)
    await ended
    await expectNothing(temporary)
  })

  it("when it is killed", async () => {
    const { child, ended, started, temporary } = run("wait")
    expect(existsSync(await started)).toBe(true)
    child.kill("SIGKILL")
    await ended
    await expectNothing(temporary)
  })
})
