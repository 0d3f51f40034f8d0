import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { conform, scenes } from "../../src/program/testing/conformance/Conformance.ts"
import { bundleEngine } from "../support/conformance/ClientBundle.ts"
import { mutants } from "../support/conformance/Mutants.ts"
import { startCommand } from "../support/servers/Command.ts"
import { isSlow, sampled } from "../support/Slow.ts"

const postgres = inject("postgres")
const folder = mkdtempSync(join(tmpdir(), "sheaf-kit-"))
let engine: ReadonlyArray<string>
beforeAll(async () => {
  engine = await bundleEngine(join(folder, "engine.mjs"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the kit reports of a shell that is no client, in one scene. */
const reasonOf = async (script: string, deadline = 20_000) =>
  (await conform({ command: ["sh", "-c", script], names: ["changes"], postgres, deadline }))[0]!.reason

it("each scene has a name of its own, a line that it proves, and a source", () => {
  expect(scenes.length).toBeGreaterThanOrEqual(40)
  expect(new Set(scenes.map(({ name }) => name)).size).toBe(scenes.length)
  for (const { name, proves, source } of scenes) {
    expect([name, proves.length > 20, proves.includes("\n"), source !== ""]).toEqual([
      expect.stringMatching(/^[\w-]+$/),
      true,
      false,
      true
    ])
  }
})

it("the engine passes the scenes", { timeout: 240_000 }, async () => {
  const tried = sampled(scenes, 20).map(({ name }) => name)
  const results = await conform({ command: engine, names: tried, postgres })
  expect(results.filter(({ reason }) => reason !== undefined)).toEqual([])
  expect(results.map(({ name }) => name)).toEqual(tried)
})

it.each(sampled(mutants, 6))("an engine that $fault is found", { timeout: 120_000 }, async (mutant) => {
  const command = await bundleEngine(join(folder, "mutant.mjs"), mutant)
  const names = isSlow ? mutant.scenes : mutant.scenes.slice(0, 1)
  const results = await conform({ command, names, postgres })
  expect(results.filter(({ reason }) => reason === undefined).map(({ name }) => name)).toEqual([])
})

describe("a client that", () => {
  it("hangs is ended with all that it has started", async () => {
    const file = join(folder, "pid")
    const reason = await reasonOf(`sleep 600 & echo $! >${file}; wait`, 500)
    expect(reason).toBe("the client did not reply to open in 0.5 seconds")
    const started = Number(readFileSync(file, "utf8"))
    await expect.poll(() => isRunning(started)).toBe(false)
  })

  it("writes nonsense is reported with the line", async () => {
    expect(await reasonOf(`read command; echo "Loading …"; sleep 600`)).toBe(
      "the client wrote a line that is no object of JSON: Loading …"
    )
  })

  it("ends is reported with what it wrote to standard error", async () => {
    expect(await reasonOf(`read command; echo "no module" >&2; exit 3`)).toBe(
      "the client has ended with code 3, after it wrote: no module"
    )
  })
})

/** Whether a process runs: one that has ended may wait for its parent. */
const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

describe("sheaf conformance", () => {
  const run = (args: string) => startCommand({ TMPDIR: folder }, `conformance ${args}`).ended

  it("reports as text, JSON and JUnit, with the exit codes 0 and 1", { timeout: 120_000 }, async () => {
    const junit = join(folder, "junit.xml")
    const passed = await run(`--json --junit ${junit} --scene changes --scene refused -- ${engine.join(" ")}`)
    expect([passed.code, JSON.parse(passed.output)]).toMatchObject([
      0,
      { failed: 0, data: [{ name: "changes" }, { name: "refused" }] }
    ])
    expect(readFileSync(junit, "utf8")).toContain(`tests="2" failures="0"`)
    const failed = await run("--scene changes --deadline 1 -- sleep 600")
    expect([failed.code, failed.errors]).toEqual([1, "sheaf: the client has failed 1 of 1 scenes\n"])
    expect(failed.output).toMatch(/changes\n +the client did not reply to open in 1 seconds\n +It proves: .*\n +Rule: /)
  })

  it("has the exit code 2 for an unknown scene, no command and one that cannot be run", async () => {
    const ended = [await run("--scene none -- true"), await run("--scene changes"), await run("-- /none/such")]
    expect(ended.map(({ code, output }) => [code, output])).toEqual([
      [2, ""],
      [2, ""],
      [2, ""]
    ])
    expect(ended[2]!.errors).toMatch(/^sheaf: \/none\/such cannot be run: .*ENOENT\n$/)
  })

  it("lists the scenes", async () => {
    const { code, output } = await run("--list")
    expect([code, output.trim().split("\n").length]).toEqual([0, scenes.length])
  })
})
