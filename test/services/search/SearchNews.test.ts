import { Effect } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { SearchThread } from "../../../services/search/SearchThread.ts"
import { rounds } from "../../support/Slow.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const kill = () => app.run(Effect.flatMap(Effect.service(SearchThread), (thread) => thread.kill))

/** Ids and scores of the notes found. */
const found = async (query: string, at: TestApp = app): Promise<ReadonlyArray<readonly [string, number]>> => {
  const { body, status } = await at.call("POST", "/search", { query, limit: 100 })
  expect(status).toBe(201)
  return body.hits.map(({ id, score }: any) => [id, score])
}

const notebook = async () => (await app.call("GET", "/notebooks")).body.data[0].id as string

const words = ["amber", "basalt", "copper", "dolomite", "emerald"] as const
const node = fc.nat(1)
const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }).map((all) => all.join(" "))
const step = fc.oneof(
  fc.record({ kind: fc.constant("create" as const), node, title: text, body: text }),
  fc.record({ kind: fc.constant("update" as const), node, note: fc.nat(20), body: text }),
  fc.record({ kind: fc.constant("trash" as const), node, note: fc.nat(20) }),
  fc.record({ kind: fc.constant("restore" as const), node, note: fc.nat(20) }),
  fc.record({ kind: fc.constant("push" as const), node, bodies: fc.array(text, { minLength: 1, maxLength: 4 }) }),
  fc.record({ kind: fc.constant("rename" as const), node }),
  fc.record({ kind: fc.constant("archive" as const), node, note: fc.nat(20) }),
  fc.record({ kind: fc.constant("search" as const), node, word: fc.constantFrom(...words) })
)

it("an index equals one that is built from the log, after writes by two nodes with searches in between", async () => {
  const other = await startApp({ databaseOf: app })
  const nodes = [app, other]
  const notebook_id = await notebook()
  let renamed = 0
  const tag = (await app.call("POST", "/tags", { name: "stone" })).body
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const notes: Array<{ id: string; body: string; isArchived: boolean; isTrashed: boolean }> = []
      const written = async (at: TestApp, method: string, path: string, body?: object) => {
        const answer = await at.call(method, path, body)
        expect(answer.status, answer.text).toBeLessThan(300)
        return answer.body
      }
      const add = async (at: TestApp, title: string, body: string) => {
        const { id } = await written(at, "POST", "/notes", {
          notebook_id,
          title,
          body,
          tags: [`stone${renamed || ""}`]
        })
        notes.push({ id, body: `${title} ${body}`, isArchived: false, isTrashed: false })
      }
      for (const each of steps) {
        const at = nodes[each.node]!
        const note = "note" in each ? notes[each.note % Math.max(1, notes.length)] : undefined
        if (each.kind === "create") await add(at, each.title, each.body)
        if (each.kind === "push") {
          const changes = each.bodies.map((body) => ({
            type: "note",
            op: "upsert",
            data: { notebook_id, title: "Pushed", body }
          }))
          const { results } = await written(at, "POST", "/sync/push", { changes })
          for (const [place, { id }] of results.entries())
            notes.push({ id, body: each.bodies[place]!, isArchived: false, isTrashed: false })
        }
        if (each.kind === "rename") await written(at, "PATCH", `/tags/${tag.id}`, { name: `stone${++renamed}` })
        if (each.kind === "search") {
          const expected = notes.filter(
            ({ body, isArchived, isTrashed }) => !isTrashed && !isArchived && body.includes(each.word)
          )
          const ids = (await found(each.word, at)).map(([id]) => id)
          expect(notes.filter(({ id }) => ids.includes(id))).toEqual(expected)
        }
        if (note === undefined) continue
        if (each.kind === "update" && !note.isTrashed) {
          await written(at, "PATCH", `/notes/${note.id}`, { title: "Updated", body: each.body })
          note.body = each.body
        }
        if (each.kind === "archive" && !note.isTrashed && !note.isArchived) {
          await written(at, "PATCH", `/notes/${note.id}`, { archived: true })
          note.isArchived = true
        }
        if (each.kind === "trash" && !note.isTrashed) {
          await written(at, "DELETE", `/notes/${note.id}`)
          note.isTrashed = true
        }
        if (each.kind === "restore" && note.isTrashed) {
          note.isArchived = (await written(at, "POST", `/notes/${note.id}/restore`)).archived
          note.isTrashed = false
        }
      }
      const answers = async () =>
        Promise.all([...words, "stone", "pushed", `tag:stone${renamed || ""} amber`].map((word) => found(word)))
      const heard = await answers()
      await kill()
      expect(heard).toEqual(await answers())
      for (const { id, isTrashed } of notes) if (!isTrashed) await written(app, "DELETE", `/notes/${id}`)
    }),
    { numRuns: rounds(3, 12), endOnFailure: true }
  )
  await other.stop()
})
