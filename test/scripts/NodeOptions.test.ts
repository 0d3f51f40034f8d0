import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { startOptions } from "../../scripts/startOptions.ts"

const root = join(import.meta.dirname, "../..")
const read = (file: string) => readFileSync(join(root, file), "utf8")

it("V8 knows the options that Sheaf runs with", () => {
  // What V8 does not know is passed over by some versions of Node, with a word on the standard error.
  const known = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" })
  const inSources = [...read("src/main.ts").matchAll(/setFlagsFromString\("--no-([a-z-]+)"\)/g)]
  const atStart = startOptions.flags.map((flag) => /^--([a-z-]+)=\d+$/.exec(flag)!)
  expect([inSources.length, atStart.length]).toEqual([2, 3])
  for (const [, option] of [...inSources, ...atStart]) expect(known).toContain(`--${option} `)
})

it("a thread has a young generation of its own size, whatever the main loop's", () => {
  const thread = `
    const { heap_size_limit } = require("node:v8").getHeapStatistics()
    require("node:worker_threads").parentPort.postMessage(heap_size_limit / 1024 / 1024)`
  const [own] = /setFlagsFromString\("--max-semi-space-size=\d+"\)/.exec(read("src/main.ts")) ?? ["0"]
  const limits = ["0", own].map((flag) =>
    Number(
      execFileSync(process.execPath, [
        "--max-semi-space-size=16",
        "-e",
        `const { setFlagsFromString } = require("node:v8")
        ${flag}
        const { Worker } = require("node:worker_threads")
        const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 12 }
        new Worker(${JSON.stringify(thread)}, { eval: true, resourceLimits }).on("message", (limit) => console.log(limit))`
      ])
    )
  )
  expect(limits[0]).toBeGreaterThan(64 + 12)
  expect(limits[1]).toBe(64 + 12)
})

it("the page for operators starts the bundle as npm start does", () => {
  const environment = Object.entries(startOptions.env).map(([name, value]) => `${name}=${value}`)
  const words = [...environment, "node_modules/.bin/node", ...startOptions.flags, "dist/main.js"]
  expect(read("docs/operating.md").replaceAll(" \\\n  ", " ")).toContain(`\n${words.join(" ")}\n`)
})

it("an older Node than Sheaf runs on is told so in a line", () => {
  const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })`
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${older}`, "dist/main.js"],
    {
      cwd: root,
      encoding: "utf8"
    }
  )
  expect([status, stderr]).toEqual([
    1,
    "sheaf: this is Node 20.19.0, and it takes 24 or later: node_modules/.bin/node is one\n"
  ])
})
