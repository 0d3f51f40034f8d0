import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Windows } from "../../../services/limits/Windows.ts"

const minute = 60_000

describe("Windows", () => {
  it("counts from the first event until the window ends", () => {
    const windows = new Windows(minute)
    expect(windows.add("a", 1, 500)).toEqual({ count: 1, left: minute })
    expect(windows.add("a", 1, 500 + 18_000)).toEqual({ count: 2, left: minute - 18_000 })
    expect(windows.add("b", 1, 500 + 18_000)).toEqual({ count: 1, left: minute })
    expect(windows.add("a", 1, 500 + minute - 1)).toEqual({ count: 3, left: 1 })
    expect(windows.add("a", 1, 500 + minute)).toEqual({ count: 1, left: minute })
  })

  it("begins a new window when the clock is set back", () => {
    const windows = new Windows(minute)
    windows.add("a", 5, 24 * 60 * minute)
    expect(windows.add("a", 1, 0)).toEqual({ count: 1, left: minute })
    expect(windows.add("a", 1, 1_000)).toEqual({ count: 2, left: minute - 1_000 })
  })

  it("subtracts counts, never from a later window", () => {
    const windows = new Windows(minute)
    windows.add("a", 1, 0)
    windows.add("a", 1, 0)
    expect(windows.add("a", -1, 1).count).toBe(1)
    expect(windows.add("a", -1, minute).count).toBe(0)
    expect(windows.add("a", 1, minute).count).toBe(1)
  })

  it("counts like a simple model, whatever happens", () => {
    const step = fc.record({
      key: fc.constantFrom("a", "b", "c", "d", "e"),
      by: fc.constantFrom(1, 1, 1, -1),
      after: fc.oneof(fc.nat(1000), fc.nat(2 * minute))
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const windows = new Windows(minute)
        const plain = new Map<string, { count: number; ends: number }>()
        let now = 0
        for (const { after, by, key } of steps) {
          now += after
          let window = plain.get(key)
          if (window === undefined || window.ends <= now) {
            window = { count: 0, ends: now + minute }
            if (by > 0) plain.set(key, window)
            else window.count = 1
          }
          window.count += by
          expect(windows.add(key, by, now)).toEqual({ count: window.count, left: window.ends - now })
        }
      })
    )
  })

  it("limits the number of keys, and drops windows that have ended", () => {
    const windows = new Windows(minute, 1000)
    for (let key = 0; key < 10_000; key++) windows.add(String(key), 1, 0)
    expect(windows.size).toBeLessThanOrEqual(2000)
    expect(windows.add("9999", 1, 1).count).toBe(2)
    windows.add("late", 1, minute)
    windows.add("later", 1, 2 * minute)
    expect(windows.size).toBe(2)
  })
})
