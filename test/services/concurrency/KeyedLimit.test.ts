import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { KeyedLimit } from "../../../services/concurrency/KeyedLimit.ts"

describe("KeyedLimit", () => {
  it("grants amounts within both limits, refuses all others, and is empty once everything is released", () => {
    const step = fc.record({ key: fc.constantFrom("a", "b", "c"), amount: fc.integer({ min: 1, max: 6 }) })
    fc.assert(
      fc.property(fc.array(fc.oneof(step, fc.nat(9)), { maxLength: 60 }), (steps) => {
        const limit = new KeyedLimit({ perKey: 10, total: 15 })
        const held: Array<{ readonly key: string; readonly amount: number }> = []
        const sum = (of: typeof held) => of.reduce((all, { amount }) => all + amount, 0)
        for (const each of steps) {
          if (typeof each === "number") {
            const [released] = held.splice(each, 1)
            if (released !== undefined) limit.release(released.key, released.amount)
            continue
          }
          const own = sum(held.filter(({ key }) => key === each.key))
          const fits = own + each.amount <= 10 && sum(held) + each.amount <= 15
          expect(limit.tryAcquire(each.key, each.amount)).toBe(fits)
          if (fits) held.push(each)
          expect(limit.held).toBe(sum(held))
        }
        for (const { amount, key } of held) limit.release(key, amount)
        expect([limit.held, limit.tryAcquire("a", 10)]).toEqual([0, true])
      })
    )
  })
})
