import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { rangesOf } from "../../src/server/http/responses/Ranges.ts"
import { rounds } from "../support/Slow.ts"

/** An element of a Range header, and the existing bytes that it requests of a file; undefined for an invalid range. */
type Spec = { readonly text: string; readonly of: (size: number) => ReadonlyArray<number> | undefined }

const upTo = (start: number, end: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, end - start + 1) }, (_, index) => start + index)

const position = fc.integer({ min: 0, max: 60 })
const spec: fc.Arbitrary<Spec> = fc.oneof(
  fc.tuple(position, position).map(([first, last]) => ({
    text: `${first}-${last}`,
    of: (size: number) => (last < first ? undefined : upTo(first, Math.min(last, size - 1)))
  })),
  position.map((first) => ({ text: `${first}-`, of: (size: number) => upTo(first, size - 1) })),
  position.map((length) => ({ text: `-${length}`, of: (size: number) => upTo(Math.max(0, size - length), size - 1) }))
)
const specs = fc.array(spec, { minLength: 1, maxLength: 20 })

describe("the ranges of a request", () => {
  it("are exactly the requested bytes that exist, in the order of the request", () => {
    fc.assert(
      fc.property(specs, fc.integer({ min: 1, max: 50 }), (asked, size) => {
        const bytes = asked.map((each) => each.of(size))
        const ranges = rangesOf(`bytes=${asked.map(({ text }) => text).join(", ")}`, size)
        if (asked.length > 16 || bytes.includes(undefined)) {
          expect(ranges).toBeUndefined()
          return
        }
        const there = bytes.flatMap((each) => each!)
        if (new Set(there).size < there.length) expect(ranges).toBeUndefined()
        else expect(ranges!.flatMap(({ end, start }) => upTo(start, end))).toEqual(there)
      }),
      { numRuns: rounds(200, 2_000) }
    )
  })

  it("are within the file and do not overlap, for any header", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(..."0123456789-, \tbytes="), maxLength: 60 }).map((rest) => `bytes=${rest}`)
    )
    fc.assert(
      fc.property(text, fc.nat({ max: 2 ** 40 }), (header, size) => {
        const ranges = rangesOf(header, size) ?? []
        expect(ranges.length).toBeLessThanOrEqual(16)
        let last = -1
        for (const { end, start } of ranges.toSorted((one, other) => one.start - other.start)) {
          expect(start).toBeGreaterThan(last)
          expect(end).toBeGreaterThanOrEqual(start)
          expect(end).toBeLessThan(size)
          last = end
        }
      }),
      { numRuns: rounds(200, 5_000) }
    )
  })

  it("are ignored if they are invalid, too many or overlapping", () => {
    for (const header of [
      undefined,
      "bytes",
      "bytes=",
      "bytes=,",
      "bytes=-",
      "bytes=a-b",
      "bytes=5-4",
      "bytes=0-1-2",
      "bytes=0x0-0x5",
      "bytes=1.5-3",
      "bytes=+1-3",
      "items=0-1",
      "bytes=0-1, bytes=4-5",
      "bytes=0-5,5-9",
      "bytes=0-,-1",
      `bytes=${Array.from({ length: 17 }, (_, index) => `${index}-${index}`).join()}`
    ]) {
      expect(rangesOf(header, 100), header).toBeUndefined()
    }
    expect(rangesOf("bytes=0-0", 0)).toBeUndefined()
  })

  it("may be written with spaces, empty elements and huge numbers", () => {
    expect(rangesOf("Bytes = 0-1 ,, 4-5 ,", 100)).toEqual([
      { start: 0, end: 1 },
      { start: 4, end: 5 }
    ])
    expect(rangesOf(`bytes=10-${"9".repeat(400)}`, 100)).toEqual([{ start: 10, end: 99 }])
    expect(rangesOf(`bytes=-${"9".repeat(400)}`, 100)).toEqual([{ start: 0, end: 99 }])
    expect(rangesOf(`bytes=${"9".repeat(400)}-`, 100)).toEqual([])
    expect(rangesOf("bytes=-0", 100)).toEqual([])
  })
})
