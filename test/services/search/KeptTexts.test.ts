import { expect, it } from "vitest"
import { KeptTexts } from "../../../services/search/KeptTexts.ts"

it("texts that were used lately are kept as they were, up to a size, and the others forgotten", () => {
  const kept = new KeptTexts<number>(64_000)
  const textOf = (each: number) => `${each} Straße 全文 😀 ${"x".repeat(each % 900)}`
  const set = (each: number) => kept.set(String(each), [textOf(each), Buffer.from(" and "), textOf(each + 1)], each)
  const found: Array<number> = []
  for (let each = 0; each < 500; each++) {
    set(each)
    // One that is used again and again stays.
    expect(kept.get("0")?.about).toBe(0)
  }
  for (let each = 0; each < 500; each++) {
    const one = kept.get(String(each))
    if (one === undefined) continue
    expect(one.bytes.toString()).toBe(`${textOf(each)} and ${textOf(each + 1)}`)
    expect(one.about).toBe(each)
    found.push(each)
  }
  expect(found).toContain(499)
  expect(found.length).toBeLessThan(100)
  kept.delete("499")
  expect(kept.get("499")).toBeUndefined()
  kept.set("large", ["x".repeat(64_000)], 1)
  expect(kept.get("large")).toBeUndefined()
})
