import { execFile } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import { sampled } from "./support/Slow.ts"
import { freePort } from "./support/servers/freePort.ts"
import { useApp } from "./support/useApp.ts"

/** TypeScript clients, generated from the API description with common generators, against a real server. */

const root = join(import.meta.dirname, "..")
const programs = sampled(["fetchClient.ts", "zodClient.ts"], 1)
const folder = mkdtempSync(join(tmpdir(), "sheaf-clients-"))
const port = await freePort()
// The live clock keeps the stream moving; files are sent to the URLs in responses.
const { app } = useApp({ clock: "live", settings: { port, publicUrl: `http://127.0.0.1:${port}` } })

const node = async (...args: ReadonlyArray<string>) => {
  const run = promisify(execFile)(process.execPath, args, { cwd: folder })
  const { stderr, stdout } = await run.catch((error: { readonly stdout: string; readonly stderr: string }) => {
    throw new Error(`${args.join(" ")}\n${error.stdout}${error.stderr}`)
  })
  return { stderr, stdout }
}

beforeAll(async () => {
  for (const file of ["tsconfig.json", ...programs])
    cpSync(join(import.meta.dirname, "clients/programs", file), join(folder, file))
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`)
  writeFileSync(join(folder, "openapi.json"), await (await fetch(`${app.url}/openapi.json`)).text())
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
})

it("generators create clients from the description without warnings", async () => {
  const { stderr, stdout } = await node(
    join(import.meta.dirname, "clients/generate.ts"),
    "openapi.json",
    ".",
    ...programs
  )
  expect(stderr).toBe("")
  expect(stdout).not.toMatch(/warn|⚠/i)
})

it("programs with the clients compile under strict, without type casts", async () => {
  expect(await node(join(root, "node_modules/typescript/bin/tsc"), "-p", ".", "--checkers", "1")).toEqual({
    stdout: "",
    stderr: ""
  })
})

it.each(programs)(
  "%s registers, pushes, pulls, edits, handles a conflict, reads the stream, and uploads and downloads a file",
  async (program) => {
    expect(await node(program, app.url)).toEqual({ stdout: "", stderr: "" })
  }
)
