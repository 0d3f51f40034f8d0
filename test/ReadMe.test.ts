import { declaredVariables } from "./support/DeclaredVariables.ts"
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { blocksOf, cloneInto, isGenerator, matching, runCommands, shells, stepsOf } from "./support/GuideBlocks.ts"
import { eventually } from "./support/flows/eventually.ts"
import { freePort } from "./support/servers/freePort.ts"
import { isSlow } from "./support/Slow.ts"

/** Runs the commands of the README in order, as a new user pastes them into a clone. */

const root = join(import.meta.dirname, "..")
const place = mkdtempSync(join(tmpdir(), "sheaf-readme-"))
const clone = join(place, "sheaf")
const port = String(await freePort())

const here = (code: string) => code.replaceAll("http://127.0.0.1:4000", `http://127.0.0.1:${port}`)
const [start, ...steps] = stepsOf(blocksOf("../README.md").map((block) => ({ ...block, code: here(block.code) })))

/** Whether to run the commands of docs/api.md that generate clients, which install packages. */
const makesClients =
  isSlow && spawnSync("npm", ["view", "openapi-typescript", "name"], { encoding: "utf8", timeout: 20_000 }).status === 0

let server: ReturnType<typeof spawn>
let output = ""

beforeAll(async () => {
  cloneInto(clone)
  const env = { ...process.env, PORT: port, LOG_FORMAT: "pretty" }
  server = spawn("sh", ["-c", start!.command], { cwd: clone, detached: true, env })
  for (const stream of [server.stdout!, server.stderr!]) stream.on("data", (text) => (output += text))
  await eventually("it serves", () => {
    if (server.exitCode !== null) throw new Error(output)
    return output.includes("Ctrl-C\n")
  })
  // As after an import: a pull has several pages.
  const { api_key } = JSON.parse(readFileSync(join(clone, "data/bootstrap.json"), "utf8"))
  const changes = Array.from({ length: 500 }, (_, n) => ({
    type: "tag",
    op: "upsert",
    data: { name: `imported-${n}` }
  }))
  const response = await fetch(`http://127.0.0.1:${port}/v2/sync/push`, {
    method: "POST",
    headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
    body: JSON.stringify({ changes })
  })
  if (response.status !== 201) throw new Error(await response.text())
}, 300_000)

afterAll(async () => {
  const ended = new Promise((resolve) => server.once("close", resolve))
  process.kill(-server.pid!, "SIGTERM")
  await ended
  rmSync(place, { recursive: true })
})

describe("the README", () => {
  it("begins with the start command, and shows its output", () => {
    expect(start!.command).toBe("npm start\n")
    const greeting = output.slice(output.indexOf("Sheaf serves"))
    expect(greeting.slice(0, greeting.indexOf("Ctrl-C") + "Ctrl-C\n".length)).toMatch(matching(start!.stated!))
  })

  it.for(shells)("has commands that print the shown output in $name$missing", async ({ path }, { skip }) => {
    if (path === undefined) return skip()
    const commands = steps.map(({ command }) => command)
    const printed = await runCommands(path, clone, commands)
    expect(steps.length).toBeGreaterThan(4)
    for (const [index, { command, stated }] of steps.entries())
      expect(printed[index], command).toMatch(matching(stated!))
  })
})

describe("the page about the API", () => {
  // test/clients.test.ts generates clients with the same generators, without an installation.
  it.runIf(makesClients)(
    "generates clients in an empty folder (skipped by npm test, and if no npm registry can be reached)",
    async () => {
      const folder = mkdtempSync(join(place, "client-"))
      const lines = blocksOf("api.md")
        .filter(isGenerator)
        .flatMap(({ code }) => code.trim().split("\n"))
      expect(lines).toHaveLength(2)
      await runCommands(
        shells.find(({ path }) => path !== undefined)!.path!,
        folder,
        lines.map((line) => `${here(line)} < /dev/null\n`)
      )
      expect(readFileSync(join(folder, "sheaf-types.ts"), "utf8")).toContain("export interface paths")
      for (const file of ["sdk.gen.ts", "types.gen.ts", "zod.gen.ts"])
        expect(existsSync(join(folder, "sheaf-client", file)), file).toBe(true)
      // Neither generator leaves a package behind.
      expect(readdirSync(folder).sort()).toEqual(["sheaf-client", "sheaf-types.ts"])
    }
  )

  it("names the generator versions that the tests use", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, "test/clients/package.json"), "utf8"))
    const named = [...readFileSync(join(root, "docs/api.md"), "utf8").matchAll(/ -p (@?[\w/-]+)@([\d.]+)/g)]
    expect(named.length).toBe(4)
    for (const [, name, version] of named) expect([name, version]).toEqual([name, devDependencies[name!]])
  })
})

describe("the page for operators", () => {
  it("has every environment variable, and no other", () => {
    const rows = [...readFileSync(join(root, "docs/operating.md"), "utf8").matchAll(/^\| (`[A-Z`, _0-9]+`) \|/gm)]
    const named = rows.flatMap(([, names]) => [...names!.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name!))
    expect(named.sort()).toEqual(declaredVariables.map(({ name }) => name).sort())
  })
})
