import { gunzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { gzipped } from "../../src/http/Gzip.ts"

/** Hard to pack, so that it comes in several chunks. */
const text = (length: number): Buffer =>
  Buffer.from(
    Array.from({ length }, (_, each) => String.fromCharCode(33 + ((each * each * 31 + (each >> 3)) % 90))).join("")
  )

it("each text is packed whole, with nothing of those before and beside it", async () => {
  const texts = [0, 1, 1_000, 16_384, 20_000, 100_000, 1_000_000, 5, 2_000].map(text)
  for (const all of [texts, texts.toReversed()]) {
    const packed = await Promise.all(all.map(gzipped))
    expect(packed.map((each) => gunzipSync(each).equals(all[packed.indexOf(each)]!))).toEqual(all.map(() => true))
  }
  for (const each of texts) expect(gunzipSync(await gzipped(each)).equals(each)).toBe(true)
})
