import * as fc from "fast-check"
import { expect, it } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import { anotherSlug, slugOf } from "../../../services/workspaces/Slugs.ts"

const valid = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

it.each([
  ["Acme Inc.", "acme-inc"],
  ["  Žluťoučký kůň ", "zlutoucky-kun"],
  ["Straße & Söhne", "strasse-sohne"],
  ["Łódź Øst Æble", "lodz-ost-aeble"],
  ["ＦＵＬＬ ①", "full-1"],
  ["---", "workspace"],
  ["東京", "workspace"],
  [`${"x".repeat(62)} y`, "x".repeat(62)]
])("derives a slug from %j: %s", (name, slug) => {
  expect(slugOf(name)).toBe(slug)
})

it("derives a valid slug from any name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 100 }), (name) => {
      const slug = slugOf(name)
      expect(slug).toMatch(valid)
      const other = anotherSlug(systemRandomness, slug)
      expect(other).toMatch(valid)
      expect(other).not.toBe(slug)
    })
  )
})
