import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const directory = mkdtempSync(join(tmpdir(), "sheaf-advisories-"))
afterAll(() => rmSync(directory, { recursive: true }))

const version = JSON.parse(readFileSync(join(root, "node_modules/undici/package.json"), "utf8")).version as string

const run = (text: string): Promise<{ readonly code: number; readonly out: string }> => {
  const file = join(directory, "advisories.json")
  writeFileSync(file, text)
  return new Promise((done) => {
    execFile(process.execPath, [join(root, "scripts/advisories.ts"), file], (error, stdout, stderr) =>
      done({ code: (error?.code as number | undefined) ?? 0, out: stdout + stderr })
    )
  })
}

const osv = (id: string, events: ReadonlyArray<object>, more: object = {}) => ({
  id,
  summary: "A fault",
  affected: [{ package: { ecosystem: "npm", name: "undici" }, ranges: [{ type: "SEMVER", events }] }],
  ...more
})

describe("npm run advisories", () => {
  it("reports an installed version that npm's response names, and none that it does not", async () => {
    const response = {
      undici: [
        { id: 1, url: "https://advisories.test/1", title: "Smuggling", vulnerable_versions: `<=${version}` },
        { id: 2, url: "https://advisories.test/2", title: "Fixed before", vulnerable_versions: `<${version}` }
      ],
      "no-such-package": [{ id: 3, title: "Elsewhere", vulnerable_versions: "*" }]
    }
    const { code, out } = await run(JSON.stringify(response))
    expect(code).toBe(1)
    expect(out.split("\n")[0]).toBe(`undici@${version}: Smuggling https://advisories.test/1`)
    expect(out).toContain("1 found")
    expect((await run("{}")).code).toBe(0)
  })

  it("reads OSV records, as one, as an array and as lines", async () => {
    const named = osv("GHSA-1", [{ introduced: "0" }, { fixed: "99.0.0" }])
    const others = [
      osv("GHSA-2", [{ introduced: "0" }, { fixed: version }]),
      osv("GHSA-3", [{ introduced: "0" }], { withdrawn: "2026-01-01T00:00:00Z" }),
      osv("GHSA-4", [{ introduced: "99.0.0" }, { last_affected: "99.0.1" }])
    ]
    for (const text of [
      JSON.stringify(named),
      JSON.stringify([named, ...others], null, 2),
      [named, ...others].map((each) => JSON.stringify(each)).join("\n")
    ]) {
      const { code, out } = await run(text)
      expect([code, out.match(/GHSA-\d/g)]).toEqual([1, ["GHSA-1"]])
    }
    expect((await run(JSON.stringify(others))).code).toBe(0)
  })

  it("fails for a file that it cannot read", async () => {
    for (const text of ["", "advisories", JSON.stringify({ undici: [{ vulnerable_versions: "many" }] })]) {
      const { code, out } = await run(text)
      expect(code, text).toBe(2)
      expect(out).toMatch(/^advisories: /)
    }
  })
})
