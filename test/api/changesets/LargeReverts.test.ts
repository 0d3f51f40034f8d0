import { expect, it } from "vitest"
import { reverting } from "../../support/changesets/Reverting.ts"
import { isSlow } from "../../support/Slow.ts"
import { useApp } from "../../support/useApp.ts"

const { app, given } = useApp({ clock: "live" })
const revert = reverting(given)

const length = 10_000
const set = "cs_large0000000000000000"

it.runIf(isSlow)("the revert of 10 000 notes takes seconds, and lets others write meanwhile", async () => {
  const [{ id: notebook_id }] = (await given("GET", "/notebooks")).data
  const push = async (entries: ReadonlyArray<object>, headers: Record<string, string> = {}) => {
    const made: Array<any> = []
    for (let from = 0; from < entries.length; from += 500) {
      const response = await app.call("POST", "/sync/push", { changes: entries.slice(from, from + 500) }, headers)
      expect(response.status, response.text.slice(0, 500)).toBe(201)
      made.push(...response.body.changes.filter(({ type }: any) => type === "note"))
    }
    return made
  }
  const body = "A line of a note with some words.\n".repeat(30)
  const numbers = Array.from({ length }, (_, at) => at)
  const made = await push(
    numbers.map((at) => ({
      type: "note",
      op: "upsert",
      mutation_id: `m-${at}`,
      data: { notebook_id, title: `n${at}`, body }
    }))
  )
  const change = ({ id, revision }: any, at: number) => ({
    type: "note",
    op: "upsert",
    id,
    revision,
    mutation_id: `c-${at}`,
    data: { body: `${body}One more.\n`, tags: ["changed"] }
  })
  await push(made.map(change), { "change-set": set })
  const own = await given("POST", "/notes", { notebook_id, title: "of a person" })

  /** Writes all the time while `run` runs. Returns the milliseconds of both: of `run`, and of the longest write. */
  const timed = async (run: () => Promise<unknown>) => {
    const begun = performance.now()
    let [isOver, longest, writes] = [false, 0, 0]
    const others = (async () => {
      while (!isOver) {
        const from = performance.now()
        await given("PATCH", `/notes/${own.id}`, { title: `t${++writes}` })
        longest = Math.max(longest, performance.now() - from)
      }
    })()
    await run()
    const millis = performance.now() - begun
    isOver = true
    await others
    return { millis: Math.round(millis), longest: Math.round(longest), writes }
  }
  const alone = async (run: () => Promise<unknown>) => {
    const begun = performance.now()
    await run()
    return Math.round(performance.now() - begun)
  }
  const preview = await alone(async () => expect((await revert(set, { preview: true })).counts[0]).toBe(length + 1))
  let reverted_by: string | null = null
  const real = await timed(async () => {
    const done = await revert(set)
    expect(done.counts[0]).toBe(length + 1)
    reverted_by = done.reverted_by
  })
  const again = await alone(async () => expect((await revert(reverted_by!)).counts[0]).toBe(length + 1))
  console.log(JSON.stringify({ length, preview, real, again }))
  // Far above what they take: only a different order of cost fails.
  expect(real.millis).toBeLessThan(90_000)
  expect(real.longest).toBeLessThan(5_000)
})
