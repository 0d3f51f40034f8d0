import { expect, it } from "vitest"
import { reverting } from "../../support/changesets/Reverting.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { rounds } from "../../support/Slow.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app, given } = useApp()
const revert = reverting(given)

let count = 0
const newSet = (): string => `cs_${String(++count).padStart(20, "q")}`
const inbox = async (): Promise<string> => (await given("GET", "/notebooks")).data[0].id
const makeNotes = async (body: (at: number) => string, length: number): Promise<ReadonlyArray<string>> => {
  const notebook_id = await inbox()
  const changes = Array.from({ length }, (_, at) => ({
    type: "note",
    op: "upsert",
    mutation_id: `m-${++count}`,
    data: { notebook_id, title: "t", body: body(at) }
  }))
  return (await given("POST", "/sync/push", { changes })).changes
    .filter(({ type }: any) => type === "note")
    .map(({ id }: any) => id)
}

it("two clients write in one set at once", async () => {
  const other = await startApp({ databaseOf: app })
  try {
    const set = newSet()
    const headers = { "change-set": set }
    const notebook_id = await inbox()
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? app : other).call("POST", "/notes", { notebook_id, title: `n${at}` }, headers)
      )
    )
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201))
    expect(await given("GET", `/change-sets/${set}`)).toMatchObject({ records: 20, changes: 20 })
    expect((await revert(set)).counts).toEqual([20, 0, 0])
    await expectTruth(app)
  } finally {
    await other.stop()
  }
})

it("reverts of a set that are requested at once are one", async () => {
  const set = newSet()
  const ids = await makeNotes(() => "before", 30)
  for (const id of ids) await app.call("PATCH", `/notes/${id}`, { body: "after" }, { "change-set": set })
  const asked = await Promise.all([1, 2, 3].map(() => app.call("POST", `/change-sets/${set}/revert`, {})))
  expect(new Set(asked.map(({ body }) => body.reverted_by)).size).toBe(1)
  await app.idle()
  expect(await given("GET", `/reverts/${asked[0]!.body.id}`)).toMatchObject({ status: "done", reverted: 30 })
  for (const id of ids) expect(await given("GET", `/notes/${id}`)).toMatchObject({ body: "before", version: 3 })
  // A later one has nothing to take back.
  expect((await revert(set)).counts).toEqual([30, 0, 0])
  for (const id of ids) expect((await given("GET", `/notes/${id}`)).version).toBe(3)
})

it("a person who writes during a revert loses no word", async () => {
  for (let round = 0; round < rounds(2, 40); round++) {
    const set = newSet()
    const ids = await makeNotes((at) => `before${at}\n`, 40)
    for (let from = 0; from < ids.length; from += 20) {
      const changes = ids.slice(from, from + 20).map((id, at) => ({
        type: "note",
        op: "upsert",
        id,
        revision: 1,
        mutation_id: `c-${++count}`,
        data: { body: `before${from + at}\nmachine\n` }
      }))
      await app.call("POST", "/sync/push", { changes }, { "change-set": set })
    }
    const asked = await given("POST", `/change-sets/${set}/revert`, {})
    const words = new Map<string, string>()
    let at = 0
    for (let isOver = false; !isOver;) {
      isOver = (await given("GET", `/reverts/${asked.id}`)).status === "done"
      const wave = Array.from({ length: 4 }, () => ids[(at += 7) % ids.length]!)
      await Promise.all(
        [...new Set(wave)].map(async (id) => {
          const { body, version } = await given("GET", `/notes/${id}`)
          const word = `person${++count}`
          const response = await app.call("PATCH", `/notes/${id}`, { body: `${body}${word}\n`, version })
          if (response.status === 200) words.set(word, id)
          else expect(response.status).toBe(412)
        })
      )
    }
    for (const [word, id] of words) expect((await given("GET", `/notes/${id}`)).body).toContain(word)
    for (const [place, id] of ids.entries()) {
      const { body } = await given("GET", `/notes/${id}`)
      expect(body).toContain(`before${place}`)
      expect(body).not.toContain("machine")
    }
  }
  await expectTruth(app)
})
