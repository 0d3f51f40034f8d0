import fc from "fast-check"
import { describe, it } from "vitest"
import { FollowedWorkspace } from "../support/changesets/FollowedWorkspace.ts"
import { RandomChanges, type Step, stepOf } from "../support/changesets/RandomChanges.ts"
import { checkLaws } from "../support/changesets/RevertLaws.ts"
import { isSlow, rounds } from "../support/Slow.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()

const ground: ReadonlyArray<Step> = (
  [
    ["createNotebook", 0, 0, 0],
    ["createNotebook", 0, 0, 1],
    ["createNote", 0, 0, 2],
    ["createNote", 0, 1, 1],
    ["createNote", 0, 2, 1],
    ["createComment", 0, 0, 0],
    ["reply", 0, 0, 0],
    ["createTemplate", 0, 0, 0],
    ["createReminder", 1, 0, 0]
  ] as const
).map(([kind, a, b, c]) => ({ actor: "person", kind, a, b, c, pushed: false }))

/** `SEED` and `RUNS` run a failure again, or more seeds. The fast form always has the same steps. */
const seed = process.env["SEED"] ?? (isSlow ? undefined : "1")
const ofSeed = seed === undefined ? {} : { seed: Number(seed) }

const property = (steps: fc.Arbitrary<ReadonlyArray<Step>>, runs: number) =>
  fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const workspace = await FollowedWorkspace.start(app)
      const changes = new RandomChanges(workspace)
      for (const step of [...ground, ...steps]) await changes.run(step)
      try {
        await checkLaws(workspace, changes)
      } catch (error) {
        const names = new Map<string, string>()
        const shortened = (text: string) =>
          text.replace(/\b([a-z]{2})_0[0-9A-Za-z]{15,}/g, (id, prefix) => {
            if (!names.has(id)) names.set(id, `${prefix}${names.size}`)
            return names.get(id)!
          })
        const { actual, expected, message } = error as { actual?: unknown; expected?: unknown; message: string }
        const lines = (value: unknown) => JSON.stringify(value, null, 1)?.split("\n") ?? []
        const missing = lines(expected).filter((line) => !lines(actual).includes(line))
        const added = lines(actual).filter((line) => !lines(expected).includes(line))
        const all = [message, ...changes.log, "- " + missing.join("\n- "), "+ " + added.join("\n+ ")].join("\n")
        throw new Error(shortened(all), { cause: error })
      }
    }),
    { numRuns: Number(process.env["RUNS"] ?? runs), endOnFailure: process.env["SHRINK"] !== "1", ...ofSeed }
  )

describe("the revert of a change set", () => {
  it("leaves a workspace that only the set has changed as it was before", async () => {
    await property(fc.array(stepOf({ assistant: 1 }), { minLength: 2, maxLength: 25, size: "max" }), rounds(5, 400))
  })

  it("keeps what others have written before, between and after its changes", async () => {
    await property(
      fc.array(stepOf({ assistant: 5, person: 3, importer: 1, device: 2 }), {
        minLength: 5,
        maxLength: 40,
        size: "max"
      }),
      rounds(8, 600)
    )
  })
})
