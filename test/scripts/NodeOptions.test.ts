import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const read = (file: string) => readFileSync(join(root, file), "utf8")

it("V8 knows the options that Sheaf runs with", () => {
  // What V8 does not know is passed over by some versions of Node, with a word on the standard error.
  const known = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" })
  const inSources = [...read("src/main.ts").matchAll(/setFlagsFromString\("--no-([a-z-]+)"\)/g)]
  const start: string = JSON.parse(read("package.json")).scripts.start
  const atStart = [...start.matchAll(/ --([a-z-]+)=\d+/g)]
  expect([inSources.length, atStart.length]).toEqual([1, 2])
  for (const [, option] of [...inSources, ...atStart]) expect(known).toContain(`--${option} `)
})
