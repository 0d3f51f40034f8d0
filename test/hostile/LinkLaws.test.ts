import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkLinks } from "../support/contents/LinkChecks.ts"
import { linksOfBoth } from "../support/contents/LimitedLinks.ts"
import { everyStep, LinkedWorkspace, stepOf } from "../support/contents/LinkedWorkspace.ts"
import { isSlow, rounds } from "../support/Slow.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()

const seed = process.env["SEED"] ?? (isSlow ? undefined : "1")

describe("links and tasks", () => {
  it(
    "equal a full scan after every step, also for a limited key, and no link changes its note without a reason",
    { timeout: 7_200_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(stepOf, { minLength: 5, maxLength: 15, size: "max" }), async (steps) => {
          const workspace = await LinkedWorkspace.start(app)
          try {
            for (const step of steps) {
              const before = await workspace.linked()
              await workspace.run(step)
              const rows = await workspace.rows()
              checkLinks(before, await workspace.linked())
              const { limited, whole } = await linksOfBoth(workspace.team)
              expect(limited).toEqual(whole)
              expect(await workspace.rowsAnew()).toEqual(rows)
            }
          } catch (error) {
            throw new Error([(error as Error).message, ...workspace.log].join("\n"), { cause: error })
          } finally {
            await workspace.close()
          }
        }),
        {
          numRuns: Number(process.env["RUNS"] ?? rounds(3, 1_000)),
          examples: [[[...everyStep]]],
          endOnFailure: process.env["SHRINK"] !== "1",
          ...(seed === undefined ? {} : { seed: Number(seed) })
        }
      )
    }
  )
})
