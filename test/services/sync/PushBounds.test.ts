import fc from "fast-check"
import { expect, it } from "vitest"
import { jsonBytes } from "../../../services/sync/PushBounds.ts"

it("what an answer weighs is never less than its texts weigh as JSON, whatever escapes they need", () => {
  const letters = fc.constantFrom("a", "é", "😀", '"', "\\", "\n", "\t", "\u0001", "\u2028")
  fc.assert(
    fc.property(fc.array(fc.string({ unit: letters })), (texts) => {
      const change = { id: "nt_1", data: { tags: texts, body: texts.join("") } }
      expect(jsonBytes(change)).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(change)))
    })
  )
})
