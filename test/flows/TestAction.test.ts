import { execFile } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { parse } from "yaml"
import { call } from "../support/flows/Wire.ts"
import { eventually } from "../support/flows/eventually.ts"
import { runs as isRunning, sheaf } from "../support/servers/Program.ts"

/** The action of `action.yml`, whose step is run as a runner of GitHub does. */

const root = join(import.meta.dirname, "../..")
const { inputs, outputs, runs } = parse(readFileSync(join(root, "action.yml"), "utf8"))
const [step] = runs.steps
const hasJq = ["/usr/bin/jq", "/bin/jq", "/usr/local/bin/jq"].some(existsSync)
const missing = hasJq ? "" : " (skipped: no jq here)"
const place = mkdtempSync(join(tmpdir(), "sheaf-action-"))
// PostgreSQL may run as another user.
chmodSync(place, 0o711)
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** Runs the step, and returns its outputs when its shell has ended. */
const run = async (command: string) => {
  const file = join(place, "output")
  writeFileSync(file, "")
  const env = {
    PATH: process.env["PATH"]!,
    TMPDIR: place,
    RUNNER_TEMP: place,
    GITHUB_OUTPUT: file,
    SHEAF_COMMAND: command
  }
  const [code, stdout] = await new Promise<readonly [unknown, string]>((resolve) => {
    const args = ["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.run]
    execFile("bash", args, { cwd: root, env }, (error, stdout) => resolve([error === null ? 0 : error.code, stdout]))
  })
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1)
  return { code, stdout, outputs: Object.fromEntries(lines.map((line) => /^([^=]+)=(.*)$/.exec(line)!.slice(1))) }
}

it("has one step of a shell, which takes each input and makes each output", () => {
  expect([runs.using, runs.steps.length, step.shell]).toEqual(["composite", 1, "bash"])
  expect(step.env).toEqual({ SHEAF_COMMAND: "${{ inputs.command }}" })
  expect(inputs.command.default).toBe("npx --no-install sheaf")
  // An expression in a script would run what is in an input.
  expect(step.run).not.toContain("${{")
  for (const [name, { value }] of Object.entries<any>(outputs))
    expect(value).toBe(`\${{ steps.start.outputs.${name} }}`)
})

it.skipIf(!hasJq)(`starts a server that later steps reach, and masks its key${missing}`, async () => {
  const { code, outputs: made, stdout } = await run(sheaf.join(" "))
  expect([code, Object.keys(made)]).toEqual([0, Object.keys(outputs)])
  const { "test-url": testUrl, key, pid, url } = made
  expect(stdout).toBe(`::add-mask::${key}\n`)
  expect((await call({ url: url!, key: key! }, "POST", "/tags", { name: "later" })).status).toBe(201)
  const moved = await call({ url: testUrl!, key: key! }, "POST", "/advance", { duration: "1 day" })
  expect(moved.status).toBe(200)
  process.kill(Number(pid), "SIGTERM")
  await eventually("the server has ended", () => !isRunning(Number(pid)))
})

it("fails with the reason if the server does not start", async () => {
  const { code, outputs: made, stdout } = await run(`env DATA_DIR=/nowhere ${sheaf.join(" ")}`)
  expect([code, made]).toEqual([1, {}])
  expect(stdout).toBe("::error::Sheaf did not start: sheaf: serve --test uses temporary data: unset DATA_DIR\n")
})
