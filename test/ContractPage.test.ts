import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { eventTypes } from "../services/EventTypes.ts"
import { exportedParts } from "../services/notes/NoteParts.ts"
import { problemCodes } from "../services/ProblemCodes.ts"
import { syncedTypes } from "../services/sync/SyncedTypes.ts"
import { openApiDocument } from "../src/server/openapi/OpenApiDocument.ts"
import { explanationOf } from "../src/server/api/ProblemExplanations.ts"

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")
const page = read("docs/contract.md")

/** The text under a heading, up to the next heading of the same level. */
const section = (heading: string): string => {
  const rank = /^#+/.exec(heading)![0]
  return page.split(`${heading}\n`)[1]!.split(`\n${rank} `)[0]!
}

describe("docs/contract.md", () => {
  it("has every problem code with its status", () => {
    const rows = [...section("### Problems").matchAll(/^\| ([0-9, ]+) \| (.+) \|$/gm)]
    for (const code of problemCodes) {
      const row = rows.find(([, , codes]) => codes!.includes(`\`${code}\``))
      expect([code, row?.[1]?.split(", ")]).toEqual([
        code,
        expect.arrayContaining([String(explanationOf(code)!.status)])
      ])
    }
  })

  it("has every event type, and no other", () => {
    const list = /nothing else is appended:\n\n((?:- .+\n)+)/.exec(page)![1]!
    const types = list.split(/^- | · |\n/m).flatMap((item) => {
      const [, resource, names] = /^`(\w+)\.` ([^(]+)/.exec(item) ?? []
      const alone = /^`([\w.]+)`$/.exec(item)?.[1]
      return names === undefined ? (alone ?? []) : names.split(",").map((name) => `${resource}.${name.trim()}`)
    })
    expect(types.toSorted()).toEqual(eventTypes.toSorted())
  })

  it("has every type of record that clients sync", () => {
    const [, types] = /Types are ([^.]+)\./.exec(section("## 6. Sync"))!
    expect([...types!.matchAll(/`(\w+)`/g)].map(([, type]) => type).sort()).toEqual(
      syncedTypes.map(({ type }) => type).sort()
    )
  })

  it("has the fields by which each list filters and sorts", () => {
    const rows = section("## 3. Lists")
      .replaceAll(/\n +/g, " ")
      .matchAll(/^- \*\*(.+)\*\* filter: ([\w. ]+); sort: ([-\w. ]+)/gm)
    const stated = Object.fromEntries(
      [...rows].map(([, name, filter, sort]) => [name, [filter!.split(" ").sort(), sort!.trim().split(" ")]])
    )
    const { paths } = JSON.parse(JSON.stringify(openApiDocument("https://sheaf.example")))
    for (const [path, { get }] of Object.entries<any>(paths)) {
      const of = (name: string) => get?.parameters?.find((each: any) => each.name === name)?.schema
      const fields = of("filter")?.["x-fields"]
      if (fields === undefined || path.startsWith("/admin/") || path === "/notes/summaries") continue
      const name = path.replace(/^.*\{\w+\}\//, "").slice(path.includes("{") ? 0 : 1)
      const {
        default: [first],
        items,
        "x-fields": sorts = items.enum
      } = of("sort")
      const others = sorts.filter((each: string) => !each.startsWith("-") && each !== first.replace("-", ""))
      expect([name, stated[name]]).toEqual([name, [fields.toSorted(), [first, ...others]]])
    }
  })
})

it("docs/limits.md has the end of each table", () => {
  const folder = new URL("../services/database/migrations/", import.meta.url)
  const statements = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"))
  const tables = statements
    .join("")
    .matchAll(/CREATE TABLE (\w+)/g)
    .map(([, name]) => name!)
  const retention = read("docs/limits.md").split("\n## Retention\n")[1]!.split("\n## ")[0]!
  expect(tables.filter((name) => !retention.includes(`\`${name}\``)).toArray()).toEqual([])
})

it("docs/export-format.md names the member of each type of record that belongs to notes", () => {
  const format = read("docs/export-format.md")
  expect(exportedParts.filter(({ member }) => !format.includes(`\`${member}\``))).toEqual([])
})
