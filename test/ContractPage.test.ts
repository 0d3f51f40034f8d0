import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { eventTypes } from "../services/EventTypes.ts"
import { problemCodes } from "../services/ProblemCodes.ts"
import { syncedTypes } from "../services/sync/SyncedTypes.ts"
import { explanationOf } from "../src/server/api/ProblemExplanations.ts"

const page = readFileSync(new URL("../docs/contract.md", import.meta.url), "utf8")

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
})
