import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { limitedOperations } from "../support/reach/LimitedOperations.ts"
import { across, outside } from "../support/reach/Outside.ts"
import { World } from "../support/reach/World.ts"
import { isSlow, rounds } from "../support/Slow.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()
const operations = limitedOperations()
const named = (wanted: string) => operations.find(({ name }) => name === wanted)!
const [pull, events, change] = [named("pullChanges"), named("listEvents"), named("updateNote")]
const ofSets = operations.filter(({ path }) => /^\/(change-sets|reverts)/.test(path))

const number = fc.nat(1_000)
const step = fc.record({
  operation: number,
  numbers: fc.array(number, { minLength: 10, maxLength: 10 }),
  outside: fc.array(number, { minLength: 3, maxLength: 3 })
})

const successful = new Set<string>()
let tools: ReadonlyArray<string> = []

const seed = process.env["SEED"] ?? (isSlow ? undefined : "1")

describe("a credential that reaches some notebooks", () => {
  it("gets the same responses whatever the rest of the workspace has", { timeout: 7_200_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 40, size: "max" }), async (steps) => {
        const [one, other] = await World.two(app)
        expect(one.tools).toEqual(other.tools)
        for (const each of steps) {
          await outside(one, other, each.outside)
          if (each.operation % 10 === 0) {
            await across([one, other], each.outside)
            // Ids of one millisecond have any order.
            await app.advance("1 second")
          }
          const chosen = each.numbers.at(-1)! % (operations.length + one.tools.length)
          const tool = chosen - operations.length
          const [a, b] =
            tool < 0
              ? [await one.ask(operations[chosen]!, each), await other.ask(operations[chosen]!, each)]
              : [await one.call(one.tools[tool]!, each), await other.call(other.tools[tool]!, each)]
          expect(a).toBe(b)
          // What others do shows most in a client that follows the changes.
          const follows = [pull, events][each.operation % 3]
          if (follows !== undefined) expect(await one.ask(follows, each)).toBe(await other.ask(follows, each))
          // Records leave the change sets of the key, and its reverts run when others have changed these.
          if (each.operation % 4 === 0) expect(await one.ask(change, each)).toBe(await other.ask(change, each))
          const ofSet = ofSets[each.operation % (2 * ofSets.length)]
          if (ofSet !== undefined) expect(await one.ask(ofSet, each)).toBe(await other.ask(ofSet, each))
          await app.advance("1 second")
        }
        for (const name of one.successful) successful.add(name)
        tools = one.tools.map(({ name }) => name)
      }),
      {
        numRuns: Number(process.env["RUNS"] ?? rounds(2, 2_500)),
        endOnFailure: true,
        ...(seed === undefined ? {} : { seed: Number(seed) })
      }
    )
    // Else it shows nothing about an operation.
    if (isSlow) expect([...successful].toSorted()).toEqual([...operations.map(({ name }) => name), ...tools].toSorted())
  })
})
