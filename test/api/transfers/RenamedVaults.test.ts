import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { hasSamples, samples, withSamples } from "../../services/transfers/Reading.ts"
import { zipOf } from "../../services/transfers/Zip.ts"
import { RenamedVault } from "../../support/contents/RenamedVault.ts"
import { sampled } from "../../support/Slow.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const vault: Readonly<Record<string, string>> = {
  "Root.md": [
    "---",
    'up: "[[Plan]]"',
    "related: ['[[Work/Plan|the plan]]', '[[Sub]]']",
    "---",
    "[[Plan]], ![[Plan]], [[plan|the plan]], [[Plan#Goals]], [[Work/Plan#Goals|goals]], [[Plan.md]], [[Plan#^block]]",
    "[a](Work/Plan.md#Goals), [b](<Work/Plan.md>), [c](Work/Plan), [d](Work/Deep%20er/Sub.md), ![e](Work/Plan.md)",
    "![[pixel.png]], ![x](Work/pixel.png), [[Sub]], [[Deep er/Sub]], [[Ünï — cödé]], [ü](%C3%9Cn%C3%AF%20%E2%80%94%20c%C3%B6d%C3%A9.md)",
    "",
    "| [[Plan\\|in a table]] | [[Sub]] |",
    "|---|---|",
    "",
    '`[[Plan]]` [ref][] [[#Here]] <a href="Work/Plan.md">html</a>',
    "",
    "[ref]: Work/Plan.md 'Plan'",
    "",
    "# Here"
  ].join("\n"),
  "Ünï — cödé.md": "[[Root]] [root](Root.md) [[Ünï — cödé]]",
  "Work/Plan.md":
    "## Goals\n\n[up](../Root.md), ![[pixel.png]], [[Root|Old]], [[Deep er/Sub]] [s](Deep%20er/Sub.md)\n\na block ^block",
  "Work/Deep er/Sub.md": "[up](../Plan.md) [[../Plan]] [[Plan]] [[Root#Here]]",
  "Work/Deep er/Plan.md": "another [[Work/Plan]] [near](Plan.md)",
  "Home/Same.md": "[[Work/Same]] [[Home/Same]] [here](Same.md)",
  "Work/Same.md": "[[Home/Same]] [there](../Home/Same.md)",
  "Work/pixel.png": "a picture"
}

describe("a vault whose notes get other titles and places", () => {
  it("has links of all kinds that lead to the same notes afterwards", async () => {
    const bytes = zipOf(Object.entries(vault).map(([name, content]) => ({ name, content })))
    const renamed = await RenamedVault.start(app, "vault.zip", bytes)
    expect(await renamed.exportedLinks()).toEqual({ lost: [], count: 44 })
    for (let round = 0; round < 3; round++) {
      await renamed.rename(1, round)
      expect(await renamed.exportedLinks()).toEqual({ lost: [], count: 44 })
    }
    for (const { found, wanted } of await renamed.copiedLinks()) expect(found).toEqual(wanted)
  })
})

describe.skipIf(!hasSamples)(`real vaults whose notes get other titles and places${withSamples}`, () => {
  // Logseq has other rules for links, and its imports change texts.
  const vaults: ReadonlyArray<readonly [name: string, count: number]> = [
    ["obsidian-sandbox.zip", 55],
    ["obsidian-help-en.zip", 1_786],
    ["obsdconv-testdata.zip", 239],
    ["obsidian-importer-markdown.zip", 3]
  ]
  it.each(sampled(vaults, 1))(
    "have links in %s that lead to the same notes afterwards, all %i",
    async (name, count) => {
      const renamed = await RenamedVault.start(app, name, readFileSync(join(samples, "markdown", name)))
      await renamed.rename(2, 0)
      expect(await renamed.exportedLinks()).toEqual({ lost: [], count })
    }
  )
})
